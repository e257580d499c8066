package gateway_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/gateway"
	"crier/pipeline"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/operation"
)

// patience is how long what takes a moment may take: machines stand still, for more than a minute
// at times.
const patience = 3 * time.Minute

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// api is a gateway on a fresh database, called over HTTP. Every answer is held against
// openapi.yaml.
type api struct {
	testing.TB
	url         string
	databaseURL string
	store       *postgres.Store
	closeStore  func()
	admin       *operation.Admin
	platforms   *platforms
	engine      *gateway.Gateway
	keys        *postgres.Gateway
	inbox       contents
	description *description
	log         *syncBuffer
	ahead       atomic.Int64 // by which the gateway's clock is ahead of the database's
	frozen      atomic.Pointer[time.Time]

	workspace schema.WorkspaceID
	key       string

	mu   sync.Mutex
	said []schema.Announcement
}

// announce keeps what a commit asks of the log.
func (a *api) announce(said schema.Announcement) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, said)
}

// events returns the batches of events that were announced.
func (a *api) events() []schema.EventBatch {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []schema.EventBatch
	for _, said := range a.said {
		for _, encoded := range said.Events {
			var batch schema.EventBatch
			if err := json.Unmarshal(encoded.Payload, &batch); err != nil {
				a.Fatal(err)
			}
			all = append(all, batch)
		}
	}
	return all
}

// plain seals nothing: these tests are about the API.
type plain struct{}

func (plain) SealText(_, text string) ([]byte, error)     { return []byte(text), nil }
func (plain) OpenText(_ string, b []byte) (string, error) { return string(b), nil }

// names resolves the hosts of these tests, without a network.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if address, ok := n[host]; ok {
		return []netip.Addr{netip.MustParseAddr(address)}, nil
	}
	return nil, fmt.Errorf("no such host: %s", host)
}

// counts is what analytics would count.
type counts []schema.PostCount

func (c counts) PostCounts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostCount, error) {
	return c, nil
}

// nothingMore answers that nothing is known.
type nothingMore struct{}

func (nothingMore) PostFigures(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostFigures, error) {
	return nil, nil
}

func (nothingMore) TopPosts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter, schema.TopQuery) ([]schema.PostFigure, error) {
	return nil, nil
}

func (nothingMore) Followers(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) (schema.FollowersReport, error) {
	return schema.FollowersReport{}, nil
}

func (nothingMore) BestTimes(context.Context, schema.WorkspaceID, schema.BestTimesQuery) (schema.BestTimes, error) {
	return schema.BestTimes{Confidence: schema.NoConfidence}, nil
}

// pages are the events that ClickHouse would have, all of any workspace's.
type pages struct{ page schema.EventPage }

func (p pages) Events(context.Context, schema.WorkspaceID, schema.EventQuery) (schema.EventPage, error) {
	return p.page, nil
}

// figures are what analytics would answer.
type figures struct {
	counter
	eventReader
	nothingMore
}

// FeedItems is what ClickHouse has of a monitor: one post.
func (figures) FeedItems(_ context.Context, _ schema.WorkspaceID, q schema.FeedItemQuery) ([]schema.MatchedItem, error) {
	if !q.Before.IsZero() {
		return nil, nil
	}
	at := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	all := []schema.MatchedItem{{Platform: schema.Bluesky, NativeID: "at://b", Text: "tea", WrittenAt: at}, {Platform: schema.Bluesky, NativeID: "at://a", Text: "tea", WrittenAt: at}}
	return all[:min(q.Limit, len(all))], nil
}

type counter interface {
	PostCounts(context.Context, schema.WorkspaceID, schema.AnalyticsFilter) ([]schema.PostCount, error)
}

type eventReader interface {
	Events(context.Context, schema.WorkspaceID, schema.EventQuery) (schema.EventPage, error)
}

// migrated makes the tables of a database.
func migrated(ctx context.Context, url string) error {
	if err := postgres.Migrate(ctx, url); err != nil {
		return err
	}
	store, err := postgres.Open(ctx, postgres.Config{URL: url, MaxConns: 1, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry()})
	if err != nil {
		return err
	}
	defer store.Close()
	_, _, err = postgres.NewDelay(store).MakePartitions(ctx)
	return err
}

// newAPI lets a test run beside others, which are on databases of their own.
func newAPI(t testing.TB, change ...func(*gateway.Config)) *api {
	t.Helper()
	if test, ok := t.(*testing.T); ok {
		test.Parallel()
	}
	ctx := context.Background()
	a := &api{TB: t, platforms: newPlatforms(t), databaseURL: embeddedtest.PostgresWith(t, migrated), description: readDescription(t), log: new(syncBuffer), inbox: contents{}}
	logger := slog.New(slog.NewJSONHandler(a.log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	var err error
	a.store, err = postgres.Open(ctx, postgres.Config{
		URL: a.databaseURL, MaxConns: 8, Announce: a.announce, SendsMail: true, Logger: logger, Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	a.closeStore = sync.OnceFunc(a.store.Close)
	t.Cleanup(a.closeStore)
	a.admin = postgres.NewAdmin(a.store)
	a.serve(logger, change)
	a.workspace, a.key = a.tenant("acme", "operator", schema.Admin)
	return a
}

func (a *api) serve(logger *slog.Logger, change []func(*gateway.Config)) {
	a.Helper()
	guard := egress.New(egress.Config{Resolver: names{
		"media.example": "93.184.216.34", "hooks.example": "93.184.216.35", "internal.example": "10.0.0.7",
	}})
	direct := &http.Client{Timeout: 10 * time.Second}
	store := postgres.NewGateway(a.store, plain{}, catalog.Constraints)
	a.keys = store
	config := gateway.Config{
		Stores: gateway.Stores{
			Admission: store, Directory: store, Posts: store, Queues: store, Accounts: store,
			Keys: store, Billing: store, Media: store, Webhooks: store, Feeds: store,
			Engagement: store, People: store, Devices: store, Audit: store, Mail: postgres.NewMail(a.store, rand.Reader), Deletions: postgres.NewDeletions(a.store, 0),
		},
		Analytics: figures{counter: counts{}, eventReader: pages{}}, Inbox: a.inbox, Sandboxes: a.admin, TestSender: pipeline.NewSender(direct, a.store.Now),
		Platforms: gateway.Platforms{
			Connectors: a.platforms, Vault: a.platforms.vault, BaseURLs: a.platforms.bases, Connecting: catalog.Connecting, Constraints: catalog.Constraints,
		},
		Addresses: gateway.Addresses{PublicURL: "https://crier.example", Check: guard.CheckURL},
		Rules:     gateway.Rules{Lead: gateway.Lead, AllowRegistration: true},
		Now:       a.now, Random: rand.Reader, Logger: logger, Registerer: prometheus.NewRegistry(),
	}
	for _, f := range change {
		f(&config)
	}
	var err error
	if a.engine, err = gateway.New(config); err != nil {
		a.Fatal(err)
	}
	server := httptest.NewServer(a.engine.Handler())
	a.Cleanup(server.Close)
	a.url = server.URL
}

// now is the gateway's clock.
func (a *api) now() time.Time {
	if at := a.frozen.Load(); at != nil {
		return *at
	}
	return a.store.Now().Add(time.Duration(a.ahead.Load()))
}

// freeze stops the gateway's clock in the middle of a minute.
func (a *api) freeze() {
	at := a.store.Now().Truncate(time.Minute).Add(30 * time.Second)
	a.frozen.Store(&at)
}

// in returns the time some while from now, as a client would write it.
func (a *api) in(d time.Duration) string { return a.now().Add(d).UTC().Format(time.RFC3339) }

// tenant makes a workspace with a key.
func (a *api) tenant(name, plan string, permission schema.Permission) (schema.WorkspaceID, string) {
	a.Helper()
	w, err := a.admin.MakeWorkspace(context.Background(), name, plan, false)
	if err != nil {
		a.Fatal(err)
	}
	return w.ID, a.newKey(w.ID, permission)
}

func (a *api) newKey(workspace schema.WorkspaceID, permission schema.Permission) string {
	a.Helper()
	text, _ := a.issueKey(workspace, permission, false)
	return text
}

func (a *api) issueKey(workspace schema.WorkspaceID, permission schema.Permission, test bool) (string, schema.KeyID) {
	a.Helper()
	text, err := schema.NewAPIKey(rand.Reader, test)
	if err != nil {
		a.Fatal(err)
	}
	id := schema.NewKeyID(a.store.Now())
	key := schema.KeyRecord{ID: id, Lineage: id, Workspace: workspace, Name: "test", Permission: permission, Prefix: schema.APIKeyPrefix(text), CreatedAt: a.store.Now()}
	if err := a.admin.CreateKey(context.Background(), key, schema.HashAPIKey(text)); err != nil {
		a.Fatal(err)
	}
	return text, id
}

// connect adds an account of a workspace.
func (a *api) connect(workspace schema.WorkspaceID, platform schema.Platform, name string) schema.AccountID {
	a.Helper()
	account := schema.Account{Workspace: workspace, Platform: platform, NativeID: name, Name: name, Sealed: []byte("sealed")}
	id, err := a.admin.AccountID(context.Background(), account)
	if err != nil {
		a.Fatal(err)
	}
	account.ID = id
	if err := a.admin.PutAccount(context.Background(), account); err != nil {
		a.Fatal(err)
	}
	return id
}

// exec changes the database behind everybody's back.
func (a *api) exec(sql string, args ...any) {
	a.Helper()
	conn, err := pgx.Connect(context.Background(), a.databaseURL)
	if err != nil {
		a.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), sql, args...); err != nil {
		a.Fatal(err)
	}
}

// number reads one number of the database.
func (a *api) number(sql string) (n int) {
	a.Helper()
	conn, err := pgx.Connect(context.Background(), a.databaseURL)
	if err != nil {
		a.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(context.Background(), sql).Scan(&n); err != nil {
		a.Fatal(err)
	}
	return n
}

// under makes a subtest the one that fails.
func (a *api) under(t *testing.T) {
	outer := a.TB
	a.TB = t
	t.Cleanup(func() { a.TB = outer })
}

// answer is what the API answered.
type answer struct {
	testing.TB
	status int
	header http.Header
	body   []byte
}

// call makes a request with the key of the first workspace. Headers are given in pairs.
func (a *api) call(method, path string, body any, headers ...string) *answer {
	a.Helper()
	return a.callWith(a.key, method, path, body, headers...)
}

func (a *api) callWith(key, method, path string, body any, headers ...string) *answer {
	a.Helper()
	request, err := http.NewRequest(method, a.url+"/api/v1"+path, bodyOf(a, body))
	if err != nil {
		a.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}
	got := &answer{a.TB, response.StatusCode, response.Header, read}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"} {
		if got.header.Get(name) == "" {
			a.Errorf("%s %s: %d without %s", method, path, got.status, name)
		}
	}
	a.description.check(a.TB, method, path, got)
	return got
}

// bodyOf makes text of a body; any other value is encoded.
func bodyOf(t testing.TB, body any) io.Reader {
	t.Helper()
	switch body := body.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(body)
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(encoded)
}

// want fails the test unless the answer has the status, and decodes it.
func (r *answer) want(status int) tree {
	r.Helper()
	if r.status != status {
		r.Fatalf("status = %d, want %d: %s", r.status, status, r.body)
	}
	var decoded map[string]any
	if err := json.Unmarshal(r.body, &decoded); err != nil {
		r.Fatalf("decoding %s: %v", r.body, err)
	}
	return tree{decoded}
}

// fails fails the test unless the answer is that error.
func (r *answer) fails(status int, code string) tree {
	r.Helper()
	decoded := r.want(status)
	if got := decoded.at("error", "code").value; got != code {
		r.Fatalf("code = %v, want %s: %s", got, code, r.body)
	}
	return decoded.at("error")
}

// tree is decoded JSON.
type tree struct{ value any }

// at follows names and indexes; what is not there is nil.
func (t tree) at(path ...any) tree {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := t.value.(map[string]any)
			t = tree{object[step]}
		case int:
			list, _ := t.value.([]any)
			if step >= len(list) {
				return tree{}
			}
			t = tree{list[step]}
		}
	}
	return t
}

func (t tree) text() string {
	s, _ := t.value.(string)
	return s
}

func (t tree) has(name string) bool {
	object, _ := t.value.(map[string]any)
	_, there := object[name]
	return there
}

func (t tree) size() int {
	list, _ := t.value.([]any)
	return len(list)
}

// syncBuffer is a log that can be read while it is written.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// dotted follows a path such as platforms.0.platform.
func (t tree) dotted(path string) any {
	for _, step := range strings.Split(path, ".") {
		if i, err := strconv.Atoi(step); err == nil {
			t = t.at(i)
		} else {
			t = t.at(step)
		}
	}
	return t.value
}
