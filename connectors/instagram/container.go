package instagram

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

// maker makes the containers of Instagram.
type maker struct{ *Connector }

// Fields returns what the container of a part is asked for with
// (developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media).
func (m maker) Fields(d schema.Delivery, p graph.Part) (url.Values, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return nil, err
	}
	if p.Item != graph.WholePost {
		return s.item(d.Media[p.Item], p)
	}
	form := url.Values{}
	switch {
	case len(d.Media) == 0:
		return nil, &schema.Error{Kind: schema.Refused, Message: "Instagram takes no post without a picture or a video"}
	case len(p.Children) > 0 && s.MediaType != "":
		return nil, refusedAs(s.MediaType, "one picture or video")
	case len(p.Children) > 0:
		form.Set("media_type", "CAROUSEL")
		form.Set("children", strings.Join(p.Children, ","))
	case s.MediaType == story:
		return s.story(d.Media[0], p.Kind)
	case p.Kind == schema.Video:
		form.Set("media_type", reel)
		form.Set("video_url", d.Media[0].URL)
		if err := s.applyToReel(form); err != nil {
			return nil, err
		}
	case s.MediaType == reel || s.TrialParams != nil:
		return nil, refusedAs(reel, "one video")
	default:
		form.Set("image_url", d.Media[0].URL)
		connectors.SetField(form, "alt_text", d.Media[0].AltText)
		if err := s.applyTags(form, schema.Image); err != nil {
			return nil, err
		}
	}
	connectors.SetField(form, "caption", d.Text)
	return form, s.applyToFeed(form)
}

func refusedAs(kind, wanted string) *schema.Error {
	return &schema.Error{Kind: schema.Refused, Message: fmt.Sprintf("Instagram makes %s of %s alone", kind, wanted)}
}

// Create makes a container, which nobody can see.
func (m maker) Create(ctx context.Context, d schema.Delivery, form url.Values) (string, error) {
	return graph.CreateContainer(ctx, m.Client, m.Call(d, http.MethodPost, "/me/media", opCreate), form)
}

// Look asks once how a container stands. Its status tells the reason of a failure, in words
// with a subcode.
func (m maker) Look(ctx context.Context, d schema.Delivery, container string) (graph.State, error) {
	call := m.Call(d, http.MethodGet, "/"+url.PathEscape(container), opContainer)
	call.Query, call.Kind = url.Values{"fields": {"id,status_code,status"}}, connectors.Status
	var out struct {
		Code   string `json:"status_code"`
		Status string `json:"status"`
	}
	if _, err := m.Client.Do(ctx, call, &out); err != nil {
		return graph.State{}, fmt.Errorf("looking at container: %w", err)
	}
	return graph.State{Status: out.Code, Reason: out.Status, Passes: passes(out.Status)}, nil
}

var subcode = regexp.MustCompile(`\b2207\d{3}\b`)

// passing are the subcodes of failures that another container may not meet: of a download
// that timed out or failed, of servers, of uploads that failed for no known reason
// (developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes; of 2207077, a
// download that failed, 2207082 and 2207085 gitroomhq/postiz-app instagram.provider.ts).
var passing = []string{
	"2207001", "2207003", "2207020", "2207032", "2207052", "2207053", "2207077", "2207082", "2207085",
}

func passes(status string) bool {
	code := subcode.FindString(status)
	return code == "" || slices.Contains(passing, code)
}
