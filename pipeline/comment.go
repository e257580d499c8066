package pipeline

import (
	"context"
	"math/rand/v2"
	"time"

	"crier/connectors"
	"crier/pipeline/worker"
	"crier/schema"
)

// commentStore is all that commenting asks of the database. What it says of first comments
// holds for replies as well.
type commentStore interface {
	// Claim leases first comments for one step each, by the rules of publishing.
	Claim(ctx context.Context, ids []schema.CommentID) ([]schema.Delivery, error)
	// Postpone delays first comments by a wait each, with their jobs, and returns those
	// that it delayed: not those that Claim would leave out, that are looked for, or that are
	// too late to wait.
	Postpone(ctx context.Context, ids []schema.CommentID, waits []time.Duration) ([]schema.CommentID, error)
	// RecordWaits records in posts' timelines the waits of first comments that wait without being postponed.
	RecordWaits(ctx context.Context, ids []schema.CommentID, waits []time.Duration) error
	// Finish stores the result of a step and moves the comment's job on, or deletes it.
	Finish(ctx context.Context, result schema.CommentResult) error
	renewalStore
	receiptStore
	worker.Store
	clock
}

// Comment posts first comments and replies.
type Comment = worker.Worker[schema.CommentMessage, schema.CommentID, schema.Delivery]

// CommentConfig is what the comment stage is made of.
type CommentConfig struct {
	Shared
	Store     commentStore
	Platforms Platforms
	Vault     connectors.Opener
	Slots     int           // calls at a time
	Late      time.Duration // what is overdue by more than this is no longer published
}

// NewComment makes the comment stage.
func NewComment(c CommentConfig) *Comment {
	stage := comment{
		commentStore: c.Store, late: c.Late,
		calls: platformCalls{c.Platforms, c.Vault, c.Store, c.Store, c.Logger, newKeyless(c.Logger)},
	}
	return worker.New(worker.Config[schema.CommentMessage]{
		Name: schema.TopicComment, Slots: c.Slots, Log: c.Log, Store: c.Store, Logger: c.Logger, Metrics: c.Metrics.workers, Bounded: true,
		Hosts: c.Hosts, Account: func(m schema.CommentMessage) schema.AccountID { return m.Account },
		Reserve: func(ctx context.Context, m schema.CommentMessage) (schema.Reservation, time.Duration) {
			return c.Platforms.Reserve(ctx, m.Platform, m.Account, connectors.Post)
		},
		Spacing: func(m schema.CommentMessage) time.Duration {
			return c.Platforms.Spacing(m.Platform, m.Account, connectors.Post)
		},
	}, stage)
}

// comment is the stage of the worker. Its store claims and postpones.
type comment struct {
	commentStore
	calls platformCalls
	late  time.Duration
}

func (comment) Place(m schema.CommentMessage, host schema.Host) worker.Place[schema.CommentID] {
	return worker.Place[schema.CommentID]{
		Workspace: m.Workspace, Key: worker.Key(m.Account), Bulkhead: platformBulkhead(m.Platform), Server: host.Server, Claims: m.Comment,
	}
}

func (c comment) Key(d schema.Delivery) schema.CommentID { return d.Comment.ID }

func (c comment) Do(ctx context.Context, d schema.Delivery, reservation schema.Reservation) (worker.Outcome, error) {
	called := c.Now()
	d.Until = d.DueAt.Add(c.late + c.Ahead())
	if result, ended := c.ended(d, called); ended {
		return c.came(d, schema.Outcome{}, result), nil
	}
	d.Renews = d.Account.MayRenew(called)
	outcome, cut := c.calls.doStep(ctx, d, reservation)
	if outcome.Keyless && !called.After(d.Until) {
		result := d.PutOff(c.Now()).OfComment(d)
		return worker.Outcome{Store: func(ctx context.Context) error { return c.Finish(ctx, result) }}, nil
	}
	if cut {
		result := d.GiveBack(nil, c.Now()).OfComment(d)
		return worker.Outcome{Store: func(ctx context.Context) error { return c.Finish(ctx, result) }, GivenBack: true}, nil
	}
	return c.came(d, outcome, d.After(outcome, c.Now(), rand.Float64()).OfComment(d)), nil
}

// ended returns the result of a comment that must not be posted any more; ok is false for
// others.
func (c comment) ended(d schema.Delivery, now time.Time) (schema.CommentResult, bool) {
	if d.TooLate(now) {
		return d.Missed(now).OfComment(d), true
	}
	blocked, isBlocked := d.Blocked(now)
	return blocked.OfComment(d), isBlocked
}

// came returns how a step's result is stored.
func (c comment) came(d schema.Delivery, o schema.Outcome, result schema.CommentResult) worker.Outcome {
	return worker.Outcome{
		Store: func(ctx context.Context) error {
			return c.calls.settle(ctx, d, o,
				func(ctx context.Context) error { return c.Finish(ctx, result) },
				func(ctx context.Context) error { return c.Finish(ctx, d.LookAgain(c.Now()).OfComment(d)) })
		},
		Again: result.State == schema.CommentPending && result.NextIn == 0,
	}
}
