package mastodon

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
	"crier/schema/recent"
)

// Operations of the API, as they are called in metrics and logs.
const (
	opCreateStatus   = "POST /api/v1/statuses"
	opContext        = "GET /api/v1/statuses/{id}/context"
	opNotifications  = "GET /api/v1/notifications"
	opListStatuses   = "GET /api/v1/accounts/{id}/statuses"
	opVerify         = "GET /api/v1/accounts/verify_credentials"
	opUploadMedia    = "POST /api/v2/media"
	opMediaProcessed = "GET /api/v1/media/{id}"
	opInstance       = "GET /api/v2/instance"
	opOldInstance    = "GET /api/v1/instance"
)

// Connector publishes to Mastodon. It is safe for concurrent use.
type Connector struct {
	client  *connectors.Client
	base    string
	consent string
	media   media.Source
	now     func() time.Time

	servers *recent.Cache[string, knownServer] // by address
	counts  counts
}

// maxKeys is how many keys a status is sent under while their answers are another post's.
const maxKeys = 5

// New makes the connector.
func New(c connectors.Parts) *Connector {
	return &Connector{
		client: c.Client, base: c.Base, consent: c.Consent, media: c.Media, now: c.Now,
		servers: recent.New[string, knownServer](knownServers, nil), counts: newCounts(c.Now),
	}
}

// Publish creates the status of an entry.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	ids, err := mediaIDs(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	return c.create(ctx, d, ids)
}

// Comment creates the reply that is a first comment. It is seen by whom the entry is
// seen by, under the same content warning, as Mastodon's own clients reply.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	return c.create(ctx, d, nil)
}

// create makes the one visible call. A server that keeps idempotency keys answers a
// repeated key with the first status, whatever else the call says. That status may have been
// found by a like post meanwhile, whose own call was lost: then this one's key is used up, and
// it goes on under one that follows from the two.
func (c *Connector) create(ctx context.Context, d schema.Delivery, mediaIDs []string) (schema.Receipt, error) {
	body, err := c.bodyOf(d, mediaIDs)
	if err != nil {
		return schema.Receipt{}, err
	}
	if d.Repeats() && c.now().Sub(d.Since) > keyDeadline {
		return schema.Receipt{}, &schema.Error{Kind: schema.Retryable, Message: "the call came too late to be repeated by its key"}
	}
	c.counts.open(d.Account.ID, d.Key)
	key := c.keyOf(d)
	for range maxKeys {
		created, err := c.post(ctx, d, body, key)
		if err != nil {
			return schema.Receipt{}, fmt.Errorf("creating status: %w", err)
		}
		if !slices.Contains(d.Known, created.ID) {
			c.counts.close(d.Key)
			c.counts.see(d.Account.ID, created.Account.Statuses)
			return c.receipt(d, created), nil
		}
		key = uuid.NewSHA1(uuid.NameSpaceURL, []byte(key+" "+created.ID)).String()
	}
	return schema.Receipt{}, &schema.Error{Kind: schema.Duplicate, Message: "the server answers with a status that is another post's"}
}

// keyOf returns the key that a status is sent under. Mastodon answers it with the first status, so that it
// is the same for all tries. Servers that are known to be others may keep a key though its call was
// refused: Akkoma answers it with the same refusal (lib/pleroma/web/plugs/idempotency_plug.ex),
// Pixelfed never takes it again (ApiV1Controller.php, statusCreate). There a call has its own after one that
// was refused. One that follows a call without an answer has the first key: some of them make no second status then.
func (c *Connector) keyOf(d schema.Delivery) string {
	wasRefused := d.Error != nil && (d.Error.Code == schema.CodeOf(schema.RateLimited) || d.Error.Code == schema.CodeOf(schema.Refused))
	if !wasRefused || c.softwareOf(d.Account) != compatible {
		return d.Key
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s %d", d.Key, d.Claim)).String()
}

// post sends a status under a key.
func (c *Connector) post(ctx context.Context, d schema.Delivery, body newStatus, key string) (status, error) {
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/api/v1/statuses", opCreateStatus)
	call.JSON, call.Key, call.Visible = body, key, true
	call.Kind, call.Reservation = connectors.Post, d.Reservation
	var created status
	response, err := c.client.Do(ctx, call, &created)
	switch {
	case err != nil && body.InReplyToID == "":
		return status{}, ofOwnAccount(response, err)
	case err != nil:
		return status{}, err
	case created.ID == "":
		return status{}, &schema.Error{Kind: schema.Unknown, Message: "the server's answer names no status"}
	}
	return created, nil
}

// bodyOf returns what a delivery asks to create.
func (c *Connector) bodyOf(d schema.Delivery, mediaIDs []string) (newStatus, error) {
	s, err := settingsOf(d)
	if err != nil {
		return newStatus{}, err
	}
	if d.Comment != nil && d.ReplyTo() == "" { // or it would become a post by itself
		return newStatus{}, connectors.Refuse("the entry to comment on is not published")
	}
	body := newStatus{
		Status: d.VisibleText(), MediaIDs: mediaIDs, InReplyToID: d.ReplyTo(),
		Sensitive: s.Sensitive, SpoilerText: s.SpoilerText, Visibility: s.Visibility, Language: s.Language,
	}
	if c.softwareOf(d.Account) != mastodonItself {
		body.ContentType = plainContent
	}
	if p := s.pollOf(d); p != nil {
		if len(mediaIDs) > 0 {
			return newStatus{}, errPollWithMedia()
		}
		body.Poll = &newPoll{Options: p.Options, ExpiresIn: p.ExpiresIn, Multiple: p.Multiple, HideTotals: p.HideTotals}
	}
	return body, nil
}

func errPollWithMedia() *schema.Error {
	return connectors.Refuse("Mastodon takes a poll or media, not both")
}

func (c *Connector) receipt(d schema.Delivery, s status) schema.Receipt {
	at := s.CreatedAt
	if at.IsZero() {
		at = c.now()
	}
	return schema.Receipt{Entry: d.VisibleEntry(), NativeID: s.ID, URL: s.webURL(), PostedAt: at.UTC()}
}

// Check returns whose token it is, and what the account's server takes.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	own, err := c.verify(ctx, a, credentials)
	if err != nil {
		return connectors.Profile{}, err
	}
	server := c.server(a)
	return connectors.Profile{
		NativeID: own.ID, Name: address(own.Acct, server), Server: server, Settings: c.settings(ctx, a, credentials),
	}, nil
}

// ownAccount is what the connector reads of the account whose token it is.
type ownAccount struct {
	accountCount
	Acct string `json:"acct"`
}

func (c *Connector) verify(ctx context.Context, a schema.Account, credentials schema.Credentials) (own ownAccount, err error) {
	call := c.call(a, credentials, http.MethodGet, "/api/v1/accounts/verify_credentials", opVerify)
	if response, err := c.client.Do(ctx, call, &own); err != nil {
		return own, fmt.Errorf("verifying credentials: %w", ofOwnAccount(response, err))
	}
	if own.ID == "" {
		return own, &schema.Error{Kind: schema.Retryable, Message: "the server's answer names no account"}
	}
	c.counts.see(a.ID, own.Statuses)
	return own, nil
}

// address returns an account's full name: a server calls its own by their local part.
func address(acct, server string) string {
	if strings.Contains(acct, "@") {
		return acct
	}
	return acct + "@" + hostOf(server)
}

func hostOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	return u.Host
}

// server returns the base address of an account's server.
func (c *Connector) server(a schema.Account) string {
	return connectors.ServerOf(a, c.base)
}

// call asks for JSON: Pixelfed else sends whoever has no token that works to its page of login
// (halcy/Mastodon.py issues 242 and 436; pixelfed/docs issue 78).
func (c *Connector) call(a schema.Account, credentials schema.Credentials, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.server(a) + path, Header: http.Header{"Accept": {"application/json"}},
		Token: credentials.AccessToken, Account: a.ID,
	}
}
