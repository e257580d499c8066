package connectors

import (
	"testing"
	"time"
)

// TestReadsTakeNoTurnThatPublishingWaitsFor reads as often as it can beside publications that come
// in bursts, which find their turns as if nothing was read.
func TestReadsTakeNoTurnThatPublishingWaitsFor(t *testing.T) {
	const burst, minutes = 8, 20
	ofAccount := Limits{Any: {Account: Rate{0.5, burst}}, Read: {Account: Rate{5, 50}}}
	ofApp := Limits{Any: {App: Rate{0.5, burst}}, Read: {App: Rate{5, 50}}}
	for name, tt := range map[string]struct {
		limits Limits
		shared bool // with other processes
		kind   Kind // of the reads
		waits  bool // publishing does
	}{
		"an account":                      {ofAccount, false, Read, false},
		"an account of several processes": {ofAccount, true, Read, false},
		"an app":                          {ofApp, false, Read, false},
		"an app of several processes":     {ofApp, true, Read, false},
		"calls that are no reads":         {ofAccount, false, Status, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			config := ClientConfig{Limits: tt.limits, Now: clock.Now}
			if tt.shared {
				config.Turns = newOwnTurns(clock.Now)
			}
			publishing, reading := newLimiter(config), newLimiter(config)
			if !tt.shared {
				reading = publishing
			}
			read, waited := 0, 0
			for second := range minutes * 60 {
				clock.advance(time.Second)
				for range 3 {
					if reading.wait(t.Context(), Call{Account: account(1), Kind: tt.kind}, nil, 0) == nil {
						read++
					}
				}
				if second%30 != 29 {
					continue
				}
				for range burst / 2 {
					if publishing.wait(t.Context(), Call{Account: account(1), Kind: Post}, nil, 0) != nil {
						waited++
					}
				}
			}
			if (waited > 0) != tt.waits {
				t.Errorf("%d publications of %d wait", waited, minutes*2*burst/2)
			}
			if read == 0 {
				t.Error("nothing is read")
			}
			t.Logf("%d read, %d publications of %d wait", read, waited, minutes*2*burst/2)
		})
	}
}
