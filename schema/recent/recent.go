// Package recent holds values of the keys that were used lately, of a bounded number of them.
package recent

import "sync"

// Cache keeps one value a key for the keys used lately and forgets the others, so that
// keys users choose cannot fill the memory. It holds at most two generations of size
// keys; whatever was not used for a whole generation is dropped. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	size int
	make func(K) V

	mu       sync.Mutex
	current  map[K]V
	previous map[K]V
}

// New makes an empty cache of generations of size keys, whose values are made on first use.
func New[K comparable, V any](size int, makeValue func(K) V) *Cache[K, V] {
	return &Cache[K, V]{size: size, make: makeValue, current: make(map[K]V)}
}

// Of returns the value of a key, made on first use.
func (r *Cache[K, V]) Of(key K) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	value, ok := r.use(key)
	if !ok {
		value = r.make(key)
		r.put(key, value)
	}
	return value
}

// Put sets the value of a key.
func (r *Cache[K, V]) Put(key K, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(key, value)
}

func (r *Cache[K, V]) put(key K, value V) {
	if len(r.current) >= r.size {
		r.previous, r.current = r.current, make(map[K]V)
	}
	r.current[key] = value
}

// Known returns the value of a key that was used lately, which uses it.
func (r *Cache[K, V]) Known(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.use(key)
}

func (r *Cache[K, V]) use(key K) (V, bool) {
	value, ok := r.current[key]
	if ok {
		return value, true
	}
	if value, ok = r.previous[key]; ok {
		r.put(key, value)
	}
	return value, ok
}

// Delete forgets a key.
func (r *Cache[K, V]) Delete(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.current, key)
	delete(r.previous, key)
}

// Values returns what is held.
func (r *Cache[K, V]) Values() []V {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := make([]V, 0, len(r.current)+len(r.previous))
	for _, value := range r.current {
		held = append(held, value)
	}
	for key, value := range r.previous {
		if _, ok := r.current[key]; !ok {
			held = append(held, value)
		}
	}
	return held
}
