package tiktok

import (
	"cmp"
	"context"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/oauth"
	"crier/schema"
)

// Operations of the API, as they are called in metrics and logs.
const (
	opCreator = "POST /v2/post/publish/creator_info/query"
	opInit    = "POST /v2/post/publish/video/init"
	opPart    = "PUT upload_url"
	opStatus  = "POST /v2/post/publish/status/fetch"
	opUser    = "GET /v2/user/info"
	opVideos  = "POST /v2/video/query"
	opToken   = "POST /v2/oauth/token"
	opRevoke  = "POST /v2/oauth/revoke"
)

// The platform's own addresses; a Config.Base stands for all of them.
const (
	apiHost = "https://open.tiktokapis.com"
	webHost = "https://www.tiktok.com"
	// uploadHosts are where TikTok has videos sent to.
	uploadHosts = ".tiktokapis.com"
)

const platform connectors.Answerer = "TikTok"

// Connector publishes to TikTok. It is safe for concurrent use.
type Connector struct {
	oauth.Flow
	client    *connectors.Client
	api, web  string
	media     media.Source
	now       func() time.Time
	lastParts *lastParts
	shape     shape
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	base := strings.TrimRight(c.Base, "/")
	return &Connector{
		client: c.Client, api: cmp.Or(base, apiHost), web: cmp.Or(base, webHost),
		Flow: oauth.New(dialect(), c, scopes(c.App)), media: c.Media, now: c.Now, lastParts: newLastParts(), shape: proven,
	}
}

// Comment refuses: TikTok's API has no comments.
func (c *Connector) Comment(context.Context, schema.Delivery) (schema.Receipt, error) {
	return schema.Receipt{}, connectors.Refuse("TikTok takes no first comments")
}

func (c *Connector) call(a schema.Account, credentials schema.Credentials, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.api + path, Token: credentials.AccessToken, Account: a.ID,
	}
}

// isOwn reports whether a video may be sent to an address: it is TikTok's own.
func (c *Connector) isOwn(address string) bool {
	return connectors.IsOwn(address, c.api, apiHost, uploadHosts)
}
