package clock

import (
	"sync/atomic"
	"time"

	"crier/schema"
)

// steadyClock is the server's time but for its jumps ahead: it goes on as before one, and follows
// it once it is confirmed. A jump back it follows at once.
//
// Leases of visible calls expire by one that confirms a jump by time alone: once every lease from
// before it has run its real length. Else a lease would end with the jump while its call is still
// running. What waits for its time is due by one that takes the word of this machine's clock besides:
// where that has gone the same way, the machine was asleep, or the server's clock was set right.
type steadyClock struct {
	asksWall bool // this machine's clock confirms jumps, too
	followed atomic.Pointer[reading]
	jumped   *reading // the first since the last jump; nil: there was none
}

const (
	// jumpTolerance is how far the server's clock may get ahead of the monotonic one without
	// having jumped.
	jumpTolerance = time.Second
	jumpWait      = schema.Lease + schema.SettleTime
)

// observe takes the readings of one clock in their order.
func (l *steadyClock) observe(r reading) {
	jumpedFrom := func(before reading) bool { return r.server.Sub(before.at(r.local)) > jumpTolerance }
	followed := l.followed.Load()
	switch {
	case followed == nil || !jumpedFrom(*followed):
	case l.asksWall && r.agreesWithWall(*followed):
	case l.jumped == nil || jumpedFrom(*l.jumped):
		l.jumped = &r
		return
	case r.local.Sub(l.jumped.local) < jumpWait:
		return
	}
	l.followed.Store(&r)
	l.jumped = nil
}

// agreesWithWall reports whether this machine's clock shows what the server's does, or has gone as
// far since an earlier reading.
func (r reading) agreesWithWall(before reading) bool {
	near := func(d time.Duration) bool { return d.Abs() <= jumpTolerance+r.within }
	return near(r.server.Sub(r.wall)) || near(r.server.Sub(before.server)-r.wall.Sub(before.wall))
}

// Latest returns the time by which leases may be treated as expired, or what is due be taken.
func (l *steadyClock) Latest(local time.Time) time.Time {
	return l.followed.Load().at(local).Add(jumpTolerance)
}
