package analytics_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/analytics"
	"crier/compose/embedded/embeddedtest"
	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
)

// measured is the API before a ClickHouse with figures.
type measured struct {
	*gatewaytest.API
	store *clickhouse.Store
	facts []schema.Event
	day   time.Time // the day before today
}

func newMeasured(t *testing.T) *measured {
	t.Helper()
	url := embeddedtest.ClickHouse(t)
	if err := clickhouse.Migrate(t.Context(), clickhouse.Config{URL: url}); err != nil {
		t.Fatal(err)
	}
	store, err := clickhouse.Open(t.Context(), clickhouse.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	m := &measured{store: store, day: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)}
	m.API = gatewaytest.New(t, func(c *gateway.Config) {
		c.Analytics = analytics.NewQueries(store.Analytics(), postgres.NewAnalytics(nil))
	})
	return m
}

// tell adds a fact about an account.
func (m *measured) tell(account schema.AccountID, platform schema.Platform, t schema.EventType, at time.Time, fact any) schema.PostID {
	data, err := json.Marshal(fact)
	if err != nil {
		m.Fatal(err)
	}
	post := schema.NewID[schema.PostID](at)
	m.facts = append(m.facts, schema.Event{
		ID: schema.NewID[schema.EventID](at), Type: t, Workspace: m.Workspace, Account: account, Platform: platform, Post: post, At: at, Data: data,
	})
	return post
}

// posted adds a published post with what it came to a day later.
func (m *measured) posted(account schema.AccountID, platform schema.Platform, at time.Time, metrics schema.Metrics) schema.PostID {
	m.tell(account, platform, schema.TargetWasPosted, at, struct{}{})
	return m.tell(account, platform, schema.FactPostMetrics, at.Add(24*time.Hour), schema.PostMetrics{NativeID: "=1+1", PostedAt: at, Slot: 3, Metrics: metrics})
}

func (m *measured) storeTwice() {
	for range 2 { // as the log delivers
		if err := m.store.Sink().Insert(m.Context(), m.facts); err != nil {
			m.Fatal(err)
		}
	}
	m.facts = nil
}

func count(n int64) *int64 { return &n }

func (m *measured) csv(path string) [][]string {
	m.Helper()
	answer := m.Request(http.MethodGet, path, nil, "Accept", "text/csv")
	rows, err := csv.NewReader(strings.NewReader(string(answer.Body))).ReadAll()
	if err != nil {
		m.Fatal(err)
	}
	if other := m.Request(http.MethodGet, path+"&format=csv", nil); answer.Status != http.StatusOK || string(other.Body) != string(answer.Body) {
		m.Errorf("%s: by Accept %q, by format %q", path, answer.Body, other.Body)
	}
	return rows
}

func TestFiguresOfPostsAndAccounts(t *testing.T) {
	m := newMeasured(t)
	blue, you := m.AddAccount(m.Workspace, schema.Bluesky, "blue"), m.AddAccount(m.Workspace, schema.YouTube, "you")
	strangers, _ := m.CreateWorkspace("other", "operator", schema.Admin)
	foreign := m.AddAccount(strangers, schema.Bluesky, "foreign")
	best := m.posted(blue, schema.Bluesky, m.day.Add(9*time.Hour), schema.Metrics{Likes: count(7), Impressions: count(100)})
	m.posted(blue, schema.Bluesky, m.day.Add(8*time.Hour), schema.Metrics{Likes: count(2)})
	m.posted(you, schema.YouTube, m.day.Add(-20*time.Hour), schema.Metrics{Views: count(10), WatchSeconds: count(450)})
	for i, n := range []int64{1000, 1010} {
		day := m.day.AddDate(0, 0, i-1)
		m.tell(blue, schema.Bluesky, schema.FactFollowers, day, schema.Followers{Day: day.Format(time.DateOnly), Followers: count(n)})
		m.tell(you, schema.YouTube, schema.FactFollowers, day, schema.Followers{Day: day.Format(time.DateOnly), Followers: count(n * 10)})
	}
	m.storeTwice()

	posts := m.Request(http.MethodGet, "/analytics/posts", nil).Want(http.StatusOK)
	for path, want := range map[string]any{
		"totals.posted": 3.0, "metrics.totals.posts": 3.0, "metrics.totals.metrics.likes": 9.0, "metrics.totals.metrics.views": 10.0, "metrics.totals.metrics.saves": nil,
		"metrics.top.0.postId": best.String(), "metrics.series.0.posts": 1.0, "metrics.series.1.metrics.likes": 9.0,
	} {
		if got := posts.Dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if posts.At("metrics", "accounts").Len() != 2 || posts.At("metrics", "platforms").Len() != 2 {
		t.Errorf("metrics = %v", posts.At("metrics"))
	}
	ofPost := m.Request(http.MethodGet, "/analytics/posts?metrics=likes&postId="+best.String()+"&accountId="+blue.String(), nil).Want(http.StatusOK)
	if ofPost.Dotted("metrics.totals.metrics.likes") != 7.0 || ofPost.At("metrics", "totals", "metrics", "impressions").Value != nil {
		t.Errorf("answer = %v", ofPost)
	}
	if rows := m.csv("/analytics/posts?metrics=likes"); len(rows) != 3 || strings.Join(rows[2], ",") != m.day.Format(time.DateOnly)+",2,0,2,9" {
		t.Errorf("csv = %v", rows)
	}

	followers := m.Request(http.MethodGet, "/analytics/followers", nil).Want(http.StatusOK)
	for path, want := range map[string]any{"totals.followers": 1010.0, "totals.change": 10.0, "totals.accounts": 1.0} {
		if got := followers.Dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if followers.At("accounts").Len() != 2 || followers.At("series").Len() != 3 { // today stands with yesterday's look
		t.Errorf("followers = %v", followers)
	}
	if rows := m.csv("/analytics/followers?platform=youtube"); len(rows) != 2 || rows[1][3] != "10100" {
		t.Errorf("csv = %v", rows)
	}

	retention := m.Request(http.MethodGet, "/analytics/retention", nil).Want(http.StatusOK)
	if retention.At("videos").Len() != 1 || retention.Dotted("videos.0.averageViewSeconds") != 45.0 || retention.Dotted("videos.0.curve") != nil {
		t.Errorf("retention = %v", retention)
	}
	if ofVideo := m.Request(http.MethodGet, "/analytics/retention?postId="+retention.At("videos", 0, "postId").Text(), nil).Want(http.StatusOK); ofVideo.Dotted("videos.0.curve") != nil || !strings.Contains(ofVideo.At("unavailable").Text(), "could not be asked") {
		t.Errorf("retention of an account whose credentials cannot be read = %v", ofVideo)
	}
	if rows := m.csv("/analytics/retention?limit=1"); len(rows) != 2 || rows[1][2] != "'=1+1" {
		t.Errorf("csv = %v", rows)
	}

	for _, route := range []string{"posts", "followers", "retention", "best-times"} {
		for _, query := range []string{
			"from=2026-05-02&to=2026-05-01", "from=2016-01-01&to=2026-01-01", "from=2999-01-01&to=2999-01-02", "from=1999-01-01&to=1999-01-02", "to=x", "format=xml",
			"from=2025-05-01&to=2026-05-03", "from=2026-02-30", "to=99999-12-31", "from=0000-00-00", "accountId=" + strings.Repeat("x", 10_000),
			"accountId=" + foreign.String(), "accountId=" + schema.NewID[schema.AccountID](m.day).String(), "accountId=x", "brandId=x", "platform=google-business", "platform=myspace",
		} {
			m.Request(http.MethodGet, "/analytics/"+route+"?"+query, nil).WantError(http.StatusBadRequest, "validation_error")
		}
	}
	for _, query := range []string{"posts?metrics=fame", "posts?metrics=likes,fame", "posts?metrics=" + strings.Repeat("likes,", 5_000) + "fame", "posts?sortBy=fame", "posts?top=101", "posts?postId=x", "best-times?metric=fame", "best-times?timezone=Mars/Base", "retention?platform=bluesky"} {
		m.Request(http.MethodGet, "/analytics/"+query, nil).WantError(http.StatusBadRequest, "validation_error")
	}
}

func TestBestTimesFindTheOptimumAndSayWhenTheyCannot(t *testing.T) {
	m := newMeasured(t)
	known, fresh := m.AddAccount(m.Workspace, schema.Bluesky, "known"), m.AddAccount(m.Workspace, schema.Bluesky, "fresh")
	from := m.day.AddDate(0, 0, -300)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 600 { // by no pattern that has to do with hours or weekdays, except for Tuesday at 18
		at := from.Add(time.Duration(n) * 11 * time.Hour)
		likes := int64(20 + n*7919%13)
		if local := at.In(berlin); local.Weekday() == time.Tuesday && local.Hour() >= 17 && local.Hour() <= 19 {
			likes *= 4
		}
		m.posted(known, schema.Bluesky, at, schema.Metrics{Likes: &likes})
	}
	for n := range 10 { // all alike, whatever weekday it is today
		m.posted(fresh, schema.Bluesky, m.day.AddDate(0, 0, -n-1), schema.Metrics{Likes: count(5)})
	}
	m.storeTwice()
	best := func(account schema.AccountID) gatewaytest.JSON {
		return m.Request(http.MethodGet, fmt.Sprintf("/analytics/best-times?timezone=Europe/Berlin&limit=3&accountId=%s", account), nil).Want(http.StatusOK)
	}
	found := best(known)
	if first := found.At("times", 0); first.At("weekday").Text() != "tuesday" || first.At("hour").Value.(float64) < 17 || first.At("hour").Value.(float64) > 19 ||
		first.At("low").Value.(float64) <= 0 || found.At("confidence").Text() != "high" || found.At("posts").Value != 600.0 || found.At("note").Value != nil {
		t.Errorf("known = %v", found)
	}
	few := best(fresh)
	if few.At("confidence").Text() != "low" || !strings.Contains(few.At("note").Text(), "10 posts are too few") || few.At("times", 0, "weekday").Text() != "tuesday" {
		t.Errorf("fresh = %v", few)
	}
	none := m.Request(http.MethodGet, "/analytics/best-times?metric=saves", nil).Want(http.StatusOK)
	if none.At("confidence").Text() != "none" || none.At("times").Len() != 0 {
		t.Errorf("none = %v", none)
	}
	if rows := m.csv("/analytics/best-times?limit=5"); len(rows) != 6 {
		t.Errorf("csv = %v", rows)
	}
}

func TestBestTimesOfASandboxHaveAHistoryFromTheFirstDay(t *testing.T) {
	m := newMeasured(t)
	m.AddAccount(m.Workspace, schema.Bluesky, "a.bsky.social")
	twin, err := m.Admin.Twin(t.Context(), m.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	test, _ := m.IssueKey(twin, schema.Read, true)
	ask := func(zone string) gatewaytest.JSON {
		return m.RequestWith(test, http.MethodGet, "/analytics/best-times?limit=3&timezone="+zone, nil).Want(http.StatusOK)
	}
	best := ask("UTC")
	first := best.At("times", 0)
	if hour, _ := first.At("hour").Value.(float64); best.At("confidence").Text() == "none" || best.At("confidence").Text() == "low" || hour < 8 || hour > 10 {
		t.Errorf("best = %v", best)
	}
	if best.At("warnings", 0, "code").Text() != "sandbox_history" {
		t.Errorf("nothing says that the history is made up: %v", best.At("warnings"))
	}
	if again := ask("UTC"); fmt.Sprint(again) != fmt.Sprint(best) {
		t.Errorf("the second time it is %v, at first %v", again, best)
	}
	if hour, _ := ask("Asia/Tokyo").At("times", 0, "hour").Value.(float64); hour < 17 || hour > 19 {
		t.Errorf("in Tokyo the best hour is %v", hour)
	}
	if live := m.Request(http.MethodGet, "/analytics/best-times", nil).Want(http.StatusOK); live.At("confidence").Text() != "none" || live.Has("warnings") {
		t.Errorf("with a live key it is %v", live)
	}
}
