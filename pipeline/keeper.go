package pipeline

import (
	"context"
	"log/slog"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// keeperStore is what keeping house asks of the database.
type keeperStore interface {
	Promote(ctx context.Context) (int64, error)
	MakePartitions(ctx context.Context) error
	Forget(ctx context.Context) error
	outboxStore
}

// observer looks at what is not counted as it happens.
type observer interface {
	Observe(ctx context.Context) (schema.Observation, error)
}

// observeEvery is how old those figures may be.
const observeEvery = 15 * time.Second

// letterStore is what stages have given up on.
type letterStore interface {
	CountDeadLetters(ctx context.Context) (map[string]int, error)
	// Rewrite gives unreadable messages that are replayed to write, and forgets those it has
	// taken.
	Rewrite(ctx context.Context, write func(context.Context, schema.LogMessage) error) error
}

// sweeper finds what should not be and repairs it.
type sweeper interface {
	// Sweep makes one bounded pass and returns how many of each kind it repaired.
	Sweep(ctx context.Context) (map[string]int, error)
}

// sweepEvery is how often a pass is made: what is stuck is found within a minute.
const sweepEvery = 15 * time.Second

// Keeper does delay's chores: far jobs come near, events that were not handled are sent
// again, old answers are forgotten, dead letters are counted. Every process with the role
// runs one; the database lets one at a time.
type Keeper struct {
	store    keeperStore
	sweeper  sweeper
	observer observer
	letters  letterStore
	log      *stream.Log
	metrics  *Metrics
	logger   *slog.Logger

	// Whoever is away does not hold up what the other is owed.
	toNotify, toAnalytics *resender
}

// NewKeeper makes a Keeper.
func NewKeeper(store keeperStore, sweeper sweeper, observer observer, letters letterStore, announce func(schema.Announcement), log *stream.Log, logger *slog.Logger, metrics *Metrics) *Keeper {
	return &Keeper{
		store: store, sweeper: sweeper, observer: observer, letters: letters, log: log, logger: logger, metrics: metrics,
		toNotify:    newResender(store, announce, schema.OwedNotify),
		toAnalytics: newResender(store, announce, schema.OwedAnalytics),
	}
}

// Run does the chores until ctx ends.
func (k *Keeper) Run(ctx context.Context) error {
	chores := []struct {
		every time.Duration
		do    func(context.Context) error
		next  time.Time
	}{
		{every: time.Hour, do: k.store.MakePartitions},
		{every: 5 * time.Minute, do: k.promote},
		{every: time.Hour, do: k.store.Forget},
		{every: resendEvery, do: k.toNotify.resend},
		{every: resendEvery, do: k.toAnalytics.resend},
		{every: sweepEvery, do: k.sweep},
		{every: observeEvery, do: k.observe},
		{every: 2 * time.Second, do: k.replay},
	}
	for {
		for i := range chores {
			if c := &chores[i]; !time.Now().Before(c.next) {
				c.next = time.Now().Add(c.every)
				if err := c.do(ctx); err != nil && ctx.Err() == nil {
					c.next = time.Now().Add(min(c.every, 10*time.Second))
					k.logger.WarnContext(ctx, "a chore failed", "err", err)
				}
			}
		}
		if !pause(ctx, time.Second) {
			return nil
		}
	}
}

func (k *Keeper) promote(ctx context.Context) error {
	n, err := k.store.Promote(ctx)
	if n > 0 {
		k.logger.InfoContext(ctx, "far jobs came near", "jobs", n)
	}
	return err
}

func (k *Keeper) observe(ctx context.Context) error {
	seen, err := k.observer.Observe(ctx)
	if err != nil {
		return err
	}
	k.metrics.oldestEvents.Set(seen.OldestEvents.Seconds())
	k.metrics.accounts.Reset() // a platform whose last account is gone
	for platform, n := range seen.Accounts {
		k.metrics.accounts.WithLabelValues(platform.String(), "good").Set(float64(n.Connected - n.NeedReconnect))
		k.metrics.accounts.WithLabelValues(platform.String(), "needs_reconnect").Set(float64(n.NeedReconnect))
	}
	return nil
}

// replay writes unreadable messages that are replayed to the log, and counts what is dead.
func (k *Keeper) replay(ctx context.Context) error {
	err := k.letters.Rewrite(ctx, func(ctx context.Context, m schema.LogMessage) error {
		return k.log.Produce(ctx, m.Topic, []stream.Record{{Key: m.Key, Value: m.Value, Partition: &m.Partition}})
	})
	if err != nil {
		return err
	}
	counts, err := k.letters.CountDeadLetters(ctx)
	for stage, n := range counts {
		k.metrics.deadLetters.WithLabelValues(stage).Set(float64(n))
	}
	return err
}

func (k *Keeper) sweep(ctx context.Context) error {
	repaired, err := k.sweeper.Sweep(ctx)
	for kind, n := range repaired {
		k.metrics.repairs.WithLabelValues(kind).Add(float64(n))
		if n > 0 {
			k.logger.WarnContext(ctx, "the sweep repaired what should not be", "kind", kind, "repairs", n)
		}
	}
	return err
}
