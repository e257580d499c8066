package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/connectors/media"
	"crier/connectors/oauth"
	"crier/schema"
)

// Operations of the API, as they are called in metrics and logs.
const (
	opCreatePost    = "POST /rest/posts"
	opListPosts     = "GET /rest/posts?q=author"
	opComment       = "POST /rest/socialActions/{urn}/comments"
	opReply         = opComment + " (reply)"
	opListComments  = "GET /rest/socialActions/{urn}/comments"
	opOrganization  = "GET /rest/organizations/{id}"
	opOrganizations = "GET /rest/organizationAcls?q=roleAssignee"
	opStatistics    = "GET /rest/organizationalEntityShareStatistics?q=organizationalEntity"
	opNetworkSize   = "GET /rest/networkSizes/{urn}"
	opUserInfo      = "GET /v2/userinfo"
	opMe            = "GET /v2/me"
	opToken         = "POST /oauth/v2/accessToken"
	opFinalize      = "POST /rest/videos?action=finalizeUpload"
	opUpload        = "PUT uploadUrl"
)

// DefaultVersion is the month of the API that the connector was written against.
const DefaultVersion = "202609"

// The platform's own addresses; a Config.Base stands for all of them.
const (
	apiHost = "https://api.linkedin.com"
	webHost = "https://www.linkedin.com"
)

const platform connectors.Answerer = "LinkedIn"

// Connector publishes to LinkedIn. It is safe for concurrent use.
type Connector struct {
	oauth.Flow
	client   *connectors.Client
	api, web string
	version  string
	media    media.Source
	now      func() time.Time
}

// New makes the connector.
func New(c connectors.Parts) *Connector {
	base := strings.TrimRight(c.Base, "/")
	return &Connector{
		client: c.Client, api: cmp.Or(base, apiHost), web: cmp.Or(base, webHost),
		Flow: oauth.New(dialect(), c, scopes(c.App)), version: cmp.Or(c.Version, DefaultVersion), media: c.Media, now: c.Now,
	}
}

// Publish creates the post of an entry.
func (c *Connector) Publish(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	assets, err := connectors.Prepared[asset](d)
	if err != nil {
		return schema.Receipt{}, err
	}
	author, err := c.author(ctx, d.Account, d.Credentials)
	if err != nil {
		return schema.Receipt{}, err
	}
	body, err := postOf(d, author, assets)
	if err != nil {
		return schema.Receipt{}, err
	}
	call := c.visible(d, "/rest/posts", opCreatePost)
	call.JSON = body
	response, err := c.client.Do(ctx, call, nil)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("creating post: %w", listing.OfFirstCall(d, err))
	}
	urn := response.Header.Get("X-Restli-Id")
	if !isPost(urn) {
		return schema.Receipt{}, platform.Unnamed("post")
	}
	return schema.Receipt{Entry: d.Entry, NativeID: urn, URL: c.address(urn), PostedAt: c.now().UTC()}, nil
}

// Comment creates a first comment, by whom the post is.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	parent := d.Receipt(d.Comment.Entry)
	if parent == nil || parent.NativeID == "" {
		return schema.Receipt{}, connectors.Refuse("the entry to comment on is not published")
	}
	return c.write(ctx, d, remark{what: "comment", operation: opComment, post: parent.NativeID, under: parent.NativeID})
}

// remark is a comment on a post, or a reply to one.
type remark struct{ what, operation, post, under string }

// write makes the one visible call of a remark, by whom the post is.
func (c *Connector) write(ctx context.Context, d schema.Delivery, r remark) (schema.Receipt, error) {
	author, err := c.author(ctx, d.Account, d.Credentials)
	if err != nil {
		return schema.Receipt{}, err
	}
	body := map[string]any{"actor": author, "object": r.post, "message": map[string]string{"text": d.Comment.Text}}
	if r.under != r.post {
		body["parentComment"] = r.under
	}
	call := c.visible(d, commentsOf(r.under), r.operation)
	call.JSON = body
	response, err := c.client.Do(ctx, call, nil)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("creating %s: %w", r.what, connectors.WithoutEnd(err))
	}
	id := commentID(r.post, response)
	if id == "" {
		return schema.Receipt{}, platform.Unnamed(r.what)
	}
	return schema.Receipt{Entry: d.Comment.Entry, NativeID: id, URL: c.address(r.post), PostedAt: c.now().UTC()}, nil
}

// commentID reads the URN of a new comment, which older versions give in the header alone and
// without what it is a comment on (comments-api).
func commentID(post string, response *connectors.Response) string {
	var created comment
	if json.Unmarshal(response.Body, &created) == nil && created.urn(post) != "" {
		return created.urn(post)
	}
	return comment{ID: response.Header.Get("X-Restli-Id")}.urn(post)
}

func commentsOf(urn string) string {
	return "/rest/socialActions/" + url.QueryEscape(urn) + "/comments"
}

func isPost(urn string) bool {
	return strings.HasPrefix(urn, "urn:li:share:") || strings.HasPrefix(urn, "urn:li:ugcPost:")
}

// address is where a post is shown.
func (c *Connector) address(urn string) string { return c.web + "/feed/update/" + urn }

// visible makes the one visible call of a delivery.
func (c *Connector) visible(d schema.Delivery, path, operation string) connectors.Call {
	return c.call(d.Account, d.Credentials, http.MethodPost, path, operation).Publishing(d)
}

func (c *Connector) call(a schema.Account, credentials schema.Credentials, method, path, operation string) connectors.Call {
	return connectors.Call{
		Operation: operation, Method: method, URL: c.api + path, Token: credentials.AccessToken, Account: a.ID,
		Header: http.Header{"LinkedIn-Version": {c.version}, "X-Restli-Protocol-Version": {"2.0.0"}},
	}
}
