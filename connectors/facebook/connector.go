package facebook

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
	"crier/connectors/listing"
	"crier/connectors/media"
	"crier/schema"
)

// Operations of the API, as they are called in metrics and logs.
const (
	opFeed         = "POST /{page}/feed"
	opPhotos       = "POST /{page}/photos"
	opVideos       = "POST /{page}/videos"
	opReels        = "POST /{page}/video_reels"
	opVideoStories = "POST /{page}/video_stories"
	opPhotoStories = "POST /{page}/photo_stories"
	opUpload       = "POST upload_url"
	opComment      = "POST /{post}/comments"
	opPosts        = "GET /{page}/published_posts"
	opComments     = "GET /{post}/comments"
	opVideo        = "GET /{video}"
	opPage         = "GET /me"
	opToken        = "GET /oauth/access_token"
	opPermissions  = "GET /me/permissions"
)

// version is that of the Graph API the connector was written against. Facebook answers calls
// of one that has ended as the oldest that has not.
const version = "v26.0"

// The platform's own addresses; a Config.Base stands for all of them.
const (
	graphHost = "https://graph.facebook.com"
	videoHost = "https://graph-video.facebook.com"
	webHost   = "https://www.facebook.com"
)

const platform connectors.Answerer = "Facebook"

// Connector publishes to Facebook pages. It is safe for concurrent use.
type Connector struct {
	client            *connectors.Client
	graph, video, web string
	consent           graph.Consent
	media             media.Source
	now               func() time.Time
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	base := strings.TrimRight(c.Base, "/")
	return &Connector{
		client: c.Client, graph: cmp.Or(base, graphHost), video: cmp.Or(base, videoHost), web: cmp.Or(base, webHost),
		consent: graph.NewConsent(dialect(), c, scopes(c.App)),
		media:   c.Media, now: c.Now,
	}
}

// Publish makes what was prepared visible.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Receipt{}, err
	}
	assets, err := connectors.Prepared[asset](d)
	if err != nil {
		return schema.Receipt{}, err
	}
	switch {
	case len(assets) == 1 && assets[0].Video:
		return c.finish(ctx, d, s, assets[0])
	case s.MediaType == asStory:
		return c.tell(ctx, d, assets)
	default:
		return c.post(ctx, d, s, assets)
	}
}

// post publishes in the page's feed.
func (c *Connector) post(ctx context.Context, d schema.Delivery, s settings, assets []asset) (schema.Receipt, error) {
	body := map[string]any{"published": true}
	set := func(name, value string) {
		if value != "" {
			body[name] = value
		}
	}
	set("message", d.Text)
	set("link", s.Link)
	set("place", s.Place)
	var attached []map[string]string
	for _, a := range assets {
		attached = append(attached, map[string]string{"media_fbid": a.ID})
	}
	if attached != nil {
		body["attached_media"] = attached
	}
	call := c.visible(d, pageOf(d)+"/feed", opFeed)
	call.JSON = body
	var created connectors.Created
	if _, err := c.client.Do(ctx, call, &created); err != nil {
		return schema.Receipt{}, fmt.Errorf("publishing post: %w", listing.OfFirstCall(d, err))
	}
	if created.ID == "" {
		return schema.Receipt{}, platform.Unnamed("post")
	}
	return c.receipt(d.Entry, created.ID, "/"+created.ID), nil
}

// finish ends the upload of a video, which publishes it. Its id is known since the upload
// began.
func (c *Connector) finish(ctx context.Context, d schema.Delivery, s settings, a asset) (schema.Receipt, error) {
	edge, operation := edgeOf(s)
	call := c.visible(d, pageOf(d)+edge, operation)
	body := map[string]any{"upload_phase": "finish", "description": d.Text}
	if s.Title != "" {
		body["title"] = s.Title
	}
	if s.Place != "" && s.MediaType != asStory {
		body["place"] = s.Place
	}
	if s.MediaType == asPost {
		call.URL = c.video + "/" + version + "/" + pageOf(d) + edge
		body["upload_session_id"], body["published"] = a.Session, true
	} else {
		body["video_id"], body["video_state"] = a.ID, "PUBLISHED"
	}
	call.JSON = body
	receipt, err := c.succeed(ctx, d, call, a.ID, addressOfVideo(s, a.ID))
	if schema.KindOf(err) == schema.Refused && d.CallsAgain() {
		err = c.refusedAgain(ctx, d, s, a, err)
	}
	return receipt, err
}

// refusedAgain judges the refusal of an end that was sent before: Facebook refuses the second where
// it took the first. The video itself tells, though nothing says how soon: only the last try believes
// that it is not published.
func (c *Connector) refusedAgain(ctx context.Context, d schema.Delivery, s settings, a asset, refused error) error {
	_, verdict, err := c.findVideo(ctx, d, s, a.ID)
	switch {
	case verdict == schema.Found:
		return &schema.Error{Kind: schema.Duplicate, Message: "the video is published already", Err: refused}
	case verdict == schema.CannotTell, err == nil && d.Attempts+1 < d.Tries:
		return &schema.Error{Kind: schema.Unknown, Message: "the video may be published already", Err: errors.Join(refused, err)}
	default:
		return cmp.Or(err, refused)
	}
}

// tell publishes a photo as a story.
func (c *Connector) tell(ctx context.Context, d schema.Delivery, assets []asset) (schema.Receipt, error) {
	if len(assets) != 1 {
		return schema.Receipt{}, connectors.Refuse("a story is one image or one video")
	}
	call := c.visible(d, pageOf(d)+"/photo_stories", opPhotoStories)
	call.JSON = map[string]string{"photo_id": assets[0].ID}
	return c.succeed(ctx, d, call, "", "")
}

// succeed makes a visible call that answers whether it worked. A story is named by the
// answer, a video by its own id.
func (c *Connector) succeed(ctx context.Context, d schema.Delivery, call connectors.Call, id, path string) (schema.Receipt, error) {
	var done struct {
		Success bool   `json:"success"`
		PostID  string `json:"post_id"`
	}
	if _, err := c.client.Do(ctx, call, &done); err != nil {
		return schema.Receipt{}, fmt.Errorf("publishing: %w", listing.OfFirstCall(d, err))
	}
	isVideo := id != ""
	if !isVideo {
		id = done.PostID
	}
	if !done.Success || id == "" {
		return schema.Receipt{}, platform.Unnamed("post")
	}
	receipt := c.receipt(d.Entry, id, path)
	receipt.Open = isVideo
	return receipt, nil
}

// Comment creates a first comment, by the page.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	parent := d.Receipt(d.Comment.Entry)
	if parent == nil || parent.NativeID == "" {
		return schema.Receipt{}, connectors.Refuse("the entry to comment on is not published")
	}
	if s, err := settingsOf(d); err != nil || s.MediaType == asStory {
		return schema.Receipt{}, cmp.Or(err, error(connectors.Refuse("a story takes no comments")))
	}
	call := c.visible(d, parent.NativeID+"/comments", opComment)
	call.JSON = map[string]string{"message": d.Comment.Text}
	var created connectors.Created
	if _, err := c.client.Do(ctx, call, &created); err != nil {
		return schema.Receipt{}, fmt.Errorf("creating comment: %w", listing.OfFirstCall(d, err))
	}
	if created.ID == "" {
		return schema.Receipt{}, platform.Unnamed("comment")
	}
	return c.receipt(d.Comment.Entry, created.ID, "/"+created.ID), nil
}

// Check returns which page the token is of, if that may publish. A page token got by a long-lived user token has
// no expiry.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	call := c.call(a, credentials, http.MethodGet, "me", opPage)
	call.Query = url.Values{"fields": {"id,name,category"}}
	var page struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Category string `json:"category"`
	}
	if _, err := c.client.Do(ctx, call, &page); err != nil {
		return connectors.Profile{}, fmt.Errorf("asking whose token it is: %w", err)
	}
	switch {
	case page.ID == "":
		return connectors.Profile{}, platform.Strange("names no page")
	case page.Category == "":
		return connectors.Profile{}, connectors.Refuse("the token is a person's: a page's own is wanted, as GET /me/accounts shows it")
	}
	inspected := graph.Inspect(ctx, c.client, connectors.Call{
		URL: c.graph + "/" + version + "/debug_token", Account: a.ID, Token: credentials.AccessToken,
	})
	if err := graph.MayPublish(inspected, scopePublish); err != nil {
		return connectors.Profile{}, err
	}
	return connectors.Profile{NativeID: page.ID, Name: cmp.Or(page.Name, "page "+page.ID)}, nil
}

// pageOf returns the page of a delivery. That of a sandbox, whose account is made without
// asking the simulator, is whose token it is.
func pageOf(d schema.Delivery) string {
	if d.Account.Sandbox || d.Account.NativeID == "" {
		return "me"
	}
	return d.Account.NativeID
}

func (c *Connector) receipt(entry int, id, path string) schema.Receipt {
	r := schema.Receipt{Entry: entry, NativeID: id, PostedAt: c.now().UTC()}
	if path != "" {
		r.URL = c.web + path
	}
	return r
}

// visible makes the one visible call of a delivery.
func (c *Connector) visible(d schema.Delivery, path, operation string) connectors.Call {
	return c.call(d.Account, d.Credentials, http.MethodPost, path, operation).Publishing(d)
}

func (c *Connector) call(a schema.Account, credentials schema.Credentials, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.graph + "/" + version + "/" + path,
		Token: credentials.AccessToken, Account: a.ID,
	}
}
