package worker

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"crier/schema"
)

const (
	firstRetry = 200 * time.Millisecond
	// LongestRetry is how late a stage may notice that the database is back. A try against
	// one that is away costs next to nothing.
	LongestRetry = 500 * time.Millisecond
)

// Retry does work for as long as the database does not answer. Its error is a fault of
// ours, or, once ctx has ended, the last there was: see Ended.
func Retry[R any](ctx context.Context, logger *slog.Logger, what string, work func() (R, error)) (R, error) {
	for wait := firstRetry; ; wait = min(2*wait, LongestRetry) {
		result, err := Guard(work)
		if err == nil || ctx.Err() != nil || !Unavailable(err) {
			return result, err
		}
		logger.WarnContext(ctx, what+" failed", "err", err)
		if !Sleep(ctx, wait) {
			return result, err
		}
	}
}

// Ended tells whether an error of Retry means that ctx ended before the database answered.
func Ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil || Unavailable(err)
}

// Sleep waits; it tells whether ctx is still alive.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Guard turns a panic into an error: what one message makes of us must not end the
// process, which would start again and meet it again.
func Guard[R any](work func() (R, error)) (result R, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return work()
}

// Unavailable tells whether an error means that the database does not answer.
func Unavailable(err error) bool {
	return schema.KindOf(err) == schema.Unavailable
}
