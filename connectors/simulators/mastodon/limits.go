package mastodon

import (
	"strconv"
	"time"
)

// limit is how often an account may call within a window. Windows begin at multiples
// of their length since 1970 (Mastodon's throttles).
type limit struct {
	name   string
	max    int
	length time.Duration
	covers func(operation string) bool
}

// window counts an account's calls since it began.
type window struct {
	ends  time.Time
	calls int
}

// serverLimits are those of every server that did not change its code
// (docs.joinmastodon.org/api/rate-limits).
func serverLimits() []limit {
	only := func(name string) func(string) bool {
		return func(operation string) bool { return operation == name }
	}
	return []limit{
		{"all", 300, 5 * time.Minute, func(string) bool { return true }},
		{"media", 30, 30 * time.Minute, only(opUploadMedia)},
		{"delete", 30, 30 * time.Minute, only("DELETE /api/v1/statuses/{id}")},
	}
}

// count counts a call and reports whether all limits allow it. The headers are those of
// the limit that is closest to its end.
func (s *simulator) count(v visit, operation string) bool {
	v.profile.mu.Lock()
	defer v.profile.mu.Unlock()
	now := s.world.Now()
	var closest *limit
	var left int
	var ends time.Time
	for _, l := range s.limits {
		if !l.covers(operation) {
			continue
		}
		w := v.profile.windows[l.name]
		if !now.Before(w.ends) {
			w = window{ends: now.Truncate(l.length).Add(l.length)}
		}
		w.calls++
		v.profile.windows[l.name] = w
		if closest == nil || l.max-w.calls < left {
			closest, left, ends = &l, l.max-w.calls, w.ends
		}
	}
	if closest == nil {
		return true
	}
	header := v.rw.Header()
	header.Set("X-RateLimit-Limit", strconv.Itoa(closest.max))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(max(left, 0)))
	header.Set("X-RateLimit-Reset", resetTime(ends))
	return left >= 0
}

// resetTime is how Mastodon writes the end of a window; servers of its kind write the
// seconds since 1970.
func resetTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }
