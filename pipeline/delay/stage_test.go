package delay

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"crier/schema"
)

func TestAProcessWithoutShardsShowsNothingOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		d := &Stage{metrics: NewMetrics(registry), assignments: make(chan assignment)}
		d.metrics.showOverdue(schema.Overdue{Oldest: time.Hour, Waiting: 3, Held: 2, Paused: 1})
		go d.followAssignments(t.Context())
		d.assignments <- assignment{ctx: t.Context()}
		synctest.Wait()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		gauges := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				gauges[f.GetName()] += m.GetGauge().GetValue()
			}
		}
		for _, name := range []string{"crier_oldest_overdue_seconds", "crier_overdue", "crier_held"} {
			if value, is := gauges[name]; !is || value != 0 {
				t.Errorf("%s shows %v, want 0", name, value)
			}
		}
	})
}

// manyHeld is a database that takes long to tell what is overdue.
type manyHeld struct {
	store
	reads int
}

func (*manyHeld) Now() time.Time { return time.Now() }

func (*manyHeld) Due(context.Context, []int16, time.Time, time.Time, int) ([]schema.Job, error) {
	return nil, nil
}

func (*manyHeld) Backlog(context.Context, []schema.JobPlace, time.Time, int) ([]schema.Job, error) {
	return nil, nil
}

func (*manyHeld) Unheld(_ context.Context, jobs []schema.Job) ([]schema.Job, error) { return jobs, nil }

func (m *manyHeld) Overdue(context.Context, []int16) (schema.Overdue, error) {
	m.reads++
	time.Sleep(100 * time.Millisecond)
	return schema.Overdue{}, nil
}

func TestFiguresThatTakeLongAreAskedForSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &manyHeld{}
		d := &Stage{store: store, metrics: NewMetrics(prometheus.NewRegistry()), window: newWindow(windowLimit), credit: newCredit(store.Now()), firing: newFiring()}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		d.serve(assignment{ctx: ctx, shards: []int16{0}})
		if minimum, maximum := 13, 16; store.reads < minimum || store.reads > maximum {
			t.Errorf("asked %d times within a minute for what takes 100 ms, want %d to %d", store.reads, minimum, maximum)
		}
	})
}

// stalling is a database that answers nothing until it is back.
type stalling struct {
	manyHeld
	back time.Time
}

func (s *stalling) Overdue(ctx context.Context, _ []int16) (schema.Overdue, error) {
	select {
	case <-ctx.Done():
		return schema.Overdue{}, ctx.Err()
	case <-time.After(max(time.Until(s.back), 0)):
		return schema.Overdue{Waiting: 3}, nil
	}
}

func (s *stalling) Due(ctx context.Context, _ []int16, _, _ time.Time, _ int) ([]schema.Job, error) {
	_, err := s.Overdue(ctx, nil)
	return nil, err
}

func TestFiguresAreOldWhilePostgresIsSilentAndRightSoonAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stalling{back: time.Now().Add(40*time.Second + 300*time.Millisecond)}
		d := &Stage{
			store: store, metrics: NewMetrics(prometheus.NewRegistry()), logger: slog.New(slog.DiscardHandler),
			window: newWindow(windowLimit), credit: newCredit(store.Now()), firing: newFiring(),
		}
		d.metrics.showOverdue(schema.Overdue{Waiting: 1})
		ctx, cancel := context.WithCancel(t.Context())
		var serving sync.WaitGroup
		serving.Go(func() { d.serve(assignment{ctx: ctx, shards: []int16{0}}) })
		time.Sleep(40 * time.Second)
		if waiting, age := d.metrics.shownWaiting(t), d.metrics.overdueAge(); waiting != 1 || age != 40 {
			t.Errorf("while it is silent %v are shown, %v s old; want those of before, 40 s old", waiting, age)
		}
		time.Sleep(5 * time.Second)
		if waiting, age := d.metrics.shownWaiting(t), d.metrics.overdueAge(); waiting != 3 || age > 5 {
			t.Errorf("5 s after it is back %v are shown, %v s old", waiting, age)
		}
		cancel()
		serving.Wait()
	})
}

func (m *Metrics) shownWaiting(t *testing.T) float64 {
	t.Helper()
	var gauge dto.Metric
	if err := m.waiting.Write(&gauge); err != nil {
		t.Fatal(err)
	}
	return gauge.GetGauge().GetValue()
}

// jumping is a database whose clock is set.
type jumping struct {
	store
	ahead atomic.Int64
}

func (j *jumping) Now() time.Time { return time.Now().Add(time.Duration(j.ahead.Load())) }

func TestJobsGoOutSoonAfterTheClockWasSetAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &jumping{}
		d := &Stage{store: store, jobs: make(chan []schema.Job), window: newWindow(windowLimit), firing: newFiring()}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		due := make(chan []schema.Job)
		go d.keepWindow(ctx, due)
		d.jobs <- []schema.Job{{ID: schema.JobID{1}, DueAt: store.Now().Add(55 * time.Second)}}
		time.Sleep(time.Second)
		store.ahead.Store(int64(time.Hour))
		set := time.Now()
		if jobs := <-due; len(jobs) != 1 || time.Since(set) > 2*time.Second {
			t.Errorf("%d jobs went out after %v", len(jobs), time.Since(set))
		}
	})
}
