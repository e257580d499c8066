package threads

import (
	"context"
	"net/http"

	"crier/connectors/graph"
	"crier/schema"
)

// pageSize is the most that a list gives at once.
const pageSize = 100

// Find asks the container, which knows whether it was published, and then the account's own
// list for what it became: that a container does not say. NotMade is the container's word.
//
// A first comment has no container that outlives the process, and neither has an entry of a
// thread that was not the last one prepared: the list alone tells of those.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	item, verdict, err := c.Containers.Find(ctx, d, c.search(d))
	return item.Receipt(d, verdict), verdict, err
}

// search looks for what a delivery has made in the account's own list.
func (c *Connector) search(d schema.Delivery) graph.Search {
	return graph.Search{Page: c.pages(d), Compare: compareWith(d), Now: c.Now}
}

// compareWith compares posts with what the delivery would have made, as far as they show. What one that
// is nearly like it answers, and its media, need not be shown.
func compareWith(d schema.Delivery) func(graph.Post) (alike, near bool) {
	wanted := d.Comment == nil && len(d.Media) > 0
	return func(p graph.Post) (alike, near bool) {
		isText := p.MediaType == "TEXT_POST"
		if p.MediaType == "REPOST_FACADE" || p.MediaType != "" && !isText && !wanted {
			return false, false
		}
		alike, near = graph.Compared(d.VisibleText(), p.Text)
		return alike && isText != wanted && p.RepliedTo.ID == d.ReplyTo(),
			near && (p.RepliedTo.ID == d.ReplyTo() || p.RepliedTo.ID == "")
	}
}

// pages reads the list that the delivery's post is in: replies have one of their own.
func (c *Connector) pages(d schema.Delivery) graph.Pages {
	path, operation, fields := "/me/threads", opListPosts, "id,text,timestamp,permalink,media_type"
	if d.ReplyTo() != "" {
		path, operation, fields = "/me/replies", opListReplies, "id,text,timestamp,permalink,media_type,replied_to"
	}
	return graph.List(c.Client, c.Call(d, http.MethodGet, path, operation), fields, pageSize)
}
