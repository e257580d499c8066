package accounts

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/schema"
)

// renewer acts on credentials that a platform refused.
type renewer interface {
	// AskRenewal has the refresh stage renew the credentials, or find out what is wrong.
	AskRenewal(ctx context.Context, account schema.Account) error
	// EndAccount says that the platform lets crier act for the account no more.
	EndAccount(ctx context.Context, account schema.Account, why schema.AccountProblem) error
	// ReviveAccount says that it does again.
	ReviveAccount(ctx context.Context, account schema.Account) error
	// KeepSettings says what the platform allows the account.
	KeepSettings(ctx context.Context, account schema.Account) error
}

// permissionReader reads what was found out about permissions.
type permissionReader interface {
	// Unpermitted returns what an account's platform lets not be read of it.
	Unpermitted(ctx context.Context, workspace schema.WorkspaceID, account schema.AccountID) ([]schema.Collected, error)
}

// The states of an account's health.
const (
	healthy = "healthy"
	expired = "expired" // only its owner can help
	unsound = "error"   // it could not be checked, or may not do what it should
)

const (
	checkTimeout     = 6 * time.Second // of one account, its renewal included
	checkAllTimeout  = 12 * time.Second
	checksAtOnce     = 16
	renewalPollEvery = 100 * time.Millisecond
)

// healthView is how an account is.
type healthView struct {
	AccountID      schema.AccountID `json:"accountId"`
	Platform       schema.Platform  `json:"platform"`
	Name           string           `json:"name"`
	BrandID        *schema.BrandID  `json:"brandId"`
	Status         string           `json:"status"`
	NeedsReconnect bool             `json:"needsReconnect"`
	CheckedAt      answer.Moment    `json:"checkedAt"`
	ExpiresAt      *answer.Moment   `json:"expiresAt"`
	Error          *healthProblem   `json:"error,omitempty"`
	ReconnectURL   string           `json:"reconnectUrl,omitempty"`
	Missing        []missingView    `json:"missingPermissions,omitempty"`
}

type healthProblem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type healthSummary struct {
	Total   int `json:"total"`
	Healthy int `json:"healthy"`
	Expired int `json:"expired"`
	Error   int `json:"error"`
}

// health answers how one account is.
func (a *accounts) health(c *gin.Context) error {
	account, err := admission.Find(c, accountID, a.Store.Account)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "health", checkup{a.Config}.examine(c.Request.Context(), account), nil)
}

// healthOfAll answers how the accounts of a workspace are, all checked at once.
func (a *accounts) healthOfAll(c *gin.Context) error {
	found, warnings, err := a.selected(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), checkAllTimeout)
	defer cancel()
	results := make([]healthView, len(found))
	var group errgroup.Group
	group.SetLimit(checksAtOnce)
	for i := range found {
		group.Go(func() error {
			results[i] = checkup{a.Config}.examine(ctx, found[i])
			return nil
		})
	}
	_ = group.Wait() // what fails is a result
	return answer.Several(c, http.StatusOK, map[string]any{"results": results, "summary": summarize(results)}, warnings)
}

func summarize(results []healthView) healthSummary {
	s := healthSummary{Total: len(results)}
	for _, r := range results {
		switch r.Status {
		case healthy:
			s.Healthy++
		case expired:
			s.Expired++
		default:
			s.Error++
		}
	}
	return s
}

// checkup asks platforms how accounts are.
type checkup struct{ Config }

// examine checks an account against its platform, and renews its credentials if they are
// refused. Only a definite refusal marks it.
func (u checkup) examine(ctx context.Context, a schema.Account) healthView {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := u.check(ctx, &a)
	v := healthView{
		AccountID: a.ID, Platform: a.Platform, Name: a.Name, BrandID: answer.IDOrNull(a.Brand), Status: healthy,
		NeedsReconnect: a.NeedsReconnect, CheckedAt: answer.Moment(u.Now()), ExpiresAt: answer.MomentOrNull(a.ExpiresAt),
	}
	if err == nil {
		if v.Missing = u.missing(ctx, a); slices.ContainsFunc(v.Missing, func(m missingView) bool { return m.OnConsent }) {
			v.ReconnectURL = u.reconnectURL(ctx, a)
		}
		return v
	}
	v.Status, v.Error = unsound, u.problem(ctx, a, err)
	v.ReconnectURL = u.reconnectURL(ctx, a)
	if a.NeedsReconnect {
		v.Status = expired
	}
	return v
}

func (u checkup) check(ctx context.Context, a *schema.Account) error {
	ended := a.Problem()
	if ended != nil && !ended.End.Traits().Passes {
		return endError(ended)
	}
	checker, err := connectors.As[connectors.Checker](u.Platforms, *a)
	if err != nil {
		return err
	}
	credentials, err := u.Vault.Open(*a)
	if err != nil {
		return err
	}
	profile, err := checker.Check(ctx, *a, credentials)
	if err == nil {
		err = u.keep(ctx, a, profile.Settings)
	}
	switch refused, ok := errors.AsType[*schema.Error](err); {
	case err == nil && ended != nil:
		return u.revive(ctx, a)
	case ended != nil:
		return endError(ended)
	case !ok || refused.Kind != schema.TokenDead:
		return err
	case a.Renewable && refused.End == schema.NotEnded:
		if err := u.renew(ctx, a, err); err != nil {
			return err
		}
		return u.checkRenewed(ctx, a, checker)
	default:
		return u.end(ctx, a, schema.ProblemOf(err))
	}
}

// keep stores what the platform allows an account where that is something else than before.
func (u checkup) keep(ctx context.Context, a *schema.Account, settings []byte) error {
	if len(settings) == 0 || bytes.Equal(settings, a.Settings) {
		return nil
	}
	a.Settings = settings
	err := u.Store.KeepSettings(ctx, *a)
	u.Directories.Forget(a.Workspace)
	return err
}

func (u checkup) end(ctx context.Context, a *schema.Account, why schema.AccountProblem) error {
	if err := u.Store.EndAccount(ctx, *a, why); err != nil {
		return err
	}
	*a = a.Ended(why)
	return endError(&why)
}

// revive has an account go on that had ended.
func (u checkup) revive(ctx context.Context, a *schema.Account) error {
	if err := u.Store.ReviveAccount(ctx, *a); err != nil {
		return err
	}
	*a = a.Revived()
	return nil
}

func endError(p *schema.AccountProblem) error {
	return &schema.Error{Kind: schema.TokenDead, Message: p.Message, End: p.End}
}

// renew has the refresh stage renew the credentials, and waits for what comes of it.
func (u checkup) renew(ctx context.Context, a *schema.Account, refused error) error {
	if err := u.Store.AskRenewal(ctx, *a); err != nil {
		return err
	}
	ticker := time.NewTicker(renewalPollEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return &schema.Error{Kind: schema.Retryable, Message: "the credentials are being renewed", Err: ctx.Err()}
		case <-ticker.C:
		}
		now, err := u.Store.Account(ctx, a.Workspace, a.ID)
		if err != nil {
			return err
		}
		if now.Renewing {
			continue
		}
		*a = now
		if now.Problem() != nil {
			return refused
		}
		return nil
	}
}

// checkRenewed ends an account whose renewed credentials are refused too.
func (u checkup) checkRenewed(ctx context.Context, a *schema.Account, checker connectors.Checker) error {
	credentials, err := u.Vault.Open(*a)
	if err != nil {
		return err
	}
	_, err = checker.Check(ctx, *a, credentials)
	if schema.KindOf(err) == schema.TokenDead {
		return u.end(ctx, a, schema.ProblemOf(err))
	}
	return err
}

// problem says what is wrong in words that may be shown.
func (u checkup) problem(ctx context.Context, a schema.Account, err error) *healthProblem {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind < schema.Refused {
		u.Logger.WarnContext(ctx, "checking an account failed", "account", a.ID.String(), "err", err)
		return &healthProblem{schema.CodeCheckFailed, "the account could not be checked"}
	}
	code := schema.CodeOf(e.Kind)
	if e.Kind == schema.TokenDead {
		code = e.End.Traits().Code
	}
	return &healthProblem{code, e.Message}
}
