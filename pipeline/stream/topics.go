package stream

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"

	"crier/schema"
)

const (
	ensureTimeout = 30 * time.Second
	// minSegment is the smallest segment.bytes that Apache Kafka 4 accepts (KIP-1030).
	minSegment = 1 << 20
)

// EnsureTopics creates the topics that are missing and waits until they can be used, for at
// most 30 seconds. A topic that exists keeps its number of partitions, whatever number is
// asked for, since another would move keys to other partitions; Partitions returns it. If
// one of these topics vanishes later, it is created again with that number.
func (l *Log) EnsureTopics(ctx context.Context, topics []schema.Topic) error {
	ctx, cancel := context.WithTimeout(ctx, ensureTimeout)
	defer cancel()
	var pause backoff
	for {
		err := l.ensure(ctx, topics)
		switch {
		case err == nil:
			l.remember(topics)
			return nil
		case !creationRetriable(err):
			return fmt.Errorf("creating topics: %w", err)
		case pause.wait(ctx) != nil:
			return fmt.Errorf("creating topics: %w", err)
		}
	}
}

// creationRetriable reports whether creating topics may succeed later. A cluster that is
// starting counts too few brokers for its replication factor.
func creationRetriable(err error) bool {
	return errors.Is(err, kafka.InvalidReplicationFactor) || retriable(err)
}

func (l *Log) remember(topics []schema.Topic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range topics {
		t.Partitions = l.counts[t.Name]
		l.topics[t.Name] = t
	}
}

func (l *Log) ensure(ctx context.Context, topics []schema.Topic) error {
	missing, err := l.missing(ctx, topics)
	if err != nil {
		return err
	}
	if err := l.create(ctx, missing); err != nil {
		return err
	}
	missing, err = l.missing(ctx, topics)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("topic %s: %w", missing[0].Name, kafka.UnknownTopicOrPartition)
	}
	return err
}

// missing returns the topics that there are not.
func (l *Log) missing(ctx context.Context, topics []schema.Topic) ([]schema.Topic, error) {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.Name
	}
	counts, err := l.partitionCounts(ctx, names)
	return slices.DeleteFunc(slices.Clone(topics), func(t schema.Topic) bool { return counts[t.Name] > 0 }), err
}

// topicConfig turns retention by time off: the embedded broker forgets the offsets of a
// partition that it has emptied, and groups then skip new messages. Retention by size
// deletes whole segments, so a segment is a quarter of it.
func topicConfig(t schema.Topic) kafka.TopicConfig {
	return kafka.TopicConfig{
		Topic:             t.Name,
		NumPartitions:     t.Partitions,
		ReplicationFactor: -1, // the cluster's default
		ConfigEntries: []kafka.ConfigEntry{
			{ConfigName: "retention.ms", ConfigValue: "-1"},
			{ConfigName: "retention.bytes", ConfigValue: strconv.FormatInt(t.RetentionBytes, 10)},
			{ConfigName: "segment.bytes", ConfigValue: strconv.FormatInt(max(t.RetentionBytes/4, minSegment), 10)},
		},
	}
}

// create creates topics. One that another process has created meanwhile is no error.
func (l *Log) create(ctx context.Context, topics []schema.Topic) error {
	if len(topics) == 0 {
		return nil
	}
	configs := make([]kafka.TopicConfig, len(topics))
	for i, t := range topics {
		configs[i] = topicConfig(t)
	}
	// Until ctx ends, kafka-go waits for its metadata to show the new topics.
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	res, err := l.client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: configs})
	if err != nil {
		return err
	}
	for name, err := range res.Errors {
		if err != nil && !errors.Is(err, kafka.TopicAlreadyExists) {
			return fmt.Errorf("topic %s: %w", name, err)
		}
	}
	return nil
}

// partitionCounts returns how many partitions each topic has, 0 for a missing one. The
// answer may be as old as metadataTTL.
func (l *Log) partitionCounts(ctx context.Context, topics []string) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	res, err := l.client.Metadata(ctx, &kafka.MetadataRequest{Topics: topics})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, t := range res.Topics {
		counts[t.Name] = len(t.Partitions)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, n := range counts {
		if n > 0 {
			l.counts[name] = n
		}
	}
	return counts, nil
}

// awaitTopic returns how many partitions a topic has, once it exists.
func (l *Log) awaitTopic(ctx context.Context, topic string) (int, error) {
	var pause backoff
	for {
		counts, err := l.partitionCounts(ctx, []string{topic})
		if n := counts[topic]; n > 0 {
			return n, nil
		}
		if err == nil {
			err = l.recreate(ctx, topic)
		}
		if stop := pause.wait(ctx); stop != nil {
			return 0, fmt.Errorf("waiting for topic %s: %w", topic, errors.Join(stop, err))
		}
	}
}

// recreate creates a topic again that EnsureTopics was called with and that has vanished.
func (l *Log) recreate(ctx context.Context, topic string) error {
	l.mu.Lock()
	t, known := l.topics[topic]
	l.mu.Unlock()
	if !known {
		return kafka.UnknownTopicOrPartition
	}
	return l.create(ctx, []schema.Topic{t})
}

// Partitions returns how many partitions a topic has, 0 if this Log has not seen it yet.
func (l *Log) Partitions(topic string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts[topic]
}

// Partition returns which of n partitions holds the messages of a key: FNV-1a, 32 bits,
// modulo n. All processes must agree on it, so it must never change.
func Partition(key []byte, n int) int {
	h := fnv.New32a()
	h.Write(key)
	return int(h.Sum32() % uint32(n))
}
