// Package clienttest serves crier's REST API to tests of those who call it: the gateway on a
// database of its own, with the platforms' simulators for test keys, and with nothing behind it
// that publishes.
//
//	func TestMain(m *testing.M) { embeddedtest.Main(m) }
//
//	func TestPosts(t *testing.T) {
//		server := clienttest.Serve(t)
//		c := client.New(server.Key, client.WithServer(server.URL))
package clienttest

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/analytics"
	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/connectors/simulators/sandbox"
	"crier/gateway"
	"crier/pipeline"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/people"
	"crier/schema/postgres"
	"crier/schema/postgres/deletion"
	"crier/schema/postgres/engagement"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/postgrestest"
)

// PartBytes is what a file has to be larger than to come in parts.
const PartBytes = 64 << 10

// Server is a gateway, and a way to it on which answers can be lost.
type Server struct {
	testing.TB
	URL string // of the API, without /api/v1
	Key string // with every permission
	// Before is asked of each request on its way to the gateway; true: it has been answered.
	Before atomic.Pointer[func(http.ResponseWriter, *http.Request) bool]

	loses     atomic.Int64
	admin     *operation.Admin
	written   *engagement.Store
	gateway   *postgres.Gateway
	figures   *clickhouse.Store // nil: nothing asks for any
	workspace schema.WorkspaceID
}

// Option changes what is behind the gateway.
type Option func(*Server)

// Serve starts a gateway that ends with the test. Its workspace has an account on mastodon and
// one on bluesky.
func Serve(t testing.TB, options ...Option) *Server {
	t.Helper()
	database, err := postgres.Open(context.Background(), postgres.Config{
		URL: embeddedtest.PostgresWith(t, postgrestest.Migrate), MaxConns: 8, Announce: func(schema.Announcement) {},
		Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(database.Close)
	s := &Server{TB: t, admin: postgres.NewAdmin(database), written: engagement.New(database.DB)}
	for _, option := range options {
		option(s)
	}
	s.serve(database)
	w, err := s.admin.MakeWorkspace(context.Background(), "acme", "operator", false)
	if err != nil {
		t.Fatal(err)
	}
	s.workspace = w.ID
	s.Key = s.issue(database)
	s.Connect(schema.Mastodon, "ann")
	s.Connect(schema.Bluesky, "ann.bsky.test")
	return s
}

// Start is Serve for examples, which have no test: call end where the example ends.
func Start(options ...Option) (server *Server, end func()) {
	e := new(example)
	return Serve(e, options...), e.end
}

// example is what Serve asks of a test.
type example struct {
	testing.TB
	ends []func()
}

func (e *example) Helper()                           {}
func (e *example) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (e *example) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (e *example) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (e *example) Cleanup(f func())                  { e.ends = append(e.ends, f) }

func (e *example) TempDir() string {
	dir, err := os.MkdirTemp("", "crier-example")
	if err != nil {
		panic(err)
	}
	e.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (e *example) end() {
	for _, f := range slices.Backward(e.ends) {
		f()
	}
}

func (s *Server) serve(database *postgres.Store) {
	s.Helper()
	front := httptest.NewUnstartedServer(nil)
	s.URL = "http://" + front.Listener.Addr().String()
	guard := egress.New(egress.Config{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	s.Cleanup(guard.CloseIdle)
	vault, err := connectors.OpenVault(filepath.Join(s.TempDir(), "keyset.json"))
	if err != nil {
		s.Fatal(err)
	}
	s.gateway = postgres.NewGateway(database, vault, catalog.Constraints)
	config := gateway.Config{
		Stores: gateway.Stores{
			Admission: s.gateway, Directory: s.gateway, Posts: s.gateway, Queues: s.gateway, Accounts: s.gateway,
			Keys: s.gateway, Billing: s.gateway, Media: s.gateway, Webhooks: s.gateway, Feeds: s.gateway,
			Engagement: s.gateway, People: s.gateway, Devices: s.gateway, Audit: s.gateway, Deletions: deletion.New(database.DB, 0),
		},
		Media: s.contents(guard), Sandboxes: s.admin, TestSender: pipeline.NewSender(&http.Client{Timeout: 10 * time.Second}, time.Now),
		Platforms: gateway.Platforms{Connectors: s.simulators(guard), Vault: vault, Connecting: catalog.Connecting, Constraints: catalog.Constraints},
		Addresses: gateway.Addresses{PublicURL: s.URL, Check: guard.CheckURL},
		Rules:     gateway.Rules{Lead: gateway.Lead, AllowPrivateWebhooks: true},
		Now:       database.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	}
	if s.figures != nil {
		queries := analytics.NewQueries(s.figures.Analytics(), postgres.NewAnalytics(database))
		config.Analytics, config.Inbox = queries, queries
	}
	engine, err := gateway.New(config)
	if err != nil {
		s.Fatal(err)
	}
	behind := httptest.NewServer(engine.Handler())
	s.Cleanup(behind.Close)
	to, err := url.Parse(behind.URL)
	if err != nil {
		s.Fatal(err)
	}
	front.Config.Handler = s.between(httputil.NewSingleHostReverseProxy(to))
	front.Start()
	s.Cleanup(front.Close)
}

// simulators returns connectors that reach the platforms' simulators for test keys.
func (s *Server) simulators(guard *egress.Egress) *catalog.Catalog {
	s.Helper()
	server := httptest.NewUnstartedServer(nil)
	address := "http://" + server.Listener.Addr().String()
	simulated, err := sandbox.New(sandbox.Config{
		Simulators: catalog.Simulators(), BaseURL: func() string { return address }, Now: time.Now, HTTP: http.DefaultClient,
	})
	if err != nil {
		s.Fatal(err)
	}
	server.Config.Handler = simulated.Handler()
	server.Start()
	s.Cleanup(server.Close)
	connecting, err := catalog.New(catalog.Config{
		HTTP: guard.Client(), SandboxHTTP: guard.Client(), SandboxURL: address,
		Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	})
	if err != nil {
		s.Fatal(err)
	}
	return connecting
}

func (s *Server) contents(guard *egress.Egress) *media.Library {
	s.Helper()
	dir := s.TempDir()
	folder, err := media.NewFolder(filepath.Join(dir, "kept"))
	if err != nil {
		s.Fatal(err)
	}
	library, err := media.NewLibrary(media.LibraryConfig{
		Blobs: folder, Arriving: filepath.Join(dir, "arriving"), MaxBytes: 1 << 20, PartBytes: PartBytes, Constraints: catalog.Constraints,
		Fetcher: media.NewFetcher(media.Config{HTTP: guard.Client(), Timeout: time.Minute}),
	})
	if err != nil {
		s.Fatal(err)
	}
	return library
}

// between loses answers: the gateway has done what was asked, and nobody is told.
func (s *Server) between(gateway http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if before := s.Before.Load(); before != nil && (*before)(w, request) {
			return
		}
		if s.loses.Add(-1) >= 0 {
			gateway.ServeHTTP(httptest.NewRecorder(), request)
			panic(http.ErrAbortHandler)
		}
		gateway.ServeHTTP(w, request)
	})
}

// LoseAnswers has the next n requests take effect and their connections cut.
func (s *Server) LoseAnswers(n int) { s.loses.Store(int64(n)) }

// Connect adds an account.
func (s *Server) Connect(platform schema.Platform, name string) schema.AccountID {
	s.Helper()
	account := schema.Account{Workspace: s.workspace, Platform: platform, NativeID: name, Name: name, Sealed: []byte("sealed")}
	id, err := s.admin.AccountID(context.Background(), account)
	if err != nil {
		s.Fatal(err)
	}
	account.ID = id
	if err := s.admin.PutAccount(context.Background(), account); err != nil {
		s.Fatal(err)
	}
	return id
}

func (s *Server) issue(database *postgres.Store) string {
	s.Helper()
	text, err := schema.NewAPIKey(rand.Reader, false)
	if err != nil {
		s.Fatal(err)
	}
	id := schema.NewID[schema.KeyID](database.Now())
	err = s.admin.CreateKey(context.Background(), schema.KeyRecord{
		ID: id, Lineage: id, Workspace: s.workspace, Name: "test", Permission: schema.Admin, Prefix: schema.APIKeyPrefix(text), CreatedAt: database.Now(),
	}, schema.HashAPIKey(text))
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// Decide makes an owner of the workspace, who decides about the device of a code.
func (s *Server) Decide(userCode string, approved bool) {
	s.Helper()
	now := time.Now()
	owner, err := s.gateway.AddUser(context.Background(), people.User{
		ID: schema.NewID[schema.UserID](now), Email: userCode + "@example.com", Name: "owner", CreatedAt: now,
	}, people.Membership{Workspace: s.workspace, Role: people.Owner})
	if err != nil {
		s.Fatal(err)
	}
	code, _ := people.HashUserCode(userCode)
	decision := people.DeviceDecision{Code: code, User: owner.ID, Workspace: s.workspace, Approved: approved}
	if err := s.gateway.DecideDevice(context.Background(), decision); err != nil {
		s.Fatal(err)
	}
}
