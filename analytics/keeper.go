package analytics

import (
	"context"
	"log/slog"
	"time"

	"crier/schema"
	"crier/schema/sleep"
)

// retentionStore removes what is kept no longer.
type retentionStore interface {
	// ForgetFigures and ForgetPeople remove months that ended before a time, one at a time.
	ForgetFigures(ctx context.Context, before time.Time) (rows int, more bool, err error)
	ForgetPeople(ctx context.Context, before time.Time) (rows int, more bool, err error)
	// ForgetPersons blanks who wrote what on a platform, and the words, that were read before
	// a time.
	ForgetPersons(ctx context.Context, platform schema.Platform, before time.Time) (rows int, err error)
}

const (
	keepEvery = 30 * time.Minute
	keepRetry = time.Minute
	passLimit = 10 * time.Minute
	// personsLife is how long linkedin lets be stored what its members wrote and who they
	// are, less two passes: 48 hours (learn.microsoft.com/linkedin/marketing, data storage
	// requirements).
	personsLife = 48*time.Hour - 2*keepEvery
)

// Keeper removes from ClickHouse what is kept no longer.
type Keeper struct{ deps KeeperDeps }

// KeeperDeps is what a keeper works with.
type KeeperDeps struct {
	Store  retentionStore
	Keep   schema.Retention
	Now    func() time.Time
	Logger *slog.Logger
}

// NewKeeper makes the keeper.
func NewKeeper(deps KeeperDeps) *Keeper {
	deps.Keep = deps.Keep.OrDefaults()
	return &Keeper{deps}
}

// Run makes a pass every half hour until ctx ends, and a minute after one that failed.
func (k *Keeper) Run(ctx context.Context) error {
	for pause := time.Duration(0); sleep.For(ctx, pause) == nil; {
		pause = keepEvery
		if err := k.Pass(ctx); err != nil && ctx.Err() == nil {
			k.deps.Logger.WarnContext(ctx, "what ClickHouse keeps no longer could not be removed", "err", err)
			pause = keepRetry
		}
	}
	return nil
}

// Pass removes what is kept no longer by now. It can be cut off anywhere, and several
// processes may do it at once.
func (k *Keeper) Pass(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, passLimit)
	defer cancel()
	now := k.deps.Now()
	// People first: theirs is the limit that is a promise.
	if _, err := k.deps.Store.ForgetPersons(ctx, schema.LinkedIn, now.Add(-personsLife)); err != nil {
		return err
	}
	for _, forget := range []struct {
		chunk func(context.Context, time.Time) (int, bool, error)
		keep  time.Duration
	}{{k.deps.Store.ForgetPeople, k.deps.Keep.Inbox}, {k.deps.Store.ForgetFigures, k.deps.Keep.Analytics}} {
		for more := true; more; {
			var err error
			if _, more, err = forget.chunk(ctx, now.Add(-forget.keep)); err != nil {
				return err
			}
		}
	}
	return nil
}
