package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
)

// commentStore is all that commenting asks of the database.
type commentStore interface {
	// Claim leases first comments for one step each, by the rules of publishing.
	Claim(ctx context.Context, ids []schema.CommentID) ([]schema.Delivery, error)
	// Postpone puts first comments off by a wait each, with their jobs, and returns those
	// that it did: not one that Claim would leave out, nor one that is too late to wait.
	Postpone(ctx context.Context, ids []schema.CommentID, waits []time.Duration) ([]schema.CommentID, error)
	// Finish stores what the step came to and moves the comment's job on, or deletes it.
	Finish(ctx context.Context, result schema.CommentResult) error
	renewalStore
	receiptStore
	faultStore
	Now() time.Time
}

// Comment posts first comments.
type Comment struct {
	caller caller[schema.CommentMessage, schema.Delivery]
	store  commentStore
	calls  platformCalls
	late   time.Duration // what is more than this past its time is not published any more
	logger *slog.Logger
}

// NewComment makes the comment stage; slots is how many calls it makes at a time, late how
// far past its time a first comment may still go out.
func NewComment(store commentStore, platforms Platforms, vault opener, log *stream.Log, slots int, late time.Duration, logger *slog.Logger, metrics *Metrics) *Comment {
	c := &Comment{store: store, calls: platformCalls{platforms, vault, store, store, logger}, late: late, logger: logger}
	c.caller = caller[schema.CommentMessage, schema.Delivery]{
		name: schema.TopicComment, log: log, logger: logger, metrics: metrics, faults: store, slots: slots,
		place: func(m schema.CommentMessage) (schema.WorkspaceID, lane, bulkhead) {
			return m.Workspace, lane(m.Account), bulkhead(m.Workspace)
		},
		turn: func(ctx context.Context, m schema.CommentMessage) time.Duration {
			return platforms.Turn(ctx, m.Account)
		},
		postpone: c.postpone,
		claim:    c.claim,
		origin:   func(d schema.Delivery) schema.CommentMessage { return schema.CommentMessage{Comment: d.Comment.ID} },
		same:     func(m schema.CommentMessage) schema.CommentMessage { return schema.CommentMessage{Comment: m.Comment} },
		step:     c.step,
	}
	c.caller.start()
	return c
}

// Ready tells whether the stage consumes.
func (c *Comment) Ready() error { return c.caller.consumer.Ready() }

// Run comments until ctx ends, then finishes the calls in hand within drain.
func (c *Comment) Run(ctx context.Context, drain time.Duration) error {
	return c.caller.run(ctx, drain)
}

func (c *Comment) claim(ctx context.Context, messages []schema.CommentMessage) ([]schema.Delivery, error) {
	return c.store.Claim(ctx, commentsOf(messages))
}

func (c *Comment) postpone(ctx context.Context, messages []schema.CommentMessage, waits []time.Duration) ([]schema.CommentMessage, error) {
	ids, err := c.store.Postpone(ctx, commentsOf(messages), waits)
	postponed := make([]schema.CommentMessage, len(ids))
	for i, id := range ids {
		postponed[i] = schema.CommentMessage{Comment: id}
	}
	return postponed, err
}

func commentsOf(messages []schema.CommentMessage) []schema.CommentID {
	ids := make([]schema.CommentID, len(messages))
	for i, m := range messages {
		ids[i] = m.Comment
	}
	return ids
}

func (c *Comment) step(ctx context.Context, d schema.Delivery) (again bool, err error) {
	var result schema.CommentResult
	d.Until = d.DueAt.Add(c.late)
	if called := c.store.Now(); d.TooLate(called) {
		result = d.MissedComment(called)
	} else if blocked, ok := d.BlockedComment(called); ok {
		result = blocked
	} else {
		d.Renews = d.Account.MayRenew(called)
		outcome := c.calls.make(ctx, d)
		c.calls.report(ctx, d, outcome)
		result = d.AfterComment(outcome, c.store.Now(), rand.Float64())
	}
	stored, err := c.finish(ctx, result)
	if errors.Is(err, schema.ErrReceiptTaken) {
		result = d.LookAgainForComment(c.store.Now())
		stored, err = c.finish(ctx, result)
	}
	return stored && result.State == schema.CommentPending && result.NextIn == 0, err
}

func (c *Comment) finish(ctx context.Context, result schema.CommentResult) (stored bool, err error) {
	return persist(ctx, c.logger, func(ctx context.Context) error { return c.store.Finish(ctx, result) })
}
