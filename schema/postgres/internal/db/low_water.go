package db

import (
	"sync"
	"time"
)

// LowWater is the time before which a table, read in the order of time, has no row any more, as far
// as is known. While a transaction holds xmin, what is deleted stays in the index, and a scan from
// the very beginning walks over all of it.
type LowWater struct {
	mu   sync.Mutex
	mark time.Time // zero: unknown
	full time.Time // when a scan last started at the very beginning
}

const (
	// Lookback is how far before now a scan starts at least: longer than any transaction lasts, so
	// that no row can still appear with an earlier time.
	Lookback = time.Minute
	// fullScanEvery is how often a scan starts at the very beginning: some rows come back with the
	// time that they had, such as a dead letter's events.
	fullScanEvery = 30 * time.Second
)

// Start returns the time from which to scan; zero: from the very beginning. What the scan finds
// first is for Note.
func (w *LowWater) Start(now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if since := now.Sub(w.full); w.mark.IsZero() || since > fullScanEvery || since < 0 { // or the clock was set back
		w.full = now
		return time.Time{}
	}
	return w.mark
}

// Mark returns the time from which others' scans have found all there is; zero: from the very beginning.
func (w *LowWater) Mark() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mark
}

// Note takes the time of the first row that a scan from a time has found, zero if there was none; now
// is when the scan started.
func (w *LowWater) Note(from, first, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if from.After(w.mark) {
		return // another scan has found a row since that is before this one's
	}
	w.mark = now.Add(-Lookback)
	if !first.IsZero() && first.Before(w.mark) {
		w.mark = first
	}
}
