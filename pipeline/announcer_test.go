package pipeline

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/stream"
	"crier/schema"
)

// A gateway that is stopped has acknowledged what it announces: cut off, it would be published
// only when its job fires, half a minute later.
func TestAStopCutsNoAnnouncementOff(t *testing.T) {
	var output bytes.Buffer
	logger, registry := slog.New(slog.NewTextHandler(&output, nil)), prometheus.NewRegistry()
	log, err := stream.Open(t.Context(), stream.Config{
		Brokers: []string{embeddedtest.OwnLog(t)}, ClientID: "test", // a log of its own: no stage knows what is announced here
		Logger: slog.New(slog.DiscardHandler), Registerer: registry, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.EnsureTopics(t.Context(), schema.Topics()); err != nil {
		t.Fatal(err)
	}
	a := NewAnnouncer(logger, NewMetrics(registry))
	a.rest = time.Minute
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for range 10 { // whether what is queued or the end comes first is chance
		a.Announce(schema.Announcement{Events: []schema.EncodedEvents{{Payload: []byte("{}")}}})
		if err := a.Run(stopped, log); err != nil {
			t.Fatal(err)
		}
	}
	if output.Len() > 0 {
		t.Errorf("announcements were cut off:\n%s", output.String())
	}
}

func TestEventsThatAreWrittenTogetherAreFewRequests(t *testing.T) {
	announcement := schema.Announcement{}
	for range 3 * eventsTogether {
		announcement.Events = append(announcement.Events, schema.EncodedEvents{ID: schema.NewID[schema.BatchID](time.Now())})
	}
	used := map[int]int{}
	for i, r := range recordsOf(announcement, func(string) int { return 1000 })[schema.TopicEvents] {
		if !bytes.Equal(r.Key, announcement.Events[i].ID[:]) {
			t.Fatalf("batch %x has the key %x: what is wrong with it would be told of another", announcement.Events[i].ID, r.Key)
		}
		used[*r.Partition]++
	}
	if len(used) < 2 || len(used) > 3 {
		t.Errorf("the batches of three requests go to %d partitions: %v", len(used), used)
	}
}

func TestAnnouncementsAreBoundedByTheirBytes(t *testing.T) {
	a := NewAnnouncer(slog.New(slog.DiscardHandler), NewMetrics(prometheus.NewRegistry()))
	large := schema.Announcement{Events: []schema.EncodedEvents{{Payload: make([]byte, announcerBytes/4)}}}
	for range 9 {
		a.Announce(large)
	}
	if n := len(a.events); n != 4 {
		t.Errorf("%d of a quarter of the bound are queued, want 4", n)
	}
	a.Announce(schema.Announcement{Notify: []schema.NotifyMessage{{}}})
	if len(a.work) != 1 {
		t.Error("one without events was dropped")
	}
	a.gather(a.events, <-a.events)
	if n := a.bytes.Load(); n != 0 {
		t.Errorf("%d bytes are counted of an empty queue", n)
	}
}
