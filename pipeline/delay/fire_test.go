package delay

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crier/schema"
)

// moving is a database that notes which jobs were moved on, and how many at a time.
type moving struct {
	store
	mu    sync.Mutex
	moved []int
}

func (m *moving) Now() time.Time { return time.Now() }

func (m *moving) Fired(_ context.Context, jobs []schema.Job) ([]schema.FiredJob, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moved = append(m.moved, len(jobs))
	return nil, nil
}

func TestNoFirerWaitsForWhatLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batches = 3*fireBatch + fireBatch/2 // of a job each, as many as are due at times of their own
		s := &moving{}
		d := &Stage{store: s, sent: make(chan sent, sentQueue), credit: newCredit(s.Now()), firing: newFiring()}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go d.moveSent(ctx)
		began := time.Now()
		for n := range batches {
			job := schema.Job{ID: schema.JobID{byte(n), byte(n >> 8)}, DueAt: began}
			d.sent <- sent{d.firing.begin([]schema.Job{job}), time.Now()}
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("who fires %d batches waited %v to hand them over", batches, waited)
		}
		synctest.Wait()
		if len(s.moved) > 0 {
			t.Errorf("%v jobs were moved on at once, and not after %v", s.moved, moveLinger)
		}
		time.Sleep(moveLinger)
		synctest.Wait()
		if want := []int{fireBatch, fireBatch, fireBatch, fireBatch / 2}; !slices.Equal(s.moved, want) {
			t.Errorf("moved %v jobs on at a time, want %v", s.moved, want)
		}
		if n := len(d.firing.ids); n > 0 {
			t.Errorf("%d jobs that were moved on are still being fired", n)
		}
	})
}
