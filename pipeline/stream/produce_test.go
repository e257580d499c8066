package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

func TestOpenSaysWhatItCannotReach(t *testing.T) {
	addr := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := stream.Open(ctx, config(t, addr))
	if err == nil || !strings.HasPrefix(err.Error(), "connecting to Kafka at "+addr+": ") {
		t.Fatalf("Open = %v", err)
	}
}

func TestEnsureTopics(t *testing.T) {
	log := open(t)
	name := unique("topic")
	four := schema.Topic{Name: name, Partitions: 4, RetentionBytes: 4 << 20}
	t.Run("several processes at once", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := log.EnsureTopics(t.Context(), []schema.Topic{four}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := log.Partitions(name); got != 4 {
			t.Errorf("Partitions = %d, want 4", got)
		}
	})
	for what, partitions := range map[string]int{"fewer partitions than are asked for": 5, "more partitions than are asked for": 3} {
		t.Run(what, func(t *testing.T) {
			ensure(t, log, schema.Topic{Name: name, Partitions: partitions, RetentionBytes: 4 << 20})
			if got := log.Partitions(name); got != 4 {
				t.Errorf("Partitions = %d, want the 4 it was made with", got)
			}
		})
	}
}

func TestProduceKeepsEverythingOfARecord(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 3)
	for name, tt := range map[string]struct {
		record    stream.Record
		partition int
	}{
		"keyed":           {stream.Record{Key: []byte("a"), Value: []byte("v"), Headers: []stream.Header{{Key: "h", Value: []byte("x")}}}, stream.Partition([]byte("a"), 3)},
		"empty value":     {stream.Record{Key: []byte("b")}, stream.Partition([]byte("b"), 3)},
		"given partition": {stream.Record{Key: []byte("c"), Value: []byte("w"), Partition: new(2)}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			produce(t, log, topic, tt.record)
			var got *stream.Message
			err := log.ReadAll(t.Context(), topic, func(m *stream.Message) error {
				if bytes.Equal(m.Key, tt.record.Key) {
					got = m
				}
				return nil
			})
			if err != nil || got == nil {
				t.Fatalf("ReadAll = %v, message %v", err, got)
			}
			if got.Partition != tt.partition || !bytes.Equal(got.Value, tt.record.Value) || len(got.Headers) != len(tt.record.Headers) {
				t.Errorf("message = %+v", got)
			}
			if len(got.Headers) > 0 && got.Header("h") != "x" {
				t.Errorf("Header = %q", got.Header("h"))
			}
		})
	}
}

func TestProduceSpreadsRecordsWithoutKey(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 3)
	for range 9 {
		produce(t, log, topic, stream.Record{Value: []byte("v")})
	}
	counts := map[int]int{}
	err := log.ReadAll(t.Context(), topic, func(m *stream.Message) error { counts[m.Partition]++; return nil })
	if err != nil || counts[0] != 3 || counts[1] != 3 || counts[2] != 3 {
		t.Errorf("per partition: %v, %v", counts, err)
	}
}

func TestProduceSplitsLargeBatches(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 1)
	var records []stream.Record
	for i := range 9 {
		records = append(records, stream.Record{Key: []byte("k"), Value: append(bytes.Repeat([]byte("x"), 400_000), byte('0'+i))})
	}
	produce(t, log, topic, records...)
	var order []byte
	err := log.ReadAll(t.Context(), topic, func(m *stream.Message) error {
		order = append(order, m.Value[len(m.Value)-1])
		return nil
	})
	if err != nil || string(order) != "012345678" {
		t.Errorf("ReadAll = %v, order %q", err, order)
	}
	err = log.Produce(t.Context(), topic, []stream.Record{{Value: make([]byte, 1<<20)}})
	if !errors.Is(err, kafka.MessageSizeTooLarge) {
		t.Errorf("a record above the limit: %v", err)
	}
}

func TestConcurrentProducersKeepTheirOrder(t *testing.T) {
	log := open(t)
	topic := newTopic(t, log, 2)
	const callers, each = 64, 30
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			for i := range each {
				record := stream.Record{Key: fmt.Append(nil, caller), Value: fmt.Append(nil, i)}
				if err := log.Produce(t.Context(), topic, []stream.Record{record}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	next := map[string]int{}
	err := log.ReadAll(t.Context(), topic, func(m *stream.Message) error {
		if got, _ := strconv.Atoi(string(m.Value)); got != next[string(m.Key)] {
			return fmt.Errorf("caller %s: %d after %d", m.Key, got, next[string(m.Key)]-1)
		}
		next[string(m.Key)]++
		return nil
	})
	if err != nil || len(next) != callers {
		t.Fatalf("%d callers, %v", len(next), err)
	}
}

func TestProduceRetries(t *testing.T) {
	for name, fail := range map[string]func(kmsg.Request) (kmsg.Response, error, bool){
		"the leader moved": func(r kmsg.Request) (kmsg.Response, error, bool) {
			return refusal(r.(*kmsg.ProduceRequest), kerr.NotLeaderForPartition), nil, true
		},
		"the connection broke": func(kmsg.Request) (kmsg.Response, error, bool) {
			return nil, errors.New("cut"), true
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t)
			log := openAt(t, b.addr())
			topic := newTopic(t, log, 1)
			for range 3 {
				b.ControlKey(kmsg.Produce.Int16(), fail)
			}
			produce(t, log, topic, numbered(0, 10)...)
			count := 0
			if err := log.ReadAll(t.Context(), topic, func(*stream.Message) error { count++; return nil }); err != nil || count != 10 {
				t.Errorf("%d messages, %v", count, err)
			}
		})
	}
}

func TestProduceReturnsWhatCannotSucceed(t *testing.T) {
	b := newBroker(t)
	log := openAt(t, b.addr())
	topic := newTopic(t, log, 1)
	t.Run("refused for good", func(t *testing.T) {
		b.ControlKey(kmsg.Produce.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			return refusal(r.(*kmsg.ProduceRequest), kerr.TopicAuthorizationFailed), nil, true
		})
		if err := log.Produce(t.Context(), topic, numbered(0, 1)); !errors.Is(err, kafka.TopicAuthorizationFailed) {
			t.Errorf("Produce = %v", err)
		}
	})
	t.Run("no broker until the deadline", func(t *testing.T) {
		b.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := log.Produce(ctx, topic, numbered(0, 1))
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("Produce = %v", err)
		}
	})
}

func TestCloseEndsCallsInProgress(t *testing.T) {
	b := newBroker(t)
	log := openAt(t, b.addr())
	known := newTopic(t, log, 1)
	b.Close()
	var wg sync.WaitGroup
	for name, topic := range map[string]string{"known": known, "unknown": unique("topic")} {
		wg.Go(func() {
			if err := log.Produce(t.Context(), topic, numbered(0, 1)); !errors.Is(err, stream.ErrClosed) {
				t.Errorf("a call for the %s topic: %v", name, err)
			}
		})
	}
	time.Sleep(100 * time.Millisecond) // both are waiting
	ran := sleeptest.Stopwatch(t)
	log.Close()
	wg.Wait()
	if took := ran(); took > 10*time.Second {
		t.Errorf("Close took %v", took)
	}
	if err := log.Produce(t.Context(), known, numbered(0, 1)); !errors.Is(err, stream.ErrClosed) {
		t.Errorf("a call after it: %v", err)
	}
}

func refusal(r *kmsg.ProduceRequest, code *kerr.Error) kmsg.Response {
	response := r.ResponseKind().(*kmsg.ProduceResponse)
	for _, topic := range r.Topics {
		answer := kmsg.NewProduceResponseTopic()
		answer.Topic, answer.TopicID = topic.Topic, topic.TopicID
		for _, p := range topic.Partitions {
			partition := kmsg.NewProduceResponseTopicPartition()
			partition.Partition, partition.ErrorCode = p.Partition, code.Code
			answer.Partitions = append(answer.Partitions, partition)
		}
		response.Topics = append(response.Topics, answer)
	}
	return response
}
