package linkedin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Refresh trades the refresh token, which approved apps alone are given. It stays the same,
// and its year runs on from the first consent, so that a trade whose answer was lost is made
// again.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	granted, err := c.trade(ctx, a, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}}, old.RefreshToken)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("trading the refresh token: %w", err)
	}
	return connectors.Traded(old, granted), nil
}

// trade asks for tokens in the name of crier's app; the secret is what is given for them.
func (c *Connector) trade(ctx context.Context, a schema.Account, form url.Values, secret string) (schema.Credentials, error) {
	if c.app.ID == "" {
		return schema.Credentials{}, connectors.NoApp(schema.LinkedIn)
	}
	form.Set("client_id", c.app.ID)
	form.Set("client_secret", c.app.Secret)
	call := connectors.Call{
		Operation: opToken, Method: http.MethodPost, URL: c.web + "/oauth/v2/accessToken", Account: a.ID,
		Secrets: []string{secret, c.app.Secret}, Form: form,
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
		return schema.Credentials{}, strange("names no token")
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

// finalGrants are the errors of what will never be taken again (RFC 6749, 5.2; the last is
// LinkedIn's own, of codes).
var finalGrants = []string{"invalid_grant", "invalid_request", "invalid_redirect_uri"}

// ofTrade tells a refusal of what was given for tokens from one of crier's own app, which says
// nothing about the account.
func ofTrade(response *connectors.Response, err error) error {
	refused, ok := errors.AsType[*schema.Error](err)
	switch {
	case !ok || response == nil || response.Status/100 != 4 || refused.Kind == schema.RateLimited:
		return err
	case slices.Contains(finalGrants, grantError(response.Body)):
		return &schema.Error{Kind: schema.TokenDead, Message: refused.Message, Err: err}
	default:
		return &schema.Error{Kind: schema.Retryable, Message: "LinkedIn refused crier's own app: " + refused.Message, Err: err}
	}
}

func grantError(body []byte) string {
	var refused struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &refused) != nil {
		return ""
	}
	return refused.Error
}
