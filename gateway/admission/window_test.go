package admission

import (
	"testing"
	"time"
)

func TestWindowsCountByMinute(t *testing.T) {
	w := newWindows[string](2)
	at := time.Date(2026, 1, 1, 0, 0, 59, 0, time.UTC)
	for want := 1; want <= 3; want++ {
		if got := w.add("a", 1, at); got != want {
			t.Errorf("add = %d, want %d", got, want)
		}
	}
	if got := w.add("b", 1, at); got != 1 {
		t.Errorf("another key has %d requests, want 1", got)
	}
	w.add("c", 1, at)
	if got := w.add("d", 1, at); got != 2 {
		t.Errorf("keys beyond the bound share %d requests, want 2", got)
	}
	if got := w.add("a", 1, at.Add(time.Second)); got != 1 {
		t.Errorf("the next minute begins with %d, want 1", got)
	}
}
