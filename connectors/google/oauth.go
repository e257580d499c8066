package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/schema"
)

// opToken is the call of the token endpoint, as it is called in metrics and logs.
const opToken = "POST oauth2/token"

// The hosts that ask people, and that give tokens.
const (
	consentHost = "https://accounts.google.com"
	tokenHost   = "https://oauth2.googleapis.com"
)

// OAuth is crier's app with Google, asking for what one platform needs.
//
// No token is ever revoked: Google's call for that ends all that a person has granted to the app,
// with it the tokens of every other account of theirs, in whichever workspace it is connected.
type OAuth struct {
	Client   *connectors.Client
	Platform schema.Platform
	App      connectors.App
	Scopes   connectors.Scopes
	Base     string // address in place of Google's own; empty: those
	Consent  string // where browsers reach the page of consent; empty: Base, or Google's own
	Now      func() time.Time
}

// Authorize returns Google's page, on which people also choose one of their Google accounts. A
// refresh token comes with a consent alone, so that it is asked for again each time.
func (o OAuth) Authorize(r connectors.AuthorizationRequest) (page string, app connectors.App, err error) {
	if o.App.ID == "" || o.App.Secret == "" {
		return "", connectors.App{}, connectors.NoApp(o.Platform)
	}
	endpoint := strings.TrimRight(cmp.Or(o.Consent, o.Base, consentHost), "/") + "/o/oauth2/v2/auth"
	return r.Page(endpoint, o.App.ID, o.Scopes.Asked(), r.Challenge(), oauth2.AccessTypeOffline, oauth2.SetAuthURLParam("prompt", "consent select_account")),
		connectors.App{}, nil
}

// Exchange trades a code for an access token of about an hour and a refresh token.
func (o OAuth) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := o.trade(ctx, a, url.Values{
		"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback}, "code_verifier": {g.Verifier},
	}, g.Code, g.Verifier)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.TokenDead {
		err = &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("exchanging a code: %w", err)
	}
	if granted.Scope == nil {
		granted.Scope = new(strings.Join(o.Scopes.Asked(), " "))
	}
	// An empty scope is none at all: people can take each away.
	if err := o.Scopes.Check(append(strings.Fields(*granted.Scope), "")); err != nil {
		return schema.Credentials{}, err
	}
	if granted.Refresh == "" {
		return schema.Credentials{}, &schema.Error{Kind: schema.Retryable, Message: "Google's answer holds no refresh token"}
	}
	return schema.Credentials{
		AccessToken: granted.Access, ExpiresAt: o.after(granted.Expires), Scope: *granted.Scope, AppID: o.App.ID,
		RefreshToken: granted.Refresh, RefreshExpiresAt: o.after(granted.RefreshExpires),
	}, nil
}

// Refresh trades the refresh token for an access token. It stays the same, and may be traded
// again, so that a trade whose answer was lost is repeated.
func (o OAuth) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	granted, err := o.trade(ctx, a, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}}, old.RefreshToken)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("trading the refresh token: %w", err)
	}
	traded := old
	traded.AccessToken, traded.ExpiresAt = granted.Access, o.after(granted.Expires)
	traded.RefreshToken = cmp.Or(granted.Refresh, old.RefreshToken)
	if granted.Scope != nil {
		traded.Scope = *granted.Scope
	}
	if granted.RefreshExpires > 0 {
		traded.RefreshExpiresAt = o.after(granted.RefreshExpires)
	}
	return traded, nil
}

// granted is the token endpoint's answer. Times are in seconds.
type granted struct {
	Access         string  `json:"access_token"`
	Expires        int64   `json:"expires_in"`
	Refresh        string  `json:"refresh_token"`
	RefreshExpires int64   `json:"refresh_token_expires_in"`
	Scope          *string `json:"scope"` // nil: what was asked for (RFC 6749, 5.1)
}

// trade asks for tokens in the name of crier's app; secrets are what is given for them.
func (o OAuth) trade(ctx context.Context, a schema.Account, form url.Values, secrets ...string) (granted, error) {
	if o.App.ID == "" || o.App.Secret == "" {
		return granted{}, connectors.NoApp(o.Platform)
	}
	form.Set("client_id", o.App.ID)
	form.Set("client_secret", o.App.Secret)
	var answer granted
	response, err := o.Client.Do(ctx, connectors.Call{
		Operation: opToken, Method: http.MethodPost, URL: o.tokens() + "/token", Account: a.ID,
		Secrets: append(secrets, o.App.Secret), Form: form,
	}, &answer)
	if err != nil {
		return granted{}, ofTrade(response, err)
	}
	if answer.Access == "" {
		return granted{}, &schema.Error{Kind: schema.Retryable, Message: "Google's answer holds no token"}
	}
	return answer, nil
}

func (o OAuth) tokens() string { return strings.TrimRight(cmp.Or(o.Base, tokenHost), "/") }

// after returns the time in so many seconds; zero where none are named.
func (o OAuth) after(seconds int64) time.Time {
	return connectors.EndOf(seconds, o.Now())
}

// ofTrade tells a refusal of what was given for tokens from one of crier's own app, which says
// nothing about the account.
func ofTrade(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	switch {
	case !ok || response == nil || response.Status/100 != 4 || refused.Kind == schema.RateLimited:
		return err
	case isRefusal(response, "invalid_grant"):
		return &schema.Error{Kind: schema.TokenDead, Message: refused.Message, Err: err}
	case isRefusal(response, "redirect_uri_mismatch") || isRefusal(response, "invalid_request"):
		return &schema.Error{Kind: schema.Refused, Message: refused.Message, Err: err}
	default:
		return &schema.Error{Kind: schema.Retryable, Message: "Google refused crier's own app: " + refused.Message, Err: err}
	}
}
