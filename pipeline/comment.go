package pipeline

import (
	"context"
	"time"

	"crier/connectors"
	"crier/pipeline/worker"
	"crier/schema"
)

// commentStore is all that commenting asks of the database, for first comments and replies.
type commentStore = deliveryStore[schema.CommentID, schema.CommentResult]

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
		commentStore: c.Store,
		calls:        platformCalls{c.Platforms, c.Vault, c.Store, c.Logger, newKeyless(c.Logger), c.Late},
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
}

func (comment) Place(m schema.CommentMessage, host schema.Host) worker.Place[schema.CommentID] {
	return worker.Place[schema.CommentID]{
		Workspace: m.Workspace, Key: worker.Key(m.Account), Bulkhead: platformBulkhead(m.Platform), Server: host.Server, Claims: m.Comment,
	}
}

func (c comment) Key(d schema.Delivery) schema.CommentID { return d.Comment.ID }

func (c comment) Do(ctx context.Context, d schema.Delivery, reservation schema.Reservation) (worker.Outcome, error) {
	finish := func(ctx context.Context, r schema.Result) error { return c.Finish(ctx, r.OfComment(d)) }
	return c.calls.take(ctx, d, reservation, finish).Outcome, nil
}
