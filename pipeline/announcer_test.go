package pipeline

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded"
	"crier/pipeline/stream"
	"crier/schema"
)

// ownLog is a log whose topics nobody else reads: what is announced here no stage understands.
func ownLog(t *testing.T) string {
	t.Helper()
	data, err := embedded.OpenData(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	broker, err := embedded.StartLog(data, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(broker.Stop(), data.Close()); err != nil {
			t.Error(err)
		}
	})
	return broker.Addr()
}

// A gateway that is stopped has acknowledged what it announces: cut off, it would be published
// only when its job fires, half a minute later.
func TestAStopCutsNoAnnouncementOff(t *testing.T) {
	var said bytes.Buffer
	logger, registry := slog.New(slog.NewTextHandler(&said, nil)), prometheus.NewRegistry()
	log, err := stream.Open(t.Context(), stream.Config{
		Brokers: []string{ownLog(t)}, ClientID: "test", Logger: slog.New(slog.DiscardHandler), Registerer: registry, Now: time.Now,
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
	if said.Len() > 0 {
		t.Errorf("announcements were cut off:\n%s", said.String())
	}
}
