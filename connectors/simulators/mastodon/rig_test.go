package mastodon

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// rig is a simulator that is called by hand, on a clock that stands until it is moved.
type rig struct {
	world *simulation.World
	base  string
	now   time.Time
	token string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), token: "token-of-the-account"}
	r.world = simulation.NewWorld(simulation.Config{
		Platform: schema.Mastodon,
		Now:      func() time.Time { return r.now },
		BaseURL:  func() string { return r.base },
	})
	r.base = serve(t, New(r.world))
	return r
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func (r *rig) pass(d time.Duration) { r.now = r.now.Add(d) }
func (r *rig) account() string      { return r.world.Account(r.token).ID }

// add puts a status into the account without a call.
func (r *rig) add(t *testing.T, p simulation.Post) simulation.Post {
	t.Helper()
	p.Account = r.account()
	added, _, err := r.world.Add(p)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func (r *rig) ask(t *testing.T, method, path, key string, body any) (*http.Response, map[string]any) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return r.send(t, method, path, http.Header{"Idempotency-Key": {key}}, encoded)
}

func (r *rig) send(t *testing.T, method, path string, header http.Header, body []byte) (*http.Response, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	request.Header.Set("Authorization", "Bearer "+r.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var decoded map[string]any
	if err := json.NewDecoder(response.Body).Decode(&decoded); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return response, decoded
}

func (r *rig) post(t *testing.T, input newStatus) (*http.Response, map[string]any) {
	t.Helper()
	return r.ask(t, http.MethodPost, "/api/v1/statuses", "", input)
}

// created is a status that a call made.
type created struct{ ID, URL string }

func (r *rig) mustPost(t *testing.T, input newStatus) created {
	t.Helper()
	response, body := r.post(t, input)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("answer = %d %v", response.StatusCode, body)
	}
	return created{body["id"].(string), body["url"].(string)}
}

// upload gives the server a file and returns its id.
func (r *rig) upload(t *testing.T, content string, want int) string {
	t.Helper()
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	file, err := parts.CreateFormFile("file", "file")
	if err != nil {
		t.Fatal(err)
	}
	file.Write([]byte(content))
	parts.Close()
	response, body := r.send(t, http.MethodPost, "/api/v2/media", http.Header{"Content-Type": {parts.FormDataContentType()}}, form.Bytes())
	if response.StatusCode != want {
		t.Fatalf("answer = %d %v, want %d", response.StatusCode, body, want)
	}
	return body["id"].(string)
}
