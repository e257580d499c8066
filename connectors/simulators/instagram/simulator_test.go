package instagram

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/graphtest"
	"crier/connectors/simulators/simulation/graph"
	"crier/schema"
)

func newRig(t *testing.T) *graphtest.Caller {
	t.Helper()
	return graphtest.NewCaller(t, schema.Instagram, New)
}

func TestContainersAreChecked(t *testing.T) {
	r := newRig(t)
	serve := func(content string) string {
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, content) }))
		t.Cleanup(server.Close)
		return server.URL
	}
	picture, page := serve("\xff\xd8\xff"), serve("<html>")
	for name, tt := range map[string]struct {
		form url.Values
		want string // code/subcode; empty: it is made
	}{
		"a picture":               {url.Values{"image_url": {picture}, "alt_text": {"a"}}, ""},
		"nothing":                 {nil, "100/<nil>"},
		"an unknown kind":         {url.Values{"media_type": {"IGTV"}, "image_url": {picture}}, "100/2207023"},
		"a video of the feed":     {url.Values{"media_type": {"VIDEO"}, "video_url": {picture}}, "100/2207067"},
		"a caption too long":      {url.Values{"image_url": {picture}, "caption": {strings.Repeat("x", 2201)}}, "36004/2207010"},
		"31 hashtags":             {url.Values{"image_url": {picture}, "caption": {strings.Repeat("#a ", 31)}}, "36004/2207010"},
		"21 mentions":             {url.Values{"image_url": {picture}, "caption": {strings.Repeat("@a ", 21)}}, "36004/2207010"},
		"21 tags":                 {url.Values{"image_url": {picture}, "user_tags": {"[" + strings.Repeat(`{"username":"a","x":0,"y":0},`, 20) + `{"username":"a","x":0,"y":0}]`}}, "100/2207040"},
		"a tag without its place": {url.Values{"image_url": {picture}, "user_tags": {`[{"username":"a"}]`}}, "100/<nil>"},
		"a story with a place":    {url.Values{"media_type": {"STORIES"}, "image_url": {picture}, "location_id": {"1"}}, "100/<nil>"},
		"a trial of a picture":    {url.Values{"image_url": {picture}, "trial_params": {`{"graduation_strategy":"MANUAL"}`}}, "100/<nil>"},
		"a trial without an end":  {url.Values{"media_type": {"REELS"}, "video_url": {picture}, "trial_params": {`{}`}}, "100/<nil>"},
		"a carousel of one":       {url.Values{"media_type": {"CAROUSEL"}, "children": {"1"}}, "100/2207028"},
		"children of nobody":      {url.Values{"media_type": {"CAROUSEL"}, "children": {"1,2"}}, "24/2207008"},
		"a picture of nowhere":    {url.Values{"image_url": {"http://127.0.0.1:1/"}}, "9004/2207052"},
		"a page for a picture":    {url.Values{"image_url": {page}}, "36001/2207005"},
		"an alt text of a story":  {url.Values{"media_type": {"STORIES"}, "image_url": {picture}, "alt_text": {"a"}}, "100/<nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := r.Ask(t, http.MethodPost, "/v25.0/me/media", tt.form)
			if code := graphtest.CodeOf(body); code != tt.want || (status == http.StatusOK) != (tt.want == "") {
				t.Errorf("answer = %d %v, want %s", status, body, tt.want)
			}
		})
	}
}

func TestAStoryIsListedForADay(t *testing.T) {
	r := newRig(t)
	picture := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "\xff\xd8\xff") }))
	t.Cleanup(picture.Close)
	for _, kind := range []string{"STORIES", ""} {
		_, container := r.Ask(t, http.MethodPost, "/me/media", url.Values{"media_type": {kind}, "image_url": {picture.URL}, "caption": {"kind " + kind}})
		if status, body := r.Ask(t, http.MethodPost, "/me/media_publish", url.Values{"creation_id": {fmt.Sprint(container["id"])}}); status != http.StatusOK {
			t.Fatalf("publishing: %v", body)
		}
	}
	wantListed := func(path string, want int, product string) {
		t.Helper()
		_, body := r.Ask(t, http.MethodGet, path, url.Values{"fields": {"media_product_type"}})
		data := body["data"].([]any)
		if len(data) != want || want > 0 && data[0].(map[string]any)["media_product_type"] != product {
			t.Errorf("%s lists %v", path, data)
		}
	}
	wantListed("/me/stories", 1, "STORY")
	wantListed("/me/media", 1, "FEED")
	r.Now = r.Now.Add(storyLife)
	wantListed("/me/stories", 0, "")
	wantListed("/me/media", 1, "FEED")
}

func TestTheUsageIsTold(t *testing.T) {
	r := newRig(t)
	account := r.World.Account("token")
	stateOf(account).window = graph.Window{Ends: r.Now.Add(time.Hour), Calls: maxCalls - 1}
	if status, _ := r.Ask(t, http.MethodGet, "/me", nil); status != http.StatusOK {
		t.Errorf("the last call is answered %d", status)
	}
	if status, body := r.Ask(t, http.MethodGet, "/me", nil); status != http.StatusBadRequest || graphtest.CodeOf(body) != "4/<nil>" {
		t.Errorf("one more is answered %d %v", status, body)
	}
	r.Now = r.Now.Add(time.Hour)
	if status, _ := r.Ask(t, http.MethodGet, "/me", nil); status != http.StatusOK {
		t.Errorf("the next window's first is answered %d", status)
	}
}
