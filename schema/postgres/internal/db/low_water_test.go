package db_test

import (
	"testing"
	"time"

	"crier/schema/postgres/internal/db"
)

func TestAScanStartsAtWhatMayBeThere(t *testing.T) {
	var w db.LowWater
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	old, near := now.Add(-time.Hour), 15*time.Second
	want := func(what string, from time.Time) {
		t.Helper()
		if got := w.Start(now); !got.Equal(from) {
			t.Errorf("%s, a scan starts at %v, want %v", what, got, from)
		}
	}
	want("at first", time.Time{})
	w.Note(time.Time{}, old, now)
	want("with a row of an hour ago", old)
	w.Note(time.Time{}, time.Time{}, now)
	want("with nothing there", now.Add(-near))
	w.Note(now.Add(-near), now.Add(-time.Second), now)
	want("with a young row", now.Add(-near))
	w.Note(now.Add(-near), now.Add(-near), now.Add(time.Second))
	want("with a row as old as that", now.Add(-near))
	now = now.Add(11 * time.Second)
	want("where a transaction may have taken long", now.Add(-11*time.Second-db.Lookback))
	w.Note(now.Add(-11*time.Second-db.Lookback), old.Add(time.Hour-30*time.Second), now)
	want("with what it made", old.Add(time.Hour-30*time.Second))
	now = now.Add(20 * time.Second)
	want("by and by", time.Time{})
	w.Note(time.Time{}, time.Time{}, now)
	now = now.Add(-time.Hour)
	want("after the clock was set back", time.Time{})
}

func TestAScanThatStartedLaterHidesNothingThatAnotherFound(t *testing.T) {
	var w db.LowWater
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	back := now.Add(-time.Hour) // a row that has come back since
	w.Note(w.Start(now), time.Time{}, now)
	now = now.Add(31 * time.Second)
	full, partial := w.Start(now), w.Start(now)
	w.Note(full, back, now)
	w.Note(partial, time.Time{}, now)
	if got := w.Start(now); !got.Equal(back) {
		t.Errorf("the next scan starts at %v, want the row of %v", got, back)
	}
}

func TestAFullScanThatTakesLongIsMadeMoreRarely(t *testing.T) {
	var w db.LowWater
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	from := w.Start(now)
	time.Sleep(40 * time.Millisecond) // a thousandth of 40 s
	w.Note(from, time.Time{}, now)
	if from := w.Start(now.Add(35 * time.Second)); from.IsZero() {
		t.Error("the next one is made at once")
	}
	if from := w.Start(now.Add(3 * time.Minute)); !from.IsZero() {
		t.Errorf("the next one is not made: it starts at %v", from)
	}
}

func TestAScanThatMustFindAllStartsAtTheMark(t *testing.T) {
	var w db.LowWater
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	if from := w.StartWide(now); !from.IsZero() {
		t.Errorf("the first starts at %v", from)
	}
	w.Note(time.Time{}, time.Time{}, now)
	for range 2 {
		if from := w.StartWide(now); !from.Equal(now.Add(-db.Lookback)) {
			t.Errorf("the next starts at %v, want what no transaction is behind", from)
		}
	}
	if from := w.StartWide(now.Add(31 * time.Second)); !from.IsZero() {
		t.Errorf("by and by one starts at %v, want the very beginning", from)
	}
}
