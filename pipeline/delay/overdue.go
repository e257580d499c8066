package delay

import (
	"context"
	"time"

	"crier/schema/sleep"
)

const (
	// overdueEvery is how often the figures of what is overdue are read, and overdueRest the pause after
	// that, as a multiple of how long it took: thousands may be held. It is overdueLongest at most, since
	// reading may also take long because PostgreSQL was silent.
	overdueEvery   = time.Second
	overdueRest    = 50
	overdueLongest = 4 * time.Second
	// overdueTimeout is how long reading them may take. With overdueEvery it is within what they may
	// stay old once PostgreSQL is back.
	overdueTimeout = 3 * time.Second
)

// followOverdue shows what is overdue until the assignment ends, beside all else that waits for
// PostgreSQL. The figures stay as they were while it is silent, and their age says so.
func (d *Stage) followOverdue(a assignment) {
	d.metrics.awaitOverdue()
	failing := false
	for rest := time.Duration(0); sleep.For(a.ctx, rest) == nil; {
		began := time.Now()
		err := d.readOverdue(a)
		rest = min(max(overdueRest*time.Since(began), overdueEvery), overdueLongest)
		if err != nil {
			rest = overdueEvery
			if !failing {
				d.complain(a.ctx, "reading what is overdue failed: its figures are old until it succeeds", err)
			}
		}
		failing = err != nil
	}
}

func (d *Stage) readOverdue(a assignment) error {
	ctx, cancel := context.WithTimeout(a.ctx, overdueTimeout)
	defer cancel()
	overdue, err := d.store.Overdue(ctx, a.shards)
	if err == nil {
		d.metrics.showOverdue(overdue)
	}
	return err
}
