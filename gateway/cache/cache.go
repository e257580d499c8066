package cache

import (
	"context"
	"sync"
	"time"
)

// loadTimeout bounds a load. Several requests may wait for it, so it goes on when the one
// that began it is given up.
const loadTimeout = 5 * time.Second

// Cache keeps values for as long as they may be stale, and loads a value once for all
// requests that want it at the time. Errors are not kept.
type Cache[K comparable, V any] struct {
	load func(context.Context, K) (V, error)
	life time.Duration // from the beginning of a load
	max  int           // entries
	now  func() time.Time

	mu      sync.Mutex
	entries map[K]*cached[V]
}

type cached[V any] struct {
	began time.Time
	used  time.Time
	ahead bool          // a request loads it again, while others still use it
	known bool          // a load of this key has worked before
	done  chan struct{} // closed once value and err are set
	value V
	err   error
}

// New returns a cache of a maximum of values, each kept for life.
func New[K comparable, V any](life time.Duration, maximum int, now func() time.Time, load func(context.Context, K) (V, error)) *Cache[K, V] {
	return &Cache[K, V]{load: load, life: life, max: maximum, now: now, entries: make(map[K]*cached[V])}
}

// Get returns a value that is at most life old. From half its life on one request loads it again,
// so that no others wait for that where there are many.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	now := c.now()
	if old := c.beginAhead(key, now); old != nil {
		return c.loadAhead(ctx, key, old, now)
	}
	return c.Since(ctx, key, now.Add(-c.life))
}

// beginAhead returns the key's value if it is for the caller to load it again ahead of its end.
func (c *Cache[K, V]) beginAhead(key K, now time.Time) *cached[V] {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil || e.ahead || !e.began.After(now.Add(-c.life)) || e.began.After(now.Add(-c.life/2)) {
		return nil
	}
	select {
	case <-e.done:
		e.ahead, e.used = true, now
		return e
	default:
		return nil
	}
}

// loadAhead puts a new value in place of an old one, unless that was forgotten meanwhile. If it
// cannot be loaded, the old one is still good.
func (c *Cache[K, V]) loadAhead(ctx context.Context, key K, old *cached[V], now time.Time) (V, error) {
	fresh := &cached[V]{began: now, used: now, known: true, done: make(chan struct{})}
	close(fresh.done)
	fresh.value, fresh.err = c.loadWithin(ctx, key)
	if fresh.err != nil {
		return old.value, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] == old {
		c.entries[key] = fresh
	}
	return fresh.value, nil
}

// Since returns a value whose load began after a time.
func (c *Cache[K, V]) Since(ctx context.Context, key K, oldest time.Time) (V, error) {
	now := c.now()
	c.mu.Lock()
	e := c.entries[key]
	if e != nil && e.began.After(oldest) {
		e.used = now
		c.mu.Unlock()
		return e.wait(ctx)
	}
	fresh := &cached[V]{began: now, used: now, known: e != nil && e.known, done: make(chan struct{})}
	c.entries[key] = fresh
	if len(c.entries) > c.max {
		c.evict(key)
	}
	c.mu.Unlock()
	c.fill(ctx, key, fresh)
	return fresh.value, fresh.err
}

func (e *cached[V]) wait(ctx context.Context) (V, error) {
	select {
	case <-e.done:
		return e.value, e.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// Forget makes the next Get load the value again; callers use it after a change.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

func (c *Cache[K, V]) fill(ctx context.Context, key K, e *cached[V]) {
	defer close(e.done)
	e.value, e.err = c.loadWithin(ctx, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	e.known = e.err == nil
	if e.err != nil && c.entries[key] == e {
		delete(c.entries, key)
	}
}

func (c *Cache[K, V]) loadWithin(ctx context.Context, key K) (V, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
	defer cancel()
	return c.load(ctx, key)
}

// Knows reports whether the key is in the cache from a load that worked, even if its
// value is too old to be used.
func (c *Cache[K, V]) Knows(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	return e != nil && e.known
}

// Last returns the value of a key's last load, however old; ok is false if there is none.
func (c *Cache[K, V]) Last(key K) (value V, ok bool) {
	c.mu.Lock()
	e := c.entries[key]
	c.mu.Unlock()
	if e == nil {
		return value, false
	}
	select {
	case <-e.done:
		return e.value, e.err == nil
	default:
		return value, false
	}
}

// evict removes the least recently used of a few random entries: nearly as good as that
// of all, and without a list.
func (c *Cache[K, V]) evict(keep K) {
	const sample = 8
	var oldest K
	var at time.Time
	looked := 0
	for key, e := range c.entries {
		if key == keep {
			continue
		}
		if looked == 0 || e.used.Before(at) {
			oldest, at = key, e.used
		}
		if looked++; looked == sample {
			break
		}
	}
	if looked > 0 {
		delete(c.entries, oldest)
	}
}
