package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
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
	if c.app.ID == "" {
		return schema.Credentials{}, refuse("crier has no app at LinkedIn: its operator has to set CRIER_LINKEDIN_CLIENT_ID")
	}
	call := connectors.Call{
		Operation: opToken, Method: http.MethodPost, URL: c.web + "/oauth/v2/accessToken", Account: a.ID,
		Secrets: []string{old.RefreshToken, c.app.Secret},
		Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken},
			"client_id": {c.app.ID}, "client_secret": {c.app.Secret},
		},
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
		return schema.Credentials{}, fmt.Errorf("trading the refresh token: %w", ofTrade(response, err))
	}
	if answer.Access == "" {
		return schema.Credentials{}, strange("names no token")
	}
	traded := old
	traded.AccessToken, traded.ExpiresAt = answer.Access, c.after(answer.Expires)
	traded.RefreshToken = cmp.Or(answer.Refresh, old.RefreshToken)
	traded.Scope = cmp.Or(answer.Scope, old.Scope)
	if answer.RefreshExpires > 0 {
		traded.RefreshExpiresAt = c.after(answer.RefreshExpires)
	}
	return traded, nil
}

// after returns the time in so many seconds; zero where none are named.
func (c *Connector) after(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return c.now().UTC().Add(time.Duration(seconds) * time.Second).Truncate(time.Second)
}

// finalGrants are the errors of a token that will never be taken again (RFC 6749, 5.2).
var finalGrants = []string{"invalid_grant", "invalid_request"}

// ofTrade tells a refusal of the refresh token from one of the app.
func ofTrade(response *connectors.Response, err error) error {
	if response == nil || schema.KindOf(err) != schema.Refused || !slices.Contains(finalGrants, grantError(response.Body)) {
		return err
	}
	return &schema.Error{Kind: schema.TokenDead, Message: "LinkedIn takes the refresh token no more", Err: err}
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
