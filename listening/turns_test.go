package listening

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
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
			t.Errorf("%s: it begins anew: %t", name, begins)
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
