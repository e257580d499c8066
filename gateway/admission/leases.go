package admission

import (
	"context"
	"sync"
	"time"

	"crier/schema"
)

// requestCounter counts what all gateways count together.
type requestCounter interface {
	// LeaseRequests takes up to n of the requests that a key has left in the window of a
	// minute that began at a time, or in the next one where that has begun.
	LeaseRequests(ctx context.Context, key schema.KeyID, window time.Time, n, limit int) (schema.RequestLease, error)
	// CountRefusals adds requests that a key sent in spite of 429. Where it is suspended
	// for them now, until says how long.
	CountRefusals(ctx context.Context, key schema.Key, n int) (until time.Time, err error)
}

// leaseTimeout bounds taking more of a window, which several requests wait for.
const leaseTimeout = 5 * time.Second

// leases lets keys' requests through within their windows of a minute, which all gateways
// share. What a key may send is taken from PostgreSQL in chunks that grow with what it
// sends here, up to a tenth of its limit, and get smaller towards the end of the window's
// requests: few requests wait for a round trip, and never more than the limit get through.
type leases struct {
	counter requestCounter

	mu     sync.Mutex
	minute time.Time // all windows begin on the minute: a new one forgets them all
	byKey  map[schema.KeyID]*lease
}

// lease is what this gateway has of a key's window.
type lease struct {
	reset   time.Time
	held    int // may be let through without asking
	passed  int // were let through here
	used    int // of the window, by all gateways, what is held here included
	full    bool
	asking  chan struct{} // closed once an answer has come; nil: nobody asks
	waiting int           // for it
}

func newLeases(counter requestCounter) *leases {
	return &leases{counter: counter, byKey: make(map[schema.KeyID]*lease)}
}

// pass counts a request of a key whose requests are limited, and returns where it stands.
func (l *leases) pass(ctx context.Context, key schema.Key, now time.Time) (Quota, error) {
	for {
		l.mu.Lock()
		e := l.of(key.ID, now)
		switch {
		case e.held > 0:
			e.held--
			e.passed++
			q := e.quota(key)
			l.mu.Unlock()
			return q, nil
		case e.full:
			q := Quota{Limit: key.RequestsPerMinute, used: key.RequestsPerMinute + 1, Reset: e.reset}
			l.mu.Unlock()
			return q, nil
		case e.asking != nil:
			e.waiting++
			asking := e.asking
			l.mu.Unlock()
			select {
			case <-asking:
			case <-ctx.Done():
				return Quota{Limit: key.RequestsPerMinute, Reset: resetAfter(now)}, ctx.Err()
			}
		default:
			e.asking = make(chan struct{})
			wanted := min(max(e.passed, e.waiting+1), (key.RequestsPerMinute+9)/10)
			l.mu.Unlock()
			if err := l.ask(ctx, e, key, now, wanted); err != nil {
				return Quota{Limit: key.RequestsPerMinute, Reset: resetAfter(now)}, err
			}
		}
	}
}

// standing returns where a key stands, without counting a request.
func (l *leases) standing(key schema.Key, now time.Time) Quota {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of(key.ID, now).quota(key)
}

func (e *lease) quota(key schema.Key) Quota {
	return Quota{Limit: key.RequestsPerMinute, used: e.used - e.held, Reset: e.reset}
}

func (l *leases) of(key schema.KeyID, now time.Time) *lease {
	if minute := now.Truncate(time.Minute); !minute.Equal(l.minute) {
		l.minute, l.byKey = minute, make(map[schema.KeyID]*lease)
	}
	e := l.byKey[key]
	if e == nil {
		e = &lease{reset: resetAfter(now)}
		l.byKey[key] = e
	}
	return e
}

// ask takes more of a key's window, for all who wait for it, whatever becomes of the
// request that asks.
func (l *leases) ask(ctx context.Context, e *lease, key schema.Key, now time.Time, wanted int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTimeout)
	defer cancel()
	got, err := l.counter.LeaseRequests(ctx, key.ID, now.Truncate(time.Minute), wanted, key.RequestsPerMinute)
	l.mu.Lock()
	defer l.mu.Unlock()
	close(e.asking)
	e.asking, e.waiting = nil, 0
	if err != nil {
		return err
	}
	e.reset, e.held, e.used, e.full = got.Window.Add(time.Minute), got.N, got.Used, got.N == 0
	return nil
}
