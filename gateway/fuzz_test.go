package gateway_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/gateway"
	"crier/gateway/accounts"
	"crier/gateway/admission"
	"crier/gateway/directory"
	"crier/gateway/gatewaytest"
	"crier/gateway/media"
	"crier/gateway/posts"
	"crier/gateway/queues"
	"crier/gateway/webhooks"
	"crier/schema"
)

// stores are those that fuzzed requests reach.
type stores interface {
	accounts.Store
	admission.Store
	directory.Store
	posts.Store
	queues.Store
	media.Store
	webhooks.Store
}

// memory is a store of one workspace, with an account on every platform, that keeps
// nothing: what is fuzzed is how requests are read and judged.
type memory struct {
	stores
	now   time.Time
	brand schema.BrandID
	posts []schema.Post
}

func (m *memory) Authenticate(context.Context, [32]byte) (schema.Key, error) {
	return schema.Key{ID: schema.NewID[schema.KeyID](m.now), Permission: schema.Admin}, nil
}

func (m *memory) Accounts(context.Context, schema.WorkspaceID) ([]schema.Account, error) {
	var all []schema.Account
	for _, p := range schema.Platforms() {
		all = append(all, schema.Account{ID: schema.NewID[schema.AccountID](m.now), Platform: p, NativeID: "native", Name: "name"})
	}
	return all, nil
}

func (m *memory) AccountsVersion(context.Context, schema.WorkspaceID) (string, schema.LimitSet, error) {
	return "", schema.SpecificationLimits, nil
}

func (m *memory) Brands(context.Context, schema.WorkspaceID) ([]schema.Brand, error) {
	return []schema.Brand{{ID: m.brand, Name: "brand"}}, nil
}

func (m *memory) Media(context.Context, schema.WorkspaceID, []schema.MediaID) ([]schema.Upload, error) {
	return nil, nil
}

func (m *memory) ListMedia(context.Context, schema.WorkspaceID, schema.UploadFilter) ([]schema.Upload, int, error) {
	return nil, 0, nil
}

func (m *memory) Create(_ context.Context, c schema.Creation) (schema.Created, error) {
	m.posts = c.Posts
	return schema.Created{Response: c.Response}, nil
}

// Post returns one as the smallest request makes it.
func (m *memory) Post(_ context.Context, w schema.WorkspaceID, id schema.PostID) (schema.Post, error) {
	return schema.Post{
		ID: id, Workspace: w, Version: 1, Status: schema.Draft, FromAPI: true, CreatedAt: m.now, UpdatedAt: m.now,
		Content: schema.Content{Entries: []schema.Entry{{Text: "x"}}}, Targets: []schema.Target{{Platform: schema.Mastodon}},
	}, nil
}

func (m *memory) Update(ctx context.Context, w schema.WorkspaceID, id schema.PostID, change func(*schema.Post, schema.QueueReader) error) (schema.Post, error) {
	p, _ := m.Post(ctx, w, id)
	err := change(&p, func(schema.QueueChoice) (queue schema.Queue, taken []time.Time, err error) {
		return queue, nil, &schema.Error{Kind: schema.NotFound, Message: "queue not found"}
	})
	m.posts = []schema.Post{p}
	return p, err
}

// TakeSlots knows no queue.
func (m *memory) TakeSlots(context.Context, schema.WorkspaceID, schema.QueueChoice, []schema.PostID, func(schema.Queue, []time.Time) ([]time.Time, error)) (schema.QueueID, []time.Time, error) {
	return schema.QueueID{}, nil, &schema.Error{Kind: schema.NotFound, Message: "queue not found"}
}

func (m *memory) ReleaseSlots(context.Context, []schema.PostID) error { return nil }

// Posts fails as PostgreSQL does, for what it does not take as text.
func (m *memory) Posts(_ context.Context, _ schema.WorkspaceID, filter schema.PostFilter) (page schema.PostPage, err error) {
	texts := []string{filter.ExternalID}
	for name, value := range filter.Metadata {
		texts = append(texts, name, value)
	}
	if !storable([]byte(strings.Join(texts, " "))) {
		err = errors.New("invalid byte sequence for encoding UTF8")
	}
	return page, err
}

// storable reports whether PostgreSQL takes text, as it stands or in JSON.
func storable(text []byte) bool {
	return utf8.Valid(text) && !bytes.Contains(text, []byte{0}) && !bytes.Contains(text, []byte(`\u0000`))
}

func (m *memory) Webhook(context.Context, schema.WorkspaceID, schema.WebhookID) (schema.Webhook, error) {
	return schema.Webhook{}, nil
}

func (m *memory) Deliveries(context.Context, schema.WorkspaceID, schema.WebhookID, schema.DeliveryFilter) (schema.Webhook, []schema.DeliveryRecord, error) {
	return schema.Webhook{}, nil, nil
}

func (m *memory) Events(context.Context, schema.WorkspaceID, schema.EventQuery) (schema.EventPage, error) {
	return schema.EventPage{}, nil
}

// fuzzed is a gateway on such a store.
type fuzzed struct {
	store       *memory
	handler     http.Handler
	key         string
	description *gatewaytest.Description
	log         *gatewaytest.LogBuffer
}

func newFuzzed(t testing.TB) *fuzzed {
	t.Helper()
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	log := new(gatewaytest.LogBuffer)
	m := &memory{now: at, brand: schema.NewID[schema.BrandID](at)}
	vault, err := connectors.OpenVault(filepath.Join(t.TempDir(), "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(gateway.Config{
		Stores:    gateway.Stores{Accounts: m, Admission: m, Directory: m, Posts: m, Queues: m, Media: m, Webhooks: m},
		Analytics: gatewaytest.Analytics{PostCounter: gatewaytest.PostCounts{}, EventReader: m},
		Platforms: gateway.Platforms{Connecting: catalog.Connecting, Constraints: catalog.Constraints, Vault: vault},
		Addresses: gateway.Addresses{PublicURL: "https://crier.example", Check: func(context.Context, string) error { return nil }},
		Rules:     gateway.Rules{Lead: gateway.Lead},
		Now:       func() time.Time { return at }, Random: rand.Reader,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError})), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	key, err := schema.NewAPIKey(rand.Reader, false)
	if err != nil {
		t.Fatal(err)
	}
	return &fuzzed{m, g.Handler(), key, gatewaytest.ReadDescription(t), log}
}

// ask makes a request and holds the answer against what every answer promises: it is what
// openapi.yaml describes, a refusal names its fields, and no request is our fault.
func (f *fuzzed) ask(t *testing.T, method, path, body string) {
	t.Helper()
	f.store.posts = nil
	request := httptest.NewRequest(method, "/", strings.NewReader(body))
	request.URL.Path, request.URL.RawQuery, _ = strings.Cut("/api/v1"+path, "?")
	request.Header.Set("Authorization", "Bearer "+f.key)
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	f.handler.ServeHTTP(response, request)
	got := &gatewaytest.Response{TB: t, Status: response.Code, Header: response.Header(), Body: response.Body.Bytes()}
	if got.Status >= 500 {
		t.Fatalf("%s %s: %d %s", method, path, got.Status, f.log)
	}
	f.description.CheckResponse(t, method, path, got)
	decoded := got.Want(got.Status)
	if got.Status == http.StatusBadRequest && (body == "" || isObject(body)) {
		wantFieldsNamed(t, decoded)
	}
	for i := range f.store.posts {
		wantStorable(t, &f.store.posts[i])
	}
}

func isObject(body string) bool {
	var fields map[string]any
	return json.Unmarshal([]byte(body), &fields) == nil && fields != nil
}

// wantFieldsNamed fails the test where a refusal of one's fields does not say which. What
// is wrong with the document as such, such as a field that occurs twice, has its place in
// the message.
func wantFieldsNamed(t *testing.T, decoded gatewaytest.JSON) {
	t.Helper()
	details, _ := decoded.At("error", "details").Value.([]any)
	if len(details) == 0 && !strings.Contains(decoded.At("error", "message").Text(), "body") {
		t.Errorf("no field is named: %v", decoded.Value)
	}
	for _, d := range details {
		if (gatewaytest.JSON{Value: d}).At("field").Text() == "" || (gatewaytest.JSON{Value: d}).At("code").Text() == "" || (gatewaytest.JSON{Value: d}).At("message").Text() == "" {
			t.Errorf("a detail says too little: %v", d)
		}
	}
}

// wantStorable fails the test where a post has what PostgreSQL takes in no text.
func wantStorable(t *testing.T, p *schema.Post) {
	t.Helper()
	encoded, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if !storable(encoded) {
		t.Errorf("a post that cannot be stored: %q", encoded)
	}
}

func FuzzBodies(f *testing.F) {
	api := newFuzzed(f)
	routes := []string{"POST /posts", "POST /threads", "POST /posts/bulk", "POST /posts/validate", "PATCH /posts/post_01k9sr3q5wf2g8m7r4t0v1x2y3"}
	for i, route := range routes {
		for _, example := range api.examples(f, route) {
			f.Add(byte(i), example)
		}
	}
	for _, body := range []string{
		`{"content": "x", "platforms": ["mastodon", {"platform": "tiktok", "content": null}], "scheduledFor": "2026-03-29T02:30:00", "timezone": "Europe/Berlin"}`,
		`{"posts": [{"content": "1"}, {"content": "2", "mediaItems": [{"type": "video", "url": "https://a.example/b.mp4"}]}], "platforms": ["threads"], "status": "draft", "config": {"maxRetries": 1e3}}`,
		`{"platforms": ["youtube"], "platformSettings": {"youtube": {"title": 5}, "mastodon": {"poll": {"options": ["a"]}}, "myspace": {}}, "metadata": {"a": {}}, "firstComments": [{"target": -1, "text": ""}]}`,
		`{"content": "\ud83d", "a": 1, "platforms": {}}`, `{"posts": [null, 5, {}], "timezone": "Local", "dryRun": true}`, `[]`, `{"a": 1, "a": 2}`, "{\"\xff\": 1}",
	} {
		for i := range routes {
			f.Add(byte(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, route byte, body string) {
		method, path, _ := strings.Cut(routes[int(route)%len(routes)], " ")
		api.ask(t, method, path, body)
	})
}

// examples are the bodies with which openapi.yaml shows a route.
func (f *fuzzed) examples(t testing.TB, route string) (bodies []string) {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	_, operation := f.description.Operation(method, path)
	examples, _ := gatewaytest.JSON{Value: operation}.At("requestBody", "content", "application/json", "examples").Value.(map[string]any)
	for _, example := range examples {
		encoded, err := json.Marshal(gatewaytest.JSON{Value: example}.At("value").Value)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(encoded))
	}
	if len(bodies) == 0 {
		t.Fatalf("%s has no example", route)
	}
	return bodies
}

// FuzzQueries has cursors, times, numbers and names of queries.
func FuzzQueries(f *testing.F) {
	api := newFuzzed(f)
	routes := []string{"/posts", "/webhooks/wh_01k9sr3q5wf2g8m7r4t0v1x2y3/deliveries", "/events", "/media", "/accounts", "/analytics/posts"}
	for _, query := range []string{
		"after=2026-03-01&before=2026-03-01T09:00:00%2B01:00&limit=5&page=2&status=draft&platform=mastodon&externalId=x",
		"cursor=dlv_01k9sr3q5wf2g8m7r4t0v1x2y3&status=failed&event=post.failed&eventId=evt_01k9sr3q5wf2g8m7r4t0v1x2y3",
		"after=evt_01k9sr3q5wf2g8m7r4t0v1x2y3&type=post.failed,post.published", "from=2026-01-01&to=2026-02-30&accountId=acc_1",
		"brandId=brand_01k9sr3q5wf2g8m7r4t0v1x2y3", "metadata[a]=b&metadata[]=%ff", "page=1000000&limit=100", "page=0&limit=-1", "after=0000-01-01T00:00:00Z",
		"after=9999-12-31T23:59:59-14:00", "externalId=%00", "%zz&;=", "cursor=dlv_", "to=9999-12-31", "from=0000-01-01",
	} {
		for i := range routes {
			f.Add(byte(i), query)
		}
	}
	f.Fuzz(func(t *testing.T, route byte, query string) {
		api.ask(t, http.MethodGet, routes[int(route)%len(routes)]+"?"+query, "")
	})
}
