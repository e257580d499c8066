package youtube

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

// Comment creates a first comment, by the channel.
func (c *Connector) Comment(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	parent := d.Receipt(d.Comment.Entry)
	if parent == nil || parent.NativeID == "" {
		return schema.Receipt{}, connectors.Refuse("the entry to comment on is not published")
	}
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/youtube/v3/commentThreads", opComment)
	body := map[string]any{
		"videoId": parent.NativeID, "topLevelComment": map[string]any{"snippet": map[string]string{"textOriginal": d.Comment.Text}},
	}
	if own := channelOf(d.Account); own != "" {
		body["channelId"] = own
	}
	call.JSON = map[string]any{"snippet": body}
	return c.write(ctx, d, call, underVideo{"comment", parent.NativeID})
}

// underVideo is what is written under a video: a comment, or a reply to one.
type underVideo struct{ what, video string }

// write makes the one visible call of a comment.
func (c *Connector) write(ctx context.Context, d schema.Delivery, call connectors.Call, of underVideo) (schema.Receipt, error) {
	var created receivedComment
	if _, err := c.do(ctx, d.Account, d.Credentials, about(call, "snippet").Publishing(d), &created); err != nil {
		return schema.Receipt{}, fmt.Errorf("creating %s: %w", of.what, connectors.WithoutEnd(err))
	}
	if created.ID == "" {
		return schema.Receipt{}, platform.Unnamed(of.what)
	}
	return schema.Receipt{Entry: d.Comment.Entry, NativeID: created.ID, URL: c.commentAddress(of.video, created.ID), PostedAt: c.now().UTC()}, nil
}

// commentAddress is where a comment is shown.
func (c *Connector) commentAddress(video, id string) string {
	return c.address(video) + "&lc=" + url.QueryEscape(id)
}

// findComment lists the comments of the video, all of them: what order they are in when some
// are answered is not documented.
func (c *Connector) findComment(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	parent := d.Receipt(d.Comment.Entry)
	if parent == nil {
		return schema.Receipt{}, schema.CannotTell, connectors.Refuse("the entry to comment on is not published")
	}
	return listing.Search{Now: c.now, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.comments(ctx, d, parent.NativeID, next)
	}}.Receipt(ctx, d)
}

func (c *Connector) comments(ctx context.Context, d schema.Delivery, video, next string) (listing.Page, error) {
	read, response, err := readList[receivedThread](ctx, c, d, c.threads(d, video, next, "snippet"), "comments")
	if err != nil {
		return listing.Page{}, err
	}
	comments := make([]receivedComment, len(read.Items))
	for i, thread := range read.Items {
		comments[i] = thread.Snippet.Top
		comments[i].ID = thread.ID
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: read.Next}
	page.Items, err = c.items(d, underVideo{"comment", video}, channelOf(d.Account), comments)
	return page, err
}

// threads is a call that reads a part of what is under a video, the newest first.
func (c *Connector) threads(d schema.Delivery, video, next string, parts ...string) connectors.Call {
	call := asText(c.read(d, "commentThreads", opComments, parts...), next)
	call.Query.Set("videoId", video)
	call.Query.Set("order", "time")
	return call
}

// asText is a call that reads a part of comments, without markup.
func asText(call connectors.Call, next string) connectors.Call {
	call.Query.Set("textFormat", "plainText")
	call.Query.Set("maxResults", strconv.Itoa(2*pageSize))
	connectors.SetField(call.Query, "pageToken", next)
	return call
}

// items compares comments with that of a delivery. Those of others than its channel are not like it, where
// that is known.
func (c *Connector) items(d schema.Delivery, of underVideo, own string, comments []receivedComment) (items []listing.Item, err error) {
	for _, s := range comments {
		if s.ID == "" || s.Snippet.PublishedAt.IsZero() {
			return nil, platform.Strange("lists a " + of.what + " without a name")
		}
		item := listing.Item{ID: s.ID, URL: c.commentAddress(of.video, s.ID), At: s.Snippet.PublishedAt}
		if own == "" || s.Snippet.Channel.Value == own {
			item.Alike, item.Near = listing.Compared(d.Comment.Text, s.text())
		}
		items = append(items, item)
	}
	return items, nil
}
