package connectors

import "sync"

// recent keeps one value a key for the keys used lately and forgets the others, so that
// keys users choose cannot fill the memory. It holds at most two generations of size
// keys; whatever was not used for a whole generation is dropped.
type recent[K comparable, V any] struct {
	size int
	make func(K) V

	mu       sync.Mutex
	current  map[K]V
	previous map[K]V
}

func newRecent[K comparable, V any](size int, makeValue func(K) V) *recent[K, V] {
	return &recent[K, V]{size: size, make: makeValue, current: make(map[K]V)}
}

// of returns the value of a key, made on first use.
func (r *recent[K, V]) of(key K) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if value, ok := r.current[key]; ok {
		return value
	}
	value, ok := r.previous[key]
	if !ok {
		value = r.make(key)
	}
	if len(r.current) >= r.size {
		r.previous, r.current = r.current, make(map[K]V)
	}
	r.current[key] = value
	return value
}

// known returns the value of a key that was used lately.
func (r *recent[K, V]) known(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value, ok := r.current[key]
	if !ok {
		value, ok = r.previous[key]
	}
	return value, ok
}

// values returns what is held.
func (r *recent[K, V]) values() []V {
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
