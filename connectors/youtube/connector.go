package youtube

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/google"
	"crier/connectors/media"
	"crier/connectors/oauth"
	"crier/schema"
)

// Operations of the API, as they are called in metrics and logs.
const (
	opInsert        = "videos.insert"
	opPart          = "videos.insert part"
	opEnd           = "videos.insert end"
	opSession       = "videos.insert status"
	opVideos        = "videos.list"
	opStats         = "videos.batchGetStats"
	opThumbnail     = "thumbnails.set"
	opPlaylists     = "playlists.list"
	opPlaylistItems = "playlistItems.list"
	opAddToPlaylist = "playlistItems.insert"
	opChannels      = "channels.list"
	opComment       = "commentThreads.insert"
	opComments      = "commentThreads.list"
)

// The platform's own addresses; a Config.Base stands for all of them.
const (
	apiHost = "https://youtube.googleapis.com"
	webHost = "https://www.youtube.com"
)

const platform connectors.Answerer = "YouTube"

// Connector publishes to YouTube. It is safe for concurrent use.
type Connector struct {
	oauth.Flow
	client   *connectors.Client
	api, web string
	reports  string // where the Analytics API is
	media    media.Source
	quotas   connectors.DailyQuotas
	now      func() time.Time
	partSize int64 // of uploads
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	base := strings.TrimRight(c.Base, "/")
	if c.Quotas == nil {
		c.Quotas = connectors.NewOwnQuotas()
	}
	return &Connector{
		client: c.Client, api: cmp.Or(base, apiHost), web: cmp.Or(base, webHost), reports: cmp.Or(base, reportsHost),
		Flow:  oauth.New(google.Dialect(schema.YouTube), c, scopes(c.App)),
		media: c.Media, quotas: c.Quotas, now: c.Now, partSize: usualPart,
	}
}

// Publish sends the end of the video, with which it is there. Whatever became of an earlier
// call, the session is asked first then: it makes one video, and says which.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	a, err := assetOf(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	if !c.isOwn(a.Session) {
		return schema.Receipt{}, anew()
	}
	if d.CallsAgain() {
		now, err := c.ask(ctx, d, a)
		switch {
		case err != nil:
			return schema.Receipt{}, fmt.Errorf("asking for the upload: %w", err)
		case now.video.ID != "":
			return c.receipt(d, now.video.ID), nil
		case now.isWhole(a):
			return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: unnamed}
		case now.gone || now.sent < a.Sent:
			return schema.Receipt{}, anew()
		}
		a = a.from(now.sent)
	}
	uploaded, err := c.end(ctx, d, a)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("publishing video: %w", err)
	}
	return c.receipt(d, uploaded.ID), nil
}

// receipt is that of a video which YouTube has. It processes videos by itself: Find closes it.
func (c *Connector) receipt(d schema.Delivery, id string) schema.Receipt {
	return schema.Receipt{Entry: d.Entry, NativeID: id, URL: c.address(id), PostedAt: c.now().UTC(), Open: true}
}

// address is where a video is shown. YouTube itself shows an upright one of up to three minutes
// as a short.
func (c *Connector) address(id string) string { return c.web + "/watch?v=" + url.QueryEscape(id) }

// call is a call of the Data API.
func (c *Connector) call(a schema.Account, credentials schema.Credentials, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.api + path, Token: credentials.AccessToken, Account: a.ID, Query: url.Values{},
	}
}

// about names the parts of a resource that a call gives or asks for.
func about(call connectors.Call, parts ...string) connectors.Call {
	call.Query.Set("part", strings.Join(parts, ","))
	return call
}

// read is a call that reads, all of a resource or parts of it.
func (c *Connector) read(d schema.Delivery, resource, operation string, parts ...string) connectors.Call {
	call := c.call(d.Account, d.Credentials, http.MethodGet, "/youtube/v3/"+resource, operation)
	call.Kind = connectors.Status
	if len(parts) == 0 {
		return call
	}
	return about(call, parts...)
}

// What people are asked for: all calls of the Data API that crier makes take the first, and no other
// is enough for comments (its discovery document). The second is of the Analytics API.
const (
	scope          = "https://www.googleapis.com/auth/youtube.force-ssl"
	scopeAnalytics = "https://www.googleapis.com/auth/yt-analytics.readonly"
)

// On Google's page the person also chooses the channel.
func scopes(app connectors.App) connectors.Scopes {
	return connectors.Scopes{
		Publish: []string{scope},
		Read:    []connectors.ReadScope{{Name: scopeAnalytics, For: []connectors.Purpose{connectors.ReadsRetention}}},
		Chosen:  strings.Fields(app.Scope),
	}
}

// Scopes implements connectors.Scoped.
func (c *Connector) Scopes() connectors.Scopes { return c.Flow.Scopes }
