package threads

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// receivedFields is what is read of what people write.
const receivedFields = "id,text,username,timestamp,permalink,replied_to,root_post,is_reply_owned_by_me"

type received struct {
	graph.Post
	Root struct {
		ID string `json:"id"`
	} `json:"root_post"`
	IsOwn bool `json:"is_reply_owned_by_me"`
}

// Comments reads the conversation under a post, answers to answers included.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	page, err := c.received(ctx, r, inbox{"/" + url.PathEscape(post.NativeID) + "/conversation", opConversation, schema.InboxComment, cursor})
	if isGone(err) {
		return connectors.ReceivedPage{Gone: true}, nil
	}
	if page.Next == "" {
		page.Extent = connectors.AllComments
	}
	for i, received := range page.Items {
		page.Items[i] = connectors.Under(post, received)
	}
	return page, err
}

// Mentions reads the posts that name the account.
func (c *Connector) Mentions(ctx context.Context, r connectors.Reading, cursor string) (connectors.ReceivedPage, error) {
	return c.received(ctx, r, inbox{"/me/mentions", opMentions, schema.InboxMention, cursor})
}

// inbox is a list of what people wrote.
type inbox struct{ path, operation, kind, cursor string }

func (c *Connector) received(ctx context.Context, r connectors.Reading, from inbox) (connectors.ReceivedPage, error) {
	call := c.Call(schema.Delivery{Account: r.Account, Credentials: r.Credentials}, http.MethodGet, from.path, from.operation).Reading(r)
	call.Query = url.Values{"fields": {receivedFields}, "limit": {strconv.Itoa(pageSize)}}
	connectors.SetField(call.Query, "after", from.cursor)
	var read graph.Page[received]
	if _, err := c.Client.Do(ctx, call, &read); err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading what people wrote: %w", connectors.WithoutEnd(err))
	}
	var page connectors.ReceivedPage
	for _, reply := range read.Data {
		if reply.IsOwn || reply.ID == "" || reply.Timestamp.IsZero() {
			continue
		}
		item := schema.InboxItem{
			Kind: from.kind, NativeID: reply.ID, ParentID: reply.RepliedTo.ID, Text: reply.Text, WrittenAt: reply.Timestamp.UTC(),
			Author: schema.Author{Handle: reply.Username, URL: "https://www.threads.com/@" + url.PathEscape(reply.Username)},
			URL:    connectors.WebURL(reply.Permalink),
		}
		page.Items = append(page.Items, schema.Received{Item: item})
	}
	if len(read.Data) == pageSize {
		page.Next = read.Paging.Cursors.After
	}
	return page, nil
}

// Reply publishes an answer, as a first comment is published.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	return c.Comment(ctx, d)
}

// FindReply looks for it among the account's replies.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	return c.Find(ctx, d)
}
