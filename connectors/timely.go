package connectors

import (
	"context"
	"errors"
	"time"
)

var errLate = errors.New("the time of the call was over")

// late tells whether the time of a call is over. It goes by the clock and not by ctx's end,
// which comes a moment later where the process was frozen meanwhile: what runs before its
// timers would go out long after its lease. The wall clock goes on while the whole machine
// sleeps.
func late(ctx context.Context) bool {
	until, bounded := ctx.Deadline()
	if !bounded {
		return false
	}
	now := time.Now()
	return now.After(until) || now.Round(0).After(until.Round(0))
}
