package linkedin

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/schema"
)

// Comments reads the comments on a post of an organization. Answers to comments are lists of
// their own, which are not read. A member's are shown to nobody: that needs r_member_social,
// which is closed.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	organization := organizationOf(r.Credentials)
	if organization == "" {
		return connectors.ReceivedPage{}, connectors.Refuse("LinkedIn shows the comments on a member's posts to no app")
	}
	call := c.call(r.Account, r.Credentials, http.MethodGet, commentsOf(post.NativeID), opListComments).Reading(r)
	call.Query = url.Values{"count": {strconv.Itoa(pageSize)}, "start": {startOf(cursor)}}
	var list struct {
		Elements []comment `json:"elements"`
	}
	response, err := c.client.Do(ctx, call, &list)
	if isNoComments(response) {
		return connectors.ReceivedPage{}, nil
	}
	if err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading comments: %w", connectors.WithoutEnd(err))
	}
	page := connectors.ReceivedPage{Next: following(cursor, len(list.Elements))}
	for _, m := range list.Elements {
		if m.Actor == organization || m.urn(post.NativeID) == "" || m.Created.Time == 0 {
			continue
		}
		page.Items = append(page.Items, schema.Received{Post: post.Post, Item: schema.InboxItem{
			Kind: schema.InboxComment, NativeID: m.urn(post.NativeID), ParentID: m.Parent, PostNativeID: post.NativeID, Text: m.Message.Text,
			URL: c.address(post.NativeID), Author: schema.Author{ID: m.Actor}, WrittenAt: m.Created.Time.time().UTC(),
		}})
	}
	return page, nil
}

// answered is the comment that a reply hangs on: there is one level of them, so that an answer is
// answered beside it.
func answered(d schema.Delivery) string {
	return cmp.Or(d.Comment.ReplyTo.ParentID, d.Comment.ReplyTo.NativeID)
}

// Reply answers a comment, by whom the post is.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	return c.write(ctx, d, remark{what: "reply", operation: opReply, post: d.Comment.ReplyTo.Post, under: answered(d)})
}

// FindReply lists the answers to the comment, of an organization's post.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	organization := organizationOf(d.Credentials)
	if organization == "" {
		return schema.Receipt{}, schema.CannotTell, nil
	}
	return c.findIn(ctx, d, thread{list: answered(d), post: d.Comment.ReplyTo.Post, actor: organization})
}
