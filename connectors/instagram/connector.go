package instagram

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// DefaultBase is the API itself. People are asked for their consent at consentBase, and what
// they come back with is redeemed at codeBase.
const (
	DefaultBase = "https://graph.instagram.com"
	consentBase = "https://www.instagram.com"
	codeBase    = "https://api.instagram.com"
)

// version is of the Graph API; it is served until July 2028.
const version = "/v25.0"

// Operations of the API, as they are called in metrics and logs.
const (
	opCreate       = "POST /me/media"
	opPublish      = "POST /me/media_publish"
	opComment      = "POST /{media}/comments"
	opContainer    = "GET /{container}"
	opMedia        = "GET /{media}"
	opListMedia    = "GET /me/media"
	opListStories  = "GET /me/stories"
	opListComments = "GET /{media}/comments"
	opLimit        = "GET /me/content_publishing_limit"
	opProfile      = "GET /me"
	opRedeem       = "POST /oauth/access_token"
)

// Connector publishes to Instagram. It is safe for concurrent use.
type Connector struct{ graph.Connector }

// New makes the connector.
func New(p connectors.Parts) *Connector {
	c := &Connector{graph.NewConnector(graph.NewConsent(dialect(), p, scopes(p.App)), p, DefaultBase, version, "ig")}
	c.Containers = graph.Containers{Maker: maker{c}, Media: p.Media, Constraints: Constraints(), Now: p.Now, IsGone: isGone}
	return c
}

// Publish publishes the entry's container.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	container, err := graph.Prepared(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	call := c.Call(d, http.MethodPost, "/me/media_publish", opPublish)
	call.Form = url.Values{"creation_id": {container}}
	id, err := graph.Publish(ctx, c.Client, d, call)
	switch {
	case isGone(err) || isNotReady(err):
		return schema.Receipt{}, c.unpublishable(ctx, d, container, err)
	case err != nil:
		return schema.Receipt{}, fmt.Errorf("publishing container: %w", c.Containers.Refused(ctx, d, container, err))
	}
	item := graph.ReadBack(ctx, c.Client, c.Call(d, http.MethodGet, "/"+url.PathEscape(id), opMedia), id)
	return graph.Receipt(d, item, c.Now()), nil
}

// Comment comments on the entry.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	entry := d.Receipt(d.Comment.Entry)
	if entry == nil {
		return schema.Receipt{}, &schema.Error{Kind: schema.Refused, Message: "the entry to comment on is not published"}
	}
	call := c.Call(d, http.MethodPost, "/"+url.PathEscape(entry.NativeID)+"/comments", opComment)
	call.Form = url.Values{"message": {d.Comment.Text}}
	id, err := graph.Publish(ctx, c.Client, d, call)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("commenting: %w", err)
	}
	return schema.Receipt{Entry: d.Comment.Entry, NativeID: id, PostedAt: c.Now().UTC()}, nil
}

// Check returns whose token it is, if that may publish, and how many posts Instagram takes of the account in 24
// hours.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	d := schema.Delivery{Account: a, Credentials: credentials}
	call := c.Call(d, http.MethodGet, "/me", opProfile)
	call.Query = url.Values{"fields": {"user_id,username"}}
	var out struct {
		ID       string `json:"id"` // of the account for this app
		UserID   string `json:"user_id"`
		Username string `json:"username"`
	}
	if _, err := c.Client.Do(ctx, call, &out); err != nil {
		return connectors.Profile{}, fmt.Errorf("reading profile: %w", err)
	}
	id := cmp.Or(out.UserID, out.ID)
	if id == "" {
		return connectors.Profile{}, &schema.Error{Kind: schema.Retryable, Message: "Instagram's answer names no profile"}
	}
	inspected := graph.Inspect(ctx, c.Client, connectors.Call{URL: c.Base + "/debug_token", Account: a.ID, Token: credentials.AccessToken})
	if err := graph.MayPublish(inspected, scopePublish); err != nil {
		return connectors.Profile{}, err
	}
	return connectors.Profile{NativeID: id, Name: cmp.Or(out.Username, id), Settings: c.quota(ctx, d)}, nil
}

// quota returns the account's settings: how many posts it may publish in 24 hours, 100 or 50
// by which document one reads. Where it cannot be asked nothing is known.
func (c *Connector) quota(ctx context.Context, d schema.Delivery) json.RawMessage {
	call := c.Call(d, http.MethodGet, "/me/content_publishing_limit", opLimit)
	call.Query, call.Kind = url.Values{"fields": {"config,quota_usage"}}, connectors.Status
	var out struct {
		Data []struct {
			Config struct {
				Total int `json:"quota_total"`
			} `json:"config"`
		} `json:"data"`
	}
	if _, err := c.Client.Do(ctx, call, &out); err != nil || len(out.Data) == 0 || out.Data[0].Config.Total <= 0 {
		return nil
	}
	return connectors.Encode(map[string][]string{"quotaTotal": {strconv.Itoa(out.Data[0].Config.Total)}})
}
