package linkedin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

const pageSize = 100 // the most LinkedIn gives at once

// Find lists what an organization has published. A member's posts and comments are shown to
// nobody: that needs r_member_social, which is closed.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	organization := organizationOf(d.Credentials)
	if organization == "" {
		return schema.Receipt{}, schema.CannotTell, nil
	}
	if d.Comment != nil {
		return c.findComment(ctx, d, organization)
	}
	want, err := c.likenessOf(d, organization)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	return listing.Search{Now: c.now, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.posts(ctx, d, want, next)
	}}.Receipt(ctx, d)
}

// likenessOf returns what the post of a delivery will look like. Its media is not known where
// an earlier run uploaded it.
func (c *Connector) likenessOf(d schema.Delivery, author string) (newPost, error) {
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		return newPost{}, err
	}
	return postOf(d, author, p.Media)
}

// listedPost is what a list has of a post.
type listedPost struct {
	newPost
	ID           string     `json:"id"`
	CreatedAt    epochMilli `json:"createdAt"`
	LastModified epochMilli `json:"lastModifiedAt"`
}

// epochMilli is milliseconds since 1970.
type epochMilli int64

func (m epochMilli) time() time.Time { return time.UnixMilli(int64(m)) }

// posts reads a part of the author's posts, those last modified first: whatever was created
// since a time was modified since then too.
func (c *Connector) posts(ctx context.Context, d schema.Delivery, want newPost, next string) (listing.Page, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet, "/rest/posts", opListPosts)
	call.Kind = connectors.Status
	call.Query = url.Values{
		"q": {"author"}, "author": {want.Author}, "sortBy": {"LAST_MODIFIED"},
		"count": {strconv.Itoa(pageSize)}, "start": {startOf(next)},
	}
	call.Header.Set("X-RestLi-Method", "FINDER")
	var list struct {
		Elements []listedPost `json:"elements"`
	}
	response, err := c.client.Do(ctx, call, &list)
	if err != nil {
		return listing.Page{}, fmt.Errorf("reading posts: %w", connectors.WithoutEnd(err))
	}
	if list.Elements == nil || slices.ContainsFunc(list.Elements, listedPost.isPart) {
		return listing.Page{}, platform.Strange("is no list of posts")
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: following(next, len(list.Elements))}
	for _, post := range list.Elements {
		item := listing.Item{ID: post.ID, URL: c.address(post.ID), At: post.CreatedAt.time()}
		want.compare(&item, post)
		page.Items = append(page.Items, item)
		page.Until = max(post.LastModified, post.CreatedAt).time()
	}
	return page, nil
}

// isPart tells whether a post lacks what a look needs: it would pass for another's.
func (s listedPost) isPart() bool { return s.ID == "" || s.CreatedAt == 0 }

// compare notes how a post that is wanted and one that is shown are alike. Media is an upload of this
// delivery alone, so that a post with it is its own. One that shows no content may be it all the same.
func (want newPost) compare(item *listing.Item, candidate listedPost) {
	if candidate.LifecycleState == "DRAFT" || candidate.LifecycleState == "PUBLISH_FAILED" {
		return
	}
	wanted, has := want.Content.media(), candidate.Content.media()
	reference, refersTo := want.Content.reference(), candidate.Content.reference()
	isBare := len(has) == 0 && refersTo == ""
	isSame := len(wanted) == len(has) && reference == refersTo
	if !isSame && !isBare {
		return
	}
	item.Alike, item.Near = listing.Compared(plainText(want.Commentary), plainText(candidate.Commentary))
	if len(wanted) > 0 && wanted[0] != "" {
		item.Own = slices.Equal(wanted, has)
		item.Alike = item.Own
		return
	}
	item.Alike = item.Alike && isSame
}

// following returns where a list goes on after a part of so many; empty after the last.
func following(next string, elements int) string {
	if elements == 0 {
		return ""
	}
	start, err := strconv.Atoi(startOf(next))
	if err != nil {
		return ""
	}
	return strconv.Itoa(start + elements)
}

func startOf(next string) string {
	if next == "" {
		return "0"
	}
	return next
}

// comment is what a list has of a comment.
type comment struct {
	ID      string `json:"id"`
	URN     string `json:"commentUrn"`
	Actor   string `json:"actor"`
	Created struct {
		Time epochMilli `json:"time"`
	} `json:"created"`
	Message struct {
		Text string `json:"text"`
	} `json:"message"`
	Parent string `json:"parentComment"`
}

// urn returns the comment's own name; empty where it has none.
func (m comment) urn(post string) string {
	const prefix = "urn:li:comment:"
	switch {
	case strings.HasPrefix(m.URN, prefix):
		return m.URN
	case strings.HasPrefix(m.ID, prefix):
		return m.ID
	case m.ID == "":
		return ""
	default:
		return prefix + "(" + post + "," + m.ID + ")"
	}
}

// findComment lists the comments of the entry. In which order they come is not documented, so
// all are read.
func (c *Connector) findComment(ctx context.Context, d schema.Delivery, actor string) (schema.Receipt, schema.Verdict, error) {
	parent := d.Receipt(d.Comment.Entry)
	if parent == nil {
		return schema.Receipt{}, schema.CannotTell, connectors.Refuse("the entry to comment on is not published")
	}
	return c.findIn(ctx, d, thread{list: parent.NativeID, post: parent.NativeID, actor: actor})
}

// thread is the comments on a post, or the answers to one of them, and whose are looked for.
type thread struct{ list, post, actor string }

func (c *Connector) findIn(ctx context.Context, d schema.Delivery, of thread) (schema.Receipt, schema.Verdict, error) {
	return listing.Search{Now: c.now, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.comments(ctx, d, of, next)
	}}.Receipt(ctx, d)
}

func (c *Connector) comments(ctx context.Context, d schema.Delivery, of thread, next string) (listing.Page, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet, commentsOf(of.list), opListComments)
	call.Kind, call.Query = connectors.Status, url.Values{"count": {strconv.Itoa(pageSize)}, "start": {startOf(next)}}
	var list struct {
		Elements []comment `json:"elements"`
	}
	response, err := c.client.Do(ctx, call, &list)
	if isNoComments(response) {
		return listing.Page{Skew: listing.Skew(response.Header, c.now())}, nil
	}
	if err != nil {
		return listing.Page{}, fmt.Errorf("reading comments: %w", connectors.WithoutEnd(err))
	}
	isPart := func(m comment) bool { return m.urn(of.post) == "" || m.Created.Time == 0 }
	if list.Elements == nil || slices.ContainsFunc(list.Elements, isPart) {
		return listing.Page{}, platform.Strange("is no list of comments")
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: following(next, len(list.Elements))}
	for _, m := range list.Elements {
		item := listing.Item{ID: m.urn(of.post), URL: c.address(of.post), At: m.Created.Time.time()}
		isOurs := m.Actor == of.actor || m.Actor == "" // LinkedIn leaves some out (MicrosoftDocs/feedback #971)
		if isOurs && (m.Parent == "") == (of.list == of.post) {
			item.Alike, item.Near = listing.Compared(d.Comment.Text, m.Message.Text)
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// isNoComments tells whether a post without comments was asked for them: LinkedIn answers 404
// then, in its own words.
func isNoComments(response *connectors.Response) bool {
	var r refusal
	return response != nil && response.Status == http.StatusNotFound &&
		json.Unmarshal(response.Body, &r) == nil && r.Message != ""
}
