package stream_test

import (
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"crier/pipeline/stream"
)

func TestAStaleMemberIsNotWaitedFor(t *testing.T) {
	const never = 4 * time.Minute // longer than the test waits
	cfg := config(t, brokerOf(t))
	cfg.Node = unique("node")
	log, err := stream.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	topic, group := newTopic(t, log, 2), unique("group")

	// A member that sends no heartbeat learns of no rebalance, like one that was killed.
	stale, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: group, Topics: []string{topic}, Brokers: []string{brokerOf(t)},
		Dialer:            &kafka.Dialer{ClientID: cfg.ClientID + "-" + cfg.Node, Timeout: 5 * time.Second},
		GroupBalancers:    []kafka.GroupBalancer{kafka.RangeGroupBalancer{}},
		HeartbeatInterval: never, SessionTimeout: never, RebalanceTimeout: never,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stale.Close()
	if _, err := stale.Next(t.Context()); err != nil {
		t.Fatal(err)
	}

	var got seen
	consume(t, log, stream.ConsumerConfig{Group: group, Topic: topic}, got.ack)
	produce(t, log, topic, numbered(0, 100)...)
	got.wait(t, 100)
}
