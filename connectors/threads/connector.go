package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	graph.Connector
	comments *recent.Cache[string, draft] // by the key of the comment
}

// New makes the connector.
func New(p connectors.Parts) *Connector {
	c := &Connector{
		graph.NewConnector(graph.NewConsent(dialect(), p, scopes(p.App)), p, DefaultBase, "/v1.0", "th"),
		recent.New[string, draft](maxDrafts, nil),
	}
	c.Containers = graph.Containers{
		Maker: maker{c}, Media: p.Media, Constraints: Constraints(), Now: p.Now, IsGone: isGone,
		VideoReplyRest: 30 * time.Second, // else they appear at top level (gitroomhq/postiz-app #1441)
	}
	return c
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
	call := c.Call(d, http.MethodPost, "/me/threads_publish", opPublish)
	call.Form = url.Values{"creation_id": {container}}
	id, err := graph.Publish(ctx, c.Client, d, call)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("publishing container: %w", c.refused(ctx, d, container, err))
	}
	item := graph.ReadBack(ctx, c.Client, c.Call(d, http.MethodGet, "/"+url.PathEscape(id), opPost), id)
	return graph.Receipt(d, item, c.Now()), nil
}

// Comment publishes a reply to the entry. The container is made with it: it is remembered
// while Threads works on it, and no harm is done where it is forgotten.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	if d.Receipt(d.Comment.Entry) == nil {
		return schema.Receipt{}, &schema.Error{Kind: schema.Refused, Message: "the entry to comment on is not published"}
	}
	reply, err := c.draft(ctx, d)
	if err != nil {
		return schema.Receipt{}, err
	}
	state, err := c.Containers.Look(ctx, d, reply.container)
	isUnread, works := err != nil && c.Containers.IsUnread(err), c.Now().Sub(reply.createdAt) < graph.MaxWork
	switch {
	case isUnread && works: // which costs no try
		return schema.Receipt{}, &schema.Error{Kind: schema.RateLimited, RetryAfter: commentWait, Alone: true, Message: "Threads does not show the comment's container"}
	case state.Status == graph.InProgress:
		return schema.Receipt{}, &schema.Error{Kind: schema.Retryable, RetryAfter: commentWait, Message: "Threads still works on the comment"}
	case err != nil && !isUnread:
		return schema.Receipt{}, err
	case state.Status == graph.Failed || state.Status == graph.Expired:
		c.comments.Delete(d.Key)
		return schema.Receipt{}, state.Failure()
	}
	receipt, err := c.publish(ctx, d, reply.container)
	if e, ok := errors.AsType[*schema.Error](err); !ok || e.Unprepared || e.Kind != schema.RateLimited && e.Kind != schema.Retryable {
		c.comments.Delete(d.Key) // it is used up, or not known to be good
	}
	return receipt, err
}

// commentWait is when a comment is tried again whose container is not ready.
const commentWait = 5 * time.Second

// draft is the container of a first comment that is not published yet, and when it was made.
type draft struct {
	container string
	createdAt time.Time
}

// maxDrafts is the size of a generation of drafts.
const maxDrafts = 4096

// draft returns the container of a comment, which it makes if there is none.
func (c *Connector) draft(ctx context.Context, d schema.Delivery) (draft, error) {
	if known, ok := c.comments.Known(d.Key); ok {
		return known, nil
	}
	form, err := c.Containers.Fields(d, graph.Part{Item: graph.WholePost})
	if err != nil {
		return draft{}, err
	}
	container, err := c.Containers.Create(ctx, d, form)
	if err != nil {
		return draft{}, err
	}
	fresh := draft{container, c.Now()}
	c.comments.Put(d.Key, fresh)
	return fresh, nil
}

// Check returns whose token it is, if that may publish.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	call := c.Call(schema.Delivery{Account: a, Credentials: credentials}, http.MethodGet, "/me", opProfile)
	call.Query = url.Values{"fields": {"id,username"}}
	var out struct {
		ID       string `json:"id"`
		Username string `json:"username"`
	}
	switch _, err := c.Client.Do(ctx, call, &out); {
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
