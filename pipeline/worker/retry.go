package worker

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"crier/schema"
	"crier/schema/sleep"
)

const (
	firstRetry = 200 * time.Millisecond
	// LongestRetry is the longest wait between two tries, so a stage notices soon that
	// the database is back. A try while it is away costs next to nothing.
	LongestRetry = 500 * time.Millisecond
)

// Retry calls work until the database answers. Its error is a fault of ours or, once ctx
// has ended, the last one: see Ended.
func Retry[R any](ctx context.Context, logger *slog.Logger, what string, work func() (R, error)) (R, error) {
	for wait := firstRetry; ; wait = min(2*wait, LongestRetry) {
		result, err := Guard(work)
		if err == nil || ctx.Err() != nil || !Unavailable(err) {
			return result, err
		}
		logger.WarnContext(ctx, what+" failed", "err", err)
		if sleep.For(ctx, wait) != nil {
			return result, err
		}
	}
}

// Ended reports whether an error of Retry means that ctx ended before the database
// answered.
func Ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil || Unavailable(err)
}

// Guard turns a panic into an error: one message must not end the process, which would
// start again and read it again.
func Guard[R any](work func() (R, error)) (result R, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return work()
}

// Unavailable reports whether an error means that the database does not answer.
func Unavailable(err error) bool {
	return schema.KindOf(err) == schema.Unavailable
}
