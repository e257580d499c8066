package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

// runChores runs chores on a fake clock until the test ends, and then checks that a stop
// waits for nothing.
func runChores(t *testing.T, chores ...Chore) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	shared := Shared{Logger: slog.New(slog.DiscardHandler), Metrics: NewMetrics(registry)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		shared.keepAll(ctx, chores)
		close(ended)
	}()
	t.Cleanup(func() {
		stopped := time.Now()
		cancel()
		<-ended
		if took := time.Since(stopped); took > 0 {
			t.Errorf("the chores stopped after %v", took)
		}
	})
	return registry
}

func figure(t *testing.T, registry *prometheus.Registry, metric, chore string) float64 {
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			if family.GetName() == metric && m.Label[0].GetValue() == chore {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue() // it has one of them
			}
		}
	}
	t.Fatalf("no %s of chore %s", metric, chore)
	return 0
}

func TestAChoreHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hung, failed, done int
		registry := runChores(t,
			Chore{Name: "hangs", Every: time.Second, Do: func(ctx context.Context) (int, bool, error) {
				hung++
				<-ctx.Done()
				return 0, false, ctx.Err()
			}},
			Chore{Name: "fails", Every: time.Hour, Do: func(context.Context) (int, bool, error) {
				failed++
				return 0, false, errors.New("no")
			}},
			Chore{Name: "works", Every: time.Second, Do: func(context.Context) (int, bool, error) {
				done++
				return 2, false, nil
			}})
		began := time.Now()
		time.Sleep(time.Minute - time.Millisecond)
		synctest.Wait()
		if hung != 6 || failed != 3 || done != 60 {
			t.Errorf("in a minute: hung %d, failed %d, done %d times; want 6, 3, 60", hung, failed, done)
		}
		if n := figure(t, registry, "crier_chore_rows_total", "works"); n != 120 {
			t.Errorf("%v rows were counted, want 120", n)
		}
		for name, want := range map[string]time.Time{"fails": began, "hangs": began, "works": began.Add(59 * time.Second)} {
			if at := figure(t, registry, "crier_chore_last_success_timestamp_seconds", name); at != float64(want.Unix()) {
				t.Errorf("the chore that %s last succeeded %v s after the beginning", name, at-float64(began.Unix()))
			}
		}
	})
}

func TestAChoreGoesOnWhileMoreWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var chunks, gentle atomic.Int32
		registry := runChores(t, Chore{Name: "gentle", Every: time.Hour, Rest: 2, Do: func(context.Context) (int, bool, error) {
			gentle.Add(1)
			time.Sleep(200 * time.Millisecond)
			return 1, true, nil
		}}, Chore{Name: "long", Every: time.Hour, Do: func(context.Context) (int, bool, error) {
			n := chunks.Add(1)
			time.Sleep(200 * time.Millisecond)
			return 1, n%10 != 0, nil
		}})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := gentle.Load(); n != 4 {
			t.Errorf("%d chunks of 200 ms in two seconds, want 4, with pauses of two chunks", n)
		}
		if n := figure(t, registry, "crier_chore_behind", "long"); chunks.Load() != 7 || n != 1 {
			t.Errorf("%d chunks of 200 ms in two seconds, behind %v; want 7, with pauses of half a chunk", chunks.Load(), n)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := figure(t, registry, "crier_chore_behind", "long"); chunks.Load() != 10 || n != 0 {
			t.Errorf("%d chunks, behind %v; want 10, and rest", chunks.Load(), n)
		}
	})
}

// owedToOthers is an outbox whose first rows are owed to another consumer.
type owedToOthers struct{ outboxStore }

func (owedToOthers) Unsent(_ context.Context, _ schema.Owed, after schema.BatchID, _ time.Duration, _ int) ([]schema.EncodedEvents, schema.BatchID, error) {
	if after.IsZero() {
		return nil, schema.BatchID{1}, nil
	}
	return []schema.EncodedEvents{{ID: schema.BatchID{2}}}, schema.BatchID{}, nil
}

func TestARelayPassesAtOnceWhatIsOwedToOthers(t *testing.T) {
	var announced schema.Announcement
	relay := newOutboxRelay(owedToOthers{}, func(a schema.Announcement) { announced.Events = append(announced.Events, a.Events...) }, schema.OwedNotify)
	if _, more, err := relay.relay(t.Context()); err != nil || !more {
		t.Fatalf("more = %t, %v, want the next call at once", more, err)
	}
	if n, more, err := relay.relay(t.Context()); err != nil || more || n != 1 || len(announced.Events) != 1 {
		t.Errorf("%d sent, more = %t, %v", n, more, err)
	}
}
