package clickhouse_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"crier/schema"
)

// hourly is what is expected of an hour of a weekday.
type hourly struct {
	own     bool
	weekday time.Weekday
	hour    int
}

// slotsOf sums looks by itself, in Go, those of one account apart from those of the others.
func slotsOf(looks []schema.Event, posted map[schema.EventID]schema.PostMetrics, account schema.AccountID, zone *time.Location) (slots map[hourly]schema.SlotSum, squares float64) {
	log := func(e schema.Event) float64 { return math.Log1p(float64(*posted[e.ID].Metrics.Likes)) }
	sums, posts := map[schema.AccountID]float64{}, map[schema.AccountID]float64{}
	for _, e := range looks {
		sums[e.Account] += log(e)
		posts[e.Account]++
	}
	slots = map[hourly]schema.SlotSum{}
	for _, e := range looks {
		at := posted[e.ID].PostedAt.In(zone)
		key, y := hourly{e.Account == account, at.Weekday(), at.Hour()}, log(e)-sums[e.Account]/posts[e.Account]
		slot := slots[key]
		slot.Posts, slot.Sum = slot.Posts+1, slot.Sum+y
		slots[key], squares = slot, squares+y*y
	}
	return slots, squares
}

// What is counted beforehand by hours of UTC answers for any zone, on the days too on which its
// clocks are changed, as the looks themselves do.
func TestHoursAreThoseOfTheZone(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	store, w := openURL(t, url), newWorkspace()
	accounts := []schema.AccountID{schema.NewID[schema.AccountID](noon), schema.NewID[schema.AccountID](noon)}
	from := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) // clocks are changed on the 8th and the 29th, and on April 5th
	to := from.AddDate(0, 0, 59)
	var all, looks []schema.Event
	posted := map[schema.EventID]schema.PostMetrics{}
	for n := range 1000 {
		at, likes := from.Add(-48*time.Hour+time.Duration(n)*93*time.Minute), int64(n*7919%131)
		look := schema.PostMetrics{NativeID: "n", PostedAt: at, Slot: 3, Gone: n%50 == 7, Metrics: schema.Metrics{Likes: &likes}}
		if n%50 == 11 {
			look.Metrics = schema.Metrics{Views: &likes}
		}
		e := w.about(accounts[n%2], schema.FactPostMetrics, at.Add(24*time.Hour), look)
		all = append(all, e)
		if posted[e.ID] = look; !look.Gone && look.Metrics.Likes != nil && !at.Before(from) && at.Before(to.AddDate(0, 0, 1)) {
			looks = append(looks, e)
		}
	}
	insert(t, store, all...)
	check := func(when, name string, metric schema.Metric) {
		t.Helper()
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := store.Analytics().SlotSums(t.Context(), schema.WorkspaceID(w), schema.BestTimesQuery{
			AnalyticsFilter: schema.AnalyticsFilter{From: from, To: to, Accounts: accounts[:1]}, Metric: metric, Zone: zone,
		})
		if err != nil {
			t.Fatal(err)
		}
		want, spread := slotsOf(looks, posted, accounts[0], zone)
		if len(got) != len(want) || len(got) == 0 {
			t.Errorf("%s, %s: %d hours, want %d", name, when, len(got), len(want))
		}
		for _, s := range got {
			w := want[hourly{s.Own, s.Weekday, s.Hour}]
			spread -= s.Squares
			if s.Posts != w.Posts || math.Abs(s.Sum-w.Sum) > 1e-4 {
				t.Fatalf("%s, %s: %+v, want %+v", name, when, s, w)
			}
		}
		if math.Abs(spread) > 1e-2 {
			t.Errorf("%s, %s: the squares differ by %v", name, when, spread)
		}
	}
	for _, when := range []string{"nothing is counted beforehand", "all is", "some of it came again"} {
		for _, zone := range []string{"UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Auckland", "Asia/Kolkata", "Australia/Lord_Howe"} {
			for _, metric := range []schema.Metric{schema.MetricLikes, schema.MetricEngagement} {
				check(when, zone, metric)
			}
		}
		closeAll(t, store)
		if when == "all is" {
			insert(t, store, slices.Concat(all[100:300], all[100:150])...)
		}
	}
	if n := number(t, raw(t, url), `select count() from rollup_post_hours final where workspace = toUUID('`+uuid.UUID(w).String()+`') and notEmpty(posts)`); n == 0 {
		t.Error("nothing was counted beforehand")
	}
}
