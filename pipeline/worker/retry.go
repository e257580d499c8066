package worker

import (
	"context"
	"log/slog"
	"time"

	"crier/schema"
	"crier/schema/guard"
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
func Retry(ctx context.Context, logger *slog.Logger, what string, work func() error) error {
	for wait := firstRetry; ; wait = min(2*wait, LongestRetry) {
		err := guard.Do(work)
		if err == nil || ctx.Err() != nil || !Unavailable(err) {
			return err
		}
		logger.WarnContext(ctx, what+" failed", "err", err)
		if sleep.For(ctx, wait) != nil {
			return err
		}
	}
}

// Ended reports whether an error of Retry means that ctx ended before the database
// answered.
func Ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil || Unavailable(err)
}

// Unavailable reports whether an error means that the database does not answer.
func Unavailable(err error) bool {
	return schema.KindOf(err) == schema.Unavailable
}
