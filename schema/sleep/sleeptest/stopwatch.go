// Package sleeptest measures time for tests that bound it.
package sleeptest

import (
	"context"
	"sync"
	"testing"
	"time"

	"crier/schema/sleep"
)

const (
	tick = 20 * time.Millisecond
	// stands is how long nothing ticks on a machine that stands still; a loaded one ticks late.
	stands = time.Second
)

// Stopwatch runs until the test ends.
func Stopwatch(t testing.TB) (ran func() time.Duration) {
	t.Helper()
	ran, stop := Start()
	t.Cleanup(stop)
	return ran
}

// Start returns how long the machine has run since, until it is stopped: what it stands still
// meanwhile, as machines of CI do for a minute at times, counts as no time.
func Start() (ran func() time.Duration, stop func()) {
	w := &watch{last: time.Now()}
	ctx, cancel := context.WithCancel(context.Background())
	var ticking sync.WaitGroup
	ticking.Go(func() {
		for sleep.For(ctx, tick) == nil {
			w.at(time.Now())
		}
	})
	return func() time.Duration { return w.at(time.Now()) }, func() { cancel(); ticking.Wait() }
}

// watch is looked at with every tick, so that it knows when there was none.
type watch struct {
	mu   sync.Mutex
	last time.Time
	ran  time.Duration
}

func (w *watch) at(now time.Time) (ran time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if since := now.Sub(w.last); since > 0 { // whoever looks at the same time may be first
		if since < stands {
			w.ran += since
		}
		w.last = now
	}
	return w.ran
}
