package cache

import (
	"context"
	"sync"
	"time"
)

// loadTimeout bounds a load that several requests wait for, whatever becomes of the one
// that began it.
const loadTimeout = 5 * time.Second

// Cache keeps what every request asks for about as long as the truth may lag behind,
// and lets one request load what many want. Errors are not kept.
type Cache[K comparable, V any] struct {
	load func(context.Context, K) (V, error)
	life time.Duration // from the beginning of a load
	most int           // entries
	now  func() time.Time

	mu      sync.Mutex
	entries map[K]*cached[V]
}

type cached[V any] struct {
	began time.Time
	used  time.Time
	known bool          // a load of this key has worked before
	done  chan struct{} // closed once value and err are set
	value V
	err   error
}

// New returns a cache of at most so many of what load loads, for a life each.
func New[K comparable, V any](life time.Duration, most int, now func() time.Time, load func(context.Context, K) (V, error)) *Cache[K, V] {
	return &Cache[K, V]{load: load, life: life, most: most, now: now, entries: make(map[K]*cached[V])}
}

// Get returns a value that is not older than the cache allows.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	return c.Since(ctx, key, c.now().Add(-c.life))
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
	if len(c.entries) > c.most {
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

// Forget has the next get load a value anew, whose truth the caller has changed.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

func (c *Cache[K, V]) fill(ctx context.Context, key K, e *cached[V]) {
	defer close(e.done)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
	defer cancel()
	e.value, e.err = c.load(ctx, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	e.known = e.err == nil
	if e.err != nil && c.entries[key] == e {
		delete(c.entries, key)
	}
}

// Knows tells whether a value of the key was loaded not too long ago, even if it is
// too old to be used.
func (c *Cache[K, V]) Knows(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	return e != nil && e.known
}

// Last returns the value of the last load of a key, however old, if it is there.
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

// evict removes the entry that was not used for longest among a few: as good as the
// longest of all, and it costs no list.
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
