package bench

import (
	"fmt"
	"testing"
	"time"

	"crier/schema"
)

func TestDrain(t *testing.T) {
	first := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &workload{label: "late", first: first, step: 30 * time.Second, tenants: []tenant{
		{label: "late-00", posts: 4, accounts: make([][]target, 2)}, {label: "late-01", posts: 1, accounts: make([][]target, 1)},
	}}
	began := first.Add(time.Hour)
	for name, tt := range map[string]struct {
		texts      []string // one arrives each second
		missing    int
		errors     int
		disordered int
		overtaken  time.Duration
	}{
		"in order":                        {[]string{"late-00 0 a", "late-00 1 a", "late-01 0 a", "late-00 2 a", "late-00 3 a"}, 0, 0, 0, 0},
		"none":                            {nil, 5, 0, 0, 0},
		"another account's goes first":    {[]string{"late-00 1 a", "late-00 0 a", "late-01 0 a", "late-00 2 a", "late-00 3 a"}, 0, 0, 0, 30 * time.Second},
		"an account's later goes first":   {[]string{"late-00 0 a", "late-00 3 a", "late-00 2 a", "late-00 1 a", "late-01 0 a"}, 0, 0, 1, time.Minute},
		"one came twice":                  {[]string{"late-00 0 a", "late-00 0 a", "late-00 1 a", "late-01 0 a", "late-00 2 a", "late-00 3 a"}, 0, 1, 0, 0},
		"one that nobody made":            {[]string{"late-00 7 a"}, 5, 1, 0, 0},
		"what is beside it is left aside": {[]string{"fresh-0001 0 a", "late-01 0 a"}, 4, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrain(c)
			var posts []arrived
			for i, text := range tt.texts {
				posts = append(posts, arrived{text, began.Add(time.Duration(i) * time.Second)})
			}
			d.add(posts)
			if d.missing() != tt.missing || d.errors != tt.errors || d.disordered != tt.disordered || d.overtaken != tt.overtaken {
				t.Errorf("missing %d, errors %d, disordered %d, overtaken %v; want %+v", d.missing(), d.errors, d.disordered, d.overtaken, tt)
			}
		})
	}
}

func TestDrainRate(t *testing.T) {
	from := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d := &drain{arrived: 100, first: from.Add(time.Second), end: from.Add(10 * time.Second)}
	if got := d.rate(from); got != 10 {
		t.Errorf("rate = %v, want it to count what passes before the first arrives", got)
	}
	if got := d.rate(from.Add(2 * time.Second)); got != 100.0/9 {
		t.Errorf("rate = %v, want it from the first arrival", got)
	}
	if got := new(drain).rate(from); got != 0 {
		t.Errorf("rate of nothing = %v", got)
	}
}

func TestFreshPostsCountUntilTheDrainEnds(t *testing.T) {
	first := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := &fresh{sent: []schedule{{"fresh-0000", first, time.Second, 0, 5}, {"fresh-0001", first.Add(5 * time.Second), time.Second, 0, 5}}}
	var posts []arrived
	for i := range 3 {
		posts = append(posts, arrived{fmt.Sprintf("fresh-0000 %08d a", i), first.Add(time.Duration(i)*time.Second + time.Millisecond)})
	}
	f.addUntil(first.Add(3500*time.Millisecond), posts)
	if len(f.late) != 3 || f.errors != 1 || f.late.rank(1) != time.Millisecond {
		t.Errorf("%v, %d errors; want 3 that arrived and one that did not", f.late, f.errors)
	}
}

// A small backlog: the times of its posts are set back while nothing publishes, and all of
// them arrive.
func TestBacklogIsMeasured(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	err := s.onRun(t.Context(), func(on *run) error {
		late := &workload{label: "late", fresh: schema.Mastodon}
		if err := s.createPosts(t.Context(), on.on, late, 60, time.Hour); err != nil {
			return err
		}
		if err := late.setBack(t.Context(), on.on.Postgres, time.Now().Add(-time.Hour)); err != nil {
			return err
		}
		if err := s.restart(t.Context(), on.on, "all"); err != nil {
			return err
		}
		came, err := on.publish(t.Context(), late, time.Now())
		if err != nil {
			return err
		}
		if came.errors != 0 || came.arrived != 60 || came.rate <= 0 || came.work.total() <= 0 || came.late.rank(0.1) < time.Minute {
			t.Errorf("%d errors, %d arrived, %v/s, %v of processor time, the first tenth %v late", came.errors, came.arrived, came.rate, came.work.total(), came.late.rank(0.1))
		}
		// The drain may have ended before the first of what is published beside it: all of that counts here.
		came.end = time.Now().Add(time.Hour)
		if err := on.awaitFresh(t.Context(), came); err != nil {
			return err
		}
		if came.same.errors+came.other.errors != 0 || len(came.same.late) == 0 || len(came.other.late) == 0 {
			t.Errorf("beside it %d and %d, %d and %d errors", len(came.same.late), len(came.other.late), came.same.errors, came.other.errors)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
