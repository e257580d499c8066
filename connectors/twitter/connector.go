package twitter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/oauth"
	"crier/schema"
)

// Where X's API and its pages are.
const (
	DefaultBase = "https://api.x.com"
	defaultWeb  = "https://x.com"
)

// Connector publishes to X. It is safe for concurrent use.
type Connector struct {
	oauth.Flow
	client *connectors.Client
	base   string
	web    string // where posts are shown
	media  media.Source
	now    func() time.Time

	dayUntil atomic.Int64 // when the app's day ends that is used up, in milliseconds since 1970
	tweets   atomic.Bool  // X takes the names of tweets, not of posts: see readPosts
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	base := strings.TrimRight(c.Base, "/")
	web := base
	if base == "" || base == DefaultBase {
		base, web = DefaultBase, defaultWeb
	}
	return &Connector{Flow: oauth.New(dialect(), c, scopes()), client: c.Client, base: base, web: web, media: c.Media, now: c.Now}
}

// Publish creates the post of an entry.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	d, err := c.uploadedAgain(ctx, d)
	if err != nil {
		return schema.Receipt{}, err
	}
	body, err := entryOf(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	return c.create(ctx, d, body)
}

// Comment creates the reply that is a first comment.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	parent := d.Receipt(d.Comment.Entry)
	if parent == nil || parent.NativeID == "" {
		return schema.Receipt{}, connectors.Refuse("the entry to comment on is not published")
	}
	return c.create(ctx, d, newPost{Text: d.Comment.Text, Reply: &newParent{ID: parent.NativeID}})
}

// entryOf returns the post that an entry asks for. What only the root of a conversation can
// have is the first entry's.
func entryOf(d schema.Delivery) (newPost, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return newPost{}, err
	}
	ids, err := mediaIDs(d)
	if err != nil {
		return newPost{}, err
	}
	body := newPost{Text: d.Text, MadeWithAI: s.MadeWithAI, PaidPartnership: s.PaidPartnership}
	if len(ids) > 0 {
		body.Media = &newMedia{IDs: ids}
	}
	if parent := d.Parent(); parent != nil {
		body.Reply = &newParent{ID: parent.NativeID}
	}
	if d.Entry > 0 {
		return body, nil
	}
	if err := s.conflict(len(d.Media)); err != nil {
		return newPost{}, err
	}
	if body.Media != nil {
		body.Media.Tagged = s.TaggedUserIDs
	}
	if s.Poll != nil {
		body.Poll = &newPoll{Options: s.Poll.Options, DurationMinutes: s.Poll.DurationMinutes}
	}
	body.ReplySettings, body.QuoteTweetID, body.CommunityID = s.ReplySettings, s.QuoteTweetID, s.CommunityID
	body.ShareWithFollowers, body.ForSuperFollowersOnly = s.ShareWithFollowers, s.ForSuperFollowersOnly
	return body, nil
}

// create makes the one visible call. Nothing is sent while the app's day is used up: each
// account would have to be told so by X.
func (c *Connector) create(ctx context.Context, d schema.Delivery, body newPost) (schema.Receipt, error) {
	if wait := c.dayLeft(); wait > 0 {
		return schema.Receipt{}, &schema.Error{
			Kind: schema.RateLimited, RetryAfter: wait, Message: "X takes no more posts of crier's app today",
		}
	}
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/2/tweets", opCreatePost)
	call.JSON, call.Visible, call.Kind, call.Reservation = body, true, connectors.Post, d.Reservation
	var created struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	response, err := c.client.Do(ctx, call, &created)
	c.obey(call, response)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.Duplicate && !d.CallsAgain() {
		// No earlier call of this entry can have made what X has: it is another post.
		err = &schema.Error{Kind: schema.Refused, Repeats: true, Message: e.Message, Err: err}
	}
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("creating post: %w", err)
	}
	if !isID(created.Data.ID) {
		return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: "X's answer names no post"}
	}
	return schema.Receipt{Entry: d.VisibleEntry(), NativeID: created.Data.ID, URL: c.address(created.Data.ID), PostedAt: c.now().UTC()}, nil
}

// address is where a post is shown.
func (c *Connector) address(id string) string { return c.web + "/i/web/status/" + id }

// Check returns whose token it is, and what the account subscribes to: how long its posts may be.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	call := c.call(a, credentials, http.MethodGet, "/2/users/me", opMe)
	call.Query = url.Values{"user.fields": {"subscription_type,verified_type"}}
	var out struct {
		Data struct {
			ID           string `json:"id"`
			Username     string `json:"username"`
			Subscription string `json:"subscription_type"`
			Verified     string `json:"verified_type"`
		} `json:"data"`
	}
	if _, err := c.client.Do(ctx, call, &out); err != nil {
		return connectors.Profile{}, fmt.Errorf("verifying credentials: %w", err)
	}
	if out.Data.ID == "" {
		return connectors.Profile{}, &schema.Error{Kind: schema.Retryable, Message: "X's answer names no account"}
	}
	settings := accountSettings{out.Data.Subscription, out.Data.Verified}
	return connectors.Profile{NativeID: out.Data.ID, Name: "@" + out.Data.Username, Settings: settings.encode()}, nil
}

func (c *Connector) call(a schema.Account, credentials schema.Credentials, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.base + path, Token: credentials.AccessToken, Account: a.ID,
	}
}
