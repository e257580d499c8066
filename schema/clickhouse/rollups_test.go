package clickhouse_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
	"crier/schema/clickhouse"
)

// ledger counts facts by itself, in Go, each once.
type ledger map[string]float64

func (l ledger) add(key string, n float64) {
	if l[key] += n; l[key] == 0 {
		delete(l, key)
	}
}

// history is what the facts of a workspace are made of, and what they come to.
type history struct {
	workspace
	accounts []schema.AccountID
	facts    []schema.Event
	want     ledger
	ends     map[schema.AccountID][]string // keys of what counts without accounts, of each end of an account
}

func newHistory() *history {
	return &history{newWorkspace(), []schema.AccountID{schema.NewID[schema.AccountID](noon), schema.NewID[schema.AccountID](noon)}, nil, ledger{}, map[schema.AccountID][]string{}}
}

// add makes one fact of each kind at a time, about one of the accounts.
func (h *history) add(n int, at time.Time) (events []schema.Event) {
	account := h.accounts[n%len(h.accounts)]
	key := func(view string, hourly bool, which any) string {
		when := at.UTC().Format(time.DateOnly)
		if hourly {
			when = at.UTC().Truncate(time.Hour).Format(time.DateTime)
		}
		return fmt.Sprint(view, " ", uuid.UUID(h.workspace), " ", when, " ", which)
	}
	id := uuid.UUID(account)
	for table, e := range h.oneOfEach(account, at) {
		switch table {
		case "events":
			e.Account = account
			if n%3 == 0 {
				e.Type, e.Code = schema.TargetHasFailed, "refused"
			}
			h.want.add(key("outcomes_hourly", true, id), 1)
			h.want.add(key("outcomes_daily", false, id), 1)
			every := key("platform_outcomes_hourly", true, uuid.UUID{})
			h.want.add(every, 1)
			h.ends[account] = append(h.ends[account], every)
		case "post_metrics":
			likes := int64(n + 1)
			e = h.about(account, schema.FactPostMetrics, at, schema.PostMetrics{NativeID: "n", PostedAt: at, Slot: 2, Metrics: schema.Metrics{Likes: &likes}})
			h.want.add(key("posts_daily", false, id), float64(likes))
		case "deliveries":
			h.want.add(key("deliveries_hourly", true, uuid.UUID{}), 1)
		case "api_usage":
			h.want.add(key("api_usage_hourly", true, uuid.UUID{1}), 5)
		case "feed_items":
			e = h.about(account, schema.FactFeedItem, at, schema.FeedItem{Monitor: schema.MonitorID{1}, NativeID: fmt.Sprint(at.UnixNano(), n), Text: "crier", WrittenAt: at.Add(-13 * time.Hour), Keywords: []string{"crier", "post"}})
			h.want.add(key("feed_hourly", true, uuid.UUID{1}), 1)
			h.want.add(key("feed_daily", false, uuid.UUID{1}), 1)
			h.want.add(key("platform_feed_hourly", true, uuid.UUID{}), 1)
			h.want.add(key("feed_keywords_daily", false, uuid.UUID{}), 101)
		default:
			continue
		}
		events = append(events, e)
	}
	h.facts = append(h.facts, events...)
	return events
}

// counted is what the views tell, of all workspaces.
func counted(t *testing.T, conn driver.Conn) ledger {
	t.Helper()
	totals := ledger{}
	for view, sql := range map[string]string{
		"outcomes_hourly":          `select workspace, toString(hour) as at, account as which, toFloat64(targets) as n from crier_v1_outcomes_hourly`,
		"outcomes_daily":           `select workspace, toString(day) as at, account as which, toFloat64(targets) as n from crier_v1_outcomes_daily`,
		"posts_daily":              `select workspace, toString(day) as at, account as which, toFloat64(assumeNotNull(likes)) as n from crier_v1_posts_daily`,
		"deliveries_hourly":        `select workspace, toString(hour) as at, webhook as which, toFloat64(tries) as n from crier_v1_deliveries_hourly`,
		"api_usage_hourly":         `select workspace, toString(hour) as at, key as which, toFloat64(requests) as n from crier_v1_api_usage_hourly`,
		"feed_daily":               `select workspace, toString(day) as at, monitor as which, toFloat64(items) as n from crier_v1_feed_daily`,
		"platform_outcomes_hourly": `select workspace, toString(hour) as at, toUUID('00000000-0000-0000-0000-000000000000') as which, toFloat64(targets) as n from crier_v1_platform_outcomes_hourly`,
		// all are found 13 hours after they were written
		"platform_feed_hourly": `select workspace, toString(hour) as at, toUUID('00000000-0000-0000-0000-000000000000') as which,
			toFloat64(if(delay_seconds_p99 = 46800 and delay_seconds_max = 46800, items, 0)) as n from crier_v1_platform_feed_hourly`,
		"feed_keywords_daily": `select workspace, toString(day) as at, toUUID('00000000-0000-0000-0000-000000000000') as which,
			toFloat64(items * transform(keyword, ['crier', 'post'], [1, 100], 0)) as n from crier_v1_feed_keywords_daily`,
		"feed_hourly": `select workspace, toString(hour) as at, monitor as which, toFloat64(items) as n from crier_v1_feed_hourly`,
	} {
		var rows []struct {
			Workspace uuid.UUID `ch:"workspace"`
			At        string    `ch:"at"`
			Which     uuid.UUID `ch:"which"`
			N         float64   `ch:"n"`
		}
		if err := conn.Select(t.Context(), &rows, sql); err != nil {
			t.Fatalf("%s: %v", view, err)
		}
		for _, r := range rows {
			totals.add(fmt.Sprint(view, " ", r.Workspace, " ", r.At, " ", r.Which), r.N)
		}
	}
	return totals
}

func checkCounts(t *testing.T, conn driver.Conn, when string, histories ...*history) {
	t.Helper()
	want := ledger{}
	for _, h := range histories {
		maps.Copy(want, h.want)
	}
	got := counted(t, conn)
	if maps.Equal(got, want) {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Fatalf("%s: %s = %v, want %v; %d rows are told of, want %d", when, key, got[key], want[key], len(got), len(want))
		}
	}
	t.Fatalf("%s: %d rows are told of, want %d", when, len(got), len(want))
}

// checkAnswers compares what endpoints are told, which read no views, with what is expected.
func checkAnswers(t *testing.T, store *clickhouse.Store, when string, h *history) {
	t.Helper()
	ends, likes := 0, 0
	for key, n := range h.want {
		switch strings.Fields(key)[0] {
		case "outcomes_daily":
			ends += int(n)
		case "posts_daily":
			likes += int(n)
		}
	}
	filter := schema.AnalyticsFilter{From: noon.AddDate(0, -3, 0), To: noon.AddDate(0, 1, 0)}
	counts, err := store.Analytics().PostCounts(t.Context(), schema.WorkspaceID(h.workspace), filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		ends -= c.Count
	}
	figures, err := store.Analytics().PostFigures(t.Context(), schema.WorkspaceID(h.workspace), filter)
	if err != nil || len(figures) == 0 {
		t.Fatal(figures, err)
	}
	for _, f := range figures {
		if !f.Day.IsZero() {
			likes -= int(*f.Metrics.Likes)
		}
	}
	if ends != 0 || likes != 0 {
		t.Errorf("%s: %d ends and %d likes are not told of", when, ends, likes)
	}
	want := map[schema.PostID]int64{}
	for _, e := range h.facts {
		var look schema.PostMetrics
		if e.Type == schema.FactPostMetrics && json.Unmarshal(e.Data, &look) == nil {
			want[e.Post] = *look.Metrics.Likes
		}
	}
	best := slices.Sorted(maps.Values(want))
	for _, by := range []schema.Metric{schema.MetricLikes, schema.MetricEngagement} {
		top, err := store.Analytics().TopPosts(t.Context(), schema.WorkspaceID(h.workspace), filter, schema.TopQuery{By: by, Limit: 3})
		if err != nil || len(top) != 3 {
			t.Fatal(top, err)
		}
		for i, p := range top {
			if *p.Metrics.Likes != best[len(best)-1-i] || want[p.Post] != *p.Metrics.Likes {
				t.Errorf("%s: %d likes stand at %d of the best, want %d", when, *p.Metrics.Likes, i, best[len(best)-1-i])
			}
		}
	}
}

// closeAll counts all that is open, and fails if something stays open.
func closeAll(t *testing.T, store *clickhouse.Store) {
	t.Helper()
	rollups := store.Rollups().Settled(0)
	for _, kind := range schema.RollupKinds() {
		for more := true; more; {
			var err error
			if _, more, err = rollups.Close(t.Context(), kind, 0, 100); err != nil {
				t.Fatal(err)
			}
		}
	}
	if open, err := rollups.Open(t.Context()); err != nil || len(open) != 0 {
		t.Fatalf("open = %v, %v", open, err)
	}
}

func TestWhatIsCountedBeforehandIsRight(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	store, conn := openURL(t, url), raw(t, url)
	first, other := newHistory(), newHistory()
	var facts []schema.Event
	for n := range 40 {
		at := noon.Add(time.Duration(n*7) * time.Hour)
		facts = slices.Concat(facts, first.add(n, at), other.add(n, at.Add(time.Minute)))
	}
	insert(t, store, facts[:100]...)
	insert(t, store, facts[100:]...)
	check := func(when string) {
		t.Helper()
		checkCounts(t, conn, when, first, other)
		checkAnswers(t, store, when, first)
	}
	check("nothing is counted beforehand")
	closeAll(t, store)
	check("all is")
	// what is read now was counted, and none of it from the facts
	if n := number(t, conn, `select count() from crier_v1_outcomes_daily`); n == 0 || n != number(t, conn, `select count() from rollup_outcomes_daily final where targets > 0`) {
		t.Errorf("%d rows are read, want those that were counted beforehand", n)
	}

	again := slices.Concat(first.facts, first.facts[:20])
	rand.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	insert(t, store, again...)
	check("facts came twice")
	closeAll(t, store)
	check("facts came twice, and were counted")

	insert(t, store, slices.Concat(first.add(100, noon.Add(time.Hour)), other.add(101, noon.AddDate(0, -2, 0)))...)
	check("facts came late")
	closeAll(t, store)
	closeAll(t, store)
	check("facts came late, and were counted")
}

func TestCountingIsCutOffAnywhereAndDoneByTwoAtOnce(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	store, conn, h := openURL(t, url), raw(t, url), newHistory()
	for n := range 10 {
		insert(t, store, h.add(n, noon.Add(time.Duration(n*11)*time.Hour))...)
	}
	rollups := store.Rollups().Settled(0)
	// counted, and the process dies before the bucket is closed; then more arrives
	if err := rollups.CountOnly(t.Context(), schema.RollupOutcomes); err != nil {
		t.Fatal(err)
	}
	checkCounts(t, conn, "cut off before closing", h)
	insert(t, store, h.add(50, noon)...)
	checkCounts(t, conn, "cut off, and more arrived", h)
	// two look for the same buckets, and both close them
	first, err := rollups.Find(t.Context(), schema.RollupOutcomes)
	if err != nil || len(first) == 0 {
		t.Fatal(first, err)
	}
	insert(t, store, h.add(51, noon.Add(time.Hour))...)
	for range 2 {
		if err := rollups.Finish(t.Context(), schema.RollupOutcomes, first); err != nil {
			t.Fatal(err)
		}
		checkCounts(t, conn, "closed by two", h)
	}
	closeAll(t, store)
	checkCounts(t, conn, "closed by one", h)
}

func TestWhatIsErasedIsNotCounted(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	store, conn := openURL(t, url), raw(t, url)
	gone, stays := newHistory(), newHistory()
	for n := range 6 {
		insert(t, store, append(gone.add(n, noon.Add(time.Duration(n*9)*time.Hour)), stays.add(n, noon.Add(time.Duration(n*9)*time.Hour))...)...)
	}
	closeAll(t, store)
	erase := func(of schema.Erasure) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if n, err := store.Eraser().Erase(t.Context(), of); err != nil || time.Since(began) > patience {
				t.Fatalf("%d are left: %v", n, err)
			} else if n == 0 {
				return
			}
		}
	}
	erase(schema.Erasure{Workspaces: []schema.WorkspaceID{schema.WorkspaceID(gone.workspace)}})
	checkCounts(t, conn, "a workspace is erased", stays)
	closeAll(t, store)
	for _, table := range []string{"rollup_outcomes_hourly", "rollup_outcomes_daily", "rollup_posts_daily", "rollup_deliveries_hourly",
		"rollup_api_usage_hourly", "rollup_feed_hourly", "rollup_feed_daily", "rollup_platform_feed_hourly", "rollup_feed_keywords_daily", "rollup_platform_outcomes_hourly", "rollup_post_hours", "rollup_open", "post_day_looks"} {
		if n := number(t, conn, `select count() from `+table+` where workspace = {w:UUID}`, clickhousego.Named("w", uuid.UUID(gone.workspace).String())); n != 0 {
			t.Errorf("%s holds %d rows of it", table, n)
		}
	}

	account := stays.accounts[0]
	erase(schema.Erasure{Workspaces: []schema.WorkspaceID{schema.WorkspaceID(stays.workspace)}, Account: account})
	for key := range stays.want {
		if strings.HasSuffix(key, uuid.UUID(account).String()) {
			delete(stays.want, key)
		}
	}
	for _, key := range stays.ends[account] {
		stays.want.add(key, -1)
	}
	checkCounts(t, conn, "an account is erased", stays)
	closeAll(t, store)
	checkCounts(t, conn, "an account is erased, and the rest counted", stays)
}

func TestFactsOfCountedDaysAreNotRead(t *testing.T) {
	t.Parallel()
	conn, w := raw(t, migrated(t)), uuid.NewString()
	for _, sql := range []string{
		`insert into events (id, type, workspace, at)
			select generateUUIDv4(), 'target.posted', {w:UUID}, toDateTime64('2026-01-01 00:00:00', 6, 'UTC') + number * 10 from numbers(250000)`,
		`optimize table events final`,
		`truncate table rollup_open`,
		`insert into rollup_open values ('outcomes', {w:UUID}, '2026-01-05', now(), 5)`,
		`insert into rollup_outcomes_daily (workspace, day, account, platform, outcome, version, targets)
			select {w:UUID}, toDate('2026-01-01') + number, generateUUIDv4(), 'mastodon', 'posted', 1, 7 from numbers(28)`,
	} {
		if err := conn.Exec(t.Context(), sql, clickhousego.Named("w", w)); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	of := ` from crier_v1_outcomes_daily where workspace = toUUID('` + w + `') and day between '2026-01-01' and '2026-01-28'`
	if n := number(t, conn, `select sum(targets)`+of); n != 27*7+8640 {
		t.Errorf("%d targets, want the facts of the one day that is open and the counts of the others", n)
	}
	var plan []struct {
		Line string `ch:"explain"`
	}
	if err := conn.Select(t.Context(), &plan, `explain indexes = 1 select sum(targets)`+of); err != nil {
		t.Fatal(err)
	}
	for i, step := range plan {
		if strings.Contains(step.Line, "ReadFromMergeTree") && strings.Contains(step.Line, ".events)") {
			for _, line := range plan[i:] {
				if granules := regexp.MustCompile(`Parts: \d+ \| Granules: (\d+)`).FindStringSubmatch(line.Line); granules != nil {
					if granules[1] > "4" || len(granules[1]) > 1 {
						t.Errorf("%s granules of facts are read for one day", granules[1])
					}
					return
				}
			}
		}
	}
	t.Errorf("the plan does not say what is read: %v", plan)
}
