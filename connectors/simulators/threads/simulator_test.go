package threads

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"crier/connectors/simulators/graphtest"
	"crier/connectors/simulators/simulation/graph"
	"crier/schema"
)

func newRig(t *testing.T) *graphtest.Caller {
	t.Helper()
	return graphtest.NewCaller(t, schema.Threads, New)
}

func TestContainersAreChecked(t *testing.T) {
	r := newRig(t)
	page := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "<html>") }))
	t.Cleanup(page.Close)
	long := strings.Repeat("x", 501)
	for name, tt := range map[string]struct {
		form url.Values
		want string // code/subcode; empty: it is made
	}{
		"a text":                {url.Values{"media_type": {"TEXT"}, "text": {"x"}}, ""},
		"no kind":               {url.Values{"text": {"x"}}, "100/2207023"},
		"no text":               {url.Values{"media_type": {"TEXT"}}, "100/<nil>"},
		"a text too long":       {url.Values{"media_type": {"TEXT"}, "text": {long}}, "100/<nil>"},
		"emoji too long":        {url.Values{"media_type": {"TEXT"}, "text": {strings.Repeat("🐱", 126)}}, "100/<nil>"},
		"six links":             {url.Values{"media_type": {"TEXT"}, "text": {"http://a http://b http://c http://d http://e"}, "link_attachment": {"http://f.example"}}, "100/<nil>"},
		"another control":       {url.Values{"media_type": {"TEXT"}, "text": {"x"}, "reply_control": {"nobody"}}, "100/<nil>"},
		"a topic with a period": {url.Values{"media_type": {"TEXT"}, "text": {"x"}, "topic_tag": {"a.b"}}, "100/<nil>"},
		"a poll of one":         {url.Values{"media_type": {"TEXT"}, "text": {"x"}, "poll_attachment": {`{"option_a":"a"}`}}, "100/<nil>"},
		"a carousel of one":     {url.Values{"media_type": {"CAROUSEL"}, "children": {"1"}}, "100/2207028"},
		"children of nobody":    {url.Values{"media_type": {"CAROUSEL"}, "children": {"1,2"}}, "24/4279009"},
		"an answer to nothing":  {url.Values{"media_type": {"TEXT"}, "text": {"x"}, "reply_to_id": {"1"}}, "100/33"},
		"a picture of nowhere":  {url.Values{"media_type": {"IMAGE"}, "image_url": {"http://127.0.0.1:1/"}}, "1/2207052"},
		"a page for a picture":  {url.Values{"media_type": {"IMAGE"}, "image_url": {page.URL}}, "36001/2207005"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := r.Ask(t, http.MethodPost, "/v1.0/me/threads", tt.form)
			if code := graphtest.CodeOf(body); code != tt.want || (status == http.StatusOK) != (tt.want == "") {
				t.Errorf("answer = %d %v, want %s", status, body, tt.want)
			}
		})
	}
}

func TestAContainersLife(t *testing.T) {
	r := newRig(t)
	film := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Write([]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"))
	}))
	t.Cleanup(film.Close)
	_, container := r.Ask(t, http.MethodPost, "/me/threads", url.Values{"media_type": {"VIDEO"}, "video_url": {film.URL}})
	id := fmt.Sprint(container["id"])
	wantStatus := func(want string) {
		t.Helper()
		if _, body := r.Ask(t, http.MethodGet, "/v1.0/"+id, url.Values{"fields": {"status"}}); body["status"] != want {
			t.Errorf("the container is %v, want %s", body, want)
		}
	}
	publish := url.Values{"creation_id": {id}}
	wantStatus("IN_PROGRESS")
	if _, body := r.Ask(t, http.MethodPost, "/me/threads_publish", publish); graphtest.CodeOf(body) != "24/4279009" {
		t.Errorf("publishing what is not ready: %v", body)
	}
	r.Now = r.Now.Add(graph.VideoWork)
	wantStatus("FINISHED")
	status, posted := r.Ask(t, http.MethodPost, "/me/threads_publish", publish)
	if status != http.StatusOK || posted["id"] == id {
		t.Fatalf("publishing: %d %v", status, posted)
	}
	wantStatus("PUBLISHED")
	if _, body := r.Ask(t, http.MethodPost, "/me/threads_publish", publish); graphtest.CodeOf(body) != "24/4279009" || len(r.World.Posts()) != 1 {
		t.Errorf("publishing twice: %v", body)
	}
	_, late := r.Ask(t, http.MethodPost, "/me/threads", url.Values{"media_type": {"TEXT"}, "text": {"x"}})
	r.Now = r.Now.Add(graph.ContainerLife)
	wantStatus("PUBLISHED")
	id = fmt.Sprint(late["id"])
	wantStatus("EXPIRED")
}

func TestListsPage(t *testing.T) {
	r := newRig(t)
	for i := range 5 {
		_, container := r.Ask(t, http.MethodPost, "/me/threads", url.Values{"media_type": {"TEXT"}, "text": {fmt.Sprint(i)}, "auto_publish_text": {"true"}})
		if container["id"] == nil {
			t.Fatalf("answer = %v", container)
		}
	}
	var texts []string
	after := ""
	for range 4 {
		_, body := r.Ask(t, http.MethodGet, "/me/threads", url.Values{"fields": {"text"}, "limit": {"2"}, "after": {after}})
		data := body["data"].([]any)
		if len(data) == 0 {
			break
		}
		for _, post := range data {
			texts = append(texts, post.(map[string]any)["text"].(string))
		}
		after = body["paging"].(map[string]any)["cursors"].(map[string]any)["after"].(string)
	}
	if got := strings.Join(texts, ""); got != "43210" {
		t.Errorf("listed %q", got)
	}
	if _, body := r.Ask(t, http.MethodGet, "/me/replies", nil); len(body["data"].([]any)) != 0 {
		t.Errorf("posts are listed as replies: %v", body)
	}
}
