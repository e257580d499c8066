package bluesky

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/page"
	"crier/schema"
)

// The servers of Bluesky itself.
const (
	DefaultBase  = "https://bsky.social"
	DefaultVideo = "https://video.bsky.app"
)

// Connector publishes to any server of the AT Protocol that hosts Bluesky accounts.
type Connector struct {
	client   *connectors.Client
	video    string
	appView  string
	media    media.Source
	pages    *page.Reader
	sessions *sessions
	now      func() time.Time
}

// New makes the connector. Its base is the PDS of accounts that name none, and where it is another's than
// Bluesky's own all else as well.
func New(p connectors.Parts) *Connector {
	base := strings.TrimSuffix(cmp.Or(p.Base, DefaultBase), "/")
	video, appView := base, base
	if base == DefaultBase {
		video, appView = DefaultVideo, DefaultAppView
	}
	return &Connector{
		client: p.Client, video: video, appView: appView, media: p.Media, pages: p.Pages, now: p.Now,
		sessions: newSessions(p.Client, base, p.Now),
	}
}

// Check returns the account of the credentials, the server it lives on, and whether it may publish videos.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	d := schema.Delivery{Account: a, Credentials: credentials}
	c.sessions.forgive(ctx, d)
	s, err := c.authorized(ctx, d, func(s session) error {
		_, err := c.sessions.adopt(ctx, d, s)
		return err
	})
	if err != nil {
		return connectors.Profile{}, fmt.Errorf("verifying account: %w", err)
	}
	profile := connectors.Profile{NativeID: s.DID, Name: s.Handle, Server: s.PDS, Settings: c.settings(ctx, d, s)}
	if credentials.Password == "" {
		profile.ExpiresAt = expiryOf(s.Access)
	}
	return profile, nil
}

// authorized runs a call under the account's session, and once more under another one
// if the PDS no longer takes its token: a refused token is a call without effect.
func (c *Connector) authorized(ctx context.Context, d schema.Delivery, do func(session) error) (session, error) {
	s, err := c.sessions.open(ctx, d)
	if err != nil {
		return session{}, fmt.Errorf("opening session: %w", err)
	}
	err = do(s)
	if !isNamed(err, expiredToken, invalidToken) {
		return s, err
	}
	if s, err = c.sessions.renew(ctx, d, s); err != nil {
		return session{}, fmt.Errorf("renewing session: %w", err)
	}
	return s, do(s)
}

// ask makes a call under the account's session, which prepare says more of, and decodes the answer into out.
func (c *Connector) ask(ctx context.Context, d schema.Delivery, out any, prepare func(session) connectors.Call) (session, error) {
	return c.authorized(ctx, d, func(s session) error {
		_, err := c.client.Do(ctx, prepare(s), out)
		return err
	})
}

// Publish writes the record of the entry.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	receipt, err := c.publish(ctx, d)
	if !isNamed(err, blobNotFound) || hasVideo(d) {
		return receipt, err
	}
	// A PDS deletes uploads that no record names in time. Images are quickly there again.
	if d.Progress, err = c.uploadAgain(ctx, d); err != nil {
		return schema.Receipt{}, err
	}
	return c.publish(ctx, d)
}

func hasVideo(d schema.Delivery) bool {
	p, err := connectors.ProgressOf[progress](d)
	return err == nil && len(p.Uploads) > 0 && p.Uploads[0].Video
}

func (c *Connector) uploadAgain(ctx context.Context, d schema.Delivery) ([]byte, error) {
	d.Progress = nil
	again, err := c.Prepare(ctx, d)
	return again.State, err
}

func (c *Connector) publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	p, err := connectors.ProgressOf[progress](d)
	if err != nil {
		return schema.Receipt{}, err
	}
	record, err := newPost(d, d.Text)
	if err != nil {
		return schema.Receipt{}, err
	}
	if record.Embed, err = newEmbed(d.Media, p); err != nil {
		return schema.Receipt{}, err
	}
	if record.Reply, err = newReply(d.Root(), d.Parent()); err != nil {
		return schema.Receipt{}, err
	}
	return c.put(ctx, d, record)
}

// Comment replies to the entry.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	record, err := newPost(d, d.Comment.Text)
	if err != nil {
		return schema.Receipt{}, err
	}
	entry := d.Receipt(d.Comment.Entry)
	if entry == nil {
		return schema.Receipt{}, connectors.Refuse("entry %d, which the comment belongs to, is not published", d.Comment.Entry)
	}
	if record.Reply, err = newReply(d.Root(), entry); err != nil {
		return schema.Receipt{}, err
	}
	return c.put(ctx, d, record)
}

// put writes a record where there is none: swapRecord null makes the PDS refuse to
// replace one (InvalidSwap), which is a Duplicate. A record that is there and equal is
// answered like a new one.
func (c *Connector) put(ctx context.Context, d schema.Delivery, record post) (schema.Receipt, error) {
	rkey, err := recordKey(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	var ref strongRef
	_, err = c.authorized(ctx, d, func(s session) error {
		facets, err := facetsOf(record.Text, c.resolver(ctx, d, s))
		if err != nil {
			return fmt.Errorf("resolving mentions: %w", err)
		}
		record.Facets = facets
		put := call(d, http.MethodPost, s.PDS, putRecord, s.Access)
		put.Visible, put.Kind, put.Reservation = true, connectors.Post, d.Reservation
		put.JSON = map[string]any{
			"repo": s.DID, "collection": postCollection, "rkey": rkey, "record": record, "swapRecord": nil,
		}
		_, err = c.client.Do(ctx, put, &ref)
		return err
	})
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("writing record: %w", err)
	}
	if ref.URI == "" || ref.CID == "" {
		return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: "the server did not name the record it wrote"}
	}
	return receiptOf(d, ref, c.now())
}

// resolver looks handles up. One that leads nowhere is no mention.
func (c *Connector) resolver(ctx context.Context, d schema.Delivery, s session) func(string) (string, error) {
	return func(handle string) (string, error) {
		var answer struct {
			DID string `json:"did"`
		}
		resolve := call(d, http.MethodGet, s.PDS, resolveHandle, "")
		resolve.Query = url.Values{"handle": {handle}}
		_, err := c.client.Do(ctx, resolve, &answer)
		if schema.KindOf(err) == schema.Refused {
			return "", nil
		}
		return answer.DID, err
	}
}

// Find reads the record the delivery makes from the account's own server, which shows
// a write as soon as it is made: what is not there was not written. After a restore the time of the claim
// is not known, and neither is the key that is made of it: the account's list of records tells then.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	if d.Restored {
		return c.findListed(ctx, d)
	}
	rkey, err := recordKey(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	ref, err := c.find(ctx, d, rkey)
	switch {
	case isNamed(err, recordNotFound):
		return schema.Receipt{}, schema.NotThere, nil
	case err != nil:
		return schema.Receipt{}, schema.CannotTell, fmt.Errorf("reading record: %w", err)
	case ref.URI == "" || ref.CID == "":
		return schema.Receipt{}, schema.CannotTell, nil
	}
	receipt, err := receiptOf(d, ref, d.Since)
	return receipt, schema.Found, err
}

// find reads a record under the account's session. Records are public, so dead
// credentials are no reason not to look; but which server is the account's own only a
// session says, and any other may not know the record yet: what is found counts, what
// is not found does not.
func (c *Connector) find(ctx context.Context, d schema.Delivery, rkey string) (strongRef, error) {
	var ref strongRef
	_, err := c.authorized(ctx, d, func(s session) (err error) {
		ref, err = c.record(ctx, d, s, rkey)
		return err
	})
	if schema.KindOf(err) != schema.TokenDead || d.Account.NativeID == "" {
		return ref, err
	}
	nobody := session{DID: d.Account.NativeID, PDS: c.sessions.server(d.Account)}
	if ref, publicErr := c.record(ctx, d, nobody, rkey); publicErr == nil {
		return ref, nil
	}
	return strongRef{}, err
}

func (c *Connector) record(ctx context.Context, d schema.Delivery, s session, rkey string) (strongRef, error) {
	var ref strongRef
	get := call(d, http.MethodGet, s.PDS, getRecord, s.Access)
	get.Kind = connectors.Status
	get.Query = url.Values{"repo": {s.DID}, "collection": {postCollection}, "rkey": {rkey}}
	_, err := c.client.Do(ctx, get, &ref)
	return ref, err
}
