package gateway

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

const (
	idempotencyHeader = "Idempotency-Key"
	maxIdempotencyKey = 255
	duplicateWindow   = 5 * time.Minute
	maxDuplicates     = 50_000 // fingerprints a generation
)

// fingerprint identifies a request: its route and what its body says, however it is
// written.
func fingerprint(c *gin.Context, body value) [32]byte {
	canonical := make([]byte, 0, 1024)
	canonical = append(canonical, c.FullPath()...)
	canonical = append(canonical, '\n')
	return sha256.Sum256(body.appendCanonical(canonical))
}

// identify returns what a request names itself by, nil when it has no key.
func identify(c *gin.Context, print [32]byte) (*schema.Idempotency, error) {
	given := c.Request.Header[idempotencyHeader]
	if len(given) == 0 {
		return nil, nil
	}
	key := given[0]
	if len(given) > 1 || len(key) == 0 || len(key) > maxIdempotencyKey || !printable(key) {
		return nil, schema.InvalidField(idempotencyHeader, codeInvalidValue,
			"must be one header of 1 to 255 printable ASCII characters")
	}
	return &schema.Idempotency{Lineage: requestOf(c).key.Lineage, Key: key, Fingerprint: print}, nil
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

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
