package stream

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// ReadAll calls fn with every message that is in the topic now, partition by partition,
// in order, without a consumer group. It ends with fn's first error.
func (l *Log) ReadAll(ctx context.Context, topic string, fn func(*Message) error) error {
	counts, err := l.partitionCounts(ctx, []string{topic})
	if err != nil {
		return fmt.Errorf("reading %s: %w", topic, err)
	}
	if counts[topic] == 0 {
		return fmt.Errorf("reading %s: %w", topic, kafka.UnknownTopicOrPartition)
	}
	for n := range counts[topic] {
		if err := l.readPartition(ctx, topicPartition{topic, n}, fn); err != nil {
			return fmt.Errorf("reading partition %d of %s: %w", n, topic, err)
		}
	}
	return nil
}

func (l *Log) readPartition(ctx context.Context, tp topicPartition, fn func(*Message) error) error {
	var pause backoff
	offset, end, err := l.bounds(ctx, tp)
	for err != nil && retriable(err) && pause.wait(ctx) == nil { // a new partition shows before it has a leader
		offset, end, err = l.bounds(ctx, tp)
	}
	if err != nil {
		return err
	}
	for offset < end {
		got, err := l.fetch(ctx, tp, offset)
		if err != nil {
			return err
		}
		if len(got.messages) == 0 {
			return fmt.Errorf("no message from offset %d on, though %d are there", offset, end-offset)
		}
		for _, m := range got.messages {
			if m.Offset >= end {
				return nil
			}
			if err := fn(m); err != nil {
				return err
			}
			offset = m.Offset + 1
		}
	}
	return nil
}
