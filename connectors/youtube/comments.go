package youtube

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

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
	call := visible(d, about(c.call(d.Account, d.Credentials, http.MethodPost, "/youtube/v3/commentThreads", opComment), "snippet"))
	body := map[string]any{
		"videoId": parent.NativeID, "topLevelComment": map[string]any{"snippet": map[string]string{"textOriginal": d.Comment.Text}},
	}
	if own := channelOf(d.Account); own != "" {
		body["channelId"] = own
	}
	call.JSON = map[string]any{"snippet": body}
	var created commentThread
	if _, err := c.do(ctx, d.Account, d.Credentials, call, &created); err != nil {
		return schema.Receipt{}, fmt.Errorf("creating comment: %w", connectors.WithoutEnd(err))
	}
	if created.ID == "" {
		return schema.Receipt{}, &schema.Error{Kind: schema.Unknown, Message: "YouTube's answer names no comment"}
	}
	return c.commentReceipt(d, parent.NativeID, created.ID, c.now()), nil
}

func (c *Connector) commentReceipt(d schema.Delivery, video, id string, at time.Time) schema.Receipt {
	return schema.Receipt{
		Entry: d.Comment.Entry, NativeID: id, URL: c.address(video) + "&lc=" + url.QueryEscape(id), PostedAt: at.UTC(),
	}
}

// commentThread is what is shown of a comment.
type commentThread struct {
	ID      string `json:"id"`
	Snippet struct {
		Top struct {
			Snippet struct {
				Author struct {
					Value string `json:"value"`
				} `json:"authorChannelId"`
				Original    string    `json:"textOriginal"` // shown to its author
				Display     string    `json:"textDisplay"`
				PublishedAt time.Time `json:"publishedAt"`
			} `json:"snippet"`
		} `json:"topLevelComment"`
	} `json:"snippet"`
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
	call := c.read(d, "commentThreads", opComments, "snippet")
	for name, value := range map[string]string{
		"videoId": video, "order": "time", "textFormat": "plainText", "maxResults": strconv.Itoa(2 * pageSize), "pageToken": next,
	} {
		if value != "" {
			call.Query.Set(name, value)
		}
	}
	read, response, err := readList[commentThread](ctx, c, d, call, "comments")
	if err != nil {
		return listing.Page{}, err
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: read.Next}
	for _, thread := range read.Items {
		top := thread.Snippet.Top.Snippet
		if thread.ID == "" || top.PublishedAt.IsZero() {
			return listing.Page{}, strange("lists a comment without a name")
		}
		item := listing.Item{ID: thread.ID, At: top.PublishedAt}
		if own := channelOf(d.Account); own == "" || top.Author.Value == own {
			item.Alike, item.Near = listing.Compared(d.Comment.Text, cmp.Or(top.Original, top.Display))
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}
