package admission

import (
	"context"
	"sync"
	"time"

	"crier/schema"
)

// requestCounter counts the requests of a key over all gateways.
type requestCounter interface {
	// LeaseRequests takes up to n of the requests that a key has left in the minute that
	// began at window, or in the next minute if that has begun.
	LeaseRequests(ctx context.Context, key schema.KeyID, window time.Time, n, limit int) (schema.RequestLease, error)
	// CountRefusals adds requests that were answered 429. If the key is suspended for
	// them, until is the end of that.
	CountRefusals(ctx context.Context, key schema.Key, n int) (until time.Time, err error)
}

// leaseTimeout bounds one trip for more of a window; several requests wait for it.
const leaseTimeout = 5 * time.Second

// leases lets keys' requests through within their windows of a minute, which all gateways
// share. What a key may send is leased from PostgreSQL in chunks, which grow with what it
// sends here, up to a tenth of its limit, and shrink as the window is used up: few
// requests wait for a round trip, and never more than the limit get through.
type leases struct {
	counter requestCounter

	mu     sync.Mutex
	minute time.Time // all windows begin on the minute, so a new minute forgets them all
	byKey  map[schema.KeyID]*lease
}

// lease is what this gateway has of a key's window.
type lease struct {
	reset   time.Time
	held    int // may be let through without another trip
	passed  int // let through here
	used    int // of the window, by all gateways, what is held here included
	full    bool
	asking  chan struct{} // closed once the trip in progress has returned; nil: none
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

// ask leases more of a key's window for all requests that wait, even if the one that asks
// is given up.
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
