package feeds_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/feeds"
	"crier/schema/postgres/postgrestest"
)

func (f *fixture) monitor(name string, include ...string) schema.Monitor {
	now := f.Store.Now()
	return schema.Monitor{
		ID: schema.NewID[schema.MonitorID](now), Workspace: f.Workspace, Name: name, Include: include, Platforms: schema.MonitorPlatforms(),
		CreatedAt: now, UpdatedAt: now,
	}
}

// hostileText has what PostgreSQL takes in no text, and JSON escapes.
const hostileText = "tea\x00\x1b\u202e\u2028</script>\U0010FFFF\\u0000"

func (f *fixture) find(m schema.Monitor, n int) schema.Find {
	return schema.Find{
		Workspace: m.Workspace, Monitor: m.Name, Platform: schema.Bluesky, Key: [16]byte{byte(n), byte(n >> 8), 1}, Known: time.Hour,
		Item: schema.FeedItem{Monitor: m.ID, NativeID: fmt.Sprint("at://did:plc:a/app.bsky.feed.post/", n), Text: hostileText, WrittenAt: f.Store.Now(), Keywords: []string{"tea"}},
	}
}

func TestWhatAMonitorFindsIsStoredOnce(t *testing.T) {
	f := newFixture(t)
	feeds := feeds.New(f.Store.DB)
	m, gone := f.monitor("tea", "tea"), f.monitor("gone", "tea")
	f.Must(f.Gateway.CreateMonitor(t.Context(), m))
	claim, taken, err := feeds.ClaimStream(t.Context(), "test")
	if err != nil || !taken || !claim.Place.Time.IsZero() {
		t.Fatalf("ClaimStream = %+v, %t, %v", claim, taken, err)
	}
	advance := func(claim schema.StreamClaim, finds ...schema.Find) (int, bool) {
		t.Helper()
		found, held, err := feeds.Advance(t.Context(), claim, finds)
		f.Must(err)
		return found, held
	}
	claim.Place = schema.StreamPlace{Host: "a", Time: f.Store.Now()}
	if found, held := advance(claim, f.find(m, 1), f.find(m, 1), f.find(m, 2), f.find(gone, 3)); found != 2 || !held {
		t.Errorf("Advance = %d, %t; want 2 of a monitor that is there", found, held)
	}
	if found, _ := advance(claim, f.find(m, 2), f.find(m, 3)); found != 1 {
		t.Errorf("a find that comes again: %d, want 1 new one", found)
	}

	// Another process takes over once this one was silent: what it still stores is refused.
	other := f.process(1)
	if _, taken, err := other.ClaimStream(t.Context(), "test"); err != nil || taken {
		t.Fatalf("another process takes a stream that is held: %t, %v", taken, err)
	}
	f.Exec(`update streams set held_until = now() - interval '1 second'`)
	second, taken, err := other.ClaimStream(t.Context(), "test")
	if err != nil || !taken || second.Place.Host != "a" || !second.Place.Time.Equal(claim.Place.Time) {
		t.Fatalf("ClaimStream = %+v, %t, %v; want the place of before", second, taken, err)
	}
	if found, held := advance(claim, f.find(m, 9)); found != 0 || held {
		t.Errorf("Advance = %d, %t under a claim that was lost", found, held)
	}
	f.Must(other.ReleaseStream(t.Context(), second))
	if _, taken, err := feeds.ClaimStream(t.Context(), "test"); err != nil || !taken {
		t.Errorf("a stream that was released is not to be had: %v", err)
	}

	facts, matched := 0, 0
	for _, b := range f.Events() {
		for _, e := range b.Events {
			switch e.Type {
			case schema.FactFeedItem:
				facts++
			case schema.FeedMatched:
				var data schema.FeedMatchedData
				f.Must(json.Unmarshal(e.Data, &data))
				matched += len(data.Items)
				if data.Items[0].Text != hostileText {
					t.Errorf("text = %q", data.Items[0].Text)
				}
				if data.Monitor.ID != m.ID || e.Workspace != f.Workspace {
					t.Errorf("matched = %+v", e)
				}
			}
		}
	}
	if facts != 3 || matched != 3 {
		t.Errorf("%d facts and %d posts in events, want 3 and 3", facts, matched)
	}
	if n := f.Count(`select count(*) from outbox where owed = ` + fmt.Sprint(int(schema.OwedAnalytics))); n != 2 {
		t.Errorf("%d rows of facts in the outbox, want one a chunk", n)
	}
	f.Exec(`update found_items set forget_at = now() - interval '1 second' where item <> '` + postgrestest.UUIDText(schema.PostID(f.find(m, 3).Key)) + `'`)
	if n := f.RunChore(f.Delay.ForgetFound); n != 2 || f.Count(`select count(*) from found_items`) != 1 {
		t.Errorf("%d finds are forgotten, want 2", n)
	}
}

// process is another process on the same database.
func (f *fixture) process(node byte) *feeds.Store {
	f.Helper()
	store, err := postgres.Open(f.Context(), postgres.Config{
		URL: f.URL, MaxConns: 4, MaxLateness: postgrestest.MaxLateness, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	f.Must(err)
	f.Cleanup(store.Close)
	if _, err := store.TakeNode(f.Context(), [16]byte{node}); err != nil {
		f.Fatal(err)
	}
	return feeds.New(store.DB)
}

func TestMonitorsOfAWorkspaceAreBounded(t *testing.T) {
	f := newFixture(t)
	f.Exec(fmt.Sprintf(`
		insert into monitors (id, workspace_id, sandbox, name, include, exclude, language, platforms, paused, created_at, updated_at)
		select uuidv7(), '%s', false, 'm', '{a}', '{}', '', '{%d}', false, now(), now() from generate_series(1, %d)`,
		postgrestest.UUIDText(schema.PostID(f.Workspace)), schema.Bluesky, schema.MaxMonitors))
	refused := func(err error, want string) {
		t.Helper()
		e, ok := errors.AsType[*schema.Error](err)
		if !ok || e.Kind != schema.InvalidState || !strings.Contains(e.Message, want) {
			t.Errorf("err = %v, want %q", err, want)
		}
	}
	refused(f.Gateway.CreateMonitor(t.Context(), f.monitor("one more", "tea")), "10000 monitors")
	f.Exec(`delete from monitors where id in (select id from monitors limit 9000)`)
	before, err := f.Gateway.Revision(t.Context(), false)
	f.Must(err)
	large := f.monitor("large", strings.Repeat("é", 50))
	f.Must(f.Gateway.CreateMonitor(t.Context(), large))
	f.Exec(`update monitors set include = array[repeat('x', 300)] where include = '{a}'`)
	refused(f.Gateway.CreateMonitor(t.Context(), f.monitor("too many bytes", "tea")), "bytes together")
	_, err = f.Gateway.UpdateMonitor(t.Context(), f.Workspace, large.ID, func(m *schema.Monitor) error { m.Exclude = []string{"milk"}; return nil })
	refused(err, "bytes together")
	f.Must(f.Gateway.DeleteMonitor(t.Context(), f.Workspace, large.ID))
	after, err := f.Gateway.Revision(t.Context(), false)
	f.Must(err)
	if after != before+2 {
		t.Errorf("revision went from %d to %d, want it raised by each change that came to be", before, after)
	}

	// One process holds as much as it is told, the oldest first.
	monitors, left, err := f.Gateway.Listening(t.Context(), false, schema.Bluesky, 3000)
	if err != nil || len(monitors) != 10 || left != 990 || monitors[0].ID.String() > monitors[9].ID.String() {
		t.Errorf("Listening = %d monitors, %d left out, %v", len(monitors), left, err)
	}
	if monitors, _, err := f.Gateway.Listening(t.Context(), true, schema.Bluesky, 3000); err != nil || len(monitors) != 0 {
		t.Errorf("the sandbox listens for %d monitors of live workspaces, %v", len(monitors), err)
	}
	// A workspace with many leaves others their part.
	small, err := postgres.NewAdmin(f.Store).MakeWorkspace(t.Context(), "small", "operator", false)
	f.Must(err)
	for range 3 {
		late := f.monitor("late", strings.Repeat("y", 100))
		late.Workspace = small.ID
		f.Must(f.Gateway.CreateMonitor(t.Context(), late))
	}
	monitors, left, err = f.Gateway.Listening(t.Context(), false, schema.Bluesky, 3000)
	if of := func(m schema.Monitor) bool { return m.Workspace == small.ID }; err != nil || len(monitors) != 12 || left != 991 || !of(monitors[9]) || !of(monitors[11]) {
		t.Errorf("Listening = %d monitors, %d left out, %v; want 9 of the large workspace, and all 3 of the small one", len(monitors), left, err)
	}
	if monitors, left, err = f.Gateway.Listening(t.Context(), false, schema.Bluesky, 400); err != nil || len(monitors) != 2 || left != 1001 {
		t.Errorf("Listening = %d monitors, %d left out, %v; want two of the small one's, where the large one's next has more than half", len(monitors), left, err)
	}
	for i, want := range []bool{false, true} { // the first and the third of the small one's
		of, err := f.Gateway.Monitors(t.Context(), small.ID, schema.MonitorID{}, 3)
		f.Must(err)
		if left, err := f.Gateway.LeftOut(t.Context(), of[2*i], schema.Bluesky, 400); err != nil || left != want {
			t.Errorf("monitor %d is left out: %t, %v", 2*i, left, err)
		}
		if left, err := f.Gateway.LeftOut(t.Context(), of[2*i], schema.Bluesky, 3000); err != nil || left {
			t.Errorf("monitor %d is left out where there is room, %v", 2*i, err)
		}
	}
	other := schema.NewID[schema.WorkspaceID](f.Store.Now())
	if _, err := f.Gateway.Monitor(t.Context(), other, monitors[0].ID); err == nil {
		t.Error("another workspace reads a monitor")
	}
}
