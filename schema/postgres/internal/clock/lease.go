package clock

import (
	"sync/atomic"
	"time"

	"crier/schema"
)

// leaseClock is the time by which leases of visible calls end. It is the server's, but goes
// along with a jump ahead of it only when every lease from before is over: who claimed
// then may still be at the call, though his lease ended with the jump.
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
