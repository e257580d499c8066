package posts

import (
	"testing"
	"time"
)

func TestDuplicatesAreRememberedFiveMinutes(t *testing.T) {
	d := new(duplicates)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	first, other := duplicate{fingerprint: [32]byte{1}}, duplicate{fingerprint: [32]byte{2}}
	for _, step := range []struct {
		request duplicate
		after   time.Duration
		want    bool
	}{
		{first, 0, false},
		{first, 4 * time.Minute, true},
		{other, 4 * time.Minute, false},
		{first, 8 * time.Minute, true},
		{first, 13 * time.Minute, false},
		{other, 30 * time.Minute, false},
	} {
		if got := d.seen(step.request, at.Add(step.after)); got != step.want {
			t.Errorf("seen after %v = %t, want %t", step.after, got, step.want)
		}
	}
}
