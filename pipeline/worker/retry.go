package worker

import (
	"context"
	"log/slog"

	"crier/schema"
	"crier/schema/guard"
	"crier/schema/retry"
	"crier/schema/sleep"
)

// Retry calls work until the database answers. A stage notices soon that it is back; a try while it is away costs
// next to nothing. Its error is a fault of ours or, once ctx
// has ended, the last one: see Ended.
func Retry(ctx context.Context, logger *slog.Logger, what string, work func() error) error {
	for failures := 0; ; failures++ {
		err := guard.Do(work)
		if err == nil || ctx.Err() != nil || !Unavailable(err) {
			return err
		}
		logger.WarnContext(ctx, what+" failed", "err", err)
		if sleep.For(ctx, retry.Store.Wait(failures, 0)) != nil {
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
