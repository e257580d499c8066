package connectors

import (
	"context"
	"errors"
	"time"
)

var errLate = errors.New("the time of the call was over")

// late reports whether the deadline of a call has passed. It compares clocks and does not
// rely on ctx's end: after the process was frozen, a call might be sent long after its
// lease, before ctx's timer has run. The wall clock goes on while the machine sleeps.
func late(ctx context.Context) bool {
	until, bounded := ctx.Deadline()
	if !bounded {
		return false
	}
	now := time.Now()
	return now.After(until) || now.Round(0).After(until.Round(0))
}
