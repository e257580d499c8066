package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
	"crier/schema/recent"
)

// DefaultBase is the API itself, and consentBase where people are asked for their consent.
const (
	DefaultBase = "https://graph.threads.net"
	consentBase = "https://threads.com"
)

// Operations of the API, as they are called in metrics and logs.
const (
	opCreate       = "POST /me/threads"
	opPublish      = "POST /me/threads_publish"
	opContainer    = "GET /{container}"
	opPost         = "GET /{post}"
	opListPosts    = "GET /me/threads"
	opListReplies  = "GET /me/replies"
	opConversation = "GET /{media}/conversation"
	opMentions     = "GET /me/mentions"
	opLimits       = "GET /me/threads_publishing_limit"
	opProfile      = "GET /me"
	opRedeem       = "POST /oauth/access_token"
)

// Connector publishes to Threads. It is safe for concurrent use.
type Connector struct {
	graph.Consent
	client     *connectors.Client
	base       string
	tokens     graph.Tokens
	now        func() time.Time
	containers graph.Containers
	comments   *recent.Cache[string, draft] // by the key of the comment
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	connector := &Connector{
		client: c.Client, base: strings.TrimRight(cmp.Or(c.Base, DefaultBase), "/"), now: c.Now, comments: recent.New[string, draft](maxDrafts, nil),
	}
	connector.Consent = graph.NewConsent(dialect(), c, scopes(c.App))
	connector.tokens = graph.Tokens{Client: c.Client, Base: connector.base, Prefix: "th", Secret: c.App.Secret, Now: c.Now}
	connector.containers = graph.Containers{
		Maker: maker{connector}, Media: c.Media, Constraints: Constraints(), Now: c.Now, IsGone: isGone,
		VideoReplyRest: 30 * time.Second, // else they appear at top level (gitroomhq/postiz-app #1441)
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
	return c.publish(ctx, d, container)
}

// publish makes the one visible call.
func (c *Connector) publish(ctx context.Context, d schema.Delivery, container string) (schema.Receipt, error) {
	call := c.call(d, http.MethodPost, "/me/threads_publish", opPublish)
	call.Form = url.Values{"creation_id": {container}}
	id, err := graph.Publish(ctx, c.client, d, call)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("publishing container: %w", c.refused(ctx, d, container, err))
	}
	item := graph.ReadBack(ctx, c.client, c.call(d, http.MethodGet, "/"+url.PathEscape(id), opPost), id)
	return graph.Receipt(d, item, c.now()), nil
}

// Comment publishes a reply to the entry. The container is made with it: it is remembered
// while Threads works on it, and no harm is done where it is forgotten.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	if d.Receipt(d.Comment.Entry) == nil {
		return schema.Receipt{}, &schema.Error{Kind: schema.Refused, Message: "the entry to comment on is not published"}
	}
	made, err := c.draft(ctx, d)
	if err != nil {
		return schema.Receipt{}, err
	}
	state, err := c.containers.Look(ctx, d, made.container)
	isUnread, works := err != nil && c.containers.IsUnread(err), c.now().Sub(made.createdAt) < graph.MaxWork
	switch {
	case isUnread && works: // which costs no try
		return schema.Receipt{}, &schema.Error{Kind: schema.RateLimited, RetryAfter: commentWait, Alone: true, Message: "Threads does not show the comment's container"}
	case state.Status == graph.InProgress:
		return schema.Receipt{}, &schema.Error{Kind: schema.Retryable, RetryAfter: commentWait, Message: "Threads still works on the comment"}
	case err != nil && !isUnread:
		return schema.Receipt{}, err
	case state.Status == graph.Failed || state.Status == graph.Expired:
		c.comments.Put(d.Key, draft{})
		return schema.Receipt{}, state.Failure()
	}
	receipt, err := c.publish(ctx, d, made.container)
	if e, ok := errors.AsType[*schema.Error](err); !ok || e.Unprepared || e.Kind != schema.RateLimited && e.Kind != schema.Retryable {
		c.comments.Put(d.Key, draft{}) // it is used up, or not known to be good
	}
	return receipt, err
}

// commentWait is when a comment is tried again whose container is not ready.
const commentWait = 5 * time.Second

// draft is the container of a first comment that is not published yet, and when it was made; zero: there is
// none.
type draft struct {
	container string
	createdAt time.Time
}

// maxDrafts is the size of a generation of drafts.
const maxDrafts = 4096

// draft returns the container of a comment, which it makes if there is none.
func (c *Connector) draft(ctx context.Context, d schema.Delivery) (draft, error) {
	if known, _ := c.comments.Known(d.Key); known.container != "" {
		return known, nil
	}
	form, err := c.containers.Fields(d, graph.Part{Item: graph.WholePost})
	if err != nil {
		return draft{}, err
	}
	container, err := c.containers.Create(ctx, d, form)
	if err != nil {
		return draft{}, err
	}
	fresh := draft{container, c.now()}
	c.comments.Put(d.Key, fresh)
	return fresh, nil
}

// Refresh trades a token for one that lasts 60 days from now.
func (c *Connector) Refresh(ctx context.Context, a schema.Account, old schema.Credentials) (schema.Credentials, error) {
	return c.tokens.Refresh(ctx, a, old)
}

// Check returns whose token it is, if that may publish.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	call := c.call(schema.Delivery{Account: a, Credentials: credentials}, http.MethodGet, "/me", opProfile)
	call.Query = url.Values{"fields": {"id,username"}}
	var out struct {
		ID       string `json:"id"`
		Username string `json:"username"`
	}
	switch _, err := c.client.Do(ctx, call, &out); {
	case err != nil:
		return connectors.Profile{}, fmt.Errorf("reading profile: %w", err)
	case out.ID == "":
		return connectors.Profile{}, &schema.Error{Kind: schema.Retryable, Message: "Threads' answer names no profile"}
	}
	if err := graph.MayPublish(c.grantedScopes(ctx, a, credentials.AccessToken), scopePublish); err != nil {
		return connectors.Profile{}, err
	}
	return connectors.Profile{NativeID: out.ID, Name: cmp.Or(out.Username, out.ID)}, nil
}

// call is one of an account. The token goes in a header, which no address shows.
func (c *Connector) call(d schema.Delivery, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.base + "/v1.0" + path,
		Token: d.Credentials.AccessToken, Account: d.Account.ID,
	}
}
