package twitter

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"crier/connectors"
	"crier/schema"
)

// tokenLife is how long an access token lives where the answer does not say
// (docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code).
const tokenLife = 2 * time.Hour

// Refresh trades the refresh token for a new pair. X takes each refresh token once, so that
// the call is made once and its lost answer is Unknown.
func (c *Connector) Refresh(ctx context.Context, _ schema.Account, old schema.Credentials) (schema.Credentials, error) {
	if c.app.ID == "" {
		return schema.Credentials{}, connectors.NoApp(schema.Twitter)
	}
	call := c.ofApp(opToken, "/2/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}})
	call.Secrets = append(call.Secrets, old.RefreshToken, old.AccessToken)
	call.Visible = true
	traded, response, err := c.trade(ctx, call)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("refreshing token: %w", ofToken(response, err))
	}
	fresh := old
	fresh.AccessToken, fresh.ExpiresAt = traded.AccessToken, traded.ExpiresAt
	fresh.RefreshToken, fresh.Scope = cmp.Or(traded.RefreshToken, old.RefreshToken), cmp.Or(traded.Scope, old.Scope)
	return fresh, nil
}

// trade makes a call that X answers with a pair of tokens.
func (c *Connector) trade(ctx context.Context, call connectors.Call) (schema.Credentials, *connectors.Response, error) {
	var out struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		ExpiresIn    int64  `json:"expires_in"` // seconds
		Scope        string `json:"scope"`
	}
	response, err := c.client.Do(ctx, call, &out)
	if err != nil {
		return schema.Credentials{}, response, err
	}
	if out.AccessToken == "" {
		return schema.Credentials{}, response, &schema.Error{Kind: schema.Unknown, Message: "X's answer holds no token"}
	}
	life := cmp.Or(connectors.Life(out.ExpiresIn), tokenLife)
	return schema.Credentials{
		AccessToken: out.AccessToken, RefreshToken: out.RefreshToken, ExpiresAt: c.now().Add(life), Scope: out.Scope,
	}, response, nil
}

// ofToken judges a refusal of the token endpoint. A refresh token that X does not take is an
// invalid_request as often as an invalid_grant (github.com/plhery/node-twitter-api-v2, issue
// 496); a refusal of crier's own registration says nothing about the account.
func ofToken(response *connectors.Response, err error) error {
	refusal, ok := errors.AsType[*schema.Error](err)
	if !ok || response == nil {
		return err
	}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(response.Body, &said) != nil {
		said.Error = ""
	}
	switch {
	case response.Status == http.StatusBadRequest && (said.Error == "invalid_request" || said.Error == "invalid_grant"):
		return &schema.Error{Kind: schema.TokenDead, Message: refusal.Message, Err: err}
	case response.Status/100 == 4 && refusal.Kind != schema.RateLimited:
		return &schema.Error{Kind: schema.Retryable, Message: "X refused crier's own registration: " + refusal.Message, Err: err}
	default:
		return err
	}
}

// Revoke ends both tokens, the one that makes others first.
func (c *Connector) Revoke(ctx context.Context, _ schema.Account, credentials schema.Credentials) error {
	var failed error
	for _, token := range []struct{ kind, value string }{
		{"refresh_token", credentials.RefreshToken}, {"access_token", credentials.AccessToken},
	} {
		if token.value == "" {
			continue
		}
		call := c.ofApp(opRevoke, "/2/oauth2/revoke", url.Values{"token": {token.value}, "token_type_hint": {token.kind}})
		call.Secrets = append(call.Secrets, token.value)
		if _, err := c.client.Do(ctx, call, nil); err != nil {
			failed = errors.Join(failed, fmt.Errorf("revoking %s: %w", token.kind, err))
		}
	}
	return failed
}

// ofApp is a call that crier makes in its own name: with a secret it proves who it is, as
// confidential clients do, without one it says so. It is in no account's limits.
func (c *Connector) ofApp(operation, path string, form url.Values) connectors.Call {
	call := connectors.Call{Operation: operation, Method: http.MethodPost, URL: c.base + path, Form: form, Header: http.Header{}}
	if c.app.Secret == "" {
		form.Set("client_id", c.app.ID)
		return call
	}
	proof := base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(c.app.ID) + ":" + url.QueryEscape(c.app.Secret)))
	call.Header.Set("Authorization", "Basic "+proof)
	call.Secrets = []string{proof, c.app.Secret}
	return call
}
