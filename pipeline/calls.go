package pipeline

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"crier/connectors"
	"crier/pipeline/tracing"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/guard"
)

// Platforms are how platforms are called.
type Platforms interface {
	connectors.Resolver
	// Reserve reserves a turn for an account's next call of a kind, or returns how long
	// it is until there may be one. Platform 0 is any.
	Reserve(ctx context.Context, p schema.Platform, account schema.AccountID, kind connectors.Kind) (schema.Reservation, time.Duration)
	// Spacing returns how far apart the turns are for which an account's next calls of a kind wait;
	// 0: they wait for something else.
	Spacing(p schema.Platform, account schema.AccountID, kind connectors.Kind) time.Duration
}

// renewalStore is told that a platform refused an account, or what it allows it.
type renewalStore interface {
	// AskRenewal has the refresh stage find out what the refusal means.
	AskRenewal(ctx context.Context, account schema.Account) error
	// AskCheck is AskRenewal without a trade of the credentials.
	AskCheck(ctx context.Context, account schema.Account) error
	// EndAccount ends the account: the platform said why.
	EndAccount(ctx context.Context, account schema.Account, why schema.AccountProblem) error
	// KeepSettings stores what the platform allows the account from now on.
	KeepSettings(ctx context.Context, account schema.Account) error
}

// receiptStore knows which entries the posts of a profile are.
type receiptStore interface {
	// Known sets the posts that other entries have published to a delivery's profile
	// since its call, which Find must not take for its own. It is
	// schema.ErrReceiptsForgotten if the call is too long ago.
	Known(ctx context.Context, d *schema.Delivery) error
}

// deliveryStore is all that publish and comment ask of the database: R names a target or a comment, V is the
// result of a step.
type deliveryStore[R, V any] interface {
	// Claim leases deliveries for one step each and so records that a visible call may
	// follow; one that is cancelled, finished, leased or at another version is left
	// out of the answer.
	Claim(ctx context.Context, work []R) ([]schema.Delivery, error)
	// Postpone delays deliveries by a wait each, with their jobs, and returns those that it
	// delayed: not those that Claim would leave out, that are looked for, or that are too late to wait.
	Postpone(ctx context.Context, work []R, waits []time.Duration) ([]R, error)
	// RecordWaits records in posts' timelines the waits of deliveries that wait without being postponed.
	RecordWaits(ctx context.Context, work []R, waits []time.Duration) error
	// Finish stores the result of a step, with its events, and moves the job on, or deletes it.
	Finish(ctx context.Context, result V) error
	callStore
	worker.Store
}

// callStore is what publish and comment alike ask of the database.
type callStore interface {
	renewalStore
	receiptStore
	Now() time.Time
	// Ahead is by how much Now is ahead by a jump that nothing confirms yet: it makes nothing late.
	Ahead() time.Duration
}

// platformCalls is how publish and comment call a platform.
type platformCalls struct {
	platforms Platforms
	vault     connectors.Opener
	store     callStore
	logger    *slog.Logger
	keyless   *keyless
	late      time.Duration // what is overdue by more than this is no longer published
}

// takenStep is a step that was taken.
type takenStep struct {
	worker.Outcome
	result schema.Result
	at     time.Time // when it began
}

// finisher stores the result of a step.
type finisher func(context.Context, schema.Result) error

// take takes the claimed step of a delivery.
func (c platformCalls) take(ctx context.Context, d schema.Delivery, reservation schema.Reservation, finish finisher) takenStep {
	began := c.store.Now()
	d.Until, d.Renews = d.DueAt.Add(c.late+c.store.Ahead()), d.Account.MayRenew(began)
	result, outcome, cut := c.resultOf(ctx, d, reservation, began)
	return takenStep{result: result, at: began, Outcome: worker.Outcome{
		Store:     func(ctx context.Context) error { return c.settle(ctx, d, outcome, result, finish) },
		Again:     !cut && result.State == schema.TargetPending && result.NextIn == 0,
		GivenBack: cut,
	}}
}

// resultOf takes a step, and returns its result with the outcome of the call that it is of: none where the
// delivery must not be published any more, or is put off, or given back since a stop cut the step.
func (c platformCalls) resultOf(
	ctx context.Context, d schema.Delivery, reservation schema.Reservation, began time.Time,
) (result schema.Result, outcome schema.Outcome, cut bool) {
	if d.TooLate(began) {
		return d.Missed(began), outcome, false
	}
	if blocked, ok := d.Blocked(began); ok {
		return blocked, outcome, false
	}
	outcome, cut = c.doStep(ctx, d, reservation)
	switch now := c.store.Now(); {
	case outcome.Keyless && !began.After(d.Until):
		return d.PutOff(now), schema.Outcome{}, false
	case cut:
		return d.GiveBack(outcome.Progress.State, now), schema.Outcome{}, true
	default:
		return d.After(outcome, now, rand.Float64()), outcome, false
	}
}

// settle stores the result of a step. If the platform refused the account, that is ended
// first, or, if the platform did not say why, checked. If the receipt is another entry's,
// it stores that this one looks again.
func (c platformCalls) settle(ctx context.Context, d schema.Delivery, o schema.Outcome, result schema.Result, finish finisher) error {
	if err := c.report(ctx, d, o); err != nil {
		return err
	}
	err := finish(ctx, result)
	if errors.Is(err, schema.ErrReceiptTaken) {
		return finish(ctx, d.LookAgain(c.store.Now()))
	}
	return err
}

// doStep makes the call of a claimed step; cut means that a stop ended it without an
// effect, so the claim is to be given back. The turn is for the visible call: in any
// other step it is given back.
func (c platformCalls) doStep(ctx context.Context, d schema.Delivery, reservation schema.Reservation) (outcome schema.Outcome, cut bool) {
	if d.Reservation = reservation; reservation != nil && d.Step != schema.StepPublish {
		reservation.Cancel()
		d.Reservation = nil
	}
	if ctx.Err() != nil {
		return outcome, true
	}
	calling, span := tracing.Child(ctx, "call")
	defer span.End()
	span.Set("crier.platform", d.Account.Platform.String())
	err := guard.Do(func() error { return c.callVerb(calling, &d, &outcome) })
	if outcome.Keyless = errors.Is(err, schema.ErrKeyMissing); outcome.Keyless {
		outcome.Err = keylessError(d.Step)
		c.keyless.tell(ctx, d.Account, err)
		return outcome, false
	}
	outcome.Err = c.errorOf(ctx, d, err)
	return outcome, cutShort(ctx, d, outcome)
}

// cutShort reports whether a stop ended a step without an effect. A visible call that may
// have arrived has one.
func cutShort(ctx context.Context, d schema.Delivery, o schema.Outcome) bool {
	if ctx.Err() == nil {
		return false
	}
	if o.Err == nil {
		return d.Step == schema.StepFind && o.Verdict == schema.CannotTell
	}
	return o.Err.Kind == schema.Retryable
}

// errorOf returns what an error means for an entry; nil for no error. After a fault of ours
// in a visible call its outcome is unknown. A look that fails by a fault of ours costs a
// try, since it may fail the same way for ever.
func (c platformCalls) errorOf(ctx context.Context, d schema.Delivery, err error) *schema.Error {
	if err == nil {
		return nil
	}
	kind := schema.Retryable
	switch d.Step {
	case schema.StepPublish:
		kind = schema.Unknown
	case schema.StepFind:
		kind = schema.Internal
	}
	return actionable(ctx, err, kind, "crier failed on this post; the log has the reason", func() {
		c.logger.ErrorContext(ctx, "a step failed by our fault",
			"post", d.Ref.Post, "platform", d.Account.Platform.String(), "step", int(d.Step), "err", err)
	})
}

// actionable returns an error of a connector that somebody can act on. A fault of ours becomes
// one of the given kind, after a call of logFault. A call that may be repeated and was cut
// off by a stop is not a fault.
func actionable(ctx context.Context, err error, kind schema.ErrorKind, message string, logFault func()) *schema.Error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind >= schema.Refused {
		return e
	}
	if ctx.Err() != nil && kind != schema.Unknown {
		return &schema.Error{Kind: schema.Retryable, Message: message, Err: err}
	}
	logFault()
	return &schema.Error{Kind: kind, Message: message}
}

// prepareLimit ends uploads before their lease does.
const prepareLimit = schema.PrepareLease - 30*time.Second

// callVerb calls the verb of the step.
func (c platformCalls) callVerb(ctx context.Context, d *schema.Delivery, o *schema.Outcome) error {
	connector, err := c.platforms.Connector(d.Account)
	if err != nil {
		return err
	}
	if d.Credentials, err = connectors.Unseal(c.vault, d.Account); err != nil {
		return err
	}
	if d.Step == schema.StepPrepare {
		ctx, cancel := context.WithTimeout(ctx, prepareLimit)
		defer cancel()
		o.Progress, err = connector.Prepare(ctx, forUpload(*d))
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, d.Deadline)
	defer cancel()
	if d.Step == schema.StepPublish && d.CallsAgain() {
		err := c.store.Known(ctx, d) // the platform may answer with what another entry has made
		if err != nil && !errors.Is(err, schema.ErrReceiptsForgotten) {
			return notLooked(err)
		}
	}
	verbs, err := verbsFor(connector, d)
	if err != nil {
		return err
	}
	if d.Step == schema.StepFind {
		o.Receipt, o.Verdict, err = c.findReceipt(ctx, verbs.find, d)
	} else {
		o.Receipt, err = verbs.call(ctx, *d)
	}
	return err
}

// verbs are the visible call of a delivery, and the look for what became of it.
type verbs struct {
	call func(context.Context, schema.Delivery) (schema.Receipt, error)
	find func(context.Context, schema.Delivery) (schema.Receipt, schema.Verdict, error)
}

func verbsFor(connector connectors.Connector, d *schema.Delivery) (verbs, error) {
	switch {
	case d.IsReply():
		replier, ok := connectors.Able[connectors.Replier](connector)
		if !ok {
			return verbs{}, &schema.Error{Kind: schema.Refused, Message: d.Account.Platform.String() + " takes no replies"}
		}
		return verbs{replier.Reply, replier.FindReply}, nil
	case d.Comment != nil:
		return verbs{connector.Comment, connector.Find}, nil
	default:
		return verbs{connector.Publish, connector.Find}, nil
	}
}

// forUpload names in a delivery's media what it is uploaded for, by which it is kept between
// the steps, and what a picture is made to fit.
func forUpload(d schema.Delivery) schema.Delivery {
	d.Media = slices.Clone(d.Media)
	for i := range d.Media {
		d.Media[i].Upload, d.Media[i].Limits = d.Key, d.Account.Limits
	}
	return d
}

// findReceipt looks for what became of a call, after Known. If receipts do not go back that far,
// nobody can tell.
func (c platformCalls) findReceipt(ctx context.Context, look func(context.Context, schema.Delivery) (schema.Receipt, schema.Verdict, error), d *schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	err := c.store.Known(ctx, d)
	switch {
	case errors.Is(err, schema.ErrReceiptsForgotten):
		return schema.Receipt{}, schema.CannotTell, nil
	case err != nil:
		return schema.Receipt{}, schema.CannotTell, notLooked(err)
	default:
		return look(ctx, *d)
	}
}

func notLooked(err error) *schema.Error {
	return &schema.Error{Kind: schema.Retryable, Message: "crier could not look for the post", Err: err}
}

// keepSettings stores what a platform has said that it allows an account, where that is
// something else than before. It is said again before the next post.
func (c platformCalls) keepSettings(ctx context.Context, a schema.Account, settings []byte) error {
	if len(settings) == 0 || bytes.Equal(settings, a.Settings) {
		return nil
	}
	a.Settings = settings
	err := c.store.KeepSettings(ctx, a)
	if err == nil || worker.Unavailable(err) {
		return err
	}
	c.logger.ErrorContext(ctx, "keeping what a platform allows an account failed", "account", a.ID, "err", err)
	return nil
}

func (c platformCalls) report(ctx context.Context, d schema.Delivery, o schema.Outcome) (err error) {
	if err := c.keepSettings(ctx, d.Account, o.Progress.Settings); err != nil {
		return err
	}
	switch {
	case o.Err == nil || o.Err.Kind != schema.TokenDead:
		return nil
	case o.Err.End != schema.NotEnded && d.Step != schema.StepFind: // what a read is refused with ends nothing
		err = c.store.EndAccount(ctx, d.Account, schema.ProblemOf(o.Err))
	case o.Err.Doubtful || o.Err.End != schema.NotEnded || !d.Renews: // renewed, or found good, a moment ago
		err = c.store.AskCheck(ctx, d.Account)
	default:
		err = c.store.AskRenewal(ctx, d.Account)
	}
	if err == nil || worker.Unavailable(err) {
		return err
	}
	c.logger.ErrorContext(ctx, "telling of a refused account failed", "account", d.Account.ID, "err", err)
	return nil // the next entry is refused too
}
