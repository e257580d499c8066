package stream_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

// The environment variables of the child process that is killed in the middle of its work.
const (
	childBroker = "STREAM_TEST_BROKER"
	childTopic  = "STREAM_TEST_TOPIC"
	childGroup  = "STREAM_TEST_GROUP"
)

func brokerOf(t testing.TB) string { return embeddedtest.Log(t) }

// runChild consumes, acknowledges the even offsets, prints each, and waits to be killed.
func runChild() {
	log, err := stream.Open(context.Background(), stream.Config{
		Brokers: []string{os.Getenv(childBroker)}, Logger: slog.New(slog.DiscardHandler),
		Registerer: prometheus.NewRegistry(), Now: time.Now,
	})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	c := log.NewConsumer(stream.ConsumerConfig{Group: os.Getenv(childGroup), Topic: os.Getenv(childTopic), MaxInFlight: 1000},
		func(_ context.Context, messages []*stream.Message) {
			for _, m := range messages {
				if m.Offset%2 == 0 {
					m.Ack()
				}
				fmt.Println("delivered", m.Offset)
			}
		})
	fmt.Println(c.Run(context.Background()))
}

func TestUnacknowledgedMessagesSurviveAKill(t *testing.T) {
	log := open(t)
	topic, group := newTopic(t, log, 1), unique("group")
	produce(t, log, topic, numbered(0, 10)...)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childBroker+"="+brokerOf(t), childTopic+"="+topic, childGroup+"="+group)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "delivered 9" {
		if !strings.HasPrefix(lines.Text(), "delivered ") {
			t.Fatalf("child: %s", lines.Text())
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed

	ran := sleeptest.Stopwatch(t)
	var got seen
	consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, got.ack)
	got.wait(t, 9) // offset 0 may have been committed, 1 cannot have been
	took := ran()
	t.Logf("messages of a killed process were delivered again after %v", took)
	if took > 8*time.Second {
		t.Errorf("delivered again after %v", took)
	}
}

func TestBrokerStopsAndComesBack(t *testing.T) {
	for name, between := range map[string]func(*testing.T, *broker){
		"with its folder": func(*testing.T, *broker) {},
		"with its folder deleted": func(t *testing.T, b *broker) {
			if err := os.RemoveAll(b.dir); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t)
			log := openAt(t, b.addr())
			topic := newTopic(t, log, 2)
			var got seen
			c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic}, got.ack)
			produce(t, log, topic, numbered(0, 100)...)
			got.wait(t, 100)

			b.Close()
			eventually(t, "it is not ready", func() bool { return c.Ready() != nil })
			between(t, b)
			var producing sync.WaitGroup
			producing.Go(func() { produce(t, log, topic, numbered(100, 200)...) })
			b.start()
			ran := sleeptest.Stopwatch(t)
			got.wait(t, 200)
			took := ran()
			t.Logf("new messages were delivered %v after the broker came back", took)
			if took > 10*time.Second {
				t.Errorf("recovery took %v", took)
			}
			producing.Wait()
			c.awaitReady(t)
		})
	}
}

func TestTopicMissingWhenPartitionsAreAssigned(t *testing.T) {
	b := newBroker(t)
	log := openAt(t, b.addr())
	topic := newTopic(t, log, 2)
	// Only the leader of the group asks for its topic by name; other requests are for all.
	b.ControlKey(kmsg.Metadata.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		request := r.(*kmsg.MetadataRequest)
		if len(request.Topics) == 0 {
			return nil, nil, false
		}
		response := request.ResponseKind().(*kmsg.MetadataResponse)
		missing := kmsg.NewMetadataResponseTopic()
		missing.Topic, missing.ErrorCode = request.Topics[0].Topic, kerr.UnknownTopicOrPartition.Code
		response.Topics = append(response.Topics, missing)
		return response, nil, true
	})
	var got seen
	consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic}, got.ack)
	produce(t, log, topic, numbered(0, 10)...)
	got.wait(t, 10)
}

func TestOffsetBeforeTheStartIsResetToTheEarliest(t *testing.T) {
	b := newBroker(t)
	log := openAt(t, b.addr())
	topic, group := unique("topic"), unique("group")
	ensure(t, log, schema.Topic{Name: topic, Partitions: 1, RetentionBytes: 1 << 20})
	produce(t, log, topic, numbered(0, 1)...)
	var first seen
	c := consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic, Drain: time.Second}, first.ack)
	first.wait(t, 1)
	c.stop()

	large := make([]byte, 500_000)
	for i := range 12 {
		produce(t, log, topic, stream.Record{Value: fmt.Appendf(large, "%d", i)})
	}
	b.ApplyRetention()
	var second seen
	consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, second.ack)
	eventually(t, "the last message is delivered", func() bool {
		all := second.all()
		return len(all) > 0 && all[len(all)-1].Offset == 12
	})
	if m := second.all()[0]; m.Offset <= 1 {
		t.Errorf("retention kept everything: the first message is %d", m.Offset)
	}
}

func TestMessagesThatCannotBeReadAreSkipped(t *testing.T) {
	// A batch of format 2 whose checksum is wrong.
	damaged := make([]byte, 100)
	binary.BigEndian.PutUint32(damaged[8:], uint32(len(damaged)-12))
	damaged[16] = 2
	for name, batch := range map[string][]byte{
		"the broker gives nothing": nil,
		"the batch is damaged":     damaged,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t)
			log := openAt(t, b.addr())
			topic := newTopic(t, log, 1)
			for i := range 10 {
				produce(t, log, topic, numbered(i, i+1)...)
			}
			b.ControlKey(kmsg.Fetch.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
				b.KeepControl()
				fetch := r.(*kmsg.FetchRequest)
				if fetch.Topics[0].Partitions[0].FetchOffset >= 5 {
					return nil, nil, false
				}
				return answer(fetch, batch, 10), nil, true
			})
			var got seen
			c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic}, got.ack)
			got.wait(t, 3)
			values := got.values()
			if values["9"] == 0 || values["4"] > 0 {
				t.Errorf("delivered: %v", values)
			}
			c.awaitReady(t)
		})
	}
}

// answer returns a response with a batch and the given high watermark.
func answer(r *kmsg.FetchRequest, batch []byte, end int64) kmsg.Response {
	response := r.ResponseKind().(*kmsg.FetchResponse)
	topic := kmsg.NewFetchResponseTopic()
	topic.Topic, topic.TopicID = r.Topics[0].Topic, r.Topics[0].TopicID
	partition := kmsg.NewFetchResponseTopicPartition()
	partition.Partition = r.Topics[0].Partitions[0].Partition
	partition.HighWatermark = end
	partition.RecordBatches = batch
	topic.Partitions = append(topic.Partitions, partition)
	response.Topics = append(response.Topics, topic)
	return response
}

func TestHangingConnectionIsReplaced(t *testing.T) {
	b := newBroker(t)
	log := openAt(t, b.addr())
	topic := newTopic(t, log, 1)
	var got seen
	c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic}, got.ack)
	c.awaitReady(t)
	b.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, nil, true // no answer
	})
	time.Sleep(time.Second) // the running long poll ends, the next one hangs
	produce(t, log, topic, numbered(0, 5)...)
	ran := sleeptest.Stopwatch(t)
	got.wait(t, 5)
	if took := ran(); took > 8*time.Second {
		t.Errorf("delivered after %v", took)
	}
}
