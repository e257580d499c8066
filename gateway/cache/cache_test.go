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
	c.advance(499 * time.Millisecond)
	get()
	c.advance(501 * time.Millisecond)
	if v, err := cache.Get(t.Context(), "k"); v != 2 || err != nil {
		t.Errorf("get = %d, %v after its life, want a second load", v, err)
	}
}

func TestOneRequestLoadsAValueAgainWhileOthersUseIt(t *testing.T) {
	c := new(clock)
	type answer struct {
		value int
		err   error
	}
	loads, answers := make(chan struct{}), make(chan answer)
	cache := New(time.Second, 10, c.now, func(context.Context, string) (int, error) {
		loads <- struct{}{}
		a := <-answers
		return a.value, a.err
	})
	got := make(chan int)
	get := func() {
		v, err := cache.Get(t.Context(), "k")
		if err != nil {
			t.Error(err)
		}
		got <- v
	}
	want := func(what string, want int) {
		t.Helper()
		if v := <-got; v != want {
			t.Errorf("%s gets %d, want %d", what, v, want)
		}
	}
	load := func(v int, err error) {
		<-loads
		answers <- answer{v, err}
	}
	go get()
	load(1, nil)
	want("the first", 1)
	c.advance(600 * time.Millisecond)
	go get()
	<-loads
	go get()
	want("another meanwhile", 1)
	answers <- answer{2, nil}
	want("the one that loads it", 2)
	c.advance(600 * time.Millisecond)
	go get()
	load(0, errors.New("away"))
	want("one that cannot load it", 2)
	go get()
	want("the next", 2)
	c.advance(400 * time.Millisecond)
	go get()
	load(3, nil)
	want("one after its life", 3)
	c.advance(600 * time.Millisecond)
	go get()
	<-loads
	cache.Forget("k")
	answers <- answer{4, nil}
	want("one whose value was forgotten meanwhile", 4)
	go get()
	load(5, nil)
	want("the next", 5)
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
