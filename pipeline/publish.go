package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"crier/connectors"
	"crier/pipeline/stream"
	"crier/pipeline/tracing"
	"crier/schema"
)

// publishStore is all that publishing asks of the database.
type publishStore interface {
	// Claim leases targets for one step each and so records that a visible call may
	// follow; a target that is cancelled, finished, leased or at another version is left
	// out of the answer.
	Claim(ctx context.Context, work []schema.TargetRef) ([]schema.Delivery, error)
	// Postpone puts targets off by a wait each, with their jobs, and returns those that
	// it did: not one that Claim would leave out, nor one that is too late to wait.
	Postpone(ctx context.Context, work []schema.TargetRef, waits []time.Duration) ([]schema.TargetRef, error)
	// Finish stores what the step came to, with its events and the move of the job.
	Finish(ctx context.Context, result schema.Result) error
	renewalStore
	receiptStore
	faultStore
	Now() time.Time
}

// receiptStore knows whose the posts of a profile are.
type receiptStore interface {
	// Known sets what else was published to a delivery's profile since its call, by which
	// Find tells what is not its own. It is schema.ErrReceiptsForgotten where that is too
	// long ago.
	Known(ctx context.Context, d *schema.Delivery) error
}

// opener unseals the credentials of an account.
type opener interface {
	Open(schema.Account) (schema.Credentials, error)
}

// Platforms are how platforms are called.
type Platforms interface {
	connectors.Resolver
	turns
}

// Publish takes targets to their platforms, one step at a time.
type Publish struct {
	caller  caller[schema.PublishMessage, schema.Delivery]
	store   publishStore
	calls   platformCalls
	late    time.Duration // what is more than this past its time is not published any more
	metrics *Metrics
	logger  *slog.Logger
}

// platformCalls is how publish and comment call a platform.
type platformCalls struct {
	platforms Platforms
	vault     opener
	renewals  renewalStore
	receipts  receiptStore
	logger    *slog.Logger
}

// report has an account looked after that a platform refused: ended where the platform says
// that it has, checked where it does not.
func (c platformCalls) report(ctx context.Context, d schema.Delivery, o schema.Outcome) {
	if o.Err == nil || o.Err.Kind != schema.TokenDead {
		return
	}
	tell := func(ctx context.Context) error { return c.renewals.AskRenewal(ctx, d.Account) }
	if o.Err.End != schema.NotEnded {
		tell = func(ctx context.Context) error { return c.renewals.EndAccount(ctx, d.Account, schema.ProblemOf(o.Err)) }
	}
	if _, err := persist(ctx, c.logger, tell); err != nil { // the next entry is refused too
		c.logger.ErrorContext(ctx, "telling of a refused account failed", "account", d.Account.ID, "err", err)
	}
}

// prepareLimit ends uploads before their lease does.
const prepareLimit = schema.PrepareLease - 30*time.Second

// NewPublish makes the publish stage; slots is how many calls it makes at a time, late how
// far past its time an entry may still go out.
func NewPublish(store publishStore, platforms Platforms, vault opener, log *stream.Log, slots int, late time.Duration, logger *slog.Logger, metrics *Metrics, tracer *tracing.Tracer) *Publish {
	p := &Publish{store: store, calls: platformCalls{platforms, vault, store, store, logger}, late: late, metrics: metrics, logger: logger}
	p.caller = caller[schema.PublishMessage, schema.Delivery]{
		name: schema.TopicPublish, log: log, logger: logger, metrics: metrics, faults: store, slots: slots, tracer: tracer,
		place: func(m schema.PublishMessage) (schema.WorkspaceID, lane, bulkhead) {
			return m.Workspace, lane(m.Account), bulkhead{byte(m.Platform)}
		},
		turn: func(ctx context.Context, m schema.PublishMessage) time.Duration {
			return platforms.Turn(ctx, m.Account)
		},
		postpone: p.postpone,
		claim:    p.claim,
		origin:   func(d schema.Delivery) schema.PublishMessage { return messageOf(d.Ref) },
		same:     func(m schema.PublishMessage) schema.PublishMessage { return messageOf(refOf(m)) },
		step:     p.step,
	}
	p.caller.start()
	return p
}

// Ready tells whether the stage consumes.
func (p *Publish) Ready() error { return p.caller.consumer.Ready() }

// Run publishes until ctx ends, then finishes the calls in hand within drain.
func (p *Publish) Run(ctx context.Context, drain time.Duration) error {
	return p.caller.run(ctx, drain)
}

func (p *Publish) claim(ctx context.Context, messages []schema.PublishMessage) ([]schema.Delivery, error) {
	return p.store.Claim(ctx, refsOf(messages))
}

func (p *Publish) postpone(ctx context.Context, messages []schema.PublishMessage, waits []time.Duration) ([]schema.PublishMessage, error) {
	refs, err := p.store.Postpone(ctx, refsOf(messages), waits)
	postponed := make([]schema.PublishMessage, len(refs))
	for i, ref := range refs {
		postponed[i] = messageOf(ref)
	}
	return postponed, err
}

func refsOf(messages []schema.PublishMessage) []schema.TargetRef {
	refs := make([]schema.TargetRef, len(messages))
	for i, m := range messages {
		refs[i] = refOf(m)
	}
	return refs
}

func refOf(m schema.PublishMessage) schema.TargetRef {
	return schema.TargetRef{Post: m.Post, N: m.N, Version: m.Version}
}

// messageOf is the identity of the message of a target.
func messageOf(ref schema.TargetRef) schema.PublishMessage {
	return schema.PublishMessage{Post: ref.Post, N: ref.N, Version: ref.Version}
}

func (p *Publish) step(ctx context.Context, d schema.Delivery) (again bool, err error) {
	called := p.store.Now()
	var result schema.Result
	d.Until = d.DueAt.Add(p.late)
	if d.TooLate(called) {
		result = d.Missed(called)
	} else if blocked, ok := d.Blocked(called); ok {
		result = blocked
	} else {
		d.Renews = d.Account.MayRenew(called)
		outcome := p.calls.make(ctx, d)
		p.calls.report(ctx, d, outcome)
		result = d.After(outcome, p.store.Now(), rand.Float64())
	}
	p.observe(d, result, called)
	stored, err := p.finish(ctx, result)
	if errors.Is(err, schema.ErrReceiptTaken) {
		result = d.LookAgain(p.store.Now())
		stored, err = p.finish(ctx, result)
	}
	return stored && result.State == schema.TargetPending && result.NextIn == 0, err
}

// finish stores a result; what follows from it goes on with its trace.
func (p *Publish) finish(ctx context.Context, result schema.Result) (stored bool, err error) {
	ctx, span := tracing.Child(ctx, "finish")
	defer span.End()
	result.Trace = tracing.Parent(ctx)
	return persist(ctx, p.logger, func(ctx context.Context) error { return p.store.Finish(ctx, result) })
}

func (p *Publish) observe(d schema.Delivery, r schema.Result, called time.Time) {
	platform := r.Platform.String()
	if d.Entry == 0 && d.Step != schema.StepPrepare && (r.Entry > 0 || r.Terminal()) {
		p.metrics.lateness.WithLabelValues(platform).Observe(max(0, called.Sub(d.DueAt)).Seconds())
	}
	if r.Terminal() {
		p.metrics.targets.WithLabelValues(platform, r.State.String()).Inc()
	}
}

// make makes the call of a delivery's step.
func (c platformCalls) make(ctx context.Context, d schema.Delivery) schema.Outcome {
	ctx, span := tracing.Child(ctx, "call")
	defer span.End()
	span.Set("crier.platform", d.Account.Platform.String())
	outcome, err := c.tryCall(ctx, &d)
	if err == nil {
		return outcome
	}
	known, ok := errors.AsType[*schema.Error](err)
	if !ok || known.Kind < schema.Refused {
		c.logger.ErrorContext(ctx, "a step failed by our fault",
			"post", d.Ref.Post, "platform", d.Account.Platform.String(), "step", int(d.Step), "err", err)
		known = faultOf(d)
	}
	outcome.Err = known
	return outcome
}

// faultOf is what a fault of ours means for an entry: after a visible call was begun,
// nobody knows what became of it. A look that we fail at ourselves costs a try, for it may
// fail the same way for ever.
func faultOf(d schema.Delivery) *schema.Error {
	kind := schema.Retryable
	switch d.Step {
	case schema.StepPublish:
		kind = schema.Unknown
	case schema.StepFind:
		kind = schema.Internal
	}
	return &schema.Error{Kind: kind, Message: "crier failed on this post; the log has the reason"}
}

func (c platformCalls) tryCall(ctx context.Context, d *schema.Delivery) (outcome schema.Outcome, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic in a connector: %v", fault)
		}
	}()
	connector, err := c.platforms.Connector(d.Account)
	if err != nil {
		return outcome, err
	}
	if d.Credentials, err = c.vault.Open(d.Account); err != nil {
		return outcome, &schema.Error{Kind: schema.TokenDead, Message: "the stored credentials cannot be read; connect the account again", Err: err}
	}
	if d.Step == schema.StepPrepare {
		ctx, cancel := context.WithTimeout(ctx, prepareLimit)
		defer cancel()
		outcome.Progress, err = connector.Prepare(ctx, *d)
		return outcome, err
	}
	ctx, cancel := context.WithDeadline(ctx, d.Deadline)
	defer cancel()
	if d.Step == schema.StepPublish && d.CallsAgain() {
		err := c.receipts.Known(ctx, d) // a platform may answer by what another entry was found to have made
		if err != nil && !errors.Is(err, schema.ErrReceiptsForgotten) {
			return outcome, &schema.Error{Kind: schema.Retryable, Message: "crier could not look for the post", Err: err}
		}
	}
	switch {
	case d.Step == schema.StepFind:
		outcome.Receipt, outcome.Verdict, err = c.find(ctx, connector, d)
	case d.Comment != nil:
		outcome.Receipt, err = connector.Comment(ctx, *d)
	default:
		outcome.Receipt, err = connector.Publish(ctx, *d)
	}
	return outcome, err
}

// find looks for what became of a call, once it is known what else is on the profile.
// Nobody can tell where that is not known any more.
func (c platformCalls) find(ctx context.Context, connector connectors.Connector, d *schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	err := c.receipts.Known(ctx, d)
	switch {
	case errors.Is(err, schema.ErrReceiptsForgotten):
		return schema.Receipt{}, schema.CannotTell, nil
	case err != nil:
		return schema.Receipt{}, schema.CannotTell, &schema.Error{Kind: schema.Retryable, Message: "crier could not look for the post", Err: err}
	default:
		return connector.Find(ctx, *d)
	}
}
