package posts

import (
	"sync"
	"time"

	"crier/schema"
)

const (
	duplicateWindow = 5 * time.Minute
	maxDuplicates   = 50_000 // fingerprints in a generation
)

// duplicates remembers requests without an Idempotency-Key for a while, so that one sent
// twice gets a warning. That is a hint, so the memory of one process is enough. It has
// two generations, of which the older is dropped whole: this bounds it, and no entry
// needs to be expired.
type duplicates struct {
	mu      sync.Mutex
	turned  time.Time // when recent began
	recent  map[duplicate]time.Time
	earlier map[duplicate]time.Time
}

type duplicate struct {
	workspace   schema.WorkspaceID
	fingerprint [32]byte
}

// seen remembers a request, and reports whether the same came within the last window.
func (d *duplicates) seen(request duplicate, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.recent == nil || len(d.recent) >= maxDuplicates || now.Sub(d.turned) >= duplicateWindow {
		d.earlier, d.recent, d.turned = d.recent, make(map[duplicate]time.Time), now
	}
	last, ok := d.recent[request]
	if !ok {
		last, ok = d.earlier[request]
	}
	d.recent[request] = now
	return ok && now.Sub(last) < duplicateWindow
}
