package gateway

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clock is a clock that tests set.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

func TestWindowsCountByMinute(t *testing.T) {
	w := newWindows[string](2)
	at := time.Date(2026, 1, 1, 0, 0, 59, 0, time.UTC)
	for want := 1; want <= 3; want++ {
		if got := w.add("a", 1, at); got != want {
			t.Errorf("add = %d, want %d", got, want)
		}
	}
	if got := w.add("b", 1, at); got != 1 {
		t.Errorf("another key has %d requests, want 1", got)
	}
	w.add("c", 1, at)
	if got := w.add("d", 1, at); got != 2 {
		t.Errorf("keys beyond the bound share %d requests, want 2", got)
	}
	if got := w.add("a", 1, at.Add(time.Second)); got != 1 {
		t.Errorf("the next minute begins with %d, want 1", got)
	}
}

func TestCacheLoadsOnceForManyAndAgainAfterItsLife(t *testing.T) {
	var loads atomic.Int32
	c := new(clock)
	started, proceed := make(chan struct{}), make(chan struct{})
	cache := newCache(time.Second, 10, c.now, func(context.Context, string) (int32, error) {
		n := loads.Add(1)
		if n == 1 {
			close(started)
			<-proceed
		}
		return n, nil
	})
	var callers sync.WaitGroup
	get := func() {
		if v, err := cache.get(t.Context(), "k"); v != 1 || err != nil {
			t.Errorf("get = %d, %v, want the first load", v, err)
		}
	}
	callers.Go(get)
	<-started
	for range 10 {
		callers.Go(get)
	}
	close(proceed)
	callers.Wait()
	c.advance(999 * time.Millisecond)
	get()
	c.advance(time.Millisecond)
	if v, err := cache.get(t.Context(), "k"); v != 2 || err != nil {
		t.Errorf("get = %d, %v after its life, want a second load", v, err)
	}
}

func TestCacheKeepsNoErrors(t *testing.T) {
	c := new(clock)
	fault := errors.New("away")
	cache := newCache(time.Second, 10, c.now, func(context.Context, string) (int, error) { return 7, fault })
	if _, err := cache.get(t.Context(), "k"); !errors.Is(err, fault) || cache.knows("k") {
		t.Errorf("err = %v, knows = %t", err, cache.knows("k"))
	}
	fault = nil
	if v, err := cache.get(t.Context(), "k"); v != 7 || err != nil || !cache.knows("k") {
		t.Errorf("get = %d, %v, knows = %t", v, err, cache.knows("k"))
	}
}

func TestCacheIsBoundedAndKeepsWhatIsUsed(t *testing.T) {
	c := new(clock)
	cache := newCache(time.Hour, 4, c.now, func(_ context.Context, k int) (int, error) { return k, nil })
	for k := range 100 {
		c.advance(time.Millisecond)
		for _, key := range []int{0, k} {
			if v, err := cache.get(t.Context(), key); v != key || err != nil {
				t.Fatalf("get(%d) = %d, %v", key, v, err)
			}
		}
	}
	if len(cache.entries) > 4 {
		t.Errorf("%d entries, want at most 4", len(cache.entries))
	}
	if !cache.knows(0) {
		t.Error("the entry that is used all the time was evicted")
	}
}

func TestCacheServesOthersThoughTheFirstHasGone(t *testing.T) {
	started, proceed := make(chan struct{}), make(chan struct{})
	cache := newCache(time.Second, 10, new(clock).now, func(ctx context.Context, _ string) (int, error) {
		close(started)
		<-proceed
		return 1, ctx.Err()
	})
	first, leave := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	callers.Go(func() { _, _ = cache.get(first, "k") })
	<-started
	leave()
	callers.Go(func() {
		if v, err := cache.get(t.Context(), "k"); v != 1 || err != nil {
			t.Errorf("get = %d, %v", v, err)
		}
	})
	close(proceed)
	callers.Wait()
}

func TestDuplicatesAreRememberedFiveMinutes(t *testing.T) {
	d := new(duplicates)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	one, other := duplicate{fingerprint: [32]byte{1}}, duplicate{fingerprint: [32]byte{2}}
	for _, step := range []struct {
		request duplicate
		after   time.Duration
		want    bool
	}{
		{one, 0, false},
		{one, 4 * time.Minute, true},
		{other, 4 * time.Minute, false},
		{one, 8 * time.Minute, true},
		{one, 13 * time.Minute, false},
		{other, 30 * time.Minute, false},
	} {
		if got := d.seen(step.request, at.Add(step.after)); got != step.want {
			t.Errorf("seen after %v = %t, want %t", step.after, got, step.want)
		}
	}
}
