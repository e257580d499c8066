package instagram

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// pageSize is the most that a list gives at once, of media and of comments.
const (
	pageSize        = 100
	commentPageSize = 50
)

// storyLife is how long a story is shown, and listed
// (developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/stories).
const storyLife = 24 * time.Hour

const postFields = "id,caption,timestamp,permalink,media_type,media_product_type"

// Find asks the container, which knows whether it was published, and then the account's own
// list for what it became: that a container does not say. A first comment has no container:
// the comments on its entry tell.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	if d.Comment != nil {
		return c.findComment(ctx, d)
	}
	search, err := c.search(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	item, verdict, err := c.Containers.Find(ctx, d, search)
	if s, _ := connectors.SettingsOf[settings](d); s.MediaType == story && verdict == schema.NotThere && c.Now().Sub(d.Since) >= storyLife {
		verdict = schema.CannotTell // it may have been there
	}
	return item.Receipt(d, verdict), verdict, err
}

// unpublishable judges that Instagram knows no such container to publish.
func (c *Connector) unpublishable(ctx context.Context, d schema.Delivery, container string, cause error) error {
	search, err := c.search(d)
	if err != nil {
		return err
	}
	return c.Containers.Unpublishable(ctx, d, container, search, cause)
}

// search looks for what a delivery has made in the account's own list.
func (c *Connector) search(d schema.Delivery) (graph.Search, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return graph.Search{}, err
	}
	search := graph.Search{Now: c.Now, Page: c.pages(d, list{"/me/media", opListMedia, postFields, pageSize})}
	search.Compare = func(p graph.Post) (alike, near bool) {
		isSame := (p.MediaType == "CAROUSEL_ALBUM") == (len(d.Media) > 1)
		if p.ProductType == "STORY" || !isSame && p.MediaType != "" {
			return false, false
		}
		alike, near = graph.Compared(d.Text, p.Caption)
		return alike && isSame, near
	}
	if s.MediaType == story {
		search.Page = c.pages(d, list{"/me/stories", opListStories, postFields, pageSize})
		search.Compare = func(p graph.Post) (alike, near bool) { return p.ProductType == "STORY" || p.ProductType == "", false }
	}
	return search, nil
}

func (c *Connector) findComment(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	entry := d.Receipt(d.Comment.Entry)
	if entry == nil {
		return schema.Receipt{}, schema.NotThere, nil // it could not be called for
	}
	return graph.Search{
		Now:     c.Now,
		Page:    c.pages(d, list{"/" + url.PathEscape(entry.NativeID) + "/comments", opListComments, "id,text,timestamp", commentPageSize}),
		Compare: func(p graph.Post) (alike, near bool) { return graph.Compared(d.Comment.Text, p.Text) },
	}.Receipt(ctx, d)
}

// list is one that the API gives.
type list struct {
	path, operation, fields string
	size                    int
}

func (c *Connector) pages(d schema.Delivery, l list) graph.Pages {
	return graph.List(c.Client, c.Call(d, http.MethodGet, l.path, l.operation), l.fields, l.size)
}
