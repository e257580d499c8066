package analytics_test

import (
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crier/analytics"
	"crier/analytics/usage"
	"crier/schema"
)

// hand is a clock that is set by hand.
type hand struct {
	mu sync.Mutex
	at time.Time
}

func (h *hand) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hand) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

// number asks ClickHouse for a number, past the relay.
func (f *fixture) number(query string, args ...any) (n uint64) {
	f.Helper()
	options, err := clickhouse.ParseDSN(f.clickhouseURL)
	if err != nil {
		f.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		f.Fatal(err)
	}
	defer conn.Close()
	if err := conn.QueryRow(f.Context(), query, args...).Scan(&n); err != nil {
		f.Fatal(err)
	}
	return n
}

func TestAnHourWithoutClickHouseMissesNothing(t *testing.T) {
	f := newFixture(t)
	clock := &hand{at: time.Date(2026, 3, 14, 9, 26, 30, 0, time.UTC)}
	counter := usage.NewCounter(usage.Config{Store: f.marks(), Now: clock.now, Logger: f.logger, Registerer: prometheus.NewRegistry()})
	f.clickhouseRelay.cut()
	f.start()
	key := schema.NewID[schema.KeyID](clock.now())
	const minutes, requests, calls = 60, 7, 3
	for minute := range minutes {
		for n := range requests {
			counter.Requested(schema.APIRequest{Workspace: f.workspace, Key: key, Method: "GET", Route: "/posts", Status: 200 + n%2, Took: time.Millisecond})
		}
		for range calls {
			counter.Called(schema.PlatformCall{Platform: schema.Bluesky, Operation: "publish", Outcome: "ok", Took: time.Second})
		}
		counter.Report(t.Context()) // its minute has not ended
		clock.move(time.Minute)
		if minute == 30 { // PostgreSQL is away too, for a minute
			f.postgresRelay.cut()
			counter.Report(t.Context())
			f.postgresRelay.mend()
			continue
		}
		counter.Report(t.Context())
		for len(f.announced) > 0 {
			b := <-f.announced
			f.produce(b, b)
		}
		if minute%10 == 0 { // a clock that goes back, and comes again
			clock.move(-90 * time.Second)
			counter.Report(t.Context())
			clock.move(90 * time.Second)
		}
	}
	f.clickhouseRelay.mend()
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	if n := f.number(`select toUInt64(sum(requests)) from api_usage final where workspace = {w:UUID}`, clickhouse.Named("w", uuid.UUID(f.workspace).String())); n != minutes*requests {
		t.Errorf("%d requests are counted, want %d", n, minutes*requests)
	}
	if n := f.number(`select toUInt64(sum(calls)) from platform_calls final`); n != minutes*calls {
		t.Errorf("%d calls are counted, want %d", n, minutes*calls)
	}
	if n := f.number(`select count(distinct minute) from platform_calls final`); n != minutes {
		t.Errorf("calls are of %d minutes, want %d", n, minutes)
	}
}

func TestWhatLinkedInLetsNobodyKeepGoesInTime(t *testing.T) {
	f := newFixture(t)
	read := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	if err := f.clickhouse.Sink().Insert(t.Context(), []schema.Event{{
		ID: schema.NewID[schema.EventID](read), Type: schema.FactInboxItem, Workspace: f.workspace, Account: schema.NewID[schema.AccountID](read), Platform: schema.LinkedIn, At: read,
		Data: []byte(`{"kind":"comment","nativeId":"1","author":{"name":"Ada"},"text":"well","writtenAt":"2026-03-01T00:00:00Z","revision":1}`),
	}}); err != nil {
		t.Fatal(err)
	}
	clock := &hand{at: read.Add(46 * time.Hour)}
	keeper := analytics.NewKeeper(analytics.KeeperDeps{Store: f.clickhouse.Retention(), Now: clock.now, Logger: f.logger})
	for _, want := range []uint64{1, 0} {
		if err := keeper.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := f.number(`select count() from inbox_items where text <> '' or author_name <> ''`); n != want {
			t.Errorf("after %v %d items tell who wrote what, want %d", clock.now().Sub(read), n, want)
		}
		clock.move(90 * time.Minute) // the last pass that is in time
	}
	if n := f.number(`select count() from inbox_items`); n != 1 {
		t.Errorf("%d items are left, want the one", n)
	}
	clock.move(400 * 24 * time.Hour)
	if err := keeper.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := f.number(`select count() from inbox_items`); n != 0 {
		t.Errorf("%d items are left after more than a year", n)
	}
}
