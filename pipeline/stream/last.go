package stream

import (
	"context"
	"fmt"
)

// Last returns the last message of each partition of a topic, of those that have any.
func (l *Log) Last(ctx context.Context, topic string) ([]*Message, error) {
	var last []*Message
	for partition := range l.Partitions(topic) {
		tp := topicPartition{topic, partition}
		first, end, err := l.bounds(ctx, tp)
		if err != nil {
			return nil, fmt.Errorf("reading where %s ends: %w", topic, err)
		}
		if end <= first {
			continue
		}
		got, err := l.fetch(ctx, tp, end-1)
		if err != nil {
			return nil, fmt.Errorf("reading the last message of %s: %w", topic, err)
		}
		if len(got.messages) > 0 {
			last = append(last, got.messages[len(got.messages)-1])
		}
	}
	return last, nil
}
