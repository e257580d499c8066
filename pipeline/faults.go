package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"crier/pipeline/stream"
	"crier/schema"
)

// guarded turns a panic into an error: what one message makes of us must not end the
// process, which would start again and meet it again.
func guarded[R any](work func() (R, error)) (result R, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return work()
}

// unreadable has a message noted that makes no sense: trying again is of no use. Its job or
// its row of the outbox, if there is one, sends what makes sense.
func unreadable(ctx context.Context, store faultStore, logger *slog.Logger, stage string, m *stream.Message, err error) (noted bool) {
	f := schema.Fault{
		Stage: stage, Reason: fmt.Sprintf("reading the message: %v", err), Tries: 1,
		Message: schema.LogMessage{Topic: m.Topic, Partition: m.Partition, Key: m.Key, Value: m.Value},
	}
	if m.Topic == schema.TopicEvents && len(m.Key) == len(f.Subject.ID) {
		f.Subject.ID = [16]byte(m.Key)
	}
	return note(ctx, store, logger, f)
}

// note has a fault noted, for as long as the database does not answer; false means that
// ctx ended before.
func note(ctx context.Context, store faultStore, logger *slog.Logger, f schema.Fault) (noted bool) {
	for wait := claimRetry; ; wait = min(2*wait, longestRetry) {
		dead, err := store.Fault(ctx, f)
		switch {
		case err == nil:
			logger.ErrorContext(ctx, "a stage failed by a fault of crier's own", "stage", f.Stage, "dead", dead, "err", f.Reason)
			return true
		case !isUnavailable(err) && ctx.Err() == nil:
			logger.ErrorContext(ctx, "a fault could not be noted", "stage", f.Stage, "fault", f.Reason, "err", err)
			return true // it would hold up all others; its job fires again
		}
		logger.WarnContext(ctx, "noting a fault failed", "stage", f.Stage, "err", err)
		if !pause(ctx, wait) {
			return false
		}
	}
}
