package bluesky

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"crier/schema"
)

// Refresh trades the refresh token of an account that came without a password. Accounts
// with one need no refresh: a session is opened whenever there is none.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	d := schema.Delivery{Account: a, Credentials: old}
	from := session{Access: old.AccessToken, Refresh: old.RefreshToken, PDS: c.sessions.server(a)}
	next, err := c.sessions.refresh(ctx, d, from)
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("refreshing session: %w", err)
	}
	traded := old
	traded.AccessToken, traded.RefreshToken, traded.ExpiresAt = next.Access, next.Refresh, expiryOf(next.Access)
	return traded, nil
}

// expiryOf reads when an access token expires, which is a JSON Web Token whose signature is
// the server's business; zero where it does not say.
func expiryOf(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Expires int64 `json:"exp"`
	}
	if json.Unmarshal(body, &claims) != nil || claims.Expires <= 0 {
		return time.Time{}
	}
	return schema.ValidTime(time.Unix(claims.Expires, 0))
}
