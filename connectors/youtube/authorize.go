package youtube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"crier/connectors"
	"crier/schema"
)

// scope is what people are asked for: all calls that crier makes take it, and no other is enough
// for comments (the discovery document of the Data API v3).
const scope = "https://www.googleapis.com/auth/youtube.force-ssl"

// Authorize returns Google's page, on which the person also chooses the channel
// (developers.google.com/identity/protocols/oauth2/web-server). Google gives a refresh token
// with access_type=offline, and with a consent alone.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if c.app.ID == "" {
		return "", connectors.App{}, connectors.NoApp(schema.YouTube)
	}
	page := r.Page(c.consent+"/o/oauth2/v2/auth", c.app.ID, []string{scope}, r.Challenge(),
		oauth2.AccessTypeOffline, oauth2.SetAuthURLParam("prompt", "consent select_account"))
	return page, connectors.App{}, nil
}

// Exchange trades a code. No token is ever revoked: Google's call for that ends all that the
// person has granted crier, for their other channels too.
func (c *Connector) Exchange(ctx context.Context, _ schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := c.trade(ctx, url.Values{
		"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback}, "code_verifier": {g.Verifier},
	}, g.Code, g.Verifier)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.TokenDead {
		err = &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	switch {
	case err != nil:
		return schema.Credentials{}, fmt.Errorf("exchanging a code: %w", err)
	case !slices.Contains(strings.Fields(granted.Scope), scope): // Google always says what was granted
		return schema.Credentials{}, refuse("this permission was not granted: %s", scope)
	case granted.RefreshToken == "":
		return schema.Credentials{}, strange("holds no refresh token")
	}
	granted.AppID = c.app.ID
	return granted, nil
}

// Refresh trades the refresh token, which stays the same: a trade whose answer was lost is made
// again. It ends after six months without one, and after seven days where Google knows the app
// as one that is being tested (developers.google.com/identity/protocols/oauth2, expiration).
func (c *Connector) Refresh(ctx context.Context, _ schema.Account, old schema.Credentials) (schema.Credentials, error) {
	granted, err := c.trade(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}}, old.RefreshToken)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("trading the refresh token: %w", err)
	}
	traded := old
	traded.AccessToken, traded.ExpiresAt = granted.AccessToken, granted.ExpiresAt
	traded.RefreshToken = cmp.Or(granted.RefreshToken, old.RefreshToken)
	traded.Scope = cmp.Or(granted.Scope, old.Scope)
	if !granted.RefreshExpiresAt.IsZero() {
		traded.RefreshExpiresAt = granted.RefreshExpiresAt
	}
	return traded, nil
}

// trade asks for tokens in the name of crier's app; the secrets are what is given for them.
func (c *Connector) trade(ctx context.Context, form url.Values, secrets ...string) (schema.Credentials, error) {
	if c.app.ID == "" {
		return schema.Credentials{}, connectors.NoApp(schema.YouTube)
	}
	form.Set("client_id", c.app.ID)
	form.Set("client_secret", c.app.Secret)
	call := connectors.Call{
		Operation: opToken, Method: http.MethodPost, URL: c.token + "/token", Form: form, Secrets: append(secrets, c.app.Secret),
	}
	var answer struct {
		Access         string `json:"access_token"`
		Expires        int64  `json:"expires_in"` // seconds, as the next
		Refresh        string `json:"refresh_token"`
		RefreshExpires int64  `json:"refresh_token_expires_in"` // of grants that end at a time
		Scope          string `json:"scope"`
	}
	response, err := c.client.Do(ctx, call, &answer)
	if err != nil {
		return schema.Credentials{}, ofTrade(response, err)
	}
	if answer.Access == "" {
		return schema.Credentials{}, strange("names no token")
	}
	return schema.Credentials{
		AccessToken: answer.Access, ExpiresAt: c.after(answer.Expires), Scope: answer.Scope,
		RefreshToken: answer.Refresh, RefreshExpiresAt: c.after(answer.RefreshExpires),
	}, nil
}

// after returns the time in so many seconds; zero where none are named.
func (c *Connector) after(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return c.now().UTC().Add(time.Duration(seconds) * time.Second).Truncate(time.Second)
}

// ofTrade tells a refusal of what was given for tokens from one of crier's own app, which says
// nothing about the account. The errors are those of RFC 6749, 5.2.
func ofTrade(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	if !ok || response == nil || response.Status/100 != 4 || refused.Kind == schema.RateLimited {
		return err
	}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(response.Body, &said) == nil && said.Error == "invalid_grant" {
		return &schema.Error{Kind: schema.TokenDead, Message: refused.Message, Err: err}
	}
	if said.Error == "redirect_uri_mismatch" || said.Error == "invalid_request" {
		return &schema.Error{Kind: schema.Refused, Message: refused.Message, Err: err}
	}
	return &schema.Error{Kind: schema.Retryable, Message: "Google refused crier's own app: " + refused.Message, Err: err}
}
