package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	// maxWait is how long the broker holds a fetch open while there is nothing to return.
	maxWait = 500 * time.Millisecond
	// fetchTimeout is when a connection counts as hanging; it covers the long poll.
	fetchTimeout = maxWait + 2*time.Second
	// maxFetch roughly bounds the bytes of one fetch: Kafka returns a larger batch whole.
	maxFetch = 1 << 20
)

// fetched is the result of one fetch.
type fetched struct {
	messages []*Message // in order, none below the offset asked for
	end      int64      // high watermark: the offset that the next message will get
}

// fetch waits up to maxWait for messages from offset on.
func (l *Log) fetch(ctx context.Context, tp topicPartition, offset int64) (fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	res, err := l.client.Fetch(ctx, &kafka.FetchRequest{
		Topic: tp.topic, Partition: tp.partition, Offset: offset,
		MinBytes: 1, MaxBytes: maxFetch, MaxWait: maxWait,
	})
	if err != nil {
		return fetched{}, err
	}
	if res.Error != nil {
		return fetched{}, res.Error
	}
	messages, err := readRecords(res.Records, tp, offset)
	if len(messages) > 0 {
		err = nil // the next fetch starts at the unreadable record and reports it
	}
	return fetched{messages, res.HighWatermark}, err
}

// readRecords copies the records out of kafka-go's buffers. A batch is fetched whole, so
// the first records may be below the offset asked for; they are left out.
func readRecords(records kafka.RecordReader, tp topicPartition, offset int64) ([]*Message, error) {
	var messages []*Message
	for {
		r, err := records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return messages, nil
		}
		if err != nil {
			return messages, fmt.Errorf("reading record: %w", err)
		}
		m, err := newMessage(r, tp)
		if err != nil {
			return messages, fmt.Errorf("reading record %d: %w", r.Offset, err)
		}
		if m.Offset >= offset {
			messages = append(messages, m)
		}
	}
}

func newMessage(r *kafka.Record, tp topicPartition) (*Message, error) {
	key, err := readBytes(r.Key)
	if err != nil {
		return nil, err
	}
	value, err := readBytes(r.Value)
	if err != nil {
		return nil, err
	}
	m := &Message{
		Topic: tp.topic, Partition: tp.partition, Offset: r.Offset,
		Key: key, Value: value, Time: r.Time,
	}
	for _, h := range r.Headers {
		m.Headers = append(m.Headers, Header{h.Key, h.Value})
	}
	return m, nil
}

// readBytes copies a key or value and returns kafka-go's buffer to its pool.
func readBytes(b kafka.Bytes) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	data, err := kafka.ReadAll(b)
	return data, errors.Join(err, b.Close())
}

// bounds returns the first offset of a partition and the one after its last.
func (l *Log) bounds(ctx context.Context, tp topicPartition) (first, end int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	res, err := l.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{
		tp.topic: {kafka.FirstOffsetOf(tp.partition), kafka.LastOffsetOf(tp.partition)},
	}})
	if err != nil {
		return 0, 0, err
	}
	for _, p := range res.Topics[tp.topic] {
		if p.Partition == tp.partition {
			return p.FirstOffset, p.LastOffset, p.Error
		}
	}
	return 0, 0, kafka.UnknownTopicOrPartition
}
