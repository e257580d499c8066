package listening

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/simulators/sandbox"
	"crier/connectors/simulators/simulation"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/feeds"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// search is a poller between PostgreSQL and the simulator of Threads, whose clock is PostgreSQL's
// moved on.
type search struct {
	*testing.T
	*Poller
	store     *postgres.Store
	gateway   *postgres.Gateway
	direct    *pgx.Conn
	world     func() *simulation.World
	vault     *connectors.Vault
	workspace schema.WorkspaceID
	account   schema.Account

	mu    sync.Mutex
	ahead time.Duration
	found map[string]int // times that a post was told, by monitor and post
}

func newSearch(t *testing.T) *search {
	t.Helper()
	s := &search{T: t, found: map[string]int{}}
	url := embeddedtest.PostgresWith(t, postgres.Migrate)
	var err error
	s.store, err = postgres.Open(t.Context(), postgres.Config{
		URL: url, MaxConns: 10, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), Announce: s.hear,
	})
	s.must(err)
	t.Cleanup(s.store.Close)
	s.direct, err = pgx.Connect(t.Context(), url)
	s.must(err)
	t.Cleanup(func() { s.direct.Close(t.Context()) })
	_, err = s.store.TakeNode(t.Context(), [16]byte{1})
	s.must(err)
	w, err := postgres.NewAdmin(s.store).MakeWorkspace(t.Context(), "acme", "operator", true)
	s.must(err)
	s.workspace = w.ID
	platforms := s.openPlatforms()
	s.gateway = postgres.NewGateway(s.store, s.vault, catalog.Constraints)
	s.connect(platforms)
	s.Poller = NewPoller(PollerConfig{
		Stream: "test", Sandbox: true, Platform: schema.Threads, Store: feeds.New(s.store.DB), Platforms: platforms, Vault: s.vault,
		Now: s.now, Logger: slog.New(slog.DiscardHandler), Metrics: NewMetrics(prometheus.NewRegistry(), s.now),
	})
	return s
}

func (s *search) openPlatforms() connectors.Resolver {
	s.Helper()
	var base string
	simulators, err := sandbox.New(sandbox.Config{Simulators: catalog.Simulators(), Now: s.now, BaseURL: func() string { return base }})
	s.must(err)
	s.world = func() *simulation.World { return simulators.World(schema.Threads) }
	server := httptest.NewServer(simulators.Handler())
	s.Cleanup(server.Close)
	base = server.URL
	out := egress.New(egress.Config{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	s.Cleanup(out.CloseIdle)
	platforms, err := catalog.New(catalog.Config{
		HTTP: out.Client(), SandboxHTTP: out.Client(), SandboxURL: base,
		Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: s.now,
	})
	s.must(err)
	s.vault, err = connectors.OpenVault(filepath.Join(s.TempDir(), "keyset.json"))
	s.must(err)
	return platforms
}

func (s *search) connect(platforms connectors.Resolver) {
	s.Helper()
	a := schema.Account{Workspace: s.workspace, Platform: schema.Threads, Name: "who searches", Sandbox: true}
	credentials := schema.Credentials{AccessToken: "token-1"}
	checker, err := connectors.As[connectors.Checker](platforms, a)
	s.must(err)
	profile, err := checker.Check(s.Context(), a, credentials)
	s.must(err)
	a.NativeID = profile.NativeID
	connected, err := s.gateway.Connect(s.Context(), s.workspace, []schema.Connection{{Account: a, Seal: func(stored schema.Account) ([]byte, bool, error) {
		sealed, err := s.vault.Seal(stored, credentials)
		return sealed, true, err
	}}})
	s.must(err)
	s.account = connected[0].Account
}

func (s *search) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *search) exec(sql string, args ...any) {
	s.Helper()
	_, err := s.direct.Exec(s.Context(), sql, args...)
	s.must(err)
}

func (s *search) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.Now().Add(s.ahead)
}

func (s *search) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead += d
}

// hear counts what commits tell.
func (s *search) hear(a schema.Announcement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range a.Events {
		var b schema.EventBatch
		if err := json.Unmarshal(e.Payload, &b); err != nil {
			s.Error(err)
		}
		for _, e := range b.Events {
			var item schema.FeedItem
			if e.Type == schema.FactFeedItem && json.Unmarshal(e.Data, &item) == nil {
				s.found[item.Monitor.String()+" "+item.NativeID]++
			}
		}
	}
}

func (s *search) monitor(include []string, change func(*schema.Monitor)) schema.Monitor {
	s.Helper()
	now := s.store.Now().Truncate(time.Millisecond)
	m := schema.Monitor{
		ID: schema.NewID[schema.MonitorID](now), Workspace: s.workspace, Name: include[0], Include: include, Platforms: schema.MonitorPlatforms(),
		CreatedAt: now, UpdatedAt: now,
	}
	change(&m)
	s.must(s.gateway.CreateMonitor(s.Context(), m))
	return m
}

// rounds has all monitors due so many times.
func (s *search) rounds(n int) {
	s.Helper()
	for range n {
		s.exec(`update searches set due_at = now() - interval '1 second'`)
		s.must(s.round(s.Context()))
	}
}

// waits are how long monitors wait for their next turns.
func (s *search) waits() (waits []time.Duration) {
	s.Helper()
	rows, err := s.direct.Query(s.Context(), `select due_at from searches order by due_at`)
	s.must(err)
	due, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	s.must(err)
	for _, at := range due {
		waits = append(waits, at.Sub(s.now()).Round(10*time.Second))
	}
	return waits
}

func (s *search) problem(m schema.Monitor) string {
	s.Helper()
	read, err := s.gateway.Monitor(s.Context(), s.workspace, m.ID)
	s.must(err)
	if read.Search == nil {
		s.Fatal("nothing is searched for the monitor")
	}
	return read.Search.Problem
}

// written is what Threads finds that has a word, until now.
func (s *search) written(word string, since time.Time) (posts []connectors.FeedItem) {
	s.Helper()
	for query := (connectors.FeedQuery{Words: word, Since: since, Limit: 50}); ; {
		page, err := s.searchAs(s.Context(), s.account, query)
		s.must(err)
		posts = append(posts, page.Items...)
		if query.Cursor = page.Next; query.Cursor == "" {
			return posts
		}
	}
}

// TestMonitorsAreSearchedFor has monitors searched for on a platform without a stream: all that
// people wrote is found, each post once.
func TestMonitorsAreSearchedFor(t *testing.T) {
	t.Parallel()
	s := newSearch(t)
	none := func(*schema.Monitor) {}
	drinks := s.monitor([]string{"Coffee", "tea"}, func(m *schema.Monitor) { m.Exclude = []string{"music"} })
	part := s.monitor([]string{"cof"}, none)
	german := s.monitor([]string{"coffee"}, func(m *schema.Monitor) { m.Language = "de" })
	if waits := s.waits(); !slices.Equal(waits, []time.Duration{40 * time.Second, 90 * time.Second, 130 * time.Second}) {
		t.Errorf("who is new waits %v, want a turn after each other", waits)
	}
	s.must(s.round(s.Context()))
	s.advance(3*time.Hour + 30*time.Minute) // more than a page
	s.rounds(6)
	s.advance(20 * time.Minute)
	s.rounds(6)
	if waits := s.waits(); waits[0] != 130*time.Second || waits[2] != 24*time.Hour {
		t.Errorf("three monitors wait %v for their next turns", waits)
	}
	s.exec(`update searches set read_until = $1, keyword = 0, page = 0, place = ''`, drinks.UpdatedAt) // as if the answers of all had been lost
	s.rounds(6)

	want := map[string]bool{}
	for _, word := range []string{"coffee", "tea"} {
		for _, post := range s.written(word, drinks.UpdatedAt) {
			if words := strings.Fields(post.Text); slices.Contains(words, word) && !slices.Contains(words, "music") && !post.WrittenAt.Before(drinks.UpdatedAt) {
				want[drinks.ID.String()+" "+post.NativeID] = true
			}
		}
	}
	for post, times := range s.found {
		if !want[post] || times != 1 {
			t.Errorf("%s is told %d times, wanted: %t", post, times, want[post])
		}
	}
	if len(want) < 150 || len(s.found) != len(want) {
		t.Errorf("%d posts are found, want %d", len(s.found), len(want))
	}
	if problem := s.problem(german); !strings.Contains(problem, "language") || s.problem(part) != "" {
		t.Errorf("problems = %q, %q", problem, s.problem(part))
	}
	s.refused(drinks)
}

// refused has searches refused.
func (s *search) refused(m schema.Monitor) {
	s.Helper()
	for status, wait := range map[int]time.Duration{429: searchBarred, 403: 3 * schema.SearchPace} { // all, or this keyword
		s.must(s.world().Inject(simulation.Fault{Operation: "GET /keyword_search", Status: status, Times: 50}))
		s.rounds(1)
		if s.problem(m) == "" || s.waits()[0] < wait-time.Minute {
			s.Errorf("after %d: problem = %q, it waits %v", status, s.problem(m), s.waits())
		}
		s.world().Heal()
		s.advance(time.Hour)
		s.rounds(2)
		if problem := s.problem(m); problem != "" {
			s.Errorf("healed: problem = %q", problem)
		}
	}
	s.exec(`update accounts set needs_reconnect = true`)
	s.rounds(1)
	if problem := s.problem(m); !strings.Contains(problem, "no account") {
		s.Errorf("without an account: problem = %q", problem)
	}
	changed, err := s.gateway.UpdateMonitor(s.Context(), s.workspace, m.ID, func(m *schema.Monitor) error { m.Paused = true; return nil })
	if err != nil || changed.Search != nil || fmt.Sprint(len(s.waits())) != "2" {
		s.Errorf("paused: %+v, %v, %d are searched for", changed.Search, err, len(s.waits()))
	}
}
