package posts

import (
	"sync"
	"time"

	"crier/schema"
)

const (
	duplicateWindow = 5 * time.Minute
	maxDuplicates   = 50_000 // fingerprints a generation
)

// duplicates remembers requests without an Idempotency-Key for a while, so that one sent
// twice gets a warning. It is a hint, so the memory of one process will do; it is kept
// in two generations, which bounds it and makes forgetting free.
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

// seen remembers a request and tells whether the same came within the window before.
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
