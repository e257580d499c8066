package analytics_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"crier/analytics"
	"crier/compose/embedded/embeddedtest"
	"crier/connectors/catalog"
	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

// patience is how long a test waits for what must happen; a loaded machine needs it, and one that
// stands still for a minute and more.
const patience = 2 * time.Minute

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// fixture is the parts around a sink, with databases of its own. ClickHouse and
// PostgreSQL are reached through relays that can be cut.
type fixture struct {
	*testing.T
	postgres      *postgres.Store
	postgresURL   string
	postgresRelay *relay
	direct        *pgxpool.Pool // past the relay

	clickhouse      *clickhouse.Store
	clickhouseURL   string // past the relay
	clickhouseRelay *relay

	log       *stream.Log
	logger    *slog.Logger
	queries   *analytics.Queries
	workspace schema.WorkspaceID
	announced chan schema.EventBatch // what commits asked of the log
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		T: t, workspace: schema.NewID[schema.WorkspaceID](time.Now()), announced: make(chan schema.EventBatch, 100),
		logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	f.openPostgres()
	f.openClickHouse()
	f.openLog()
	return f
}

func (f *fixture) openPostgres() {
	f.Helper()
	f.postgresURL = embeddedtest.PostgresWith(f.T, postgres.Migrate)
	var through string
	f.postgresRelay, through = newRelay(f.T, f.postgresURL)
	store, err := postgres.Open(f.Context(), postgres.Config{
		URL: through, MaxConns: 5, Logger: f.logger, Announce: func(a schema.Announcement) {
			for _, encoded := range a.Events {
				batch, err := decodeBatch(encoded.Payload)
				if err != nil {
					f.Error(err)
				}
				f.announced <- batch
			}
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(store.Close)
	f.postgres = store
	if f.direct, err = pgxpool.New(f.Context(), f.postgresURL); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(f.direct.Close)
}

func (f *fixture) openClickHouse() {
	f.Helper()
	f.clickhouseURL = embeddedtest.ClickHouse(f.T)
	if err := clickhouse.Migrate(f.Context(), clickhouse.Config{URL: f.clickhouseURL}); err != nil {
		f.Fatal(err)
	}
	var through string
	f.clickhouseRelay, through = newRelay(f.T, f.clickhouseURL)
	store, err := clickhouse.Open(f.Context(), clickhouse.Config{URL: through})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = store.Close() })
	f.clickhouse, f.queries = store, analytics.NewQueries(store.Analytics(), postgres.NewAnalytics(f.postgres))
}

func (f *fixture) openLog() {
	f.Helper()
	log, err := stream.Open(f.Context(), stream.Config{
		Brokers: []string{embeddedtest.Log(f.T)}, ClientID: "test", Logger: f.logger,
		Registerer: prometheus.NewRegistry(), Now: time.Now,
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(log.Close)
	if err := log.EnsureTopics(f.Context(), schema.Topics()); err != nil {
		f.Fatal(err)
	}
	f.log = log
}

// start runs a sink, and waits until it consumes. The function it returns ends it.
func (f *fixture) start() (metrics *prometheus.Registry, stop func()) {
	f.Helper()
	metrics = prometheus.NewRegistry()
	sink := analytics.NewSink(analytics.SinkDeps{
		Store: f.clickhouse.Sink(), Outbox: postgres.NewAnalytics(f.postgres), Log: f.log, Now: f.postgres.Now, Logger: f.logger, Registerer: metrics,
	})
	ctx, cancel := context.WithCancel(f.Context())
	ended := make(chan error, 1)
	go func() { ended <- sink.Run(ctx) }()
	stop = func() {
		cancel()
		if err, first := <-ended; first && err != nil {
			f.Errorf("Run = %v", err)
		} else if first {
			close(ended)
		}
	}
	f.Cleanup(stop)
	f.eventually("the sink is ready", func() bool { return sink.Ready() == nil })
	return metrics, stop
}

func (f *fixture) eventually(what string, ok func() bool) {
	f.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func decodeBatch(payload []byte) (batch schema.EventBatch, err error) {
	err = json.Unmarshal(payload, &batch)
	return batch, err
}

// batch is n facts of targets.
func (f *fixture) batch(n int) schema.EventBatch {
	now := f.postgres.Now().UTC()
	b := schema.EventBatch{ID: schema.NewID[schema.BatchID](now)}
	for range n {
		b.Events = append(b.Events, schema.Event{
			ID: schema.NewID[schema.EventID](now), Type: schema.TargetWasPosted, Workspace: f.workspace, Post: schema.NewID[schema.PostID](now),
			Account: schema.NewID[schema.AccountID](now), Platform: schema.Mastodon, At: now,
		})
	}
	f.owe(b)
	return b
}

// published is n events that webhooks can subscribe to.
func (f *fixture) published(n int) (events []schema.Event) {
	now := f.postgres.Now().UTC()
	for range n {
		events = append(events, schema.Event{
			ID: schema.NewID[schema.EventID](now), Type: schema.PostPublished, Workspace: f.workspace, Post: schema.NewID[schema.PostID](now), At: now, Data: json.RawMessage(`{}`),
		})
	}
	return events
}

func (f *fixture) marks() *postgres.Analytics { return postgres.NewAnalytics(f.postgres) }

// owe puts a batch into the outbox.
func (f *fixture) owe(b schema.EventBatch) {
	f.Helper()
	payload, err := json.Marshal(b)
	if err != nil {
		f.Fatal(err)
	}
	_, err = f.direct.Exec(f.Context(), `insert into outbox (id, owed, sent_at, payload) values ($1, $2, now(), $3)`,
		b.ID.Bytes(), int16(schema.OwedAnalytics), payload)
	if err != nil {
		f.Fatal(err)
	}
}

// commit creates a draft and a scheduled post, and returns the events of that commit.
func (f *fixture) commit() schema.EventBatch {
	f.Helper()
	admin := postgres.NewAdmin(f.postgres)
	w, err := admin.MakeWorkspace(f.Context(), "acme", "operator", false)
	if err != nil {
		f.Fatal(err)
	}
	f.workspace = w.ID
	now := f.postgres.Now()
	account := schema.Account{Workspace: w.ID, Platform: schema.Mastodon, NativeID: "1", Name: "a", Sealed: []byte("x")}
	if account.ID, err = admin.AccountID(f.Context(), account); err != nil {
		f.Fatal(err)
	}
	if err := admin.PutAccount(f.Context(), account); err != nil {
		f.Fatal(err)
	}
	post := schema.Post{
		ID: schema.NewID[schema.PostID](now), Workspace: w.ID, Version: 1, Status: schema.Scheduled,
		ScheduledFor: now.Add(time.Hour), Timezone: "UTC", FromAPI: true, CreatedAt: now, UpdatedAt: now,
		Content: schema.Content{Entries: []schema.Entry{{Text: "hello"}}},
		Targets: []schema.Target{{Account: account.ID, Platform: schema.Mastodon, FirstStep: schema.StepPublish}},
	}
	gateway := postgres.NewGateway(f.postgres, securetest.PlainText{}, catalog.Constraints)
	if _, err := gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{post}}); err != nil {
		f.Fatal(err)
	}
	return <-f.announced
}

// produce writes batches to the log.
func (f *fixture) produce(batches ...schema.EventBatch) {
	f.Helper()
	var records []stream.Record
	for _, b := range batches {
		value, err := json.Marshal(b)
		if err != nil {
			f.Fatal(err)
		}
		records = append(records, stream.Record{Key: b.ID[:], Value: value})
	}
	f.write(records...)
}

func (f *fixture) write(records ...stream.Record) {
	f.Helper()
	if err := f.log.Produce(f.Context(), schema.TopicEvents, records); err != nil {
		f.Fatal(err)
	}
}

// everything is all events and facts that can be queried.
var everything = schema.EventFilter{
	UpTo: math.MaxInt64, Types: append(schema.EventTypes(), schema.TargetWasPosted, schema.TargetHasFailed), Limit: 100_000,
}

// stored returns the events of the workspace that can be queried, -1 while none can.
func (f *fixture) stored() int {
	events, err := f.clickhouse.Analytics().Events(f.Context(), f.workspace, everything)
	if err != nil {
		return -1
	}
	return len(events)
}

// counted returns how many targets the dashboards see.
func (f *fixture) counted() (n int) {
	f.Helper()
	now := f.postgres.Now()
	counts, err := f.queries.PostCounts(f.Context(), f.workspace, schema.AnalyticsFilter{From: now.AddDate(0, 0, -1), To: now.AddDate(0, 0, 1)})
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range counts {
		n += c.Count
	}
	return n
}

// owed returns how many batches of the outbox the sink still owes.
func (f *fixture) owed() (n int) {
	f.Helper()
	query := fmt.Sprintf("select count(*) from outbox where owed & %d <> 0", schema.OwedAnalytics)
	if err := f.direct.QueryRow(f.Context(), query).Scan(&n); err != nil {
		f.Fatal(err)
	}
	return n
}

// metric returns the value of a counter or gauge, or the count of a histogram with that outcome.
func (f *fixture) metric(metrics *prometheus.Registry, name, outcome string) float64 {
	f.Helper()
	families, err := metrics.Gather()
	if err != nil {
		f.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			if len(m.GetLabel()) == 0 || m.GetLabel()[0].GetValue() == outcome {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	f.Fatalf("there is no metric %s", name)
	return 0
}

// through returns an address with another host in it.
func through(address, host string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // the embedded parts make these addresses
	}
	u.Host = host
	return u.String()
}
