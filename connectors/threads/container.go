package threads

import (
	"context"
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

// maker makes the containers of Threads.
type maker struct{ *Connector }

// Fields returns what the container of a part is asked for with.
func (m maker) Fields(d schema.Delivery, p graph.Part) (url.Values, error) {
	form := url.Values{"media_type": {"TEXT"}}
	switch {
	case p.Item != graph.WholePost:
		form = itemOf(d.Media[p.Item], p.Kind)
		form.Set("is_carousel_item", "true")
		return form, nil
	case len(p.Children) > 0:
		form = url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(p.Children, ",")}}
	case p.Kind != "":
		form = itemOf(d.Media[0], p.Kind)
	}
	connectors.SetField(form, "text", d.VisibleText())
	if parent := d.ReplyTo(); parent != "" {
		form.Set("reply_to_id", parent)
		return form, nil
	}
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return nil, err
	}
	return form, s.apply(form, len(d.Media) > 0)
}

// itemOf returns the fields of one media item.
func itemOf(item schema.Media, kind schema.MediaKind) url.Values {
	form := url.Values{"media_type": {"IMAGE"}, "image_url": {item.URL}}
	if kind == schema.Video {
		form = url.Values{"media_type": {"VIDEO"}, "video_url": {item.URL}}
	}
	connectors.SetField(form, "alt_text", item.AltText)
	return form
}

// Create makes a container, which nobody can see.
func (m maker) Create(ctx context.Context, d schema.Delivery, form url.Values) (string, error) {
	id, err := graph.CreateContainer(ctx, m.Client, m.Call(d, http.MethodPost, "/me/threads", opCreate), form)
	if d.ReplyTo() != "" {
		err = connectors.WithoutEnd(err) // posts that answer nothing may go out all the same
	}
	return id, err
}

// Look asks once how a container stands.
func (m maker) Look(ctx context.Context, d schema.Delivery, container string) (graph.State, error) {
	call := m.Call(d, http.MethodGet, "/"+url.PathEscape(container), opContainer)
	call.Query, call.Kind = url.Values{"fields": {"id,status,error_message"}}, connectors.Status
	var out struct {
		Status string `json:"status"`
		Error  string `json:"error_message"`
	}
	if _, err := m.Client.Do(ctx, call, &out); err != nil {
		return graph.State{}, fmt.Errorf("looking at container: %w", err)
	}
	return graph.State{Status: out.Status, Reason: out.Error, Passes: slices.Contains(passing, out.Error)}, nil
}

// passing is of a container that failed what passes. All else is the media's fault, and meets
// it again.
var passing = []string{"", "UNKNOWN", "FAILED_DOWNLOADING_VIDEO"}

// isGone reports whether an error says that a container or a post is not there.
func isGone(err error) bool {
	r, ok := errors.AsType[graph.Error](err)
	return ok && (r.Code == 24 || r.Has(100, 33))
}
