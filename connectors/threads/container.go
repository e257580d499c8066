package threads

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// The statuses of a container (developers.facebook.com/docs/threads/troubleshooting).
const (
	inProgress = "IN_PROGRESS"
	finished   = "FINISHED"
	published  = "PUBLISHED"
	failed     = "ERROR"
	expired    = "EXPIRED"
)

// requestOf returns the container that a delivery asks for. Of a carousel, children are the
// containers of its items, in order.
func requestOf(d schema.Delivery, children []string) (url.Values, error) {
	s, err := settingsOf(d)
	if err != nil {
		return nil, err
	}
	asked := url.Values{"media_type": {"TEXT"}}
	text := d.Text
	if d.Comment != nil {
		text = d.Comment.Text
	}
	if text != "" {
		asked.Set("text", text)
	}
	if len(children) > 0 {
		asked.Set("media_type", "CAROUSEL")
		asked.Set("children", strings.Join(children, ","))
	}
	if parent := replyTo(d); parent != "" {
		asked.Set("reply_to_id", parent)
		return asked, nil
	}
	return asked, s.apply(asked, len(d.Media) > 0)
}

// itemOf returns the fields of one media item.
func itemOf(item schema.Media, kind schema.MediaKind) url.Values {
	asked := url.Values{"media_type": {"IMAGE"}, "image_url": {item.URL}}
	if kind == schema.Video {
		asked = url.Values{"media_type": {"VIDEO"}, "video_url": {item.URL}}
	}
	if item.AltText != "" {
		asked.Set("alt_text", item.AltText)
	}
	return asked
}

// replyTo returns the post that the delivery's hangs on, empty if none.
func replyTo(d schema.Delivery) string {
	parent := d.Parent()
	if d.Comment != nil {
		parent = d.Receipt(d.Comment.Entry)
	}
	if parent == nil {
		return ""
	}
	return parent.NativeID
}

// create makes a container, which nobody can see.
func (c *Connector) create(ctx context.Context, d schema.Delivery, asked url.Values) (id string, err error) {
	call := c.call(d, http.MethodPost, "/me/threads", opCreate)
	call.Form, call.Kind = asked, connectors.Media
	var out struct {
		ID string `json:"id"`
	}
	switch _, err := c.client.Do(ctx, call, &out); {
	case err != nil && replyTo(d) != "":
		return "", fmt.Errorf("creating container: %w", withoutEnd(err)) // posts that answer nothing may go out all the same
	case err != nil:
		return "", fmt.Errorf("creating container: %w", err)
	case out.ID == "":
		return "", &schema.Error{Kind: schema.Retryable, Message: "Threads' answer names no container"}
	}
	return out.ID, nil
}

// state is how a container stands.
type state struct {
	Status string `json:"status"`
	Error  string `json:"error_message"`
}

// look asks once how a container stands.
func (c *Connector) look(ctx context.Context, d schema.Delivery, container string) (state, error) {
	call := c.call(d, http.MethodGet, "/"+url.PathEscape(container), opContainer)
	call.Query, call.Kind = url.Values{"fields": {"id,status,error_message"}}, connectors.Status
	var out state
	if _, err := c.client.Do(ctx, call, &out); err != nil {
		return state{}, fmt.Errorf("looking at container: %w", err)
	}
	if !slices.Contains([]string{inProgress, finished, published, failed, expired}, out.Status) {
		return state{}, &schema.Error{Kind: schema.Retryable, Message: "Threads does not say how the container stands"}
	}
	return out, nil
}

// Of a container that failed: what passes. All else is the media's fault, and meets it again.
var passing = []string{"", "UNKNOWN", "FAILED_DOWNLOADING_VIDEO"}

// failure is why a container that failed, or that nobody published in time, cannot be used.
func (s state) failure() *schema.Error {
	switch {
	case s.Status == expired:
		return &schema.Error{Kind: schema.Retryable, Message: "Threads has dropped the container, which was not published within a day"}
	case slices.Contains(passing, s.Error):
		return &schema.Error{Kind: schema.Retryable, Message: "Threads could not make the post ready: " + cmp.Or(s.Error, "it gives no reason")}
	default:
		return &schema.Error{Kind: schema.Refused, Message: "Threads does not take the media: " + s.Error}
	}
}

// isGone tells whether an error says that a container or a post is not there.
func isGone(err error) bool {
	r, ok := errors.AsType[graph.Error](err)
	return ok && (r.Code == 24 || r.Has(100, 33))
}

// progress is what is kept of an entry between two calls of Prepare.
type progress struct {
	Items []container `json:"items,omitempty"` // of a carousel, by the position of the item
	Post  container   `json:"post,omitzero"`
	Looks int         `json:"looks,omitempty"` // that found Threads at work
	Since int64       `json:"since,omitempty"` // when the first container was made, in seconds since 1970
}

type container struct {
	ID    string `json:"id"`
	Ready bool   `json:"ready,omitempty"`
}

func progressOf(d schema.Delivery) (progress, error) {
	var p progress
	if len(d.Progress) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(d.Progress, &p); err != nil {
		return p, fmt.Errorf("reading progress: %w", err)
	}
	return p, nil
}
