package stream

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// sender writes to one partition, one request at a time: so no request overtakes the retry
// of an earlier one, and all that is queued during one goes out with the next. Its goroutine
// runs only while there is something to send.
type sender struct {
	log *Log
	topicPartition

	mu      sync.Mutex
	queue   []*chunk
	sending bool
	err     error // of the last attempt, for callers that stop waiting
}

func (l *Log) sender(topic string, partition int) *sender {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := topicPartition{topic, partition}
	s := l.senders[key]
	if s == nil {
		s = &sender{log: l, topicPartition: key}
		l.senders[key] = s
	}
	return s
}

func (s *sender) enqueue(c *chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, c)
	if !s.sending {
		s.sending = true
		s.log.work.Go(s.run)
	}
}

func (s *sender) run() {
	for {
		batch := s.take()
		if len(batch) == 0 {
			return
		}
		s.send(batch)
	}
}

// take removes from the queue the chunks that fit in one request and returns them. When
// there are none, the goroutine ends and enqueue must start another.
func (s *sender) take() []*chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, size := 0, 0
	for n < len(s.queue) && (n == 0 || size+s.queue[n].size <= maxRequest) {
		size += s.queue[n].size
		n++
	}
	batch := s.queue[:n:n]
	s.queue = s.queue[n:]
	s.sending = n > 0
	return batch
}

// send writes the batch, and retries until it is written, cannot succeed, or no caller
// waits for it any more.
func (s *sender) send(batch []*chunk) {
	var pause backoff
	for {
		batch = dropAbandoned(batch)
		if len(batch) == 0 {
			return
		}
		err := s.attempt(batch)
		s.setError(err)
		if err == nil || !retriable(err) {
			finish(batch, err)
			return
		}
		if errors.Is(err, kafka.UnknownTopicOrPartition) || errors.Is(err, protocol.ErrNoTopic) {
			if err := s.log.recreate(s.log.ctx, s.topic); err != nil {
				s.setError(err)
			}
		}
		if pause.wait(s.log.ctx) != nil {
			finish(batch, err)
			return
		}
	}
}

func finish(batch []*chunk, err error) {
	for _, c := range batch {
		c.done <- err
	}
}

// dropAbandoned finishes the chunks whose call has ended and returns the others.
func dropAbandoned(batch []*chunk) []*chunk {
	return slices.DeleteFunc(batch, func(c *chunk) bool {
		err := c.ctx.Err()
		if err != nil {
			c.done <- err
		}
		return err != nil
	})
}

func (s *sender) attempt(batch []*chunk) error {
	ctx, cancel := context.WithTimeout(s.log.ctx, requestTimeout)
	defer cancel()
	res, err := s.log.client.Produce(ctx, &kafka.ProduceRequest{
		Topic:        s.topic,
		Partition:    s.partition,
		RequiredAcks: kafka.RequireAll,
		Records:      kafka.NewRecordReader(wireRecords(batch)...),
	})
	if err != nil {
		return err
	}
	return res.Error
}

// wireRecords converts the records for one attempt. Every attempt needs new ones, since
// kafka-go's hold readers, which sending exhausts.
func wireRecords(batch []*chunk) []kafka.Record {
	n := 0
	for _, c := range batch {
		n += len(c.records)
	}
	out := make([]kafka.Record, 0, n)
	for _, c := range batch {
		for _, r := range c.records {
			wire := kafka.Record{Key: kafka.NewBytes(r.Key), Value: kafka.NewBytes(r.Value)}
			for _, h := range r.Headers {
				wire.Headers = append(wire.Headers, kafka.Header{Key: h.Key, Value: h.Value})
			}
			out = append(out, wire)
		}
	}
	return out
}

func (s *sender) setError(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *sender) lastError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
