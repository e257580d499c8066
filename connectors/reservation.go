package connectors

import (
	"sync/atomic"
	"time"
)

// longestReservation is how late a reserved turn may be used: after an outage of the
// database, many would be used at once.
const longestReservation = 5 * time.Second

// reservation is one turn of each quota that a call counts in.
type reservation struct {
	quotas []quota
	until  time.Time
	now    func() time.Time
	over   atomic.Bool // used, or given back
}

// Use uses the turn up. One that is too late is given back, and Use is false.
func (r *reservation) Use() bool {
	if r.now().After(r.until) {
		r.Cancel()
	}
	return r.over.CompareAndSwap(false, true)
}

// Cancel gives the turn back, unless it was used.
func (r *reservation) Cancel() {
	if r.over.CompareAndSwap(false, true) {
		giveAll(r.quotas)
	}
}
