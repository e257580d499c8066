package stream_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

func TestMessagesOfAPartitionComeInOrder(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 4)
	var got seen
	consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic, MaxInFlight: 64},
		func(ctx context.Context, messages []*stream.Message) {
			got.keep(ctx, messages)
			rand.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
			go func(messages []*stream.Message) { // acknowledged elsewhere, in any order
				for _, m := range messages {
					m.Ack()
				}
			}(slices.Clone(messages))
		})
	for i := range 20 {
		produce(t, log, topic, numbered(i*100, (i+1)*100)...)
	}
	got.wait(t, 2000)
	last := map[string]int{}
	offsets := map[int]int64{}
	for _, m := range got.all() {
		n, err := strconv.Atoi(string(m.Value))
		if err != nil {
			t.Fatal(err)
		}
		if n <= last[string(m.Key)] && last[string(m.Key)] > 0 {
			t.Errorf("key %s: %d after %d", m.Key, n, last[string(m.Key)])
		}
		if want := offsets[m.Partition]; m.Offset != want {
			t.Fatalf("partition %d: offset %d, want %d", m.Partition, m.Offset, want)
		}
		last[string(m.Key)] = n
		offsets[m.Partition]++
	}
}

func TestCommitStopsAtTheLowestUnacknowledged(t *testing.T) {
	log := open(t)
	topic, group := newTopic(t, log, 1), unique("group")
	produce(t, log, topic, numbered(0, 10)...)

	var first seen
	c := consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic},
		func(ctx context.Context, messages []*stream.Message) {
			first.keep(ctx, messages)
			for _, m := range messages {
				if m.Offset != 3 {
					m.Ack()
				}
			}
		})
	first.wait(t, 10)
	c.stop()

	var second seen
	consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, second.ack)
	second.wait(t, 7)
	if m := second.all()[0]; m.Offset != 3 {
		t.Errorf("delivered again from %d on, want 3", m.Offset)
	}
}

func TestAckAfterTheGenerationCommitsNothing(t *testing.T) {
	log := open(t)
	topic, group := newTopic(t, log, 1), unique("group")
	produce(t, log, topic, numbered(0, 5)...)
	var first seen
	c := consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, first.keep)
	first.wait(t, 5)
	c.stop()

	var second seen
	consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, second.keep)
	second.wait(t, 5)
	for _, m := range first.all() {
		m.Ack()
	}
	time.Sleep(500 * time.Millisecond) // longer than the commit interval
	if got := committed(t, topic, group); got > 0 {
		t.Errorf("committed offset %d by messages of an earlier generation", got)
	}
}

// committed returns the offset committed for partition 0, as kafka-go reads it.
func committed(t testing.TB, topic, group string) int64 {
	t.Helper()
	client := &kafka.Client{Addr: kafka.TCP(brokerOf(t))}
	res, err := client.OffsetFetch(t.Context(), &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: {0}}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Topics[topic][0].CommittedOffset
}

func TestNothingIsFetchedBeyondMaxInFlight(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 2)
	produce(t, log, topic, numbered(0, 200)...)
	var got seen
	consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic, MaxInFlight: 7}, got.keep)
	got.wait(t, 14)
	time.Sleep(300 * time.Millisecond) // in which no more may come
	if n := len(got.all()); n != 14 {
		t.Fatalf("%d messages in flight, want 7 for each of 2 partitions", n)
	}
	for acked := range 200 {
		eventually(t, "the next message", func() bool { return len(got.all()) > acked })
		got.all()[acked].Ack()
		if inFlight := len(got.all()) - acked - 1; inFlight > 14 {
			t.Fatalf("%d messages in flight", inFlight)
		}
	}
}

func TestTwoConsumersShareAGroup(t *testing.T) {
	log := open(t)
	topic, group := newTopic(t, log, 4), unique("group")
	var got seen
	var a, b assignments
	first := consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic, Drain: time.Second, Assigned: a.note}, got.ack)
	eventually(t, "the first owns all", func() bool { return a.owned() == 4 })

	ctx, stop := context.WithCancel(t.Context())
	var producer sync.WaitGroup
	produced := 0
	producer.Go(func() {
		for ; ctx.Err() == nil; produced += 10 {
			produce(t, log, topic, numbered(produced, produced+10)...)
			time.Sleep(5 * time.Millisecond)
		}
	})
	second := consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic, Drain: time.Second, Assigned: b.note}, got.ack)
	eventually(t, "both own two", func() bool { return a.owned() == 2 && b.owned() == 2 })
	first.awaitReady(t)
	second.awaitReady(t)

	second.stop()
	ran := sleeptest.Stopwatch(t)
	eventually(t, "the first owns all again", func() bool { return a.owned() == 4 })
	if took := ran(); took > 5*time.Second {
		t.Errorf("taking over from a consumer that left took %v", took)
	}
	stop()
	producer.Wait()
	got.wait(t, produced)
}

// assignments notes the partitions of the current generation.
type assignments struct {
	mu         sync.Mutex
	partitions int
}

func (a *assignments) note(ctx context.Context, partitions []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.partitions = len(partitions)
	context.AfterFunc(ctx, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.partitions == len(partitions) {
			a.partitions = 0
		}
	})
}

func (a *assignments) owned() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.partitions
}

func TestShutdownWaitsForMessagesInFlight(t *testing.T) {
	log := open(t)
	topic, group := newTopic(t, log, 1), unique("group")
	produce(t, log, topic, numbered(0, 10)...)
	var first seen
	var ended context.Context
	c := consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic, Drain: patience},
		func(ctx context.Context, messages []*stream.Message) {
			ended = ctx //nolint:fatcontext // looked at after the end
			first.keep(ctx, messages)
		})
	first.wait(t, 10)

	stopped := make(chan struct{})
	go func() { defer close(stopped); c.stop() }()
	time.Sleep(300 * time.Millisecond) // well into the drain
	produce(t, log, topic, numbered(10, 11)...)
	for i, m := range first.all() {
		select {
		case <-stopped:
			t.Fatalf("stopped with %d messages in flight", 10-i)
		case <-ended.Done():
			t.Fatal("the context of deliver ended during the drain")
		default:
		}
		m.Ack()
	}
	<-stopped
	if len(first.all()) != 10 {
		t.Error("delivered after the end")
	}
	var second seen
	consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, second.ack)
	second.wait(t, 1)
	if m := second.all()[0]; m.Offset != 10 {
		t.Errorf("next owner starts at %d, want 10", m.Offset)
	}
}

func TestShutdownWaitsNoLongerThanDrain(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 1)
	produce(t, log, topic, numbered(0, 1)...)
	var got seen
	c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic, Drain: 200 * time.Millisecond},
		func(ctx context.Context, messages []*stream.Message) {
			got.keep(ctx, messages)
			<-ctx.Done() // a stage that is stuck, but heeds its context
		})
	got.wait(t, 1)
	ran := sleeptest.Stopwatch(t)
	c.stop()
	if took := ran(); took < 200*time.Millisecond || took > 10*time.Second {
		t.Errorf("stopping took %v with a drain of 200 ms", took)
	}
}

func TestOffsetBeyondTheEndIsResetToTheEarliest(t *testing.T) {
	log := open(t)
	topic, group := newTopic(t, log, 1), unique("group")
	produce(t, log, topic, numbered(0, 5)...)
	client := &kafka.Client{Addr: kafka.TCP(brokerOf(t))}
	eventually(t, "an offset is committed from outside", func() bool {
		res, err := client.OffsetCommit(t.Context(), &kafka.OffsetCommitRequest{
			GroupID: group, GenerationID: -1,
			Topics: map[string][]kafka.OffsetCommit{topic: {{Partition: 0, Offset: 100}}},
		})
		return err == nil && res.Topics[topic][0].Error == nil
	})
	var first seen
	c := consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, first.keep)
	first.wait(t, 5)
	// Committed at once: 200 messages later 100 would be inside the log again.
	eventually(t, "the new position is committed", func() bool { return committed(t, topic, group) == 0 })
	c.stop()
	produce(t, log, topic, numbered(5, 200)...)
	var second seen
	consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, second.ack)
	second.wait(t, 200)
}

func TestReadiness(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 2)
	idle := log.NewConsumer(stream.ConsumerConfig{Group: unique("group"), Topic: topic, MaxInFlight: 1}, new(seen).ack)
	if err := idle.Ready(); err == nil {
		t.Error("ready before it was started")
	}
	c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic}, new(seen).ack)
	c.awaitReady(t)
	c.stop()
	if err := c.Ready(); err == nil {
		t.Error("ready after it was stopped")
	}
}

func TestTopicThatAppearsLaterIsConsumed(t *testing.T) {
	log := open(t)
	topic := unique("topic")
	var got seen
	c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic}, got.ack)
	eventually(t, "it reports that it waits for the topic", func() bool {
		err := c.Ready()
		return err != nil && strings.Contains(err.Error(), "waiting for the topic")
	})
	ensure(t, log, schema.Topic{Name: topic, Partitions: 2, RetentionBytes: 4 << 20})
	produce(t, log, topic, numbered(0, 20)...)
	got.wait(t, 20)
}
