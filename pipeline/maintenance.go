package pipeline

import (
	"context"
	"log/slog"
	"time"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
)

// maintenanceStore keeps the tables of jobs and events in order.
type maintenanceStore interface {
	// Promote moves far jobs that are due within a day to the near ones.
	Promote(ctx context.Context) (int64, error)
	MakePartitions(ctx context.Context) error
	// Forget deletes what is past its retention.
	Forget(ctx context.Context) error
}

// observer reads the figures that are not counted as they change.
type observer interface {
	Observe(ctx context.Context) (schema.Observation, error)
}

// observeEvery is how old those figures may be.
const observeEvery = 15 * time.Second

// deadLetterStore holds what stages have given up on.
type deadLetterStore interface {
	CountDeadLetters(ctx context.Context) (map[string]int, error)
	// Rewrite calls write with each unreadable message that is replayed, and deletes it once
	// write has succeeded.
	Rewrite(ctx context.Context, write func(context.Context, schema.LogMessage) error) error
}

// sweeper repairs rows that no job would ever wake, and counters that disagree.
type sweeper interface {
	// Sweep makes one bounded pass and returns the number of repairs by kind.
	Sweep(ctx context.Context) (map[string]int, error)
}

// sweepEvery is how often a pass is made: what is stuck is found within a minute.
const sweepEvery = 15 * time.Second

// Maintenance is the periodic work of the role delay: it promotes far jobs, relays the outbox
// again, repairs, deletes what is past its retention, and counts. Every process with the role
// runs it; locks in the database let one of them work at a time.
type Maintenance struct {
	MaintenanceDeps

	// One relay each: a consumer that is away does not hold up the other's events.
	toNotify, toAnalytics *outboxRelay
}

// MaintenanceDeps is what maintenance works with.
type MaintenanceDeps struct {
	Store       maintenanceStore
	Outbox      outboxStore
	Sweeper     sweeper
	Observer    observer
	DeadLetters deadLetterStore
	Announce    func(schema.Announcement)
	Log         *stream.Log
	Logger      *slog.Logger
	Metrics     *Metrics
}

// NewMaintenance makes the maintenance of the role delay.
func NewMaintenance(deps MaintenanceDeps) *Maintenance {
	return &Maintenance{
		MaintenanceDeps: deps,
		toNotify:        newOutboxRelay(deps.Outbox, deps.Announce, schema.OwedNotify),
		toAnalytics:     newOutboxRelay(deps.Outbox, deps.Announce, schema.OwedAnalytics),
	}
}

// Run works until ctx ends.
func (m *Maintenance) Run(ctx context.Context) error {
	tasks := []struct {
		every time.Duration
		do    func(context.Context) error
		next  time.Time
	}{
		{every: time.Hour, do: m.Store.MakePartitions},
		{every: 5 * time.Minute, do: m.promote},
		{every: time.Hour, do: m.Store.Forget},
		{every: relayEvery, do: m.toNotify.relay},
		{every: relayEvery, do: m.toAnalytics.relay},
		{every: sweepEvery, do: m.sweep},
		{every: observeEvery, do: m.observe},
		{every: 2 * time.Second, do: m.replay},
	}
	for {
		for i := range tasks {
			if t := &tasks[i]; !time.Now().Before(t.next) {
				t.next = time.Now().Add(t.every)
				if err := t.do(ctx); err != nil && ctx.Err() == nil {
					t.next = time.Now().Add(min(t.every, 10*time.Second))
					m.Logger.WarnContext(ctx, "maintenance failed", "err", err)
				}
			}
		}
		if !worker.Sleep(ctx, time.Second) {
			return nil
		}
	}
}

func (m *Maintenance) promote(ctx context.Context) error {
	n, err := m.Store.Promote(ctx)
	if n > 0 {
		m.Logger.InfoContext(ctx, "far jobs were promoted", "jobs", n)
	}
	return err
}

func (m *Maintenance) observe(ctx context.Context) error {
	seen, err := m.Observer.Observe(ctx)
	if err != nil {
		return err
	}
	m.Metrics.oldestEvents.Set(seen.OldestEvents.Seconds())
	m.Metrics.accounts.Reset() // a platform whose last account is gone
	for platform, n := range seen.Accounts {
		m.Metrics.accounts.WithLabelValues(platform.String(), "good").Set(float64(n.Connected - n.NeedReconnect))
		m.Metrics.accounts.WithLabelValues(platform.String(), "needs_reconnect").Set(float64(n.NeedReconnect))
	}
	return nil
}

// replay writes replayed unreadable messages to the log, and counts dead letters.
func (m *Maintenance) replay(ctx context.Context) error {
	err := m.DeadLetters.Rewrite(ctx, func(ctx context.Context, message schema.LogMessage) error {
		return m.Log.Produce(ctx, message.Topic, []stream.Record{{Key: message.Key, Value: message.Value, Partition: &message.Partition}})
	})
	if err != nil {
		return err
	}
	counts, err := m.DeadLetters.CountDeadLetters(ctx)
	for stage, n := range counts {
		m.Metrics.deadLetters.WithLabelValues(stage).Set(float64(n))
	}
	return err
}

func (m *Maintenance) sweep(ctx context.Context) error {
	repaired, err := m.Sweeper.Sweep(ctx)
	for kind, n := range repaired {
		m.Metrics.repairs.WithLabelValues(kind).Add(float64(n))
		if n > 0 {
			m.Logger.WarnContext(ctx, "the sweep repaired what should not be", "kind", kind, "repairs", n)
		}
	}
	return err
}
