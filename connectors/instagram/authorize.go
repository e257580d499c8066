package instagram

import (
	"context"
	"strings"

	"crier/connectors"
	"crier/connectors/oauth"
	"crier/schema"
)

const scopePublish = "instagram_business_content_publish"

// scopes returns what crier does (developers.facebook.com/docs/instagram-platform/
// instagram-api-with-instagram-login/business-login).
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{"instagram_business_basic", scopePublish, "instagram_business_manage_comments"},
		Read:    []connectors.ReadScope{{Name: "instagram_business_manage_insights", For: []connectors.Purpose{connectors.Reads(schema.CollectMetrics)}}},
		Chosen:  strings.Fields(app.Scope),
	}
}

// dialect is how Instagram speaks OAuth: Instagram Login is of the one account that the person is logged
// in to. No call ends a token again: its owner takes the consent back in the settings.
func dialect() oauth.Dialect {
	return oauth.Dialect{
		Platform: schema.Instagram, Name: "Instagram",
		Page: consentBase + "/oauth/authorize", Tokens: codeBase + "/oauth/access_token", OpTokens: opRedeem,
	}
}

// Exchange trades a code for a token of an hour, and that for one of 60 days at once.
func (c *Connector) Exchange(ctx context.Context, a schema.Account, g connectors.Grant) (schema.Credentials, error) {
	granted, err := c.Redeem(ctx, a, g)
	if err != nil {
		return schema.Credentials{}, err
	}
	return c.LongLived(ctx, a, granted, granted.Permissions)
}
