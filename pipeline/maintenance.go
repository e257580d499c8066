package pipeline

import (
	"context"
	"slices"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// observer reads the figures that are not counted continuously.
type observer interface {
	Observe(ctx context.Context) (schema.Observation, error)
}

// observeEvery is how old those figures may be.
const observeEvery = 15 * time.Second

// deadLetterStore holds dead letters: what stages have given up on.
type deadLetterStore interface {
	CountDeadLetters(ctx context.Context) (map[string]int, error)
	// Rewrite calls write with each unreadable message that is replayed, and deletes it once
	// write has succeeded.
	Rewrite(ctx context.Context, write func(context.Context, schema.LogMessage) error) error
}

// sweepPause limits a sweep to a third of one connection: it may have a million rows to
// scan.
const sweepPause = 2

// sweeper repairs rows that no job would bring back, and counters that are wrong.
type sweeper interface {
	// Sweep does one chunk of a pass and returns the number of repairs by kind.
	Sweep(ctx context.Context, over schema.Sweep) (repaired map[string]int, more bool, err error)
}

// sweepEvery is the time between two passes: what is stuck is found within a minute.
const sweepEvery = 15 * time.Second

// Maintenance is the periodic work of the role delay: it promotes far jobs, sends events
// of the outbox again, repairs, deletes what is past its retention, and counts. Every
// process with the role runs it; locks in the database let one of them work at a time.
type Maintenance struct {
	MaintenanceConfig

	// One relay for each consumer: one that is away does not delay the events of the
	// other.
	toNotify, toAnalytics *outboxRelay
}

// MaintenanceConfig is what maintenance is made of.
type MaintenanceConfig struct {
	Shared
	Chores      []Chore // of the store alone
	Outbox      outboxStore
	Sweeper     sweeper
	Observer    observer
	DeadLetters deadLetterStore
	Announce    func(schema.Announcement) // of events that are sent again
}

// NewMaintenance makes the maintenance of the role delay.
func NewMaintenance(c MaintenanceConfig) *Maintenance {
	return &Maintenance{
		MaintenanceConfig: c,
		toNotify:          newOutboxRelay(c.Outbox, c.Announce, schema.OwedNotify),
		toAnalytics:       newOutboxRelay(c.Outbox, c.Announce, schema.OwedAnalytics),
	}
}

// chores adds to those of the store what also needs the log, announcements or metrics.
func (m *Maintenance) chores() []Chore {
	all := append(slices.Clone(m.Chores),
		Chore{Name: "relay_notify", Every: relayEvery, Do: m.toNotify.relay},
		Chore{Name: "relay_analytics", Every: relayEvery, Do: m.toAnalytics.relay},
		Chore{Name: "observe", Every: observeEvery, Do: m.observe},
		Chore{Name: "replay", Every: 2 * time.Second, Do: m.replay},
	)
	for _, over := range schema.Sweeps() {
		all = append(all, Chore{Name: "sweep_" + string(over), Every: sweepEvery, Rest: sweepPause, Do: func(ctx context.Context) (rows int, more bool, err error) {
			return m.sweep(ctx, over)
		}})
	}
	return all
}

// Run works until ctx ends.
func (m *Maintenance) Run(ctx context.Context) error {
	m.keepAll(ctx, m.chores())
	return nil
}

func (m *Maintenance) observe(ctx context.Context) (rows int, more bool, err error) {
	seen, err := m.Observer.Observe(ctx)
	if err != nil {
		return 0, false, err
	}
	m.Metrics.oldestEvents.Set(seen.OldestEvents.Seconds())
	m.Metrics.accounts.Reset() // a platform whose last account is gone
	for platform, n := range seen.Accounts {
		m.Metrics.accounts.WithLabelValues(platform.String(), "good").Set(float64(n.Connected - n.NeedReconnect))
		m.Metrics.accounts.WithLabelValues(platform.String(), "needs_reconnect").Set(float64(n.NeedReconnect))
	}
	return 0, false, nil
}

// replay writes unreadable messages that an operator has replayed to the log, and counts
// dead letters.
func (m *Maintenance) replay(ctx context.Context) (rows int, more bool, err error) {
	err = m.DeadLetters.Rewrite(ctx, func(ctx context.Context, message schema.LogMessage) error {
		err := m.Log.Produce(ctx, message.Topic, []stream.Record{{Key: message.Key, Value: message.Value, Partition: &message.Partition}})
		if err == nil {
			rows++
		}
		return err
	})
	if err != nil {
		return rows, false, err
	}
	counts, err := m.DeadLetters.CountDeadLetters(ctx)
	for stage, n := range counts {
		m.Metrics.deadLetters.WithLabelValues(stage).Set(float64(n))
	}
	return rows, false, err
}

func (m *Maintenance) sweep(ctx context.Context, over schema.Sweep) (rows int, more bool, err error) {
	repaired, more, err := m.Sweeper.Sweep(ctx, over)
	for kind, n := range repaired {
		rows += n
		m.Metrics.repairs.WithLabelValues(kind).Add(float64(n))
		if n > 0 {
			m.Logger.WarnContext(ctx, "the sweep repaired what should not be", "kind", kind, "repairs", n)
		}
	}
	return rows, more, err
}
