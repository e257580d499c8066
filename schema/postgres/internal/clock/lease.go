package clock

import (
	"sync/atomic"
	"time"

	"crier/schema"
)

// leaseClock is the time by which leases of visible calls expire: the server's, but after
// a jump of that clock ahead it follows only once every lease from before the jump has
// run its real length. Else a lease would end with the jump while its call is still
// running.
type leaseClock struct {
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
func (l *leaseClock) observe(r reading) {
	jumpedFrom := func(before reading) bool { return r.server.Sub(before.at(r.local)) > jumpTolerance }
	followed := l.followed.Load()
	switch {
	case followed == nil || !jumpedFrom(*followed):
	case l.jumped == nil || jumpedFrom(*l.jumped):
		l.jumped = &r
		return
	case r.local.Sub(l.jumped.local) < jumpWait:
		return
	}
	l.followed.Store(&r)
	l.jumped = nil
}
