package clock

import (
	"testing"
	"time"
)

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
			var l leaseClock
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
