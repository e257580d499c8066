package delay

import (
	"testing"
	"time"
)

// Passes begin where jobs may be: most of them near by, since what is done may stay in the index.
func TestAPassBeginsWhereJobsMayBe(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	lately := ago(5 * time.Second)
	beginning, near, wide := time.Time{}, ago(nearLookback), ago(wideLookback)
	for name, tt := range map[string]struct {
		passes passes
		missed bool
		from   time.Time
	}{
		"at first":                                {passes{}, false, beginning},
		"soon after a full one":                   {passes{wideBegan: lately, fullBegan: lately}, false, near},
		"soon after a wide one":                   {passes{wideBegan: lately, fullBegan: ago(4 * time.Minute)}, false, near},
		"where a transaction may have taken long": {passes{wideBegan: ago(widePassEvery), fullBegan: ago(widePassEvery)}, false, wide},
		"beside a backlog":                        {passes{wideBegan: lately, fullBegan: lately, found: true}, false, beginning},
		"beside a backlog that took long to read": {passes{wideBegan: lately, fullBegan: lately, found: true, nextFull: now.Add(time.Minute)}, false, near},
		"a while after that":                      {passes{wideBegan: lately, fullBegan: lately, found: true, nextFull: now}, false, beginning},
		"after firing has failed":                 {passes{wideBegan: lately, fullBegan: lately}, true, beginning},
		"that failed beside a backlog":            {passes{wideBegan: lately, fullBegan: lately, found: true, nextFull: now.Add(time.Minute)}, true, beginning},
		"after the clock was set back":            {passes{wideBegan: now.Add(time.Hour), fullBegan: now.Add(time.Hour)}, false, beginning},
		"in the end":                              {passes{wideBegan: lately, fullBegan: ago(fullPassEvery)}, false, beginning},
	} {
		t.Run(name, func(t *testing.T) {
			p := tt.passes
			if from := p.begin(now, tt.missed); !from.Equal(tt.from) {
				t.Errorf("it begins at %v, want %v", from, tt.from)
			}
			next := now.Add(time.Second)
			if from, want := p.begin(next, false), next.Add(-nearLookback); !from.Equal(want) {
				t.Errorf("the next begins at %v, want %v", from, want)
			}
		})
	}
}

func TestAPassIsDueEachSecond(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		began        time.Time // the last one
		due, overrun bool
	}{
		"at first":                     {time.Time{}, true, true}, // none is under way that could be ended
		"just after one":               {now.Add(-passEvery + time.Millisecond), false, false},
		"a second after one":           {now.Add(-passEvery), true, false},
		"after one that takes long":    {now.Add(-passLimit - time.Millisecond), true, true},
		"after the clock was set back": {now.Add(time.Hour), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := passes{began: tt.began}
			if due, overrun := p.due(now), p.overrun(now); due != tt.due || overrun != tt.overrun {
				t.Errorf("due: %t, overrun: %t; want %t and %t", due, overrun, tt.due, tt.overrun)
			}
			if wait := p.wait(now); !tt.due && wait != time.Millisecond {
				t.Errorf("the next is due in %v, want 1ms", wait)
			}
		})
	}
}

func TestAFullPassPausesForAsLongAsTheLastOneRead(t *testing.T) {
	const busy = 3 * time.Second
	began := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	ended := began.Add(5 * time.Second)
	for name, tt := range map[string]struct {
		full  bool
		after time.Duration // the end of the last pass
		want  bool          // a full one
	}{
		"before it may be":          {true, fullPassPause*busy - time.Millisecond, false},
		"once it may be":            {true, fullPassPause * busy, true},
		"after one that was not so": {false, time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := passes{found: true, fullBegan: began, wideBegan: began}
			p.end(tt.full, busy, ended)
			if from := p.begin(ended.Add(tt.after), false); from.IsZero() != tt.want {
				t.Errorf("it begins at %v; want a full one: %t", from, tt.want)
			}
		})
	}
}
