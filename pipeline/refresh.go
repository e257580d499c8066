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
	"crier/schema"
)

// refreshStore is what looking after credentials asks of the database.
type refreshStore interface {
	// Claim leases the renewals of accounts for one step each, and so records that a trade
	// may follow; one at a time for each account.
	Claim(ctx context.Context, messages []schema.RefreshMessage) ([]schema.Renewal, error)
	// Finish stores how the account stands after the step, new credentials with it.
	Finish(ctx context.Context, result schema.RenewalResult) error
	faultStore
	Now() time.Time
}

// renewalStore is where a publish says that a platform refused its account.
type renewalStore interface {
	// AskRenewal has it found out what the refusal means.
	AskRenewal(ctx context.Context, account schema.Account) error
	// EndAccount says that the platform named the account's end.
	EndAccount(ctx context.Context, account schema.Account, why schema.AccountProblem) error
}

// sealer opens and seals the credentials of an account.
type sealer interface {
	opener
	Seal(schema.Account, schema.Credentials) ([]byte, error)
}

// Refresh renews the credentials of accounts before they expire, or once a platform
// refuses them; see schema.Renewal.
type Refresh struct {
	caller  caller[schema.RefreshMessage, schema.Renewal]
	store   refreshStore
	keys    connectors.Resolver
	vault   sealer
	metrics *Metrics
	logger  *slog.Logger
}

// NewRefresh makes the refresh stage; slots is how many calls it makes at a time.
func NewRefresh(store refreshStore, keys connectors.Resolver, vault sealer, log *stream.Log, slots int, logger *slog.Logger, metrics *Metrics) *Refresh {
	r := &Refresh{store: store, keys: keys, vault: vault, metrics: metrics, logger: logger}
	r.caller = caller[schema.RefreshMessage, schema.Renewal]{
		name: schema.TopicRefresh, log: log, logger: logger, metrics: metrics, faults: store, slots: slots,
		place: func(m schema.RefreshMessage) (schema.WorkspaceID, lane, bulkhead) {
			return m.Workspace, lane(m.Account), bulkhead(m.Workspace)
		},
		claim: store.Claim,
		origin: func(v schema.Renewal) schema.RefreshMessage {
			return schema.RefreshMessage{Workspace: v.Account.Workspace, Account: v.Account.ID}
		},
		same: func(m schema.RefreshMessage) schema.RefreshMessage { return m },
		step: r.step,
	}
	r.caller.start()
	return r
}

// Ready tells whether the stage consumes.
func (r *Refresh) Ready() error { return r.caller.consumer.Ready() }

// Run renews until ctx ends, then finishes the calls in hand within drain.
func (r *Refresh) Run(ctx context.Context, drain time.Duration) error {
	return r.caller.run(ctx, drain)
}

func (r *Refresh) step(ctx context.Context, v schema.Renewal) (again bool, err error) {
	outcome, err := r.call(ctx, v)
	if err != nil {
		outcome.Err = r.known(ctx, v, err)
	}
	result := v.After(outcome, r.store.Now(), rand.Float64())
	r.metrics.renewals.WithLabelValues(v.Account.Platform.String(), renewalOutcome(result)).Inc()
	_, err = persist(ctx, r.logger, func(ctx context.Context) error { return r.store.Finish(ctx, result) })
	return false, err
}

func renewalOutcome(r schema.RenewalResult) string {
	switch {
	case r.Good:
		return "good"
	case r.Ended:
		return "dead"
	default:
		return "failed" // and is tried again
	}
}

// known is what an error means for a renewal. After a fault of ours in a trade nobody
// knows what became of it.
func (r *Refresh) known(ctx context.Context, v schema.Renewal, err error) *schema.Error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind >= schema.Refused {
		return e
	}
	r.logger.ErrorContext(ctx, "a renewal failed by our fault", "account", v.Account.ID, "err", err)
	kind := schema.Retryable
	if v.Trade {
		kind = schema.Unknown
	}
	return &schema.Error{Kind: kind, Message: "crier failed on these credentials; the log has the reason"}
}

func (r *Refresh) call(ctx context.Context, v schema.Renewal) (outcome schema.RenewalOutcome, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic in a connector: %v", fault)
		}
	}()
	ctx, cancel := context.WithDeadline(ctx, v.Deadline)
	defer cancel()
	credentials, err := r.vault.Open(v.Account)
	if err != nil {
		return outcome, &schema.Error{Kind: schema.TokenDead, Message: "the stored credentials cannot be read; connect the account again", Err: err}
	}
	if v.Trade {
		return r.trade(ctx, v.Account, credentials)
	}
	checker, err := connectors.As[connectors.Checker](r.keys, v.Account)
	if err != nil {
		return outcome, err
	}
	profile, err := checker.Check(ctx, v.Account, credentials)
	outcome.ExpiresAt = profile.ExpiresAt
	return outcome, err
}

// trade gets new credentials and seals them. A platform that sends no refresh token means
// the old one to be kept.
func (r *Refresh) trade(ctx context.Context, a schema.Account, old schema.Credentials) (schema.RenewalOutcome, error) {
	refresher, err := connectors.As[connectors.Refresher](r.keys, a)
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
	sealed, err := r.vault.Seal(a, traded)
	return schema.RenewalOutcome{Sealed: sealed, ExpiresAt: traded.ExpiresAt, Renewable: traded.Refreshable()}, err
}
