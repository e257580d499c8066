package tiktok

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
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

const (
	signatureHeader = "TikTok-Signature"
	removed         = "authorization.removed"
)

// Withdrawn reads a webhook (developers.tiktok.com/doc/webhooks-overview, -verification). Of its
// events, which come at least once and for three days until they are answered, the one of a
// consent that was taken back counts: how a video stands is asked for.
func (c *Connector) Withdrawn(header http.Header, body []byte) (nativeID string, err error) {
	if c.App.ID == "" || c.App.Secret == "" {
		return "", connectors.NoAppCalled(schema.TikTok)
	}
	var event struct {
		ClientKey string `json:"client_key"`
		Event     string `json:"event"`
		OpenID    string `json:"user_openid"`
	}
	if !c.signed(header.Get(signatureHeader), body) || json.Unmarshal(body, &event) != nil || event.ClientKey != c.App.ID {
		return "", &schema.Error{Kind: schema.Invalid, Message: "this is no event that TikTok has signed for the app of this server"}
	}
	if event.Event != removed {
		return "", nil
	}
	return event.OpenID, nil
}

// signed reports whether a signature, t=TIME,s=SIGNATURE, is of the app's secret over the time, a
// period and the body.
func (c *Connector) signed(signature string, body []byte) bool {
	fields := map[string]string{}
	for _, field := range strings.Split(signature, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[name] = value
	}
	given, err := hex.DecodeString(fields["s"])
	if err != nil || fields["t"] == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(c.App.Secret))
	mac.Write([]byte(fields["t"] + "."))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), given)
}
