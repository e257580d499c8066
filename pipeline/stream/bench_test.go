package stream_test

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"crier/pipeline/stream"
)

// BenchmarkLatency measures from Produce to deliver at 200 messages a second.
func BenchmarkLatency(b *testing.B) {
	log := open(b)
	topic := newTopic(b, log, 8)
	latencies := make(chan time.Duration, b.N)
	c := consume(b, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic},
		func(_ context.Context, messages []*stream.Message) {
			for _, m := range messages {
				sent, _ := strconv.ParseInt(string(m.Value), 10, 64)
				latencies <- time.Since(time.UnixMicro(sent))
				m.Ack()
			}
		})
	c.awaitReady(b)
	time.Sleep(time.Second) // all partitions wait in a long poll
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	b.ResetTimer()
	for range b.N {
		<-tick.C
		value := strconv.AppendInt(nil, time.Now().UnixMicro(), 10)
		produce(b, log, topic, stream.Record{Key: value, Value: value})
	}
	var all []time.Duration
	for range b.N {
		all = append(all, <-latencies)
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(all[len(all)-1].Microseconds()), "max-µs")
}

// BenchmarkThroughput writes and reads messages of 200 bytes in batches of 1,000.
func BenchmarkThroughput(b *testing.B) {
	log := open(b)
	topic := newTopic(b, log, 8)
	var got atomic.Int64
	c := consume(b, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic, MaxInFlight: 5000},
		func(_ context.Context, messages []*stream.Message) {
			for _, m := range messages {
				m.Ack()
			}
			got.Add(int64(len(messages)))
		})
	c.awaitReady(b)
	records := make([]stream.Record, 1000)
	for i := range records {
		records[i] = stream.Record{Key: strconv.AppendInt(nil, int64(i), 10), Value: make([]byte, 200)}
	}
	b.ResetTimer()
	for range b.N {
		produce(b, log, topic, records...)
	}
	total := int64(b.N) * int64(len(records))
	eventually(b, "everything is read", func() bool { return got.Load() >= total })
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "messages/s")
}
