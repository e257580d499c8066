package facebook

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/connectors/listing"
	"crier/schema"
)

// receivedComment is what is read of what people write under a post (reference/comment).
type receivedComment struct {
	ID          string     `json:"id"`
	Message     string     `json:"message"`
	CreatedTime graph.Time `json:"created_time"`
	Permalink   string     `json:"permalink_url"`
	From        struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"from"` // not there where the token may not know
	Parent struct {
		ID string `json:"id"`
	} `json:"parent"`
}

// Comments reads what is under a post, answers to comments included. A story takes none.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	call := c.call(r.Account, r.Credentials, http.MethodGet, url.PathEscape(post.NativeID)+"/comments", opComments).Reading(r)
	call.Query = commentQuery(cursor, "id,message,created_time,from,parent{id},permalink_url")
	var read list[receivedComment]
	_, err := c.client.Do(ctx, call, &read)
	if isGone(err) {
		return connectors.ReceivedPage{Gone: true}, nil
	}
	if err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading comments: %w", connectors.WithoutEnd(err))
	}
	own, err := listing.AccountID(ctx, schema.Delivery{Account: r.Account, Credentials: r.Credentials}, c.Check)
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	page := connectors.ReceivedPage{Next: read.next()}
	if page.Next == "" {
		page.Extent = connectors.AllComments // in the order of a stream answers stand among them
	}
	for _, comment := range read.Data {
		if comment.ID == "" || comment.From.ID == own || comment.CreatedTime.IsZero() {
			continue
		}
		item := schema.InboxItem{
			Kind: schema.InboxComment, NativeID: comment.ID, ParentID: comment.Parent.ID, PostNativeID: post.NativeID, Text: comment.Message,
			Author: schema.Author{ID: comment.From.ID, Name: comment.From.Name}, WrittenAt: comment.CreatedTime.UTC(), URL: connectors.WebURL(comment.Permalink),
		}
		page.Items = append(page.Items, schema.Received{Item: item, Post: post.Post})
	}
	return page, nil
}

// Reply answers a comment by a comment of the page on it.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	return c.Comment(ctx, d)
}

// FindReply looks for it among the answers to the comment.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	return c.Find(ctx, d)
}
