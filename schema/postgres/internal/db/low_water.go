package db

import (
	"sync"
	"time"
)

// LowWater is the time before which a table, read in the order of time, has no row any more, as far
// as is known. While a transaction holds xmin, what is deleted stays in the index, and a scan walks
// over all of it: so most scans start where rows usually are, some earlier, and few at the very beginning.
type LowWater struct {
	mu   sync.Mutex
	mark time.Time // zero: unknown
	near time.Time // the same, unless a transaction took long
	wide time.Time // when a scan last started at the mark or before
	full time.Time // when a scan last started at the very beginning

	began time.Time     // the same, by this process's clock
	apart time.Duration // how long it is from then to the next
}

const (
	// Lookback is how far before now a scan starts at times, at least: longer than any transaction
	// lasts, so that no row can still appear with an earlier time.
	Lookback = time.Minute
	// nearLookback is how far before now the others start: longer than most transactions last, and
	// than rows stay that nobody is late with.
	nearLookback = 15 * time.Second
	// wideScanEvery is how often a scan starts at the mark.
	wideScanEvery = 10 * time.Second
	// fullScanEvery is how often a scan starts at the very beginning: some rows come back with the
	// time that they had, such as a dead letter's events. One that walks over much is made more
	// rarely, so that it takes a thousandth of the time at most, but every rarestFullScan at least.
	fullScanEvery  = 30 * time.Second
	fullScanPart   = 1000
	rarestFullScan = 2 * time.Minute
)

// Start returns the time from which to scan; zero: from the very beginning. What the scan finds
// first is for Note.
func (w *LowWater) Start(now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isFull(now) || hasPassed(wideScanEvery, w.wide, now) {
		return w.startWide(now)
	}
	return w.near
}

// StartWide is Start for a scan that must find every row: it starts at the mark, or before.
func (w *LowWater) StartWide(now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.startWide(now)
}

func (w *LowWater) startWide(now time.Time) time.Time {
	full := w.isFull(now)
	w.wide = now
	if !full {
		return w.mark
	}
	w.full, w.began = now, time.Now()
	return time.Time{}
}

// isFull reports whether it is time for a scan from the very beginning.
func (w *LowWater) isFull(now time.Time) bool {
	return w.mark.IsZero() || hasPassed(max(w.apart, fullScanEvery), w.full, now)
}

// hasPassed reports whether more has passed, or the clock was set back.
func hasPassed(d time.Duration, since, now time.Time) bool {
	passed := now.Sub(since)
	return passed > d || passed < 0
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
	earliest := func(lookback time.Duration) time.Time {
		start := now.Add(-lookback)
		if !first.IsZero() && first.Before(start) {
			return first
		}
		return start
	}
	if from.IsZero() {
		w.apart = min(fullScanPart*time.Since(w.began), rarestFullScan)
	}
	// Otherwise another scan has found a row since that is before this one's.
	if !from.After(w.mark) {
		w.mark = earliest(Lookback)
	}
	if !from.After(w.near) {
		w.near = earliest(nearLookback)
	}
}
