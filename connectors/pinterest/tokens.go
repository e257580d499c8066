package pinterest

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// scopes returns what people are asked for: their boards are listed, and pins made and looked
// at. Secret boards have scopes of their own, which are not asked for.
func scopes() []string {
	return []string{"boards:read", "boards:write", "pins:read", "pins:write"}
}

// Authorize returns Pinterest's page. There is no PKCE in this flow: the app's secret is the
// proof.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if c.app.ID == "" || c.app.Secret == "" {
		return "", connectors.App{}, connectors.NoApp(schema.Pinterest)
	}
	return r.Page(c.consent+"/oauth/", c.app.ID, []string{strings.Join(scopes(), ",")}), connectors.App{}, nil
}

// Exchange trades a code. Apps that were made before 25 September 2025 have to ask for a
// refresh token that can be renewed for ever; others are given one.
//
// No token is ever revoked: Pinterest ends those of system users alone.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := c.trade(ctx, a, g.Code, url.Values{
		"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback}, "continuous_refresh": {"true"},
	})
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.TokenDead {
		err = &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
	}
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("exchanging a code: %w", err)
	}
	if err := connectors.CheckScopes(scopes(), connectors.SplitScopes(granted.Scope)); err != nil {
		return schema.Credentials{}, err
	}
	granted.AppID = c.app.ID
	return granted, nil
}

// Refresh trades the refresh token for an access token of 30 days and a refresh token of 60.
// Whether the old one still works then is not documented: a lost answer is unknown.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	granted, err := c.trade(ctx, a, old.RefreshToken, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}})
	if schema.KindOf(err) == schema.TokenDead {
		err = c.refusedTrade(ctx, a, old, err)
	}
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("trading the refresh token: %w", err)
	}
	traded := old
	traded.AccessToken, traded.ExpiresAt = granted.AccessToken, granted.ExpiresAt
	traded.Scope = cmp.Or(granted.Scope, old.Scope)
	if granted.RefreshToken != "" {
		traded.RefreshToken, traded.RefreshExpiresAt = granted.RefreshToken, granted.RefreshExpiresAt
	}
	return traded, nil
}

// refusedTrade judges a refused refresh token. Pinterest refuses all that it does not understand in
// the same words, so that they are no end while the access token works: the trade is tried again.
func (c *Connector) refusedTrade(ctx context.Context, a schema.Account, old schema.Credentials, refused error) error {
	_, err := c.Check(ctx, a, old)
	switch e, ok := errors.AsType[*schema.Error](err); {
	case ok && e.Kind == schema.TokenDead && e.End == schema.NotEnded:
		return refused
	case ok && e.Kind == schema.TokenDead:
		return err
	default:
		return &schema.Error{
			Kind: schema.Retryable, RetryAfter: time.Hour, Err: errors.Join(refused, err),
			Message: "Pinterest did not renew the access token, which may still work",
		}
	}
}

// trade asks for tokens in the name of crier's app; the secret is what is given for them.
func (c *Connector) trade(ctx context.Context, a schema.Account, secret string, form url.Values) (schema.Credentials, error) {
	if c.app.ID == "" || c.app.Secret == "" {
		return schema.Credentials{}, connectors.NoApp(schema.Pinterest)
	}
	proof := base64.StdEncoding.EncodeToString([]byte(c.app.ID + ":" + c.app.Secret))
	call := connectors.Call{
		Operation: opToken, Method: http.MethodPost, URL: c.api + version + "/oauth/token", Account: a.ID, Form: form,
		Header: http.Header{"Authorization": {"Basic " + proof}}, Secrets: []string{secret, proof, c.app.Secret}, Visible: true,
	}
	var answer struct {
		Access         string `json:"access_token"`
		Expires        int64  `json:"expires_in"` // seconds, as the next
		Refresh        string `json:"refresh_token"`
		RefreshExpires int64  `json:"refresh_token_expires_in"`
		Scope          string `json:"scope"`
	}
	response, err := c.client.Do(ctx, call, &answer)
	if err != nil {
		return schema.Credentials{}, ofTrade(response, err)
	}
	if answer.Access == "" {
		return schema.Credentials{}, &schema.Error{Kind: schema.Unknown, Message: "Pinterest's answer names no token"}
	}
	return schema.Credentials{
		AccessToken: answer.Access, ExpiresAt: c.after(answer.Expires), Scope: answer.Scope,
		RefreshToken: answer.Refresh, RefreshExpiresAt: c.after(answer.RefreshExpires),
	}, nil
}

// after returns the time in so many seconds; zero where none are named.
func (c *Connector) after(seconds int64) time.Time {
	return connectors.EndOf(seconds, c.now())
}

// ofTrade tells a refusal of what was given for tokens, a bad request, from one of crier's own
// app, which says nothing about the account.
func ofTrade(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	switch {
	case !ok || response == nil || response.Status/100 != 4 || refused.Kind == schema.RateLimited:
		return err
	case response.Status == http.StatusBadRequest && refusalIn(response.Body).Message != "":
		return &schema.Error{Kind: schema.TokenDead, Message: refused.Message, Err: err}
	default:
		return &schema.Error{Kind: schema.Retryable, Message: "Pinterest refused crier's own app: " + refused.Message, Err: err}
	}
}
