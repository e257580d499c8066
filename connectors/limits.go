package connectors

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Kind is what a call is for: platforms limit each by itself.
type Kind int

// The kinds of calls.
const (
	// Any is a call of no kind below. As a key of Limits it stands for all calls together.
	Any    Kind = iota
	Post        // makes an entry or a comment visible
	Media       // uploads
	Status      // reads what became of an entry, or how an account stands
)

// String names the kind among processes.
func (k Kind) String() string {
	return [...]string{Any: "any", Post: "post", Media: "media", Status: "status"}[k]
}

// Limits is how fast a platform may be called, by kind: a call counts in that of its kind
// and in that of Any. What is left out has no limit.
type Limits map[Kind]Limit

// Limit is how fast calls of a kind may be made.
type Limit struct {
	Account Rate // for each account by itself
	App     Rate // for all accounts of an app together, in all processes
}

// Rate is a token bucket: so many calls a second, and so many at once. The zero Rate
// limits nothing.
type Rate struct {
	PerSecond rate.Limit
	Burst     int
}

func (r Rate) spacing() time.Duration {
	return time.Duration(float64(time.Second) / float64(r.PerSecond))
}

func (r Rate) burst() int { return max(r.Burst, 1) }

// bucket is a Rate that no other process draws from. Turns are a spacing apart; who was
// quiet has burst of them at once.
type bucket struct {
	spacing time.Duration
	quiet   time.Duration // how far back turns are kept
	now     func() time.Time

	mu   sync.Mutex
	next time.Time // turn
}

func newBucket(r Rate, now func() time.Time) *bucket {
	return &bucket{spacing: r.spacing(), quiet: time.Duration(r.burst()-1) * r.spacing(), now: now}
}

// take takes a turn, or tells how long it is until there may be one.
func (b *bucket) take(context.Context) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	next := later(b.next, now.Add(-b.quiet))
	if next.After(now) {
		return next.Sub(now)
	}
	b.next = next.Add(b.spacing)
	return 0
}

// give takes a turn back that was not used. It is the first to be taken again, and never
// makes more of them than a burst.
func (b *bucket) give() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = b.next.Add(-b.spacing)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
