package instagram

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

// pageSize is the most that a list gives at once, of media and of comments.
const (
	pageSize        = 100
	commentPageSize = 50
)

// Find asks the container, which knows whether it was published, and then the account's own
// list for what it became: that a container does not say. NotThere is the container's word.
// A first comment has no container: the comments on its entry tell.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	search, verdict, err := c.search(ctx, d)
	if search == nil {
		return schema.Receipt{}, verdict, err
	}
	found, verdict, err := search.Find(ctx, d)
	if found == nil {
		return schema.Receipt{}, verdict, err
	}
	return c.receipt(d, *found), verdict, nil
}

// search returns where to look; nil where the container tells.
func (c *Connector) search(ctx context.Context, d schema.Delivery) (*graph.Search, schema.Verdict, error) {
	search := &graph.Search{Now: c.now}
	if d.Comment != nil {
		entry := d.Receipt(d.Comment.Entry)
		if entry == nil {
			return nil, schema.NotThere, nil // it could not be called for
		}
		search.Page = c.pages(d, list{"/" + url.PathEscape(entry.NativeID) + "/comments", opListComments, "id,text,timestamp", commentPageSize})
		search.IsLike = func(p graph.Post) bool { return graph.SameText(p.Text, d.Comment.Text) }
		return search, schema.CannotTell, nil
	}
	container, err := graph.Container(d)
	if err != nil {
		return nil, schema.CannotTell, err
	}
	if container != "" {
		state, err := c.containers.Look(ctx, d, container)
		switch {
		case isGone(err): // after a day or more; the list tells
		case err != nil:
			return nil, schema.CannotTell, graph.WithoutEnd(err)
		case state.Status == graph.InProgress:
			return nil, schema.CannotTell, graph.LookLater(0, "Instagram still works on the container")
		case state.Status != graph.Published:
			return nil, schema.NotThere, nil
		default:
			search.IsPublished = true
		}
	}
	s, err := settingsOf(d)
	if err != nil {
		return nil, schema.CannotTell, err
	}
	const fields = "id,caption,timestamp,permalink,media_type,media_product_type"
	if s.MediaType == story {
		search.Page = c.pages(d, list{"/me/stories", opListStories, fields, pageSize})
		search.IsLike = func(p graph.Post) bool { return p.ProductType == "STORY" || p.ProductType == "" }
		return search, schema.CannotTell, nil
	}
	search.Page = c.pages(d, list{"/me/media", opListMedia, fields, pageSize})
	search.IsLike = func(p graph.Post) bool {
		return p.ProductType != "STORY" && (p.MediaType == "CAROUSEL_ALBUM") == (len(d.Media) > 1) && graph.SameText(p.Caption, d.Text)
	}
	return search, schema.CannotTell, nil
}

// list is one that the API gives.
type list struct {
	path, operation, fields string
	size                    int
}

func (c *Connector) pages(d schema.Delivery, l list) func(context.Context, string) (graph.Page, http.Header, error) {
	return func(ctx context.Context, after string) (page graph.Page, header http.Header, err error) {
		call := c.call(d, http.MethodGet, l.path, l.operation)
		call.Query, call.Kind = url.Values{"fields": {l.fields}, "limit": {strconv.Itoa(l.size)}}, connectors.Status
		if after != "" {
			call.Query.Set("after", after)
		}
		response, err := c.client.Do(ctx, call, &page)
		if err != nil {
			return page, nil, fmt.Errorf("listing %s: %w", l.path, err)
		}
		return page, response.Header, nil
	}
}
