package graph

import (
	"context"
	"fmt"
	"time"

	"crier/connectors"
	"crier/schema"
)

// Trade makes the call that trades a token for another one, and returns what is to be stored.
// instagram's and threads' tokens are traded for themselves: the old one goes on working, so
// that a trade whose answer is lost is repeated.
func Trade(ctx context.Context, client *connectors.Client, call connectors.Call, old schema.Credentials, now func() time.Time) (schema.Credentials, error) {
	var out struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"` // seconds
	}
	switch _, err := client.Do(ctx, call, &out); {
	case err != nil:
		return schema.Credentials{}, fmt.Errorf("trading token: %w", err)
	case out.AccessToken == "" || out.ExpiresIn <= 0:
		return schema.Credentials{}, &schema.Error{Kind: schema.Retryable, Message: "the platform's answer holds no token"}
	}
	old.AccessToken, old.SelfRenewing = out.AccessToken, true
	old.ExpiresAt = now().Add(time.Duration(out.ExpiresIn) * time.Second).UTC()
	return old, nil
}
