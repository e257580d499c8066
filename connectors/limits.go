package connectors

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Kind is the kind of a call: platforms limit each by itself.
type Kind int

// The kinds of calls.
const (
	// Any is a call of none of the kinds below. As a key of Limits it is all calls
	// together.
	Any    Kind = iota
	Post        // makes an entry or a comment visible
	Media       // uploads
	Status      // reads the state of an entry or an account
	// Read reads what became of posts and accounts. It is behind everything else: it takes of
	// Any only what would lie idle, and what it meets delays no other call.
	Read
)

// String names the kind among processes.
func (k Kind) String() string {
	return [...]string{Any: "any", Post: "post", Media: "media", Status: "status", Read: "read"}[k]
}

// Limits is how fast a platform may be called, by kind: a call counts in that of its kind
// and in that of Any. What is left out has no limit.
type Limits map[Kind]Limit

// Limit is how fast calls of a kind may be made.
type Limit struct {
	Account Rate // for each account by itself
	App     Rate // for all accounts of an app together, in all processes
}

// Rate is a token bucket: calls per second, and how many at once. The zero Rate limits
// nothing.
type Rate struct {
	PerSecond rate.Limit
	Burst     int
}

func (r Rate) spacing() time.Duration {
	return time.Duration(float64(time.Second) / float64(r.PerSecond))
}

func (r Rate) burst() int { return max(r.Burst, 1) }

// bucket is a Rate that no other process draws from.
type bucket struct {
	limiter *rate.Limiter
	now     func() time.Time

	mu     sync.Mutex
	unused int // turns that were given back: a rate.Limiter takes none back whose time has passed
}

func newBucket(r Rate, now func() time.Time) *bucket {
	return &bucket{limiter: rate.NewLimiter(r.PerSecond, r.burst()), now: now}
}

// take takes a turn, or tells how long it is until there may be one.
func (b *bucket) take(context.Context) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	// Turns that were given back and new ones are together at most a burst.
	b.unused = max(0, min(b.unused, b.limiter.Burst()-int(b.limiter.TokensAt(now))))
	if b.unused > 0 {
		b.unused--
		return 0
	}
	reservation := b.limiter.ReserveN(now, 1)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// give takes a turn back that was not used.
func (b *bucket) give() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unused++
}

// reserved is what reads leave of a burst to calls that cannot wait.
func reserved(burst int) int { return burst - max(1, burst/readPart) }

// readPart: reads use the n-th part of a burst at most, and only while all the rest of it is left.
const readPart = 4

// readBucket is what reads may take of a bucket.
type readBucket struct{ *bucket }

// take takes a turn if as many are left as are reserved.
func (b readBucket) take(context.Context) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	missing := float64(reserved(b.limiter.Burst())) + 1 - b.limiter.TokensAt(now)
	if missing > 0 {
		return max(time.Duration(missing/float64(b.limiter.Limit())*float64(time.Second)), time.Millisecond)
	}
	b.limiter.ReserveN(now, 1)
	return 0
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
