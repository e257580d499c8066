package collection_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"crier/analytics/collection"
	"crier/compose/embedded/embeddedtest"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/simulators/sandbox"
	"crier/connectors/simulators/simulation"
	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/postgres"
)

// patience is how long a test waits for what must happen; a loaded machine needs it, and one that
// stands still for a minute and more.
const patience = 2 * time.Minute

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// fixture is the stage between real parts: PostgreSQL, the log and the simulators. Its clock is
// PostgreSQL's, moved on.
type fixture struct {
	*testing.T
	store     *postgres.Store
	stage     *postgres.Collection
	finishes  *losing // what the stage stores with: it is around stage
	publishes *postgres.Publish
	gateway   *postgres.Gateway
	direct    *pgxpool.Pool
	log       *stream.Log
	sandbox   *sandbox.Sandbox
	catalog   *catalog.Catalog
	vault     *connectors.Vault
	workspace schema.WorkspaceID
	registry  *prometheus.Registry
	last      schema.Collected // nothing behind it is collected; zero: all is

	permitted atomic.Int64 // calls on threads that need a permission to read

	mu        sync.Mutex
	ahead     time.Duration
	announced []schema.EventBatch
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t}
	f.openStore()
	f.openLog()
	f.openPlatforms()
	return f
}

func (f *fixture) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.store.Now().Add(f.ahead)
}

func (f *fixture) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ahead += d
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) openStore() {
	f.Helper()
	url := embeddedtest.PostgresWith(f.T, postgres.Migrate)
	store, err := postgres.Open(f.Context(), postgres.Config{
		URL: url, MaxConns: 10, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), Announce: f.hear,
	})
	f.must(err)
	f.Cleanup(store.Close)
	f.store, f.stage, f.publishes = store, postgres.NewCollection(store, f.now), postgres.NewPublish(store, catalog.Constraints)
	f.finishes = &losing{Collection: f.stage}
	f.direct, err = pgxpool.New(f.Context(), url)
	f.must(err)
	f.Cleanup(f.direct.Close)
	w, err := postgres.NewAdmin(store).MakeWorkspace(f.Context(), "acme", "operator", true)
	f.must(err)
	f.workspace = w.ID
}

// hear keeps the events that commits announce.
func (f *fixture) hear(a schema.Announcement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range a.Events {
		var b schema.EventBatch
		if err := json.Unmarshal(e.Payload, &b); err != nil {
			f.Error(err)
		}
		if t := b.Events[0].Type; t != schema.FactPostMetrics && t != schema.FactFollowers { // those stay in the outbox
			f.announced = append(f.announced, b)
		}
	}
}

// acknowledge is the sink: what was announced is stored, and once more.
func (f *fixture) acknowledge() {
	f.Helper()
	f.mu.Lock()
	announced := f.announced
	f.announced = nil
	f.mu.Unlock()
	sink := postgres.NewAnalytics(f.store)
	for range 2 {
		f.must(sink.Stored(f.Context(), announced))
	}
}

func (f *fixture) openLog() {
	f.Helper()
	log, err := stream.Open(f.Context(), stream.Config{
		Brokers: []string{embeddedtest.Log(f.T)}, ClientID: "test", Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), Now: time.Now,
	})
	f.must(err)
	f.Cleanup(log.Close)
	f.must(log.EnsureTopics(f.Context(), schema.Topics()))
	f.log = log
}

func (f *fixture) openPlatforms() {
	f.Helper()
	var base string
	var err error
	f.sandbox, err = sandbox.New(sandbox.Config{
		Simulators: catalog.Simulators(), Now: f.now, BaseURL: func() string { return base },
	})
	f.must(err)
	platforms := f.sandbox.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/threads_insights") || strings.HasSuffix(r.URL.Path, "/mentions") {
			f.permitted.Add(1)
		}
		platforms.ServeHTTP(rw, r)
	}))
	f.Cleanup(server.Close)
	base = server.URL
	out := egress.New(egress.Config{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	f.Cleanup(out.CloseIdle)
	f.catalog, err = catalog.New(catalog.Config{
		HTTP: out.Client(), SandboxHTTP: out.Client(), SandboxURL: base,
		Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: f.now,
	})
	f.must(err)
	f.vault, err = connectors.OpenVault(filepath.Join(f.TempDir(), "keyset.json"))
	f.must(err)
	f.gateway = postgres.NewGateway(f.store, f.vault, catalog.Constraints)
}

// start runs the stage until the function that it returns is called.
func (f *fixture) start() (stop func()) {
	f.Helper()
	f.registry = prometheus.NewRegistry()
	stage := collection.New(collection.Config{
		Store: f.finishes, Platforms: f.catalog, Vault: f.vault, Slots: 8, Log: f.log, Logger: slog.New(slog.DiscardHandler),
		Workers: worker.NewMetrics(f.registry), Registerer: f.registry,
	})
	ctx, cancel := context.WithCancel(f.Context())
	ended := make(chan error, 1)
	go func() { ended <- stage.Run(ctx, time.Second) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			f.Errorf("Run = %v", err)
		}
	})
	f.Cleanup(stop)
	f.eventually("the stage is ready", func() bool { return stage.Ready() == nil })
	return stop
}

func (f *fixture) eventually(what string, ok func() bool) {
	f.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// connect connects an account of a platform's simulator.
func (f *fixture) connect(p schema.Platform, n int) schema.Account {
	f.Helper()
	return f.connectBy(p, n, credentialsOf(p, n))
}

// connectBy connects an account, again where it is connected already.
func (f *fixture) connectBy(p schema.Platform, n int, credentials schema.Credentials) schema.Account {
	f.Helper()
	a := schema.Account{Workspace: f.workspace, Platform: p, Name: fmt.Sprint(p, n), Sandbox: true}
	checker, err := connectors.As[connectors.Checker](f.catalog, a)
	f.must(err)
	profile, err := checker.Check(f.Context(), a, credentials)
	f.must(err)
	a.NativeID, a.Settings = profile.NativeID, profile.Settings
	connected, err := f.gateway.Connect(f.Context(), f.workspace, []schema.Connection{{Account: a, Seal: func(stored schema.Account) ([]byte, bool, error) {
		sealed, err := f.vault.Seal(stored, credentials)
		return sealed, true, err
	}}})
	f.must(err)
	return connected[0].Account
}

// credentialsOf are those of the n-th account of a platform's simulator.
func credentialsOf(p schema.Platform, n int) schema.Credentials {
	switch p {
	case schema.Bluesky:
		return schema.Credentials{Identifier: fmt.Sprintf("user%d.example.com", n), Password: fmt.Sprintf("abcd-efgh-ijkl-%04d", n)}
	default:
		return schema.Credentials{AccessToken: fmt.Sprintf("token-%d", n)}
	}
}

// publish publishes a text, through the store and the connector as the publish stage does.
func (f *fixture) publish(a schema.Account, text string) (schema.Post, simulation.Post) {
	f.Helper()
	now := f.store.Now()
	p := schema.Post{
		ID: schema.NewID[schema.PostID](now), Workspace: f.workspace, Version: 1, Status: schema.Scheduled, ScheduledFor: now, Timezone: "UTC", FromAPI: true,
		CreatedAt: now, UpdatedAt: now, Content: schema.Content{Entries: []schema.Entry{{Text: text}}},
		Targets: []schema.Target{{Account: a.ID, Platform: a.Platform, FirstStep: schema.StepPublish}},
	}
	_, err := f.gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{p}})
	f.must(err)
	claimed, err := f.publishes.Claim(f.Context(), []schema.TargetRef{{Post: p.ID, Version: 1}})
	f.must(err)
	if len(claimed) != 1 {
		f.Fatalf("claimed %d", len(claimed))
	}
	d := claimed[0]
	d.Credentials, err = f.vault.Open(d.Account)
	f.must(err)
	connector, err := f.catalog.Connector(d.Account)
	f.must(err)
	receipt, err := connector.Publish(f.Context(), d)
	f.must(err)
	f.must(f.publishes.Finish(f.Context(), d.After(schema.Outcome{Receipt: receipt}, f.store.Now(), 0)))
	posts := f.sandbox.World(a.Platform).Posts()
	return p, posts[len(posts)-1]
}

// fire writes the messages of what is due now, as delay does, and returns how many.
func (f *fixture) fire() int {
	f.Helper()
	rows, err := f.direct.Query(f.Context(), `
		select c.id, c.workspace_id, c.account_id, a.platform, c.what from collections c join accounts a on a.id = c.account_id
		where c.due_at <= $1 and (c.lease_until is null or c.lease_until < $1) and ($2 = 0 or c.what <= $2)`, f.now(), int16(f.last))
	f.must(err)
	messages, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m schema.CollectMessage, err error) {
		err = row.Scan((*[16]byte)(&m.Collection), (*[16]byte)(&m.Workspace), (*[16]byte)(&m.Account), &m.Platform, &m.What)
		return m, err
	})
	f.must(err)
	records := make([]stream.Record, len(messages))
	for i, m := range messages {
		records[i] = stream.Record{Key: m.Account[:], Value: worker.Encode(m)}
	}
	if len(records) > 0 {
		f.must(f.log.Produce(f.Context(), schema.TopicCollect, records))
	}
	return len(records)
}

// collect fires until nothing is due.
func (f *fixture) collect() {
	f.Helper()
	var fired time.Time
	f.eventually("everything that is due is collected", func() bool {
		due := f.due()
		if due > 0 && time.Since(fired) > 200*time.Millisecond {
			f.fire()
			fired = time.Now()
		}
		return due == 0
	})
}

// due is how much is due.
func (f *fixture) due() int {
	return f.count(`select count(*) from collections where due_at <= $1 and ($2 = 0 or what <= $2)`, f.now(), int16(f.last))
}

func (f *fixture) count(sql string, args ...any) (n int) {
	f.Helper()
	f.must(f.direct.QueryRow(f.Context(), sql, args...).Scan(&n))
	return n
}

// facts returns those of a type that are in the outbox, in the order of their times.
func (f *fixture) facts(t schema.EventType) (facts []schema.Event) {
	f.Helper()
	f.eachFact(t, func(e schema.Event) { facts = append(facts, e) })
	slices.SortFunc(facts, func(a, b schema.Event) int { return a.At.Compare(b.At) })
	return facts
}

// eachFact calls a function with those of a type that are in the outbox.
func (f *fixture) eachFact(t schema.EventType, use func(schema.Event)) {
	f.Helper()
	rows, err := f.direct.Query(f.Context(), `select payload, owed from outbox where position(convert_to($1, 'UTF8') in payload) > 0`, string(t))
	f.must(err)
	var payload []byte
	var owed schema.Owed
	_, err = pgx.ForEachRow(rows, []any{&payload, (*int16)(&owed)}, func() error {
		var b schema.EventBatch
		if err := json.Unmarshal(payload, &b); err != nil {
			return err
		}
		for _, e := range b.Events {
			if e.Type == t {
				use(e)
			}
		}
		if owed != schema.OwedAnalytics {
			f.Errorf("facts are owed to %d", owed)
		}
		return nil
	})
	f.must(err)
}
