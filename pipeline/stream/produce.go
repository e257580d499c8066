package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	// produceTimeout bounds a call whose context has no earlier deadline.
	produceTimeout = 30 * time.Second
	// maxRequest bounds the bytes of one request: below the 1,048,588 bytes that brokers
	// accept in a batch by default (message.max.bytes).
	maxRequest = 1_000_000
	// recordOverhead is the most bytes that a batch needs for a record beside its contents.
	recordOverhead = 32
)

// Record is a message to write.
type Record struct {
	Key       []byte // decides the partition; empty: round robin
	Value     []byte
	Headers   []Header
	Partition *int // overrides the key
}

// Header is a named value beside a message.
type Header struct {
	Key   string
	Value []byte
}

func (r *Record) size() int {
	n := len(r.Key) + len(r.Value) + recordOverhead
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value) + 10
	}
	return n
}

// Produce writes records and returns nil once all in-sync replicas have all of them. After
// an error each of them may or may not have been written. It retries until ctx ends, for at
// most 30 seconds. The caller must not change the records any more, even after an error.
//
// There is no linger: records that arrive during a request to their partition are sent
// together in the next one, so concurrent calls are cheap.
func (l *Log) Produce(ctx context.Context, topic string, records []Record) error {
	if len(records) == 0 {
		return nil
	}
	if err := l.begin(); err != nil {
		return fmt.Errorf("producing to %s: %w", topic, err)
	}
	defer l.work.Done()

	start, outcome := time.Now(), "ok"
	err := l.produce(ctx, topic, records)
	if err != nil {
		outcome = "error"
		if l.ctx.Err() != nil {
			err = errors.Join(ErrClosed, err)
		}
		err = fmt.Errorf("producing to %s: %w", topic, err)
	}
	l.metrics.produced.WithLabelValues(topic, outcome).Add(float64(len(records)))
	l.metrics.produceSeconds.WithLabelValues(topic).Observe(time.Since(start).Seconds())
	return err
}

func (l *Log) produce(ctx context.Context, topic string, records []Record) error {
	ctx, cancel := context.WithTimeout(ctx, produceTimeout)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	partitions := l.Partitions(topic)
	if partitions == 0 {
		var err error
		if partitions, err = l.awaitTopic(ctx, topic); err != nil {
			return err
		}
	}
	chunks, err := l.split(ctx, topic, records, partitions)
	for _, c := range chunks {
		c.sender.enqueue(c)
	}
	errs := []error{err}
	for _, c := range chunks {
		errs = append(errs, c.wait(ctx))
	}
	return errors.Join(errs...)
}

// chunk is the part of one call that goes to one partition in one request.
type chunk struct {
	ctx     context.Context // of the call; once it has ended nobody waits for the chunk
	sender  *sender
	records []*Record
	size    int
	done    chan error // has room for the one result
}

func (c *chunk) wait(ctx context.Context) error {
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		return errors.Join(ctx.Err(), c.sender.lastError())
	}
}

// split groups records by partition, in order, into chunks of at most maxRequest. Those that no
// request can hold, or whose partition there is not, are left out and named by the error.
func (l *Log) split(ctx context.Context, topic string, records []Record, partitions int) (chunks []*chunk, err error) {
	var errs []error
	open := make([]*chunk, partitions)
	for i := range records {
		r := &records[i]
		size := r.size()
		if size > maxRequest {
			errs = append(errs, fmt.Errorf("record of %d bytes: %w", size, kafka.MessageSizeTooLarge))
			continue
		}
		p := l.partitionFor(r, partitions)
		if p < 0 || p >= partitions {
			errs = append(errs, fmt.Errorf("partition %d of %d: %w", p, partitions, kafka.UnknownTopicOrPartition))
			continue
		}
		c := open[p]
		if c == nil || c.size+size > maxRequest {
			c = &chunk{ctx: ctx, sender: l.sender(topic, p), done: make(chan error, 1)}
			open[p] = c
			chunks = append(chunks, c)
		}
		c.records = append(c.records, r)
		c.size += size
	}
	return chunks, errors.Join(errs...)
}

func (l *Log) partitionFor(r *Record, partitions int) int {
	switch {
	case r.Partition != nil:
		return *r.Partition
	case len(r.Key) == 0:
		return int(l.next.Add(1) % uint32(partitions))
	}
	return Partition(r.Key, partitions)
}
