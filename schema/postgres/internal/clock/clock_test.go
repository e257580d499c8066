package clock

import (
	"log/slog"
	"testing"
	"time"
)

func TestAnInexactReadingDoesNotReplaceABetterOne(t *testing.T) {
	const exact, inexact, later = 100 * time.Microsecond, time.Millisecond, 5 * time.Second
	began := time.Now()
	current := reading{server: began, local: began, within: exact}
	for name, tt := range map[string]struct {
		after, ahead, within time.Duration
		want                 time.Duration // ahead of the current one
		wantWithin           time.Duration
	}{
		"inexact":                   {later, 900 * time.Microsecond, inexact, 0, exact + 75*time.Microsecond},
		"more exact":                {later, 50 * time.Microsecond, 80 * time.Microsecond, 50 * time.Microsecond, 80 * time.Microsecond},
		"after much time":           {time.Minute + later, 900 * time.Microsecond, inexact, 900 * time.Microsecond, inexact},
		"inexact, of another clock": {later, 2 * time.Millisecond, inexact, 2 * time.Millisecond, inexact},
		"of a clock that was set":   {later, -time.Hour, inexact, -time.Hour, inexact},
	} {
		local := began.Add(tt.after)
		got := current.better(reading{server: local.Add(tt.ahead), local: local, within: tt.within})
		if ahead := got.server.Sub(local); ahead != tt.want || got.local != local || got.within != tt.wantWithin {
			t.Errorf("%s: %v ahead within %v at %v, want %v within %v at the next one", name, ahead, got.within, got.local.Sub(began), tt.want, tt.wantWithin)
		}
	}
}

func TestAJumpIsCountedOnce(t *testing.T) {
	began := time.Now()
	c := New(nil)
	seen := func(ahead time.Duration, before bool) (jumped bool) {
		r := reading{server: began.Add(ahead), local: began, wall: began.Round(0)}
		c.Due.observe(r)
		c.base.Store(&r)
		return c.noteJump(before, slog.New(slog.DiscardHandler))
	}
	jumped := false
	for _, ahead := range []time.Duration{0, time.Hour, time.Hour, 0} {
		if jumped = seen(ahead, jumped); jumped != (ahead > 0) {
			t.Errorf("%v ahead, it has jumped: %t", ahead, jumped)
		}
	}
	if n := c.Jumps(); n != 1 {
		t.Errorf("%d jumps were counted, want 1", n)
	}
}

func TestLeasesDoNotEndByAJumpOfTheClock(t *testing.T) {
	type look struct {
		after time.Duration // since the first, by the monotonic clock
		ahead time.Duration // what the server's clock has jumped until then
		want  time.Duration // what the leases' has gone along with
	}
	for name, looks := range map[string][]look{
		"it does not jump":        {{5 * time.Second, 0, 0}, {10 * time.Second, time.Millisecond, time.Millisecond}},
		"back":                    {{5 * time.Second, -time.Hour, -time.Hour}},
		"ahead":                   {{5 * time.Second, time.Hour, 0}, {55 * time.Second, time.Hour, 0}, {60 * time.Second, time.Hour, time.Hour}},
		"ahead, and back":         {{5 * time.Second, time.Hour, 0}, {10 * time.Second, 0, 0}, {80 * time.Second, time.Hour, 0}},
		"ahead, and ahead again":  {{5 * time.Second, time.Minute, 0}, {40 * time.Second, time.Hour, 0}, {65 * time.Second, time.Hour, 0}, {95 * time.Second, time.Hour, time.Hour}},
		"after a time of silence": {{time.Hour, 0, 0}, {2 * time.Hour, time.Hour, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			var l steadyClock
			l.observe(reading{server: began, local: began})
			for _, look := range looks {
				local := began.Add(look.after)
				l.observe(reading{server: local.Add(look.ahead), local: local})
				if got := l.Latest(local).Sub(local) - jumpTolerance; got != look.want {
					t.Errorf("after %v it is %v ahead, want %v", look.after, got, look.want)
				}
			}
		})
	}
}

func TestWhatIsDueWaitsForAJumpToBeConfirmed(t *testing.T) {
	type look struct {
		after  time.Duration // since the first, by the monotonic clock
		ahead  time.Duration // what the server's clock has jumped until then
		asleep time.Duration // what this machine's clock has jumped until then
		want   time.Duration // how far what is due has gone along
	}
	for name, tt := range map[string]struct {
		off   time.Duration // the server's clock from this machine's at the beginning
		looks []look
	}{
		"an hour ahead, and back": {0, []look{{5 * time.Second, time.Hour, 0, 0}, {10 * time.Second, 0, 0, 0}}},
		"it stays an hour ahead":  {0, []look{{5 * time.Second, time.Hour, 0, 0}, {55 * time.Second, time.Hour, 0, 0}, {60 * time.Second, time.Hour, 0, time.Hour}}},
		"an hour back, and again": {0, []look{{5 * time.Second, -time.Hour, 0, -time.Hour}, {10 * time.Second, 0, 0, 0}}},
		"of a clock that is off, an hour back, and again": {time.Minute, []look{
			{5 * time.Second, -time.Hour, 0, -time.Hour}, {10 * time.Second, 0, 0, -time.Hour}, {65 * time.Second, 0, 0, 0},
		}},
		"the machine was asleep":            {time.Minute, []look{{5 * time.Second, time.Hour, time.Hour, time.Hour}}},
		"it is set right":                   {-time.Hour, []look{{5 * time.Second, time.Hour, 0, time.Hour}}},
		"this machine's alone is set ahead": {0, []look{{5 * time.Second, 0, time.Hour, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			l := steadyClock{asksWall: true}
			l.observe(reading{server: began.Add(tt.off), local: began, wall: began.Round(0)})
			for _, look := range tt.looks {
				local := began.Add(look.after)
				l.observe(reading{server: local.Add(tt.off + look.ahead), local: local, wall: local.Add(look.asleep).Round(0)})
				if got := l.Latest(local).Sub(local.Add(tt.off)) - jumpTolerance; got != look.want {
					t.Errorf("after %v it is %v ahead, want %v", look.after, got, look.want)
				}
			}
		})
	}
}
