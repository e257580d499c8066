package pipeline

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"crier/connectors"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/guard"
)

// refreshStore is what the refresh stage asks of the database.
type refreshStore interface {
	// Claim leases the renewals of accounts for one step each, and so records that a trade
	// may follow; one at a time for each account.
	Claim(ctx context.Context, messages []schema.RefreshMessage) ([]schema.Renewal, error)
	// Finish stores the account after the step, with new credentials if there are any.
	Finish(ctx context.Context, result schema.RenewalResult) error
	worker.Store
	Now() time.Time
}

// publishedStore is what the refresh stage asks of what was published, where platforms go on to
// judge what they show.
type publishedStore interface {
	// Published returns what was published to an account's profile lately.
	Published(ctx context.Context, a schema.Account) ([]schema.Publication, error)
	// TakeDown fails what the platform no longer shows, if it is still what was published.
	TakeDown(ctx context.Context, a schema.Account, of schema.Publication, why *schema.Error) error
}

// sealer opens and seals the credentials of an account.
type sealer interface {
	connectors.Opener
	Seal(schema.Account, schema.Credentials) ([]byte, error)
	Reseal(schema.Account) ([]byte, error)
}

// Refresh renews the credentials of accounts before they expire, or once a platform
// refuses them; see schema.Renewal.
type Refresh = worker.Worker[schema.RefreshMessage, schema.RefreshMessage, schema.Renewal]

// RefreshConfig is what the refresh stage is made of.
type RefreshConfig struct {
	Shared
	Store     refreshStore
	Published publishedStore // nil: what was published is not looked at again
	// Profiles are the platforms of which profiles are read anew every few days.
	Profiles map[schema.Platform]bool
	Keys     connectors.Resolver
	Vault    sealer
	Slots    int // calls at a time
}

// NewRefresh makes the refresh stage.
func NewRefresh(c RefreshConfig) *Refresh {
	return worker.New(worker.Config[schema.RefreshMessage]{
		Name: schema.TopicRefresh, Slots: c.Slots, Log: c.Log, Store: c.Store, Logger: c.Logger, Metrics: c.Metrics.workers, Bounded: true,
		Hosts: c.Hosts, Account: func(m schema.RefreshMessage) schema.AccountID { return m.Account },
	}, refresh{refreshStore: c.Store, RefreshConfig: c, keyless: newKeyless(c.Logger)})
}

// refresh is the stage of the worker. Its store claims.
type refresh struct {
	refreshStore
	RefreshConfig
	worker.Unlimited[schema.RefreshMessage]
	keyless *keyless
}

func (refresh) Place(m schema.RefreshMessage, host schema.Host) worker.Place[schema.RefreshMessage] {
	return worker.Place[schema.RefreshMessage]{
		Workspace: m.Workspace, Key: worker.Key(m.Account), Bulkhead: platformBulkhead(host.Platform), Server: host.Server, Claims: m,
	}
}

func (r refresh) Key(v schema.Renewal) schema.RefreshMessage {
	return schema.RefreshMessage{Workspace: v.Account.Workspace, Account: v.Account.ID}
}

func (r refresh) Do(ctx context.Context, v schema.Renewal, _ schema.Reservation) (worker.Outcome, error) {
	outcome, cut := r.doStep(ctx, v)
	if outcome.Keyless {
		result := v.PutOff(r.Now())
		return worker.Outcome{Store: func(ctx context.Context) error { return r.Finish(ctx, result) }}, nil
	}
	if cut {
		result := v.GiveBack(r.Now())
		return worker.Outcome{Store: func(ctx context.Context) error { return r.Finish(ctx, result) }, GivenBack: true}, nil
	}
	result := v.After(outcome, r.Now(), rand.Float64())
	r.Metrics.renewals.WithLabelValues(v.Account.Platform.String(), renewalOutcome(result)).Inc()
	return worker.Outcome{Store: func(ctx context.Context) error {
		if err := r.store(ctx, result); err != nil {
			return err
		}
		r.review(ctx, result)
		return nil
	}}, nil
}

// store seals traded credentials once more where the keyset was rotated meanwhile: there are no
// others.
func (r refresh) store(ctx context.Context, result schema.RenewalResult) error {
	err := r.Finish(ctx, result)
	if !errors.Is(err, schema.ErrKeyDropped) || !result.Traded {
		return err
	}
	if result.Account.Sealed, err = r.Vault.Reseal(result.Account); err != nil {
		return err
	}
	return r.Finish(ctx, result)
}

func renewalOutcome(r schema.RenewalResult) string {
	switch {
	case r.Good:
		return "good"
	case r.Ended, r.Account.Problem() != nil: // a check whether it works again
		return "dead"
	default:
		return "failed" // and is tried again
	}
}

// doStep makes the call of a claimed step; cut means that a stop ended it without an
// effect. After a fault of ours in a trade its outcome is unknown.
func (r refresh) doStep(ctx context.Context, v schema.Renewal) (outcome schema.RenewalOutcome, cut bool) {
	if ctx.Err() != nil {
		return outcome, true
	}
	err := guard.Do(func() (err error) {
		outcome, err = r.call(ctx, v)
		return err
	})
	if err == nil {
		return outcome, false
	}
	if errors.Is(err, schema.ErrKeyMissing) { // nothing was asked of the platform
		r.keyless.tell(ctx, v.Account, err)
		return schema.RenewalOutcome{Keyless: true}, false
	}
	kind := schema.Retryable
	if v.Trade {
		kind = schema.Unknown
	}
	outcome.Err = actionable(ctx, err, kind, "crier failed on these credentials; the log has the reason", func() {
		r.Logger.ErrorContext(ctx, "a renewal failed by our fault", "account", v.Account.ID, "err", err)
	})
	return outcome, ctx.Err() != nil && outcome.Err.Kind == schema.Retryable
}

func (r refresh) call(ctx context.Context, v schema.Renewal) (outcome schema.RenewalOutcome, err error) {
	ctx, cancel := context.WithDeadline(ctx, v.Deadline)
	defer cancel()
	credentials, err := connectors.Unseal(r.Vault, v.Account)
	if err != nil {
		return outcome, err
	}
	if v.Trade {
		return r.trade(ctx, v.Account, credentials)
	}
	checker, err := connectors.As[connectors.Checker](r.Keys, v.Account)
	if err != nil {
		return outcome, err
	}
	profile, err := checker.Check(ctx, v.Account, credentials)
	outcome.ExpiresAt, outcome.Settings, outcome.Name = profile.ExpiresAt, profile.Settings, profile.Name
	return outcome, err
}

// profileTurn is how often, in hours, the profile of an account is read anew where its platform
// wants that: each has its own hour, and a token of an hour is traded in each.
const profileTurn = 72

func isTurnOfProfile(id schema.AccountID, now time.Time) bool {
	return now.Unix()/3600%profileTurn == int64(id[len(id)-1])%profileTurn
}

// isTurnOfLimits reports whether a trade is the one of its day with which the limits of an account are
// read anew: in so many hours as its tokens live, in which there is one; each account has its own.
func isTurnOfLimits(a schema.Account, now, expires time.Time) bool {
	const day = 24
	hours := int64(math.Ceil(expires.Sub(now).Hours()))
	return a.HasOwnLimits() && (now.Unix()/3600-int64(a.ID[len(a.ID)-1]))%day < hours
}

// trade gets new credentials and seals them. If the platform sends no refresh token, the
// old one stays valid.
func (r refresh) trade(ctx context.Context, a schema.Account, old schema.Credentials) (schema.RenewalOutcome, error) {
	refresher, err := connectors.As[connectors.Refresher](r.Keys, a)
	if err != nil {
		return schema.RenewalOutcome{}, err
	}
	traded, err := refresher.Refresh(ctx, a, old)
	if err != nil {
		return schema.RenewalOutcome{}, err
	}
	if traded.RefreshToken == "" {
		traded.RefreshToken = old.RefreshToken
	}
	sealed, err := r.Vault.Seal(a, traded)
	outcome := schema.RenewalOutcome{Sealed: sealed, ExpiresAt: traded.ExpiresAt, Renewable: traded.Refreshable()}
	if err == nil {
		r.recheck(ctx, a, traded, &outcome)
	}
	return outcome, err
}

// recheck asks about new credentials where the platform had refused those before them: what it does not
// take either is no matter of the token's age, and that refusal alone says something about them. It reads
// what the platform says of the account now where that may not be kept for long without, or changes. That it
// cannot be read is left at that: the next turn comes.
func (r refresh) recheck(ctx context.Context, a schema.Account, traded schema.Credentials, outcome *schema.RenewalOutcome) {
	refused := a.Renewing || a.Problem() != nil
	reads := r.Profiles[a.Platform] && isTurnOfProfile(a.ID, r.Now()) || isTurnOfLimits(a, r.Now(), traded.ExpiresAt)
	if !refused && !reads {
		return
	}
	checker, err := connectors.As[connectors.Checker](r.Keys, a)
	if err != nil {
		return
	}
	profile, err := checker.Check(ctx, a, traded)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.TokenDead && refused {
		outcome.Rejected = e
	}
	if err == nil && reads {
		outcome.Settings, outcome.Name = profile.Settings, profile.Name
	}
}

// reviewTime bounds the looks at what an account has published: what is left comes with its next
// renewal.
const reviewTime = 20 * time.Second

// review looks, with credentials that are good, at what an account has published lately, on
// platforms that go on to judge what they show: what was taken down fails. That a look fails is
// left at that: the next renewal looks again.
func (r refresh) review(ctx context.Context, of schema.RenewalResult) {
	if !of.Good || r.Published == nil {
		return
	}
	connector, err := r.Keys.Connector(of.Account)
	if err != nil {
		return
	}
	reviewer, ok := connectors.Able[connectors.Reviewer](connector)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	if err := r.reviewBy(ctx, reviewer, of.Account); err != nil {
		r.Logger.WarnContext(ctx, "looking at what was published failed", "account", of.Account.ID, "err", err)
	}
}

func (r refresh) reviewBy(ctx context.Context, reviewer connectors.Reviewer, a schema.Account) error {
	published, err := r.Published.Published(ctx, a)
	if err != nil || len(published) == 0 {
		return err
	}
	credentials, err := connectors.Unseal(r.Vault, a)
	if err != nil {
		return err
	}
	for _, publication := range published {
		why, err := reviewer.TakenDown(ctx, a, credentials, publication.NativeID)
		if err == nil && why != nil {
			err = r.Published.TakeDown(ctx, a, publication, why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
