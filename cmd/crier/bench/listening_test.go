package bench

import (
	"testing"
	"time"
)

func TestAStreamIsReadAndDecoded(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	addresses, err := freeAddresses(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := s.start(t.Context(), roleStream, streamConfig{addresses[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stream.stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := awaitListener(t.Context(), addresses[0]); err != nil {
		t.Fatal(err)
	}
	var read streamRead
	plan := streamPlan{Address: "http://" + addresses[0], Items: 300, Ago: time.Second}
	if err := s.do(t.Context(), roleReader, plan, &read); err != nil || read.Items != 300 || read.Seconds <= 0 || read.CPU <= 0 {
		t.Errorf("read = %+v, %v", read, err)
	}
}
