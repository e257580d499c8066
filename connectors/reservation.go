package connectors

import (
	"sync/atomic"
	"time"
)

// longestReservation is how late a reserved turn may be used: those of a database that was
// away would all be used at once.
const longestReservation = 5 * time.Second

// reservation is a turn of all that one call counts in.
type reservation struct {
	quotas []quota
	until  time.Time
	now    func() time.Time
	over   atomic.Bool // it was used, or given back
}

// Use tells whether the turn is there, and uses it up. One that is too late is given back.
func (r *reservation) Use() bool {
	if r.now().After(r.until) {
		r.Cancel()
	}
	return r.over.CompareAndSwap(false, true)
}

// Cancel gives the turn to others, unless it was used.
func (r *reservation) Cancel() {
	if r.over.CompareAndSwap(false, true) {
		giveAll(r.quotas)
	}
}
