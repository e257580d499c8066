package cache

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

func TestCacheLoadsOnceForManyAndAgainAfterItsLife(t *testing.T) {
	var loads atomic.Int32
	c := new(clock)
	started, proceed := make(chan struct{}), make(chan struct{})
	cache := New(time.Second, 10, c.now, func(context.Context, string) (int32, error) {
		n := loads.Add(1)
		if n == 1 {
			close(started)
			<-proceed
		}
		return n, nil
	})
	var callers sync.WaitGroup
	get := func() {
		if v, err := cache.Get(t.Context(), "k"); v != 1 || err != nil {
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
	if v, err := cache.Get(t.Context(), "k"); v != 2 || err != nil {
		t.Errorf("get = %d, %v after its life, want a second load", v, err)
	}
}

func TestCacheKeepsNoErrors(t *testing.T) {
	c := new(clock)
	fault := errors.New("away")
	cache := New(time.Second, 10, c.now, func(context.Context, string) (int, error) { return 7, fault })
	if _, err := cache.Get(t.Context(), "k"); !errors.Is(err, fault) || cache.Knows("k") {
		t.Errorf("err = %v, knows = %t", err, cache.Knows("k"))
	}
	fault = nil
	if v, err := cache.Get(t.Context(), "k"); v != 7 || err != nil || !cache.Knows("k") {
		t.Errorf("get = %d, %v, knows = %t", v, err, cache.Knows("k"))
	}
}

func TestCacheIsBoundedAndKeepsWhatIsUsed(t *testing.T) {
	c := new(clock)
	cache := New(time.Hour, 4, c.now, func(_ context.Context, k int) (int, error) { return k, nil })
	for k := range 100 {
		c.advance(time.Millisecond)
		for _, key := range []int{0, k} {
			if v, err := cache.Get(t.Context(), key); v != key || err != nil {
				t.Fatalf("get(%d) = %d, %v", key, v, err)
			}
		}
	}
	if len(cache.entries) > 4 {
		t.Errorf("%d entries, want at most 4", len(cache.entries))
	}
	if !cache.Knows(0) {
		t.Error("the entry that is used all the time was evicted")
	}
}

func TestCacheServesOthersThoughTheFirstHasGone(t *testing.T) {
	started, proceed := make(chan struct{}), make(chan struct{})
	cache := New(time.Second, 10, new(clock).now, func(ctx context.Context, _ string) (int, error) {
		close(started)
		<-proceed
		return 1, ctx.Err()
	})
	first, leave := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	callers.Go(func() { _, _ = cache.Get(first, "k") })
	<-started
	leave()
	callers.Go(func() {
		if v, err := cache.Get(t.Context(), "k"); v != 1 || err != nil {
			t.Errorf("get = %d, %v", v, err)
		}
	})
	close(proceed)
	callers.Wait()
}
