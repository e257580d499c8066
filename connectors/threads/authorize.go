package threads

import (
	"context"
	"strings"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/connectors/oauth"
	"crier/schema"
)

const scopePublish = "threads_content_publish"

// scopes returns what crier does
// (developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions).
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{"threads_basic", scopePublish, "threads_manage_replies", "threads_read_replies"},
		Read: []connectors.ReadScope{
			{Name: "threads_manage_insights", For: []connectors.Purpose{connectors.Reads(schema.CollectMetrics), connectors.Reads(schema.CollectFollowers)}},
			{Name: "threads_manage_mentions", For: []connectors.Purpose{connectors.Reads(schema.CollectMentions)}},
			{Name: "threads_keyword_search", For: []connectors.Purpose{connectors.ReadsSearch}},
		},
		Chosen: strings.Fields(app.Scope),
	}
}

// dialect is how Threads speaks OAuth. No call ends a token again: its owner takes the consent back in
// the settings.
func dialect() oauth.Dialect {
	return oauth.Dialect{
		Platform: schema.Threads, Name: "Threads",
		Page: consentBase + "/oauth/authorize", Tokens: DefaultBase + "/oauth/access_token", OpTokens: opRedeem,
	}
}

// Exchange trades a code for a token of an hour, and that for one of 60 days at once.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := c.Redeem(ctx, a, g)
	if err != nil {
		return schema.Credentials{}, err
	}
	return c.LongLived(ctx, a, granted, c.grantedScopes(ctx, a, granted.Access))
}

// grantedScopes asks what a token is good for, which its answer does not say. Threads may tell
// the testers of an app alone: where it does not, nothing is known
// (developers.facebook.com/docs/threads/troubleshooting/debug-access-token).
func (c *Connector) grantedScopes(ctx context.Context, a schema.Account, token string) []string {
	return graph.Inspect(ctx, c.Client, connectors.Call{URL: c.Base + "/v1.0/debug_token", Account: a.ID, Token: token})
}
