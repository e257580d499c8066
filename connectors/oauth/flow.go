package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/schema"
)

// Flow is crier's app with a platform. A connector that embeds it is a connectors.Authorizer and a
// connectors.Refresher.
type Flow struct {
	App    connectors.App
	Scopes connectors.Scopes // that people are asked for

	dialect                  Dialect
	page, tokens, revocation string // addresses
	client                   *connectors.Client
	now                      func() time.Time
}

// New makes the flow of a connector.
func New(d Dialect, p connectors.Parts, scopes connectors.Scopes) Flow {
	if d.isOwn(p.Base) {
		p.Base = ""
	}
	return Flow{
		App: p.App, Scopes: scopes, dialect: d, client: p.Client, now: p.Now,
		page: address(d.Page, cmp.Or(p.Consent, p.Base)), tokens: address(d.Tokens, p.Base), revocation: address(d.Revocation, p.Base),
	}
}

// lacksApp is the error of a flow without an app.
func (f Flow) lacksApp() error {
	if f.App.ID == "" || f.App.Secret == "" && !f.dialect.Public {
		return connectors.NoApp(f.dialect.Platform)
	}
	return nil
}

func (f Flow) clientID() string { return cmp.Or(f.dialect.ClientID, "client_id") }

// Authorize returns the page on which the platform asks for a person's consent (RFC 6749, 4.1.1).
func (f Flow) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if err := f.lacksApp(); err != nil {
		return "", connectors.App{}, err
	}
	query := url.Values{
		"response_type": {"code"}, f.clientID(): {f.App.ID}, "redirect_uri": {r.Callback}, "state": {r.State},
		"scope": {strings.Join(f.Scopes.Requested(), cmp.Or(f.dialect.Separator, " "))},
	}
	if f.dialect.PKCE {
		query.Set("code_challenge", oauth2.S256ChallengeFromVerifier(r.Verifier))
		query.Set("code_challenge_method", "S256")
	}
	maps.Copy(query, f.dialect.Asks)
	return f.page + "?" + query.Encode(), connectors.App{}, nil
}

// Exchange trades a code for tokens (RFC 6749, 4.1.3). Scopes that the answer does not name are those
// that were asked for (5.1).
func (f Flow) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := f.Redeem(ctx, a, g)
	if err != nil {
		return schema.Credentials{}, err
	}
	if granted.Scope == nil {
		granted.Scope = new(strings.Join(f.Scopes.Requested(), " "))
	}
	if f.dialect.Includes != nil {
		*granted.Scope = strings.Join(f.dialect.Includes(connectors.SplitScopes(*granted.Scope)), " ")
	}
	// An empty scope is none at all: people can take each away.
	if err := f.Scopes.Check(append(connectors.SplitScopes(*granted.Scope), "")); err != nil {
		return schema.Credentials{}, err
	}
	if f.dialect.Renews && granted.Refresh == "" {
		return schema.Credentials{}, f.strange("has no refresh token")
	}
	return schema.Credentials{
		AccessToken: granted.Access, ExpiresAt: f.endOf(granted), Scope: *granted.Scope, AppID: f.App.ID,
		RefreshToken: granted.Refresh, RefreshExpiresAt: f.after(granted.refreshExpires()),
	}, nil
}

// Redeem makes the call that trades a code, and looks at nothing of what is granted.
func (f Flow) Redeem(ctx context.Context, a schema.Account, g connectors.Grant) (Granted, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback}}
	if f.dialect.PKCE {
		form.Set("code_verifier", g.Verifier)
	}
	maps.Copy(form, f.dialect.Redeems)
	granted, err := f.Trade(ctx, a, form, g.Code, g.Verifier)
	if err != nil {
		return Granted{}, fmt.Errorf("exchanging a code: %w", ofCode(err))
	}
	return granted, nil
}

// ofCode judges the error of a code: it is nobody's token, and who brought it begins again.
func ofCode(err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	switch {
	case ok && e.Kind == schema.TokenDead:
		return &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	case ok && e.Kind == schema.Unknown:
		return &schema.Error{Kind: schema.Retryable, Message: e.Message, Err: err}
	default:
		return err
	}
}

// Refresh trades a refresh token (RFC 6749, 6).
func (f Flow) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	granted, err := f.Trade(ctx, a, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}}, old.RefreshToken)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("trading the refresh token: %w", err)
	}
	traded := old
	traded.AccessToken, traded.ExpiresAt = granted.Access, f.endOf(granted)
	if granted.Scope != nil {
		traded.Scope = *granted.Scope
	}
	if granted.refreshExpires() > 0 || granted.Refresh != "" && granted.Refresh != old.RefreshToken {
		traded.RefreshExpiresAt = f.after(granted.refreshExpires())
	}
	traded.RefreshToken = cmp.Or(granted.Refresh, old.RefreshToken)
	return traded, nil
}

// endOf returns when an access token ends.
func (f Flow) endOf(granted Granted) time.Time {
	return f.after(cmp.Or(granted.Expires, int64(f.dialect.Life/time.Second)))
}

// after returns the time in so many seconds; zero where none are named.
func (f Flow) after(seconds int64) time.Time { return connectors.EndOf(seconds, f.now()) }

// strange is the error of an answer that is not enough.
func (f Flow) strange(what string) error {
	return &schema.Error{Kind: schema.Retryable, Message: f.dialect.Name + "'s answer " + what}
}
