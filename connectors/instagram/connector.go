package instagram

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

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
type Connector struct {
	graph.Consent
	client     *connectors.Client
	base       string
	tokens     graph.Tokens
	now        func() time.Time
	containers graph.Containers
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	connector := &Connector{client: c.Client, base: strings.TrimRight(cmp.Or(c.Base, DefaultBase), "/"), now: c.Now}
	connector.Consent = graph.NewConsent(dialect(), c, scopes(c.App))
	connector.tokens = graph.Tokens{Client: c.Client, Base: connector.base, Prefix: "ig", Secret: c.App.Secret, Now: c.Now}
	connector.containers = graph.Containers{
		Maker: maker{connector}, Media: c.Media, Constraints: Constraints(), Now: c.Now, IsGone: isGone,
	}
	return connector
}

// Prepare makes the entry's containers and looks once at each that is not ready.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	return c.containers.Prepare(ctx, d)
}

// Publish publishes the entry's container.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	container, err := graph.Prepared(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	call := c.call(d, http.MethodPost, "/me/media_publish", opPublish)
	call.Form = url.Values{"creation_id": {container}}
	id, err := graph.Publish(ctx, c.client, d, call)
	switch {
	case isGone(err) || isNotReady(err):
		return schema.Receipt{}, c.unpublishable(ctx, d, container, err)
	case err != nil:
		return schema.Receipt{}, fmt.Errorf("publishing container: %w", err)
	}
	item := graph.ReadBack(ctx, c.client, c.call(d, http.MethodGet, "/"+url.PathEscape(id), opMedia), id)
	return graph.Receipt(d, item, c.now()), nil
}

// Comment comments on the entry.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	entry := d.Receipt(d.Comment.Entry)
	if entry == nil {
		return schema.Receipt{}, &schema.Error{Kind: schema.Refused, Message: "the entry to comment on is not published"}
	}
	call := c.call(d, http.MethodPost, "/"+url.PathEscape(entry.NativeID)+"/comments", opComment)
	call.Form = url.Values{"message": {d.Comment.Text}}
	id, err := graph.Publish(ctx, c.client, d, call)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("commenting: %w", err)
	}
	return schema.Receipt{Entry: d.Comment.Entry, NativeID: id, PostedAt: c.now().UTC()}, nil
}

// Refresh trades a token for one that lasts 60 days from now.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	return c.tokens.Refresh(ctx, a, old)
}

// Check returns whose token it is, if that may publish, and how many posts Instagram takes of the account in 24
// hours.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	d := schema.Delivery{Account: a, Credentials: credentials}
	call := c.call(d, http.MethodGet, "/me", opProfile)
	call.Query = url.Values{"fields": {"user_id,username"}}
	var out struct {
		ID       string `json:"id"` // of the account for this app
		UserID   string `json:"user_id"`
		Username string `json:"username"`
	}
	if _, err := c.client.Do(ctx, call, &out); err != nil {
		return connectors.Profile{}, fmt.Errorf("reading profile: %w", err)
	}
	id := cmp.Or(out.UserID, out.ID)
	if id == "" {
		return connectors.Profile{}, &schema.Error{Kind: schema.Retryable, Message: "Instagram's answer names no profile"}
	}
	inspected := graph.Inspect(ctx, c.client, connectors.Call{URL: c.base + "/debug_token", Account: a.ID, Token: credentials.AccessToken})
	if err := graph.MayPublish(inspected, scopePublish); err != nil {
		return connectors.Profile{}, err
	}
	return connectors.Profile{NativeID: id, Name: cmp.Or(out.Username, id), Settings: c.quota(ctx, d)}, nil
}

// quota returns the account's settings: how many posts it may publish in 24 hours, 100 or 50
// by which document one reads. Where it cannot be asked nothing is known.
func (c *Connector) quota(ctx context.Context, d schema.Delivery) json.RawMessage {
	call := c.call(d, http.MethodGet, "/me/content_publishing_limit", opLimit)
	call.Query, call.Kind = url.Values{"fields": {"config,quota_usage"}}, connectors.Status
	var out struct {
		Data []struct {
			Config struct {
				Total int `json:"quota_total"`
			} `json:"config"`
		} `json:"data"`
	}
	if _, err := c.client.Do(ctx, call, &out); err != nil || len(out.Data) == 0 || out.Data[0].Config.Total <= 0 {
		return nil
	}
	return connectors.Kept(map[string][]string{"quotaTotal": {strconv.Itoa(out.Data[0].Config.Total)}})
}

// call is one of an account. The token goes in a header, which no address shows.
func (c *Connector) call(d schema.Delivery, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.base + version + path,
		Token: d.Credentials.AccessToken, Account: d.Account.ID,
	}
}
