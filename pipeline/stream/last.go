package stream

import (
	"context"
	"fmt"
)

// Last returns the last messages of each partition of a topic, at most n of each.
func (l *Log) Last(ctx context.Context, topic string, n int64) ([]*Message, error) {
	var last []*Message
	for partition := range l.Partitions(topic) {
		tp := topicPartition{topic, partition}
		first, end, err := l.bounds(ctx, tp)
		if err != nil {
			return nil, fmt.Errorf("reading where %s ends: %w", topic, err)
		}
		for offset := max(first, end-n); offset < end; {
			got, err := l.fetch(ctx, tp, offset)
			if err != nil {
				return nil, fmt.Errorf("reading the last messages of %s: %w", topic, err)
			}
			if len(got.messages) == 0 { // what follows was written by nobody's record
				break
			}
			last = append(last, got.messages...)
			offset = got.messages[len(got.messages)-1].Offset + 1
		}
	}
	return last, nil
}
