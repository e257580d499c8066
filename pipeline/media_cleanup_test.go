package pipeline

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"crier/schema"
)

// noMedia is an empty store that counts its sweeps.
type noMedia struct {
	sweeps atomic.Int32
	before atomic.Pointer[time.Time]
}

func (s *noMedia) ExpireMedia(context.Context) (bool, error)                     { return false, nil }
func (s *noMedia) RemovableMedia(context.Context, int) ([]schema.MediaID, error) { return nil, nil }
func (s *noMedia) ForgetMedia(context.Context, []schema.MediaID) error           { return nil }
func (s *noMedia) OrphanedMedia(context.Context, []schema.MediaID) ([]schema.MediaID, error) {
	return nil, nil
}
func (s *noMedia) Remove(context.Context, schema.MediaID) error { return nil }

func (s *noMedia) Sweep(_ context.Context, before time.Time, _ func(schema.MediaID) error) error {
	s.sweeps.Add(1)
	s.before.Store(&before)
	return nil
}

func TestMediaIsSweptByTheInjectedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(noMedia)
		at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		var clock atomic.Pointer[time.Time]
		clock.Store(&at)
		cleanup := NewMediaCleanup(MediaCleanupConfig{
			Shared: Shared{Logger: slog.New(slog.DiscardHandler)}, Rows: store, Content: store, Now: func() time.Time { return *clock.Load() },
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- cleanup.Run(ctx) }()

		time.Sleep(3 * orphansEvery) // of this machine's clock: the given one stands
		synctest.Wait()
		if n, before := store.sweeps.Load(), *store.before.Load(); n != 1 || !before.Equal(at.Add(-orphanAge)) {
			t.Errorf("%d sweeps, the last of what came before %v; want one, before %v", n, before, at.Add(-orphanAge))
		}
		later := at.Add(orphansEvery)
		clock.Store(&later)
		time.Sleep(2 * mediaEvery)
		synctest.Wait()
		if n, before := store.sweeps.Load(), *store.before.Load(); n != 2 || !before.Equal(later.Add(-orphanAge)) {
			t.Errorf("%d sweeps, the last of what came before %v; want two, before %v", n, before, later.Add(-orphanAge))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
