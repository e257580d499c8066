package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/segmentio/kafka-go"

	"crier/schema"
)

// The headers of a dead letter, after those of the message itself.
const (
	headerTopic     = "crier-topic"
	headerPartition = "crier-partition"
	headerOffset    = "crier-offset"
	headerReason    = "crier-reason"
	headerTries     = "crier-tries"
	headerTime      = "crier-time" // RFC 3339 in UTC

	maxReason = 1000 // bytes
)

// DeadLetter is a message that a stage gave up on.
type DeadLetter struct {
	Topic     string // where it came from, with partition and offset
	Partition int
	Offset    int64
	Key       []byte
	Value     []byte
	Headers   []Header // its own
	Reason    string
	Tries     int
	Time      time.Time // when it was given up on, UTC
}

// Record returns what writes the message to its topic again.
func (d DeadLetter) Record() Record {
	return Record{Key: d.Key, Value: d.Value, Headers: d.Headers, Partition: &d.Partition}
}

// DeadLetter writes m to the topic of dead letters. The caller acknowledges m after it
// returned nil.
func (l *Log) DeadLetter(ctx context.Context, m *Message, tries int, reason string) error {
	headers := append(slices.Clone(m.Headers),
		Header{headerTopic, []byte(m.Topic)},
		Header{headerPartition, strconv.AppendInt(nil, int64(m.Partition), 10)},
		Header{headerOffset, strconv.AppendInt(nil, m.Offset, 10)},
		Header{headerReason, []byte(cut(reason, maxReason))},
		Header{headerTries, strconv.AppendInt(nil, int64(tries), 10)},
		Header{headerTime, l.now().UTC().AppendFormat(nil, time.RFC3339Nano)},
	)
	err := l.Produce(ctx, schema.TopicDead, []Record{{Key: m.Key, Value: m.Value, Headers: headers}})
	if err != nil {
		return fmt.Errorf("writing dead letter: %w", err)
	}
	l.metrics.deadLetters.WithLabelValues(m.Topic).Inc()
	return nil
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// ParseDeadLetter reads a message of the topic of dead letters.
func ParseDeadLetter(m *Message) (DeadLetter, error) {
	d := DeadLetter{Key: m.Key, Value: m.Value}
	var errs [4]error
	for _, h := range m.Headers {
		value := string(h.Value)
		switch h.Key {
		case headerTopic:
			d.Topic = value
		case headerPartition:
			d.Partition, errs[0] = strconv.Atoi(value)
		case headerOffset:
			d.Offset, errs[1] = strconv.ParseInt(value, 10, 64)
		case headerReason:
			d.Reason = value
		case headerTries:
			d.Tries, errs[2] = strconv.Atoi(value)
		case headerTime:
			d.Time, errs[3] = time.Parse(time.RFC3339Nano, value)
		default:
			d.Headers = append(d.Headers, h)
		}
	}
	if d.Topic == "" {
		return DeadLetter{}, fmt.Errorf("reading dead letter %d: no header %s", m.Offset, headerTopic)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return DeadLetter{}, fmt.Errorf("reading dead letter %d: %w", m.Offset, err)
	}
	return d, nil
}

// ReadAll calls fn with every message that is in the topic now, partition by partition,
// in order, without a consumer group. It ends with fn's first error.
func (l *Log) ReadAll(ctx context.Context, topic string, fn func(*Message) error) error {
	counts, err := l.lookUp(ctx, []string{topic})
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
	offset, end, err := l.bounds(ctx, tp)
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
