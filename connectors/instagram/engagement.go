package instagram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

const (
	opReply       = "POST /{comment}/replies"
	opListReplies = "GET /{comment}/replies"

	receivedFields = "id,text,timestamp,username,from"
)

// receivedComment is what is read of what people write under a media (ig-comment).
type receivedComment struct {
	graph.Post
	From struct {
		ID       string `json:"id"`
		Username string `json:"username"`
	} `json:"from"`
	Replies struct {
		Data []receivedComment `json:"data"`
	} `json:"replies"`
}

// Comments reads what is under a media, with the first answers to each comment.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	d := schema.Delivery{Account: r.Account, Credentials: r.Credentials}
	call := c.Call(d, http.MethodGet, "/"+url.PathEscape(post.NativeID)+"/comments", opListComments).Reading(r)
	call.Query = url.Values{"fields": {receivedFields + ",replies{" + receivedFields + "}"}, "limit": {strconv.Itoa(commentPageSize)}}
	connectors.SetField(call.Query, "after", cursor)
	var read graph.Page[receivedComment]
	_, err := c.Client.Do(ctx, call, &read)
	if failure, ok := errors.AsType[graph.Error](err); ok && failure.Has(100, 33) {
		return connectors.ReceivedPage{Gone: true}, nil
	}
	if err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading comments: %w", connectors.WithoutEnd(err))
	}
	own, err := c.own(ctx, r)
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	var page connectors.ReceivedPage
	add := func(comment receivedComment, parent string) {
		by := cmp.Or(comment.From.Username, comment.Username)
		if comment.ID == "" || comment.Timestamp.IsZero() || by == own.Name || comment.From.ID != "" && comment.From.ID == own.NativeID {
			return
		}
		page.Items = append(page.Items, schema.Received{Post: post.Post, Item: schema.InboxItem{
			Kind: schema.InboxComment, NativeID: comment.ID, ParentID: parent, PostNativeID: post.NativeID, Text: comment.Text, URL: post.URL,
			Author: schema.Author{ID: comment.From.ID, Handle: by, URL: "https://www.instagram.com/" + url.PathEscape(by)}, WrittenAt: comment.Timestamp.UTC(),
		}})
	}
	for _, comment := range read.Data {
		add(comment, "")
		for _, below := range comment.Replies.Data {
			add(below, comment.ID)
		}
	}
	if len(read.Data) == commentPageSize {
		page.Next = read.Paging.Cursors.After
	} else {
		page.Extent = connectors.DirectComments // of the answers to each the first are read alone
	}
	return page, nil
}

// own returns whose account it is, which a sandbox does not know.
func (c *Connector) own(ctx context.Context, r connectors.Reading) (connectors.Profile, error) {
	if r.Account.NativeID != "" && !r.Account.Sandbox {
		return connectors.Profile{NativeID: r.Account.NativeID, Name: r.Account.Name}, nil
	}
	return c.Check(ctx, r.Account, r.Credentials)
}

// repliesTo is where a comment is answered: one that is itself an answer, beside it.
func repliesTo(d schema.Delivery) string {
	to := d.Comment.ReplyTo
	return "/" + url.PathEscape(cmp.Or(to.ParentID, to.NativeID)) + "/replies"
}

// Reply answers a comment.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	call := c.Call(d, http.MethodPost, repliesTo(d), opReply)
	call.Form = url.Values{"message": {d.Comment.Text}}
	id, err := graph.Publish(ctx, c.Client, d, call)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("replying: %w", err)
	}
	return schema.Receipt{NativeID: id, PostedAt: c.Now().UTC()}, nil
}

// FindReply looks for it among the answers to the comment.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	own, err := c.own(ctx, connectors.Reading{Account: d.Account, Credentials: d.Credentials})
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	return graph.Search{
		Now:  c.Now,
		Page: c.pages(d, list{repliesTo(d), opListReplies, "id,text,timestamp,username", commentPageSize}),
		Compare: func(p graph.Post) (alike, near bool) {
			if p.Username != "" && p.Username != own.Name {
				return false, false
			}
			return graph.Compared(d.Comment.Text, p.Text)
		},
	}.Receipt(ctx, d)
}
