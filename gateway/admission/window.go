package admission

import (
	"sync"
	"time"
)

// windows counts requests by K in fixed windows of a minute. All windows begin on the
// minute, so that a new minute forgets them all at once.
type windows[K comparable] struct {
	max int // keys that are counted separately in a minute; all others share a window

	mu     sync.Mutex
	begin  time.Time
	counts map[K]int
	others int
}

func newWindows[K comparable](maximum int) *windows[K] {
	return &windows[K]{max: maximum, counts: make(map[K]int)}
}

// add counts n requests and returns how many there are in the window by now.
func (w *windows[K]) add(key K, n int, now time.Time) int {
	begin := now.Truncate(time.Minute)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !begin.Equal(w.begin) {
		w.begin, w.counts, w.others = begin, make(map[K]int), 0
	}
	if _, ok := w.counts[key]; !ok && len(w.counts) >= w.max {
		w.others += n
		return w.others
	}
	w.counts[key] += n
	return w.counts[key]
}

// Quota is where a caller stands in its window.
type Quota struct {
	Limit int // requests a minute; 0: no limit
	used  int // this request included
	Reset time.Time
}

// noLimitFigure is the limit that headers show where there is none.
const noLimitFigure = 1_000_000

func (q Quota) exceeded() bool { return q.Limit > 0 && q.used > q.Limit }

// Figures returns the figures for headers and answers.
func (q Quota) Figures() (limit, remaining int) {
	if q.Limit == 0 {
		return noLimitFigure, noLimitFigure
	}
	return q.Limit, max(q.Limit-q.used, 0)
}

// resetAfter returns when the window of a time ends.
func resetAfter(now time.Time) time.Time { return now.Truncate(time.Minute).Add(time.Minute) }
