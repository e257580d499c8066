package twitter

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limit is how often may be called within a window, which begins with the first call.
type limit struct {
	max    int
	length time.Duration
}

// The starts of the headers that tell of a window.
const (
	userWindow = "X-Rate-Limit"
	appWindow  = "X-App-Limit-24hour"
)

// appLimit is how many posts the app has in a day, for all its users
// (docs.x.com/x-api/fundamentals/rate-limits).
func appLimit() limit { return limit{10_000, 24 * time.Hour} }

// userLimits are those of a user, from the same page.
func userLimits() map[string]limit {
	quarter := func(maximum int) limit { return limit{maximum, 15 * time.Minute} }
	return map[string]limit{
		opCreate:     quarter(100),
		opTimeline:   quarter(900),
		opMe:         quarter(75),
		opPosts:      quarter(5000),
		opSearch:     quarter(300),
		opMentions:   quarter(300),
		opInitialize: quarter(1875),
		opAppend:     quarter(1875),
		opFinalize:   quarter(1875),
	}
}

// quota counts calls.
type quota struct {
	mu    sync.Mutex
	calls int
	ends  time.Time
}

// take counts a call and returns what is left; below zero there was nothing.
func (q *quota) take(l limit, now time.Time) (left int, ends time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !now.Before(q.ends) {
		q.calls, q.ends = 0, now.Add(l.length)
	}
	if q.calls > l.max {
		return -1, q.ends
	}
	q.calls++
	return l.max - q.calls, q.ends
}

// count counts a call and reports whether all limits allow it.
func (s *simulator) count(v visit, operation string) bool {
	l, limited := s.limits[operation]
	if !limited {
		return true
	}
	now := s.world.Now()
	stored, _ := v.profile.quotas.LoadOrStore(operation, &quota{})
	left, ends := stored.(*quota).take(l, now)
	describe(v.rw.Header(), userWindow, l, left, ends)
	if operation != opCreate || left < 0 {
		return left >= 0
	}
	l = appLimit()
	left, ends = s.day.take(l, now)
	describe(v.rw.Header(), appWindow, l, left, ends)
	return left >= 0
}

func describe(header http.Header, name string, l limit, left int, ends time.Time) {
	header.Set(name+"-Limit", strconv.Itoa(l.max))
	header.Set(name+"-Remaining", strconv.Itoa(max(left, 0)))
	header.Set(name+"-Reset", ceilSeconds(ends))
}
