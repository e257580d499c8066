package threads

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
	"crier/schema"
)

// rig is a simulator that is called by hand, on a clock that stands until it is moved.
type rig struct {
	world *simulation.World
	base  string
	now   time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	r.world = simulation.NewWorld(simulation.Config{
		Platform: schema.Threads, Now: func() time.Time { return r.now }, BaseURL: func() string { return r.base }, HTTP: http.DefaultClient,
	})
	server := httptest.NewServer(New(r.world))
	t.Cleanup(server.Close)
	r.base = server.URL
	return r
}

// ask calls the API with the token as a parameter, and returns the id or the code it answers.
func (r *rig) ask(t *testing.T, method, path string, params url.Values) (status int, body map[string]any) {
	t.Helper()
	params = cloned(params)
	params.Set("access_token", "token")
	request, err := http.NewRequestWithContext(t.Context(), method, r.base+path+"?"+params.Encode(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

func cloned(values url.Values) url.Values {
	copied := url.Values{}
	for name, all := range values {
		copied[name] = all
	}
	return copied
}

func codeOf(body map[string]any) string {
	said, ok := body["error"].(map[string]any)
	if !ok {
		return ""
	}
	return fmt.Sprint(said["code"], "/", said["error_subcode"])
}

func TestContainersAreChecked(t *testing.T) {
	r := newRig(t)
	page := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "<html>") }))
	t.Cleanup(page.Close)
	long := strings.Repeat("x", 501)
	for name, tt := range map[string]struct {
		asked url.Values
		want  string // code/subcode; empty: it is made
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
			status, body := r.ask(t, http.MethodPost, "/v1.0/me/threads", tt.asked)
			if code := codeOf(body); code != tt.want || (status == http.StatusOK) != (tt.want == "") {
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
	_, made := r.ask(t, http.MethodPost, "/me/threads", url.Values{"media_type": {"VIDEO"}, "video_url": {film.URL}})
	id := fmt.Sprint(made["id"])
	wantStatus := func(want string) {
		t.Helper()
		if _, body := r.ask(t, http.MethodGet, "/v1.0/"+id, url.Values{"fields": {"status"}}); body["status"] != want {
			t.Errorf("the container is %v, want %s", body, want)
		}
	}
	publish := url.Values{"creation_id": {id}}
	wantStatus("IN_PROGRESS")
	if _, body := r.ask(t, http.MethodPost, "/me/threads_publish", publish); codeOf(body) != "24/4279009" {
		t.Errorf("publishing what is not ready: %v", body)
	}
	r.now = r.now.Add(graph.VideoWork)
	wantStatus("FINISHED")
	status, posted := r.ask(t, http.MethodPost, "/me/threads_publish", publish)
	if status != http.StatusOK || posted["id"] == id {
		t.Fatalf("publishing: %d %v", status, posted)
	}
	wantStatus("PUBLISHED")
	if _, body := r.ask(t, http.MethodPost, "/me/threads_publish", publish); codeOf(body) != "24/4279009" || len(r.world.Posts()) != 1 {
		t.Errorf("publishing twice: %v", body)
	}
	_, late := r.ask(t, http.MethodPost, "/me/threads", url.Values{"media_type": {"TEXT"}, "text": {"x"}})
	r.now = r.now.Add(graph.ContainerLife)
	wantStatus("PUBLISHED")
	id = fmt.Sprint(late["id"])
	wantStatus("EXPIRED")
}

func TestListsPage(t *testing.T) {
	r := newRig(t)
	for i := range 5 {
		_, made := r.ask(t, http.MethodPost, "/me/threads", url.Values{"media_type": {"TEXT"}, "text": {fmt.Sprint(i)}, "auto_publish_text": {"true"}})
		if made["id"] == nil {
			t.Fatalf("answer = %v", made)
		}
	}
	var texts []string
	after := ""
	for range 4 {
		_, body := r.ask(t, http.MethodGet, "/me/threads", url.Values{"fields": {"text"}, "limit": {"2"}, "after": {after}})
		data := body["data"].([]any)
		if len(data) == 0 {
			break
		}
		for _, one := range data {
			texts = append(texts, one.(map[string]any)["text"].(string))
		}
		after = body["paging"].(map[string]any)["cursors"].(map[string]any)["after"].(string)
	}
	if got := strings.Join(texts, ""); got != "43210" {
		t.Errorf("listed %q", got)
	}
	if _, body := r.ask(t, http.MethodGet, "/me/replies", nil); len(body["data"].([]any)) != 0 {
		t.Errorf("posts are listed as replies: %v", body)
	}
}
