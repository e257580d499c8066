package compose_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose"
	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/stream"
	"crier/schema"
)

// Topics are made with the partitions that are asked for, and keep them.
func TestPartitionsStay(t *testing.T) {
	var output bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&output, &slog.HandlerOptions{Level: slog.LevelWarn}))
	log, err := stream.Open(t.Context(), stream.Config{
		Brokers: []string{embeddedtest.OwnLog(t)}, ClientID: "test", Logger: logger, Registerer: prometheus.NewRegistry(), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, wanted := range []int{3, 3, 5, 0} {
		output.Reset()
		if err := compose.EnsureTopics(t.Context(), compose.Config{Partitions: wanted, Logger: logger}, log); err != nil {
			t.Fatal(err)
		}
		for _, topic := range schema.Topics() {
			if got := log.Partitions(topic.Name); got != 3 {
				t.Errorf("%s has %d partitions after %d were wanted, not the 3 it was made with", topic.Name, got, wanted)
			}
		}
		if differs := strings.Contains(output.String(), "topic=publish partitions=3 wanted="); differs != (wanted != 3) {
			t.Errorf("of %d wanted: %q", wanted, output.String())
		}
	}
}
