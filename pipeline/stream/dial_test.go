package stream_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"crier/pipeline/stream"
)

func TestFewConnectionsWaitForAStartingBroker(t *testing.T) {
	const partitions = 32
	b := newBroker(t)
	log := openAt(t, b.addr())
	topic := newTopic(t, log, partitions)
	var got seen
	c := consume(t, log, stream.ConsumerConfig{Group: unique("group"), Topic: topic}, got.ack)
	c.awaitReady(t)

	b.Close()
	starting, err := net.Listen("tcp", b.addr()) // accepts no connection from its queue
	if err != nil {
		t.Fatal(err)
	}
	var producing sync.WaitGroup
	for p := range partitions {
		producing.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := log.Produce(ctx, topic, []stream.Record{{Value: []byte{byte(p)}, Partition: &p}}); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(2 * time.Second) // less than dialTimeout, after which a connection is given up
	if n := waiting(t, starting); n == 0 || n > 8 {
		t.Errorf("%d connections wait to be served, want a few", n)
	}

	b.start()
	got.wait(t, partitions)
	producing.Wait()
}

// waiting closes a listener and returns how many connections were in its queue.
func waiting(t *testing.T, listener net.Listener) int {
	t.Helper()
	defer listener.Close()
	if err := listener.(*net.TCPListener).SetDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		conn, err := listener.Accept()
		if err != nil {
			return n
		}
		defer conn.Close() // only at the end: closing one would let the client open another
	}
}
