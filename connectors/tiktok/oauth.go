package tiktok

import (
	"context"
	"strings"

	"crier/connectors"
	"crier/connectors/oauth"
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
func (c *Connector) Scopes() connectors.Scopes { return c.Flow.Scopes }

// dialect is how TikTok speaks OAuth: it calls the client's id a key, PKCE is for apps without a server,
// some refusals come with a status of 200, and a refresh token is used up by its trade. How long tokens
// live is TikTok's to say: its pages have named hours and days.
func dialect() oauth.Dialect {
	return oauth.Dialect{
		Platform: schema.TikTok, Name: "TikTok", ClientID: "client_key", Separator: ",", Once: true,
		Page:   webHost + "/v2/auth/authorize/",
		Tokens: apiHost + "/v2/oauth/token/", OpTokens: opToken,
		Revocation: apiHost + "/v2/oauth/revoke/", OpRevocation: opRevoke,
		Refusals: map[string]schema.ErrorKind{"invalid_grant": schema.TokenDead, "invalid_request": schema.Refused},
	}
}

// Revoke ends what the account has granted.
func (c *Connector) Revoke(ctx context.Context, a schema.Account, credentials schema.Credentials) error {
	return c.EndToken(ctx, a, "", credentials.AccessToken)
}
