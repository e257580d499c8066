package facebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/connectors/listing"
	"crier/schema"
)

const pageSize = 100 // the most Facebook gives at once

// Find asks a video by its id, and lists the page's posts for all else. Stories are in no
// list that a page always has: one of a photo is not found.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	if d.Comment != nil {
		return c.findComment(ctx, d)
	}
	s, err := settingsOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	switch {
	case len(p.Media) == 1 && p.Media[0].Video:
		return c.findVideo(ctx, d, s, p.Media[0].ID)
	case s.MediaType != asPost: // without its id, which an earlier run knew
		return schema.Receipt{}, schema.CannotTell, nil
	}
	return listing.Search{Now: c.now, Part: true, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.posts(ctx, d, p.Media, next)
	}}.Receipt(ctx, d)
}

// video is what Facebook shows of one (graph-api/reference/video).
type video struct {
	Status struct {
		Video     string `json:"video_status"`
		Uploading struct {
			Status string `json:"status"`
			Bytes  int64  `json:"bytes_transferred"`
		} `json:"uploading_phase"`
		Processing phase `json:"processing_phase"`
		Publishing phase `json:"publishing_phase"`
	} `json:"status"`
}

type phase struct {
	Status string `json:"status"`
	// What went wrong is in either, by which document one reads.
	Error  phaseError   `json:"error"`
	Errors []phaseError `json:"errors"`
}

type phaseError struct {
	Message string `json:"message"`
}

// The states of a phase; the video as a whole has failed, too.
const (
	notStarted = "not_started"
	inProgress = "in_progress"
	complete   = "complete"
	failed     = "error"
)

// failure returns why Facebook gave up on the video; ok is false if it did not.
func (v video) failure() (reason string, ok bool) {
	for _, p := range []phase{v.Status.Processing, v.Status.Publishing} {
		message := p.Error.Message
		for _, e := range p.Errors {
			message = cmp.Or(message, e.Message)
		}
		ok = ok || p.Status == failed || message != "" && p.Status == notStarted
		reason = cmp.Or(reason, message)
	}
	return cmp.Or(reason, "it gave no reason"), ok || v.Status.Video == failed
}

func (c *Connector) videoStatus(ctx context.Context, d schema.Delivery, id string) (video, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet, url.PathEscape(id), opVideo)
	call.Kind, call.Query = connectors.Status, url.Values{"fields": {"status"}}
	var read video
	if _, err := c.client.Do(ctx, call, &read); err != nil {
		return video{}, fmt.Errorf("asking how far the video is: %w", err)
	}
	if read.Status.Publishing.Status == "" {
		return video{}, platform.Strange("does not say how far the video is")
	}
	return read, nil
}

// findVideo tells by a video's phases whether the end of its upload has arrived, and what
// became of the video since. Facebook goes on by itself after that call, so the receipt is
// open until the video is published.
func (c *Connector) findVideo(ctx context.Context, d schema.Delivery, s settings, id string) (schema.Receipt, schema.Verdict, error) {
	film, err := c.videoStatus(ctx, d, id)
	if isGone(err) && c.now().Sub(d.Since) < graph.MaxWork { // as in an incident, and right after the call
		return schema.Receipt{}, schema.CannotTell, listing.LookLater(0, "Facebook does not show the video")
	}
	if isGone(err) {
		return schema.Receipt{}, schema.NotThere, nil
	}
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	receipt := c.receipt(d.Entry, id, addressOfVideo(s, id))
	known := d.Receipt(d.Entry)
	if known != nil {
		receipt.PostedAt = known.PostedAt
	}
	reason, hasFailed := film.failure()
	switch {
	case hasFailed:
		return schema.Receipt{}, schema.NotThere, connectors.Refuse("Facebook could not process the video: %s", reason)
	case film.Status.Publishing.Status == complete:
		return receipt, schema.Found, nil
	case film.Status.Publishing.Status != notStarted || known != nil: // Facebook has answered that it took it
		receipt.Open = true
		return receipt, schema.Found, nil
	case film.Status.Processing.Status == inProgress:
		return schema.Receipt{}, schema.CannotTell, &schema.Error{
			Kind: schema.Retryable, RetryAfter: schema.SettleTime, Message: "Facebook processes the video still",
		}
	default:
		return schema.Receipt{}, schema.NotMade, nil
	}
}

// isGone tells whether Facebook knows nothing of such an id.
func isGone(err error) bool {
	const invalid, noSuchObject = 100, 33
	refused, ok := errors.AsType[graph.Error](err)
	return ok && refused.Has(invalid, noSuchObject)
}

// list is a part of one, the newest first.
type list[Of any] struct{ graph.Page[Of] }

func (l list[Of]) next() string {
	if l.Paging.Next == "" {
		return ""
	}
	return l.Paging.Cursors.After
}

// listedPost is what a list has of a post.
type listedPost struct {
	ID          string      `json:"id"`
	Message     string      `json:"message"`
	CreatedTime graph.Time  `json:"created_time"`
	Attachments attachments `json:"attachments"`
}

type attachments struct {
	Data []attachment `json:"data"`
}

type attachment struct {
	MediaType string `json:"media_type"`
	Target    struct {
		ID string `json:"id"`
	} `json:"target"`
	Inner attachments `json:"subattachments"`
}

// media returns the ids of the photos and videos of a post.
func (s listedPost) media() (ids []string) {
	for _, a := range s.Attachments.Data {
		if len(a.Inner.Data) > 0 {
			for _, inner := range a.Inner.Data {
				ids = append(ids, inner.Target.ID)
			}
		} else if a.MediaType == "photo" || a.MediaType == "video" {
			ids = append(ids, a.Target.ID)
		}
	}
	return ids
}

// posts reads a part of what the page has published.
func (c *Connector) posts(ctx context.Context, d schema.Delivery, assets []asset, next string) (listing.Page, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet, pageOf(d)+"/published_posts", opPosts)
	call.Kind = connectors.Status
	call.Query = pageQuery(next, "id,message,created_time,attachments{media_type,target,subattachments}")
	var read list[listedPost]
	response, err := c.client.Do(ctx, call, &read)
	if err != nil {
		return listing.Page{}, fmt.Errorf("reading posts: %w", err)
	}
	isPart := func(s listedPost) bool { return s.ID == "" || s.CreatedTime.IsZero() }
	if read.Data == nil || slices.ContainsFunc(read.Data, isPart) {
		return listing.Page{}, platform.Strange("is no list of posts")
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: read.next()}
	for _, post := range read.Data {
		item := listing.Item{ID: post.ID, URL: c.web + "/" + post.ID, At: post.CreatedTime.Time}
		compare(&item, d, assets, post)
		page.Items = append(page.Items, item)
		page.Until = post.CreatedTime.Time
	}
	return page, nil
}

func pageQuery(next, fields string) url.Values {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}, "fields": {fields}}
	connectors.SetField(query, "after", next)
	return query
}

// commentQuery asks for comments and the answers to them, the newest first.
func commentQuery(next, fields string) url.Values {
	query := pageQuery(next, fields)
	query.Set("filter", "stream")
	query.Set("order", "reverse_chronological")
	return query
}

// compare notes how a post that is wanted and one that is shown are alike. A photo is an upload of this
// delivery alone, so that a post with it is its own. How many of an album are shown, in which order, and
// whether any is, is Facebook's.
func compare(item *listing.Item, d schema.Delivery, assets []asset, candidate listedPost) {
	has := candidate.media()
	if len(has) > 0 && len(assets) == 0 {
		return
	}
	item.Alike, item.Near = listing.Compared(d.Text, candidate.Message)
	if len(assets) > 0 && assets[0].ID != "" {
		item.Own = slices.ContainsFunc(assets, func(a asset) bool { return slices.Contains(has, a.ID) })
		item.Alike = item.Own
		return
	}
	item.Alike = item.Alike && (len(has) > 0) == (len(assets) > 0)
}

func (c *Connector) findComment(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	parent := d.Receipt(d.Comment.Entry)
	if parent == nil {
		return schema.Receipt{}, schema.CannotTell, connectors.Refuse("the entry to comment on is not published")
	}
	return listing.Search{Now: c.now, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.comments(ctx, d, parent.NativeID, next)
	}}.Receipt(ctx, d)
}

func (c *Connector) comments(ctx context.Context, d schema.Delivery, post, next string) (listing.Page, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet, post+"/comments", opComments)
	call.Kind, call.Query = connectors.Status, commentQuery(next, "id,message,created_time,from")
	var read list[receivedComment]
	response, err := c.client.Do(ctx, call, &read)
	if err != nil {
		return listing.Page{}, fmt.Errorf("reading comments: %w", connectors.WithoutEnd(err))
	}
	isPart := func(s receivedComment) bool { return s.ID == "" || s.CreatedTime.IsZero() }
	if read.Data == nil || slices.ContainsFunc(read.Data, isPart) {
		return listing.Page{}, platform.Strange("is no list of comments")
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: read.next()}
	for _, comment := range read.Data {
		item := listing.Item{ID: comment.ID, URL: c.web + "/" + comment.ID, At: comment.CreatedTime.Time}
		if comment.From.ID == "" || pageOf(d) == "me" || comment.From.ID == pageOf(d) {
			item.Alike, item.Near = listing.Compared(d.Comment.Text, comment.Message)
		}
		page.Items = append(page.Items, item)
		page.Until = comment.CreatedTime.Time
	}
	return page, nil
}
