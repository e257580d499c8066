package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/sandbox"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newDiary is the smallest platform: POST /posts publishes its body as a reply to the
// first post.
func newDiary(w *simulation.World) http.Handler {
	dialect := simulation.Dialect{
		Operation: func(r *http.Request) string { return r.Method + " " + r.URL.Path },
		Fail:      func(rw http.ResponseWriter, _ simulation.Outcome, status int) { rw.WriteHeader(status) },
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /address", func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, w.BaseURL()) })
	mux.HandleFunc("POST /posts", func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		post := simulation.Post{Account: "a", Text: string(text)}
		for first := range w.All() {
			post.ReplyTo = first.ID
			post.Media = []simulation.Media{{ID: "m", Type: "image/png", Size: 3, AltText: "dot"}}
			break
		}
		if _, _, err := w.Add(post); err != nil {
			panic(err)
		}
	})
	return w.Handler(mux, dialect)
}

func newSandbox(t *testing.T, folder string) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(sandbox.Config{
		Simulators: []simulation.Simulator{{Platform: schema.Mastodon, New: newDiary}, {Platform: schema.GoogleBusiness, New: newDiary}},
		Folder:     folder,
		BaseURL:    func() string { return "http://sandbox.test" },
		Now:        func() time.Time { return noon },
	})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// call makes one request to a handler and returns status and body.
func call(h http.Handler, method, path, body string) (int, string) {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	return recorder.Code, recorder.Body.String()
}

func wantStatus(t *testing.T, h http.Handler, method, path, body string, want int) string {
	t.Helper()
	status, answer := call(h, method, path, body)
	if status != want {
		t.Fatalf("%s %s: %d %s, want %d", method, path, status, answer, want)
	}
	return answer
}

func TestPostsAreListedWhole(t *testing.T) {
	h := newSandbox(t, "").SimulateHandler()
	if got := wantStatus(t, h, "GET", "/_control/posts", "", 200); strings.TrimSpace(got) != `{"posts":[]}` {
		t.Errorf("posts of an empty sandbox: %s", got)
	}
	wantStatus(t, h, "POST", "/mastodon/posts", "first", 200)
	wantStatus(t, h, "POST", "/mastodon/posts", `"second" é`, 200)
	wantStatus(t, h, "POST", "/google-business/posts", "elsewhere", 200)

	var list struct{ Posts []map[string]any }
	if err := json.Unmarshal([]byte(wantStatus(t, h, "GET", "/_control/posts", "", 200)), &list); err != nil {
		t.Fatalf("posts are no JSON: %v", err)
	}
	if len(list.Posts) != 3 {
		t.Fatalf("%d posts, want 3", len(list.Posts))
	}
	first, second, third := list.Posts[0], list.Posts[1], list.Posts[2]
	if first["platform"] != "mastodon" || first["account"] != "a" || first["text"] != "first" ||
		first["replyTo"] != nil || first["createdAt"] != "2026-03-01T12:00:00Z" || len(first["media"].([]any)) != 0 {
		t.Errorf("first post: %v", first)
	}
	if second["text"] != `"second" é` || second["replyTo"] != first["id"] || len(second["media"].([]any)) != 1 {
		t.Errorf("second post: %v", second)
	}
	if third["platform"] != "google-business" || third["replyTo"] != nil {
		t.Errorf("third post: %v", third)
	}

	for query, want := range map[string]int{
		"platform=mastodon": 2, "platform=mastodon&skip=1": 1, "platform=mastodon&skip=3": 0, "platform=google-business&skip=0": 1,
	} {
		var some struct{ Posts []map[string]any }
		if err := json.Unmarshal([]byte(wantStatus(t, h, "GET", "/_control/posts?"+query, "", 200)), &some); err != nil || len(some.Posts) != want {
			t.Errorf("%s: %d posts, %v; want %d", query, len(some.Posts), err, want)
		}
	}
	for _, query := range []string{"platform=usenet", "skip=1", "platform=mastodon&skip=-1", "platform=mastodon&skip=some"} {
		wantStatus(t, h, "GET", "/_control/posts?"+query, "", 400)
	}
}

func TestFaultsReachTheirPlatform(t *testing.T) {
	h := newSandbox(t, "").SimulateHandler()
	wantStatus(t, h, "POST", "/_control/faults", `{"platform":"mastodon","operation":"POST /posts","times":1,"status":503}`, 204)
	wantStatus(t, h, "POST", "/google-business/posts", "x", 200)
	wantStatus(t, h, "POST", "/mastodon/posts", "x", 503)
	wantStatus(t, h, "POST", "/mastodon/posts", "x", 200)
}

func TestFaultsAreChecked(t *testing.T) {
	h := newSandbox(t, "").SimulateHandler()
	for name, tt := range map[string]struct{ body, message string }{
		"no JSON":                {`status=500`, "reading fault"},
		"two objects":            {`{"platform":"mastodon","status":500}{}`, "one JSON object"},
		"an unknown field":       {`{"platform":"mastodon","state":500}`, "state"},
		"a wrong type":           {`{"platform":"mastodon","status":"500"}`, "status"},
		"no platform":            {`{"status":500}`, "platform"},
		"an unknown platform":    {`{"platform":"myspace","status":500}`, "myspace"},
		"no simulator":           {`{"platform":"twitter","status":500}`, "twitter has no simulator"},
		"nothing to happen":      {`{"platform":"mastodon"}`, "must be set"},
		"contradicting outcomes": {`{"platform":"mastodon","lose":true,"refuse":true}`, "only one"},
	} {
		t.Run(name, func(t *testing.T) {
			var answer struct{ Error string }
			if err := json.Unmarshal([]byte(wantStatus(t, h, "POST", "/_control/faults", tt.body, 400)), &answer); err != nil {
				t.Fatalf("answer is no JSON: %v", err)
			}
			if !strings.Contains(answer.Error, tt.message) {
				t.Errorf("error %q does not name %q", answer.Error, tt.message)
			}
		})
	}
}

func TestResetForgets(t *testing.T) {
	s := newSandbox(t, t.TempDir())
	h := s.SimulateHandler()
	wantStatus(t, h, "POST", "/mastodon/posts", "x", 200)
	wantStatus(t, h, "POST", "/_control/faults", `{"platform":"google-business","status":500,"times":9}`, 204)
	wantStatus(t, h, "POST", "/_control/reset", "", 204)
	if got := len(s.World(schema.Mastodon).Posts()); got != 0 {
		t.Errorf("%d posts after the reset", got)
	}
	wantStatus(t, h, "POST", "/google-business/posts", "x", 200)
}

func TestRoleHasNoControls(t *testing.T) {
	h := newSandbox(t, "").Handler()
	wantStatus(t, h, "POST", "/mastodon/posts", "x", 200)
	wantStatus(t, h, "GET", "/_control/posts", "", 404)
	wantStatus(t, h, "POST", "/_control/faults", `{"platform":"mastodon","status":500}`, 404)
	wantStatus(t, h, "POST", "/_control/reset", "", 404)
}

func TestControlsKeepTheirMethods(t *testing.T) {
	h := newSandbox(t, "").SimulateHandler()
	wantStatus(t, h, "POST", "/_control/posts", "", 405)
	wantStatus(t, h, "GET", "/_control/reset", "", 405)
	wantStatus(t, h, "GET", "/_control/nothing", "", 404)
}

func TestSimulatorsKnowTheirAddress(t *testing.T) {
	h := newSandbox(t, "").Handler()
	if got := wantStatus(t, h, "GET", "/mastodon/address", "", 200); got != "http://sandbox.test/mastodon" {
		t.Errorf("address %s", got)
	}
	wantStatus(t, h, "GET", "/twitter/address", "", 404)
}

func TestStateSurvivesARestart(t *testing.T) {
	folder := t.TempDir()
	before := newSandbox(t, folder)
	wantStatus(t, before.Handler(), "POST", "/mastodon/posts", "kept", 200)
	after := newSandbox(t, folder)
	if posts := after.World(schema.Mastodon).Posts(); len(posts) != 1 || posts[0].Text != "kept" {
		t.Errorf("posts after a restart: %+v", posts)
	}
	if posts := after.World(schema.GoogleBusiness).Posts(); len(posts) != 0 {
		t.Errorf("another platform has %+v", posts)
	}
}

func TestNewFailsWithoutItsFolder(t *testing.T) {
	_, err := sandbox.New(sandbox.Config{
		Simulators: []simulation.Simulator{{Platform: schema.Mastodon, New: newDiary}},
		Folder:     "/dev/null/journals",
	})
	if err == nil || !strings.Contains(err.Error(), "/dev/null") {
		t.Errorf("New = %v, want an error that names the folder", err)
	}
}
