package listening

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"crier/connectors"
	"crier/connectors/simulators/simulation"
	"crier/schema"
	"crier/schema/guard"
	"crier/schema/postgres/feeds"
)

// turns is a store whose answers to what was searched are made up.
type turns struct {
	SearchStore
	advance func(ctx context.Context, s schema.SearchStep) (held bool, err error)
}

func (t *turns) AdvanceSearch(ctx context.Context, claim schema.StreamClaim, s schema.SearchStep, finds []schema.Find) (int, bool, error) {
	if held, err := t.advance(ctx, s); err != nil || !held {
		return 0, held, err
	}
	return t.SearchStore.AdvanceSearch(ctx, claim, s, finds)
}

func TestTurns(t *testing.T) {
	t.Parallel()
	s := newSearch(t)
	s.begunAnewForOtherWordsAlone()
	s.leavesOutWhatCannotBeStored()
	s.waitsForItsTurn()
	s.endsNoOther()
}

// endsNoOther has a turn fail that cannot be stored: others in hand are, and once another process
// has the claim nobody begins one more.
func (s *search) endsNoOther() {
	t := s.T
	none := func(*schema.Monitor) {}
	bad, good := s.monitor([]string{"coffee"}, none), s.monitor([]string{"tea", "milk"}, none)
	entered := make(chan struct{})
	broken := errors.New("broken")
	s.Store = &turns{s.Store, func(ctx context.Context, step schema.SearchStep) (bool, error) {
		if step.Monitor.ID == bad.ID {
			<-entered
			return true, broken
		}
		close(entered)
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
		return true, ctx.Err()
	}}
	s.exec(`update searches set due_at = now() - interval '1 second'`)
	if err := s.round(t.Context()); !errors.Is(err, broken) {
		t.Fatalf("round: %v", err)
	}
	var keyword int
	s.must(s.direct.QueryRow(t.Context(), `select keyword from searches where monitor_id = $1`, good.ID).Scan(&keyword))
	if keyword != 1 {
		t.Error("a turn was ended by another's failure")
	}

	for range searchers {
		s.monitor([]string{"coffee"}, none)
	}
	var stored atomic.Int32
	s.Store = &turns{s.Store.(*turns).SearchStore, func(context.Context, schema.SearchStep) (bool, error) {
		stored.Add(1)
		return false, nil
	}}
	s.exec(`update searches set due_at = now() - interval '1 second'`)
	if s.must(s.round(t.Context())); stored.Load() > searchers {
		t.Errorf("%d turns were taken without the claim", stored.Load())
	}
}

// state is an error as PostgreSQL has them.
type state string

func (s state) Error() string    { return string(s) }
func (s state) SQLState() string { return string(s) }

// What PostgreSQL refuses for other reasons than the values is never left out.
func TestWhatIsOfTheData(t *testing.T) {
	for of, want := range map[error]bool{
		state("22021"): true, state("54000"): true, &guard.PanicError{Fault: "x"}: true, state("23514"): false, state("40P01"): false, errors.New("x"): false, nil: false,
	} {
		if got := isOfData(of); got != want {
			t.Errorf("%v: %t", of, got)
		}
	}
}

// leavesOutWhatCannotBeStored has a search, and a stream, tell of a post whose time nobody can write, which
// counts as not given, and then a turn that cannot be stored at all.
func (s *search) leavesOutWhatCannotBeStored() {
	t, ctx := s.T, s.Context()
	m := s.monitor([]string{"broth"}, func(*schema.Monitor) {})
	never := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600))
	post := func(id string, at time.Time) string {
		return `{"id":"` + id + `","text":"broth","username":"a","timestamp":"` + at.Format(time.RFC3339) + `"}`
	}
	s.must(s.world().Inject(simulation.Fault{
		Operation: "GET /keyword_search", Status: http.StatusOK, Body: `{"data":[` + post("11", never) + "," + post("12", s.now().Add(time.Minute)) + `]}`,
	}))
	s.rounds(1)
	timesFound := func(id string) int { return s.found[m.ID.String()+" "+id] }
	if timesFound("11") != 1 || timesFound("12") != 1 || s.problem(m) != "" || s.waits()[0] <= 0 {
		t.Errorf("told %d and %d times, the problem is %q, it waits %v", timesFound("11"), timesFound("12"), s.problem(m), s.waits())
	}

	whole := s.Store
	s.Store = &turns{whole, func(_ context.Context, step schema.SearchStep) (bool, error) {
		if step.Problem == "" {
			return true, errors.New("broken")
		}
		return true, nil
	}}
	s.rounds(1)
	if s.problem(m) != notStored || s.waits()[0] < searchBarred-time.Minute {
		t.Errorf("the problem is %q, it waits %v", s.problem(m), s.waits())
	}
	s.Store = whole

	l := NewListener(Config{Stream: "stream", Store: feeds.New(s.store.DB), Logger: s.Logger, Metrics: s.Metrics})
	claim, _, err := l.Store.ClaimStream(ctx, l.Stream)
	s.must(err)
	c := &chunk{Listener: l, claim: claim, stored: claim.Place}
	c.claim.Place = schema.StreamPlace{Host: "host", Time: s.now()}
	for id, at := range map[string]time.Time{"21": never, "22": s.now(), "23": s.now()} {
		match := Match{Monitor: &m, Item: &connectors.FeedItem{Platform: schema.Bluesky, NativeID: id, WrittenAt: at.UTC()}}
		c.finds = append(c.finds, findOf(&match))
	}
	if held, err := c.store(ctx); !held || err != nil || timesFound("21") != 1 || timesFound("22") != 1 || timesFound("23") != 1 {
		t.Errorf("held is %t, %v; told %d, %d and %d times", held, err, timesFound("21"), timesFound("22"), timesFound("23"))
	}
	s.must(s.gateway.DeleteMonitor(ctx, s.workspace, m.ID))
}

// waitsForItsTurn has turns that cannot be stored, whatever is found: they are taken no sooner again
// than if they could. One is of a monitor that nothing can be found for; for another's finds
// PostgreSQL has no room.
func (s *search) waitsForItsTurn() {
	t, whole := s.T, s.Store
	gaps := func() float64 {
		var now dto.Metric
		s.must(s.Metrics.gaps.WithLabelValues(s.Stream).Write(&now))
		return now.Counter.GetValue()
	}
	before := gaps()
	german := s.monitor([]string{"broth"}, func(m *schema.Monitor) { m.Language = "de" })
	s.Store = &turns{whole, func(_ context.Context, step schema.SearchStep) (bool, error) {
		if step.Problem != notStored {
			return true, state("22021")
		}
		return true, nil
	}}
	if s.rounds(1); s.problem(german) != notStored || s.waits()[0] < searchNothing-time.Minute {
		t.Errorf("the problem is %q, it waits %v", s.problem(german), s.waits())
	}
	if gaps() != before {
		t.Error("a gap is counted where nothing is left out")
	}
	s.Store = whole
	s.must(s.gateway.DeleteMonitor(t.Context(), s.workspace, german.ID))

	m := s.monitor([]string{"broth"}, func(*schema.Monitor) {})
	tries := 0
	s.Store = &turns{whole, func(context.Context, schema.SearchStep) (bool, error) {
		if tries++; tries == 1 {
			return true, &schema.Error{Kind: schema.Unavailable, Message: "its connection ended"}
		}
		return true, nil
	}}
	s.rounds(1)
	if s.Store = whole; s.problem(m) != "" || tries != 2 {
		t.Errorf("after a connection that ended the problem is %q, %d tries", s.problem(m), tries)
	}
	s.exec(`create function no_room() returns trigger language plpgsql as 'begin raise exception using errcode = ''53100''; end'`)
	s.exec(`create trigger no_room before insert on found_items execute function no_room()`)
	s.must(s.world().Inject(simulation.Fault{
		Operation: "GET /keyword_search", Status: http.StatusOK,
		Body: `{"data":[{"id":"31","text":"broth","username":"a","timestamp":"` + s.now().Add(time.Minute).Format(time.RFC3339) + `"}]}`,
	}))
	if s.rounds(1); s.problem(m) != notStored || s.waits()[0] < schema.SearchPace-10*time.Second {
		t.Errorf("the problem is %q, it is searched for again, and paid for, in %v", s.problem(m), s.waits())
	}
	s.exec(`drop function no_room cascade`)
	s.must(s.gateway.DeleteMonitor(t.Context(), s.workspace, m.ID))
}

// begunAnewForOtherWordsAlone changes a monitor in the middle of a round, and deletes it.
func (s *search) begunAnewForOtherWordsAlone() {
	t := s.T
	m := s.monitor([]string{"coffee", "tea"}, func(m *schema.Monitor) { m.Language = "de" })
	s.rounds(1)
	change := func(what func(*schema.Monitor)) (schema.Monitor, int) {
		t.Helper()
		s.exec(`update searches set keyword = 1`)
		changed, err := s.gateway.UpdateMonitor(t.Context(), s.workspace, m.ID, func(m *schema.Monitor) error { what(m); return nil })
		s.must(err)
		var keyword int
		s.must(s.direct.QueryRow(t.Context(), `select keyword from searches`).Scan(&keyword))
		return changed, keyword
	}
	if changed, _ := change(func(m *schema.Monitor) { m.Language = "" }); changed.Search.Problem != "" || s.waits()[0] > schema.SearchPace+10*time.Second {
		t.Errorf("a monitor without a language any more has the problem %q, and waits %v", changed.Search.Problem, s.waits())
	}
	s.exec(`update searches set due_at = due_at + interval '1 day'`)
	change(func(m *schema.Monitor) { m.Include = []string{"cocoa", "tea"} })
	if s.waits()[0] > 2*schema.SearchPace+10*time.Second {
		t.Errorf("with other words it waits %v", s.waits())
	}
	for name, tt := range map[string]struct {
		change       func(*schema.Monitor)
		begins, same bool
	}{
		"a name":              {func(m *schema.Monitor) { m.Name = "another" }, false, true},
		"excluded words":      {func(m *schema.Monitor) { m.Exclude = []string{"music"} }, false, false},
		"one platform less":   {func(m *schema.Monitor) { m.Platforms = []schema.Platform{schema.Threads} }, false, false},
		"words to search for": {func(m *schema.Monitor) { m.Include = []string{m.Include[0] + "s", "tea"} }, true, false},
	} {
		before, err := s.gateway.Monitor(t.Context(), s.workspace, m.ID)
		s.must(err)
		after, keyword := change(tt.change)
		if begins := keyword == 0; begins != tt.begins || after.Search.Until.Equal(before.Search.Until) == tt.begins {
			t.Errorf("%s: it begins again: %t", name, begins)
		}
		if same := after.UpdatedAt.Equal(before.UpdatedAt); same != tt.same {
			t.Errorf("%s: it is updated: %t", name, !same)
		}
	}
	if read, err := s.gateway.Monitor(t.Context(), s.workspace, m.ID); err != nil || read.Name != "another" || !slices.Equal(read.Exclude, []string{"music"}) {
		t.Errorf("it is %+v, %v", read, err)
	}
	s.must(s.gateway.DeleteMonitor(t.Context(), s.workspace, m.ID))
}
