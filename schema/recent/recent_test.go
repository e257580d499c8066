package recent

import "testing"

func TestWhatIsNotUsedIsForgotten(t *testing.T) {
	loads := 0
	r := New(100, func(int) *int { loads++; return &loads })
	for key := range 10_000 {
		r.Of(key)
		r.Of(0) // in use all the time
		r.Known(1)
	}
	if _, ok := r.Known(1); !ok {
		t.Error("a key that was looked at all the time was forgotten")
	}
	if got := len(r.Values()); got > 200 {
		t.Errorf("holds %d keys, want 200 at most", got)
	}
	if loads != 10_000 {
		t.Errorf("made %d values, want each once: a key in use was forgotten", loads)
	}
}

func TestWhatIsDeletedTakesNoPlace(t *testing.T) {
	r := New[int, string](100, nil)
	r.Put(0, "kept")
	for key := range 10_000 {
		r.Put(key+1, "")
		r.Delete(key + 1)
	}
	if value, ok := r.Known(0); value != "kept" || !ok || len(r.Values()) != 1 {
		t.Errorf("holds %q of %d values, want the one that was not deleted", value, len(r.Values()))
	}
	for key := range 100 {
		r.Put(key+1, "")
	}
	if r.Delete(0); len(r.Values()) != 100 {
		t.Errorf("holds %d values, want none from the generation before", len(r.Values()))
	}
}
