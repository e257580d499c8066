package youtube

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"crier/connectors"
	"crier/connectors/google"
	"crier/connectors/listing"
	"crier/schema"
)

const (
	opReply   = "comments.insert"
	opReplies = "comments.list"
)

// receivedComment is a comment of somebody.
type receivedComment struct {
	ID      string `json:"id"`
	Snippet struct {
		Author  string `json:"authorDisplayName"`
		Address string `json:"authorChannelUrl"`
		Channel struct {
			Value string `json:"value"`
		} `json:"authorChannelId"`
		Original    string    `json:"textOriginal"` // shown to its author
		Display     string    `json:"textDisplay"`
		Parent      string    `json:"parentId"`
		PublishedAt time.Time `json:"publishedAt"`
	} `json:"snippet"`
}

func (r receivedComment) text() string { return cmp.Or(r.Snippet.Original, r.Snippet.Display) }

// receivedThread is a comment with the first answers to it, up to five.
type receivedThread struct {
	ID      string `json:"id"`
	Snippet struct {
		Top receivedComment `json:"topLevelComment"`
	} `json:"snippet"`
	Replies struct {
		Comments []receivedComment `json:"comments"`
	} `json:"replies"`
}

// Comments reads what is under a video, the newest first, with the first answers to each comment.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	d := schema.Delivery{Account: r.Account, Credentials: r.Credentials}
	call := c.threads(d, post.NativeID, cursor, "snippet", "replies").Reading(r)
	read, _, err := readList[receivedThread](ctx, c, d, call, "comments")
	if failure, ok := errors.AsType[google.Error](err); ok && failure.Has("videoNotFound") {
		return connectors.ReceivedPage{Gone: true}, nil
	}
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	own, err := c.ownChannel(ctx, r)
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	page := connectors.ReceivedPage{Next: read.Next}
	if page.Next == "" {
		page.Extent = connectors.DirectComments // of the answers to each five are read
	}
	for _, thread := range read.Items {
		for _, received := range append([]receivedComment{thread.Snippet.Top}, thread.Replies.Comments...) {
			if received.ID == "" || received.Snippet.PublishedAt.IsZero() || received.Snippet.Channel.Value == own {
				continue
			}
			page.Items = append(page.Items, schema.Received{Post: post.Post, Item: schema.InboxItem{
				Kind: schema.InboxComment, NativeID: received.ID, ParentID: received.Snippet.Parent, PostNativeID: post.NativeID,
				Text: received.text(), URL: c.commentAddress(post.NativeID, received.ID),
				Author:    schema.Author{ID: received.Snippet.Channel.Value, Name: received.Snippet.Author, URL: received.Snippet.Address},
				WrittenAt: received.Snippet.PublishedAt.UTC(),
			}})
		}
	}
	return page, nil
}

// ownChannel returns the account's channel, which a sandbox does not know.
func (c *Connector) ownChannel(ctx context.Context, r connectors.Reading) (string, error) {
	if own := channelOf(r.Account); own != "" {
		return own, nil
	}
	profile, err := c.Check(ctx, r.Account, r.Credentials)
	return profile.NativeID, err
}

// answered is the comment that a reply hangs on: an answer is answered beside it.
func answered(d schema.Delivery) string {
	return cmp.Or(d.Comment.ReplyTo.ParentID, d.Comment.ReplyTo.NativeID)
}

// Reply answers a comment, by the channel.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/youtube/v3/comments", opReply)
	call.JSON = map[string]any{"snippet": map[string]string{"parentId": answered(d), "textOriginal": d.Comment.Text}}
	return c.write(ctx, d, call, underVideo{"reply", d.Comment.ReplyTo.Post})
}

// FindReply lists the answers to the comment.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	own, err := c.ownChannel(ctx, connectors.Reading{Account: d.Account, Credentials: d.Credentials})
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	return listing.Search{Now: c.now, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.replies(ctx, d, own, next)
	}}.Receipt(ctx, d)
}

// replies reads a part of the answers to a comment. In which order they come is not documented,
// so that all are read.
func (c *Connector) replies(ctx context.Context, d schema.Delivery, own, next string) (listing.Page, error) {
	call := asText(c.read(d, "comments", opReplies, "snippet"), next)
	call.Query.Set("parentId", answered(d))
	read, response, err := readList[receivedComment](ctx, c, d, call, "replies")
	if err != nil {
		return listing.Page{}, err
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: read.Next}
	page.Items, err = c.items(d, underVideo{"reply", d.Comment.ReplyTo.Post}, own, read.Items)
	return page, err
}
