package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// scopes returns what people are asked for: who they are, to publish for them, and to read how
// their videos and they do.
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{"user.info.basic", "video.publish"},
		Read: []connectors.ReadScope{
			{Name: "video.list", For: []connectors.Purpose{connectors.Reads(schema.CollectMetrics)}},
			{Name: "user.info.stats", For: []connectors.Purpose{connectors.Reads(schema.CollectFollowers)}},
		},
		Chosen: strings.Fields(app.Scope),
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return scopes(c.app) }

// Authorize returns TikTok's page. It calls the client's id a key; PKCE is for apps without a
// server.
func (c *Connector) Authorize(_ context.Context, _ schema.Account, r connectors.AuthorizationRequest) (string, connectors.App, error) {
	if c.app.ID == "" || c.app.Secret == "" {
		return "", connectors.App{}, connectors.NoApp(schema.TikTok)
	}
	asked := url.Values{
		"client_key": {c.app.ID}, "scope": {strings.Join(c.Scopes().Asked(), ",")}, "response_type": {"code"},
		"redirect_uri": {r.Callback}, "state": {r.State},
	}
	return c.consent + "/v2/auth/authorize/?" + asked.Encode(), connectors.App{}, nil
}

// Exchange trades a code for a pair of tokens.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := c.trade(ctx, a, url.Values{
		"grant_type": {"authorization_code"}, "code": {g.Code}, "redirect_uri": {g.Callback},
	}, g.Code)
	if e, ok := errors.AsType[*schema.Error](err); ok && (e.Kind == schema.TokenDead || e.Kind == schema.Unknown) {
		kind := schema.Refused
		if e.Kind == schema.Unknown {
			kind = schema.Retryable
		}
		err = &schema.Error{Kind: kind, Message: e.Message, Err: err}
	}
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("exchanging a code: %w", err)
	}
	if err := c.Scopes().Check(connectors.SplitScopes(granted.Scope)); err != nil {
		return schema.Credentials{}, err
	}
	granted.AppID = c.app.ID
	return granted, nil
}

// Refresh trades the refresh token, which is used up by that: the call is made once, and its
// lost answer is Unknown.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	granted, err := c.trade(ctx, a, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}}, old.RefreshToken)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("trading the refresh token: %w", err)
	}
	return connectors.Traded(old, granted), nil
}

// flat is how OAuth's endpoints refuse, some of it with a status of 200.
type flat struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// trade asks for tokens in the name of crier's app; the secret is what is given for them. How
// long they live is TikTok's to say: its pages have named hours and days.
func (c *Connector) trade(ctx context.Context, a schema.Account, form url.Values, secret string) (schema.Credentials, error) {
	if c.app.ID == "" || c.app.Secret == "" {
		return schema.Credentials{}, connectors.NoApp(schema.TikTok)
	}
	call := c.ofApp(a, opToken, "/v2/oauth/token/", form)
	call.Visible, call.Secrets = true, append(call.Secrets, secret)
	var granted struct {
		flat
		Access         string `json:"access_token"`
		Expires        int64  `json:"expires_in"` // seconds, as the next
		Refresh        string `json:"refresh_token"`
		RefreshExpires int64  `json:"refresh_expires_in"`
		Scope          string `json:"scope"`
	}
	response, err := c.client.Do(ctx, call, &granted)
	switch {
	case err != nil:
		return schema.Credentials{}, ofToken(response, err)
	case granted.Error != "":
		granted.Description = strings.NewReplacer(secret, "[redacted]", c.app.Secret, "[redacted]").Replace(granted.Description)
		return schema.Credentials{}, granted.meaning()
	case granted.Access == "":
		return schema.Credentials{}, &schema.Error{Kind: schema.Unknown, Message: "TikTok's answer holds no token"}
	}
	return schema.Credentials{
		AccessToken: granted.Access, ExpiresAt: c.after(granted.Expires), Scope: granted.Scope,
		RefreshToken: granted.Refresh, RefreshExpiresAt: c.after(granted.RefreshExpires),
	}, nil
}

// ofApp is a call that crier makes in its own name.
func (c *Connector) ofApp(a schema.Account, operation, path string, form url.Values) connectors.Call {
	form.Set("client_key", c.app.ID)
	form.Set("client_secret", c.app.Secret)
	return connectors.Call{
		Operation: operation, Method: http.MethodPost, URL: c.api + path, Account: a.ID, Form: form, Secrets: []string{c.app.Secret},
	}
}

// after returns the time in so many seconds; zero where none are named.
func (c *Connector) after(seconds int64) time.Time {
	return connectors.EndOf(seconds, c.now())
}

// ofToken judges a refusal of the token endpoint that came with a status of its own.
func ofToken(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	if !ok || response == nil || response.Status/100 != 4 || refused.Kind == schema.RateLimited {
		return err
	}
	var said flat
	if json.Unmarshal(response.Body, &said) != nil {
		said = flat{}
	}
	said.Description = refused.Message // without secrets
	judged := said.meaning()
	judged.Err = err
	return judged
}

// meaning tells a refusal of what was given for tokens from one of crier's own app, which says
// nothing about the account.
func (f flat) meaning() *schema.Error {
	judged := &schema.Error{Kind: schema.Retryable, Message: cmp.Or(f.Description, f.Error)}
	switch f.Error {
	case "invalid_grant":
		judged.Kind = schema.TokenDead
	case "invalid_request":
		judged.Kind = schema.Refused
	default:
		judged.Message = "TikTok refused crier's own app: " + judged.Message
	}
	return judged
}

// Revoke ends what the account has granted.
func (c *Connector) Revoke(ctx context.Context, a schema.Account, credentials schema.Credentials) error {
	call := c.ofApp(a, opRevoke, "/v2/oauth/revoke/", url.Values{"token": {credentials.AccessToken}})
	call.Secrets = append(call.Secrets, credentials.AccessToken)
	response, err := c.client.Do(ctx, call, nil)
	if err != nil {
		return fmt.Errorf("revoking the token: %w", err)
	}
	var said flat
	if json.Unmarshal(response.Body, &said) == nil && said.Error != "" {
		return said.meaning()
	}
	return nil
}
