package recent

import "testing"

func TestWhatIsNotUsedIsForgotten(t *testing.T) {
	loads := 0
	r := New(100, func(int) *int { loads++; return &loads })
	for key := range 10_000 {
		r.Of(key)
		r.Of(0) // in use all the time
	}
	if got := len(r.Values()); got > 200 {
		t.Errorf("holds %d keys, want 200 at most", got)
	}
	if loads != 10_000 {
		t.Errorf("made %d values, want each once: a key in use was forgotten", loads)
	}
}
