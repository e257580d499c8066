package pipeline

import (
	"context"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// farStore maintains the table of far jobs. Each call does one chunk of a chore.
type farStore interface {
	// Promote moves far jobs that are due within a day to the near ones.
	Promote(ctx context.Context) (rows int, more bool, err error)
	MakePartitions(ctx context.Context) (rows int, more bool, err error)
	DropPartitions(ctx context.Context) (rows int, more bool, err error)
}

// historyStore deletes what is past its retention, a chunk at a time.
type historyStore interface {
	ForgetKeys(ctx context.Context) (rows int, more bool, err error)
	ForgetReceipts(ctx context.Context) (rows int, more bool, err error)
	ForgetDeliveries(ctx context.Context) (rows int, more bool, err error)
	ForgetAttempts(ctx context.Context) (rows int, more bool, err error)
}

// inboxStore forgets what accounts have received, and the replies to it, a chunk at a time.
type inboxStore interface {
	ForgetReplies(ctx context.Context) (rows int, more bool, err error)
	ForgetInbox(ctx context.Context) (rows int, more bool, err error)
}

// archiveStore moves posts that have ended to history, a chunk at a time.
type archiveStore interface {
	Archive(ctx context.Context) (rows int, more bool, err error)
	// ArchiveUnnoted scans all open posts for those that ended without a note for
	// Archive.
	ArchiveUnnoted(ctx context.Context) (rows int, more bool, err error)
	// ForgetAudit drops a month of the audit log that is past its retention.
	ForgetAudit(ctx context.Context) (rows int, more bool, err error)
	// ForgetPosts drops a month of history that is past its retention.
	ForgetPosts(ctx context.Context) (rows int, more bool, err error)
}

// limitStore deletes what limits no longer need, a chunk at a time.
type limitStore interface {
	ForgetCounters(ctx context.Context) (rows int, more bool, err error)
	ForgetTurns(ctx context.Context) (rows int, more bool, err error)
	ForgetConsents(ctx context.Context) (rows int, more bool, err error)
	// ForgetFound deletes by what monitors know a post that comes again.
	ForgetFound(ctx context.Context) (rows int, more bool, err error)
	// ForgetMails deletes mails that were sent an hour ago, and those that nobody could send in time.
	ForgetMails(ctx context.Context) (rows int, more bool, err error)
}

// webhookStore sends again what webhooks have missed, and clears away those that are gone.
type webhookStore interface {
	// ForgetWebhooks deletes what is left of webhooks that were deleted.
	ForgetWebhooks(ctx context.Context) (rows int, more bool, err error)
	// Redeliver repeats failed deliveries to webhooks.
	Redeliver(ctx context.Context) (rows int, more bool, err error)
}

// holdStore makes work due that was held by a pause which is lifted.
type holdStore interface {
	// Resume goes on where a command that lifted a pause was cut off.
	Resume(ctx context.Context) (rows int, more bool, err error)
}

// observer reads the figures that are not counted continuously.
type observer interface {
	Observe(ctx context.Context) (schema.Observation, error)
}

// forgetEvery is how often rows past their retention are deleted.
const forgetEvery = time.Hour

// observeEvery is how old those figures may be.
const observeEvery = 15 * time.Second

// deadLetterStore holds dead letters: what stages have given up on.
type deadLetterStore interface {
	CountDeadLetters(ctx context.Context) (map[string]int, error)
	// Rewrite calls write with each unreadable message that is replayed, and deletes it once
	// write has succeeded.
	Rewrite(ctx context.Context, write func(context.Context, schema.LogMessage) error) error
	ForgetDeadLetters(ctx context.Context) (rows int, more bool, err error)
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

// maintenanceStore is what the chores do their work with: each group of them has its part.
type maintenanceStore interface {
	farStore
	historyStore
	archiveStore
	inboxStore
	limitStore
	webhookStore
	holdStore
	outboxStore
	sweeper
	observer
	deadLetterStore
}

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
	Store    maintenanceStore
	Announce func(schema.Announcement) // of events that are sent again
}

// NewMaintenance makes the maintenance of the role delay.
func NewMaintenance(c MaintenanceConfig) *Maintenance {
	return &Maintenance{
		MaintenanceConfig: c,
		toNotify:          newOutboxRelay(c.Store, c.Announce, schema.OwedNotify),
		toAnalytics:       newOutboxRelay(c.Store, c.Announce, schema.OwedAnalytics),
	}
}

// chores is everything that maintenance does. A new chore is added here.
func (m *Maintenance) chores() []chore {
	all := []chore{
		{name: "partitions", every: time.Hour, do: m.Store.MakePartitions},
		{name: "drop_partitions", every: time.Hour, do: m.Store.DropPartitions},
		{name: "promote", every: 5 * time.Minute, do: m.Store.Promote},
		{name: "archive", every: time.Minute, do: m.Store.Archive},
		{name: "archive_unnoted", every: 5 * time.Second, do: m.Store.ArchiveUnnoted},
		{name: "forget_posts", every: forgetEvery, do: m.Store.ForgetPosts},
		{name: "forget_audit", every: forgetEvery, do: m.Store.ForgetAudit},
		{name: "forget_keys", every: forgetEvery, do: m.Store.ForgetKeys},
		{name: "forget_receipts", every: forgetEvery, do: m.Store.ForgetReceipts},
		{name: "forget_deliveries", every: forgetEvery, do: m.Store.ForgetDeliveries},
		{name: "forget_attempts", every: forgetEvery, do: m.Store.ForgetAttempts},
		{name: "forget_replies", every: forgetEvery, do: m.Store.ForgetReplies},
		{name: "forget_inbox", every: forgetEvery, do: m.Store.ForgetInbox},
		{name: "forget_counters", every: forgetEvery, do: m.Store.ForgetCounters},
		{name: "forget_turns", every: forgetEvery, do: m.Store.ForgetTurns},
		{name: "forget_webhooks", every: time.Second, do: m.Store.ForgetWebhooks},
		{name: "forget_found", every: 5 * time.Minute, do: m.Store.ForgetFound},
		{name: "forget_mails", every: forgetEvery / 4, do: m.Store.ForgetMails},
		{name: "forget_consents", every: forgetEvery, do: m.Store.ForgetConsents},
		{name: "forget_dead_letters", every: forgetEvery, do: m.Store.ForgetDeadLetters},
		{name: "redeliver", every: time.Second, do: m.Store.Redeliver},
		{name: "resume", every: time.Second, do: m.Store.Resume},
		{name: "relay_notify", every: relayEvery, do: m.toNotify.relay},
		{name: "relay_analytics", every: relayEvery, do: m.toAnalytics.relay},
		{name: "observe", every: observeEvery, do: m.observe},
		{name: "replay", every: 2 * time.Second, do: m.replay},
	}
	for _, over := range schema.Sweeps() {
		all = append(all, chore{name: "sweep_" + string(over), every: sweepEvery, rest: sweepPause, do: func(ctx context.Context) (rows int, more bool, err error) {
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
	seen, err := m.Store.Observe(ctx)
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
	err = m.Store.Rewrite(ctx, func(ctx context.Context, message schema.LogMessage) error {
		err := m.Log.Produce(ctx, message.Topic, []stream.Record{{Key: message.Key, Value: message.Value, Partition: &message.Partition}})
		if err == nil {
			rows++
		}
		return err
	})
	if err != nil {
		return rows, false, err
	}
	counts, err := m.Store.CountDeadLetters(ctx)
	for stage, n := range counts {
		m.Metrics.deadLetters.WithLabelValues(stage).Set(float64(n))
	}
	return rows, false, err
}

func (m *Maintenance) sweep(ctx context.Context, over schema.Sweep) (rows int, more bool, err error) {
	repaired, more, err := m.Store.Sweep(ctx, over)
	for kind, n := range repaired {
		rows += n
		m.Metrics.repairs.WithLabelValues(kind).Add(float64(n))
		if n > 0 {
			m.Logger.WarnContext(ctx, "the sweep repaired what should not be", "kind", kind, "repairs", n)
		}
	}
	return rows, more, err
}
