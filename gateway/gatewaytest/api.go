package gatewaytest

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
	"slices"
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
	"crier/schema/postgres/deletion"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
)

// Patience is how long what takes a moment may take: machines stand still, for more than a minute
// at times.
const Patience = 3 * time.Minute

// API is a gateway on a fresh database, with a workspace and its key.
type API struct {
	testing.TB
	URL          string // of the gateway, without a path
	DatabaseURL  string
	Store        *postgres.Store
	CloseStore   func() // closes the store before the test ends
	Admin        *operation.Admin
	Platforms    *Platforms
	Gateway      *gateway.Gateway
	GatewayStore *postgres.Gateway // the store of the gateway's resources
	Inbox        InboxContents
	Description  *Description
	Logs         *LogBuffer
	Ahead        atomic.Int64              // by which the gateway's clock is ahead of the database's
	Frozen       atomic.Pointer[time.Time] // where the gateway's clock stands; nil: it goes

	Workspace schema.WorkspaceID // the first, on the plan of the operator
	Key       string             // of its admin

	mu            sync.Mutex
	announcements []schema.Announcement
}

// announce keeps what a commit asks of the log.
func (a *API) announce(announcement schema.Announcement) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.announcements = append(a.announcements, announcement)
}

// Announcements returns what commits have asked of the log so far.
func (a *API) Announcements() []schema.Announcement {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.announcements)
}

// Events returns the batches of events that were announced.
func (a *API) Events() []schema.EventBatch {
	var all []schema.EventBatch
	for _, announcement := range a.Announcements() {
		for _, encoded := range announcement.Events {
			var batch schema.EventBatch
			if err := json.Unmarshal(encoded.Payload, &batch); err != nil {
				a.Fatal(err)
			}
			all = append(all, batch)
		}
	}
	return all
}

// hosts resolves the hosts of these tests, without a network.
type hosts map[string]string

func (n hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if address, ok := n[host]; ok {
		return []netip.Addr{netip.MustParseAddr(address)}, nil
	}
	return nil, fmt.Errorf("no such host: %s", host)
}

// New starts a gateway. It lets the test run beside others, which are on databases of their own.
func New(t testing.TB, change ...func(*gateway.Config)) *API {
	t.Helper()
	if test, ok := t.(*testing.T); ok {
		test.Parallel()
	}
	ctx := context.Background()
	a := &API{TB: t, Platforms: newPlatforms(t), DatabaseURL: embeddedtest.PostgresWith(t, postgrestest.Migrate), Description: ReadDescription(t), Logs: new(LogBuffer), Inbox: InboxContents{}}
	logger := slog.New(slog.NewJSONHandler(a.Logs, &slog.HandlerOptions{Level: slog.LevelInfo}))
	var err error
	a.Store, err = postgres.Open(ctx, postgres.Config{
		URL: a.DatabaseURL, MaxConns: 8, Announce: a.announce, SendsMail: true, Logger: logger, Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	a.CloseStore = sync.OnceFunc(a.Store.Close)
	t.Cleanup(a.CloseStore)
	a.Admin = postgres.NewAdmin(a.Store)
	a.Serve(logger, change)
	a.Workspace, a.Key = a.CreateWorkspace("acme", "operator", schema.Admin)
	return a
}

// Serve starts the gateway on the store, with the changes to its configuration.
func (a *API) Serve(logger *slog.Logger, change []func(*gateway.Config)) {
	a.Helper()
	guard := egress.New(egress.Config{Resolver: hosts{
		"media.example": "93.184.216.34", "hooks.example": "93.184.216.35", "internal.example": "10.0.0.7",
	}})
	direct := &http.Client{Timeout: 10 * time.Second}
	store := postgres.NewGateway(a.Store, securetest.PlainText{}, catalog.Constraints)
	a.GatewayStore = store
	config := gateway.Config{
		Stores: gateway.Stores{
			Admission: store, Directory: store, Posts: store, Queues: store, Accounts: store,
			Keys: store, Billing: store, Media: store, Webhooks: store, Feeds: store,
			Engagement: store, People: store, Devices: store, Audit: store, Mail: postgres.NewMail(a.Store, rand.Reader), Deletions: deletion.New(a.Store.DB, 0),
		},
		Analytics: Analytics{PostCounter: PostCounts{}, EventReader: EventPages{}}, Inbox: a.Inbox, Sandboxes: a.Admin, TestSender: pipeline.NewSender(direct, a.Store.Now),
		Platforms: gateway.Platforms{
			Connectors: a.Platforms, Vault: a.Platforms.vault, BaseURLs: a.Platforms.BaseURLs, Connecting: catalog.Connecting, Constraints: catalog.Constraints,
		},
		Addresses: gateway.Addresses{PublicURL: "https://crier.example", Check: guard.CheckURL},
		Rules:     gateway.Rules{Lead: gateway.Lead, AllowRegistration: true},
		Now:       a.Now, Random: rand.Reader, Logger: logger, Registerer: prometheus.NewRegistry(),
	}
	for _, f := range change {
		f(&config)
	}
	var err error
	if a.Gateway, err = gateway.New(config); err != nil {
		a.Fatal(err)
	}
	server := httptest.NewServer(a.Gateway.Handler())
	a.Cleanup(server.Close)
	a.URL = server.URL
}

// Now is the gateway's clock.
func (a *API) Now() time.Time {
	if at := a.Frozen.Load(); at != nil {
		return *at
	}
	return a.Store.Now().Add(time.Duration(a.Ahead.Load()))
}

// Freeze stops the gateway's clock in the middle of a minute.
func (a *API) Freeze() {
	at := a.Store.Now().Truncate(time.Minute).Add(30 * time.Second)
	a.Frozen.Store(&at)
}

// In returns the time some while from now, as a client would write it.
func (a *API) In(d time.Duration) string { return a.Now().Add(d).UTC().Format(time.RFC3339) }

// CreateWorkspace makes a workspace with a key.
func (a *API) CreateWorkspace(name, plan string, permission schema.Permission) (schema.WorkspaceID, string) {
	a.Helper()
	w, err := a.Admin.MakeWorkspace(context.Background(), name, plan, false)
	if err != nil {
		a.Fatal(err)
	}
	return w.ID, a.NewKey(w.ID, permission)
}

// NewKey makes a live key of a workspace and returns its text.
func (a *API) NewKey(workspace schema.WorkspaceID, permission schema.Permission) string {
	a.Helper()
	text, _ := a.IssueKey(workspace, permission, false)
	return text
}

// IssueKey makes a key of a workspace, live or for tests, past the API.
func (a *API) IssueKey(workspace schema.WorkspaceID, permission schema.Permission, test bool) (string, schema.KeyID) {
	a.Helper()
	text, err := schema.NewAPIKey(rand.Reader, test)
	if err != nil {
		a.Fatal(err)
	}
	id := schema.NewID[schema.KeyID](a.Store.Now())
	key := schema.KeyRecord{ID: id, Lineage: id, Workspace: workspace, Name: "test", Permission: permission, Prefix: schema.APIKeyPrefix(text), CreatedAt: a.Store.Now()}
	if err := a.Admin.CreateKey(context.Background(), key, schema.HashAPIKey(text)); err != nil {
		a.Fatal(err)
	}
	return text, id
}

// AddAccount adds an account of a workspace.
func (a *API) AddAccount(workspace schema.WorkspaceID, platform schema.Platform, name string) schema.AccountID {
	a.Helper()
	account := schema.Account{Workspace: workspace, Platform: platform, NativeID: name, Name: name, Sealed: []byte("sealed")}
	id, err := a.Admin.AccountID(context.Background(), account)
	if err != nil {
		a.Fatal(err)
	}
	account.ID = id
	if err := a.Admin.PutAccount(context.Background(), account); err != nil {
		a.Fatal(err)
	}
	return id
}

// Exec changes the database behind everybody's back.
func (a *API) Exec(sql string, args ...any) {
	a.Helper()
	a.connected(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql, args...)
		return err
	})
}

// QueryInt reads one number of the database.
func (a *API) QueryInt(sql string) (n int) {
	a.Helper()
	a.connected(func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, sql).Scan(&n) })
	return n
}

// connected does something on a connection of its own.
func (a *API) connected(do func(context.Context, *pgx.Conn) error) {
	a.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, a.DatabaseURL)
	if err != nil {
		a.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := do(ctx, conn); err != nil {
		a.Fatal(err)
	}
}

// Under makes a subtest the one that fails.
func (a *API) Under(t *testing.T) {
	outer := a.TB
	a.TB = t
	t.Cleanup(func() { a.TB = outer })
}

// Request makes a request with the key of the first workspace. Headers are given in pairs.
func (a *API) Request(method, path string, body any, headers ...string) *Response {
	a.Helper()
	return a.RequestWith(a.Key, method, path, body, headers...)
}

// RequestWith makes a request with a key; empty: without one. The response is held against the
// description, and against what every response carries.
func (a *API) RequestWith(key, method, path string, body any, headers ...string) *Response {
	a.Helper()
	if key != "" {
		headers = append([]string{"Authorization", "Bearer " + key}, headers...)
	}
	got := a.Send(method, a.URL+"/api/v1"+path, bodyOf(a, body), headers...)
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"} {
		if got.Header.Get(name) == "" {
			a.Errorf("%s %s: %d without %s", method, path, got.Status, name)
		}
	}
	a.Description.CheckResponse(a.TB, method, path, got)
	return got
}

// Send makes a request of any address and reads the response. Headers are given in pairs.
func (a *API) Send(method, address string, body io.Reader, headers ...string) *Response {
	a.Helper()
	request, err := http.NewRequestWithContext(a.Context(), method, address, body)
	if err != nil {
		a.Fatal(err)
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
	return &Response{a.TB, response.StatusCode, response.Header, read, a.Logs}
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

// LogBuffer is a log that can be read while it is written.
type LogBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *LogBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *LogBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// Eventually waits for what takes a moment.
func (a *API) Eventually(what string, there func() bool) {
	a.Helper()
	for deadline := time.Now().Add(Patience); !there(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.Fatalf("not in time: %s", what)
		}
	}
}

// Advance moves the gateway's clock on, past what it caches.
func (a *API) Advance(d time.Duration) {
	later := a.Frozen.Load().Add(d)
	a.Frozen.Store(&later)
}

// Replica is a second gateway with a store of its own on the same database.
func (a *API) Replica() *API {
	a.Helper()
	b := &API{TB: a.TB, DatabaseURL: a.DatabaseURL, Admin: a.Admin, Description: a.Description, Logs: a.Logs, Key: a.Key, Workspace: a.Workspace, Platforms: a.Platforms}
	logger := slog.New(slog.NewJSONHandler(a.Logs, nil))
	store, err := postgres.Open(context.Background(), postgres.Config{
		URL: a.DatabaseURL, MaxConns: 8, Logger: logger, Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(store.Close)
	b.Store = store
	b.Serve(logger, nil)
	return b
}
