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

// pageSize is the most that a list gives at once.
const pageSize = 100

// Find asks the container, which knows whether it was published, and then the account's own
// list for what it became: that a container does not say. NotThere is the container's word.
//
// A first comment has no container that outlives the process, and neither has an entry of a
// retry: the list alone tells of those.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	container, err := graph.Container(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	search := graph.Search{Page: c.pages(d), IsLike: likeOf(d), Now: c.now}
	if d.Comment == nil && container != "" {
		state, err := c.containers.Look(ctx, d, container)
		switch {
		case isGone(err): // after a day or more; the list tells
		case err != nil:
			return schema.Receipt{}, schema.CannotTell, graph.WithoutEnd(err)
		case state.Status == graph.InProgress:
			return schema.Receipt{}, schema.CannotTell, graph.LookLater(0, "Threads still works on the container")
		case state.Status != graph.Published:
			return schema.Receipt{}, schema.NotThere, nil
		default:
			search.IsPublished = true
		}
	}
	found, verdict, err := search.Find(ctx, d)
	if found == nil {
		return schema.Receipt{}, verdict, err
	}
	return c.receipt(d, *found), verdict, nil
}

// likeOf tells whether a post is what the delivery would have made, as far as it shows.
func likeOf(d schema.Delivery) func(graph.Post) bool {
	hasMedia := d.Comment == nil && len(d.Media) > 0
	return func(p graph.Post) bool {
		return p.RepliedTo.ID == replyTo(d) && (p.MediaType != "TEXT_POST") == hasMedia &&
			p.MediaType != "REPOST_FACADE" && graph.SameText(p.Text, textOf(d))
	}
}

// pages reads the list that the delivery's post is in: replies have one of their own.
func (c *Connector) pages(d schema.Delivery) func(context.Context, string) (graph.Page, http.Header, error) {
	path, operation, fields := "/me/threads", opListPosts, "id,text,timestamp,permalink,media_type"
	if replyTo(d) != "" {
		path, operation, fields = "/me/replies", opListReplies, "id,text,timestamp,permalink,media_type,replied_to"
	}
	return func(ctx context.Context, after string) (page graph.Page, header http.Header, err error) {
		call := c.call(d, http.MethodGet, path, operation)
		call.Query, call.Kind = url.Values{"fields": {fields}, "limit": {strconv.Itoa(pageSize)}}, connectors.Status
		if after != "" {
			call.Query.Set("after", after)
		}
		response, err := c.client.Do(ctx, call, &page)
		if err != nil {
			return page, nil, fmt.Errorf("listing posts: %w", err)
		}
		return page, response.Header, nil
	}
}
