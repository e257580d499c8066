package clickhouse_test

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/clickhouse"
)

// patience is how long what takes a moment may take: machines stand still, for more than a minute
// at times.
const patience = 3 * time.Minute

var noon = time.Date(2026, 3, 14, 12, 0, 0, 123456000, time.UTC)

type workspace schema.WorkspaceID

func newWorkspace() workspace { return workspace(schema.NewID[schema.WorkspaceID](noon)) }

// fact is an event about a target that was posted.
func (w workspace) fact(at time.Time) schema.Event {
	return schema.Event{
		ID: schema.NewID[schema.EventID](at), Type: schema.TargetWasPosted, Workspace: schema.WorkspaceID(w), Post: schema.NewID[schema.PostID](at),
		Account: schema.NewID[schema.AccountID](at), Platform: schema.Mastodon, At: at, Lateness: 0.25,
	}
}

func (w workspace) events(t testing.TB, store *clickhouse.Store) []schema.Event {
	t.Helper()
	return w.filtered(t, store, schema.EventFilter{UpTo: math.MaxInt64, Types: allTypes(), Limit: 1000})
}

// allTypes are the events and the facts.
func allTypes() []schema.EventType {
	return append(schema.EventTypes(), schema.TargetWasPosted, schema.TargetHasFailed)
}

func (w workspace) filtered(t testing.TB, store *clickhouse.Store, filter schema.EventFilter) []schema.Event {
	t.Helper()
	events, err := store.Analytics().Events(t.Context(), schema.WorkspaceID(w), filter)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func (w workspace) counts(t testing.TB, store *clickhouse.Store, filter schema.AnalyticsFilter) []schema.PostCount {
	t.Helper()
	counts, err := store.Analytics().PostCounts(t.Context(), schema.WorkspaceID(w), filter)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func insert(t testing.TB, store *clickhouse.Store, events ...schema.Event) {
	t.Helper()
	if err := store.Sink().Insert(t.Context(), events); err != nil {
		t.Fatal(err)
	}
}

func dayOf(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// year is all of the days that these tests use.
var year = schema.AnalyticsFilter{From: dayOf(noon).AddDate(0, -6, 0), To: dayOf(noon).AddDate(0, 6, 0)}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	store, w := open(t), newWorkspace()
	failed := w.fact(noon.Add(time.Second))
	failed.Type, failed.Code = schema.TargetHasFailed, "platform_refused"
	bare := schema.Event{ID: schema.NewID[schema.EventID](noon.Add(2 * time.Second)), Type: schema.AccountError, Workspace: schema.WorkspaceID(w), At: noon.Add(2 * time.Second)}
	want := []schema.Event{
		{
			ID: schema.NewID[schema.EventID](noon), Type: schema.PostPublished, Workspace: schema.WorkspaceID(w), Post: schema.NewID[schema.PostID](noon),
			At: noon, Data: json.RawMessage(`{"post":{"content":"a'b\\c\t\u0000 ü 👋"}}`),
		}, failed, bare,
	}
	insert(t, store, want...)
	if got := w.events(t, store); !reflect.DeepEqual(got, want) {
		t.Errorf("events =\n%+v, want\n%+v", got, want)
	}
}

func TestAnEventCountsOnceHoweverOftenItIsInserted(t *testing.T) {
	store, w := open(t), newWorkspace()
	var events []schema.Event
	for i := range 500 {
		events = append(events, w.fact(noon.Add(time.Duration(i)*3*time.Hour)))
	}
	for n := range 4 { // in other company and order each time, so that no block is another's double
		rand.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		insert(t, store, append(events[n:len(events):len(events)], events[:n]...)...)
		insert(t, store, events[0], events[1], events[0])
	}
	if got := w.events(t, store); len(got) != len(events) {
		t.Errorf("events = %d, want %d", len(got), len(events))
	}
	sum := 0
	for _, c := range w.counts(t, store, year) {
		sum += c.Count
	}
	if sum != len(events) {
		t.Errorf("counted = %d, want %d", sum, len(events))
	}
}

func TestEventsArePagedInTheOrderOfTheirPlaces(t *testing.T) {
	store, w := open(t), newWorkspace()
	var events []schema.Event
	for i := range 300 { // some of one position, at times in no order, over several days and months
		e := w.fact(noon.Add(time.Duration(i*7919%300) * 7 * time.Hour))
		e.Position = int64(i / 3)
		events = append(events, e)
	}
	for part := range slices.Chunk(events, 100) {
		insert(t, store, part...)
	}
	insert(t, store, events[:50]...)

	slices.SortFunc(events, func(a, b schema.Event) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	const horizon = 90
	filter := schema.EventFilter{UpTo: horizon, Types: []schema.EventType{schema.TargetWasPosted}, Limit: 7}
	var got []schema.Event
	for page := w.filtered(t, store, filter); len(page) > 0; page = w.filtered(t, store, filter) {
		if len(page) > 7 {
			t.Fatalf("a page has %d events, want at most 7", len(page))
		}
		got = append(got, page...)
		last := page[len(page)-1]
		filter.After = schema.EventPlace{Position: last.Position, ID: last.ID}
	}
	if want := events[:3*(horizon+1)]; !reflect.DeepEqual(got, want) {
		t.Errorf("paged %d events, want %d in order", len(got), len(want))
	}
}

func TestAnEventIsFoundByItsID(t *testing.T) {
	store, w, stranger := open(t), newWorkspace(), newWorkspace()
	e := w.fact(time.Date(2026, 3, 14, 23, 59, 59, 999999000, time.UTC))
	e.Position = 42
	insert(t, store, e)
	for name, tt := range map[string]struct {
		workspace workspace
		id        schema.EventID
		there     bool
	}{
		"its own":         {w, e.ID, true},
		"another's":       {stranger, e.ID, false},
		"one that is not": {w, schema.NewID[schema.EventID](noon), false},
	} {
		t.Run(name, func(t *testing.T) {
			position, there, err := store.Analytics().Position(t.Context(), schema.WorkspaceID(tt.workspace), tt.id)
			if err != nil || there != tt.there || (there && position != 42) {
				t.Errorf("Position = %d, %t, %v", position, there, err)
			}
		})
	}
}

func TestAWorkspaceSeesItsOwnAlone(t *testing.T) {
	store, w, stranger := open(t), newWorkspace(), newWorkspace()
	e := w.fact(noon)
	insert(t, store, e)
	filter := year
	filter.Accounts = []schema.AccountID{e.Account}
	if counts := stranger.counts(t, store, filter); len(counts) != 0 {
		t.Errorf("another workspace counts %+v", counts)
	}
	if events := stranger.events(t, store); len(events) != 0 {
		t.Errorf("another workspace reads %+v", events)
	}
	if counts := w.counts(t, store, filter); len(counts) != 1 {
		t.Errorf("its own workspace counts %+v, want 1", counts)
	}
}

func TestPostCounts(t *testing.T) {
	store, w := open(t), newWorkspace()
	day := dayOf(noon)
	first, last := day, day.Add(24*time.Hour-time.Microsecond)
	bluesky := w.fact(noon)
	bluesky.Platform = schema.Bluesky
	failed := w.fact(noon)
	failed.Type = schema.TargetHasFailed
	post := w.fact(noon)
	post.Type = schema.PostPublished // about a post: no target
	insert(t, store, w.fact(first), w.fact(last), bluesky, failed, post, w.fact(first.Add(-time.Microsecond)), w.fact(last.Add(time.Microsecond)))

	masto := func(day time.Time, n int) schema.PostCount {
		return schema.PostCount{Day: day, Platform: schema.Mastodon, Status: "posted", Count: n}
	}
	blue := schema.PostCount{Day: day, Platform: schema.Bluesky, Status: "posted", Count: 1}
	fail := schema.PostCount{Day: day, Platform: schema.Mastodon, Status: "failed", Count: 1}
	before, after := day.AddDate(0, 0, -1), day.AddDate(0, 0, 1)
	for name, tt := range map[string]struct {
		filter schema.AnalyticsFilter
		want   []schema.PostCount
	}{
		"one day, both ends included": {schema.AnalyticsFilter{From: day, To: day}, []schema.PostCount{blue, fail, masto(day, 2)}},
		"three days": {
			schema.AnalyticsFilter{From: before, To: after},
			[]schema.PostCount{masto(before, 1), blue, fail, masto(day, 2), masto(after, 1)},
		},
		"one platform": {schema.AnalyticsFilter{From: before, To: after, Platform: schema.Bluesky}, []schema.PostCount{blue}},
		"one account":  {schema.AnalyticsFilter{From: before, To: after, Accounts: []schema.AccountID{failed.Account}}, []schema.PostCount{fail}},
		"another day":  {schema.AnalyticsFilter{From: day.AddDate(0, 0, 9), To: day.AddDate(0, 0, 10)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.counts(t, store, tt.filter); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("counts =\n%+v, want\n%+v", got, tt.want)
			}
		})
	}
}
