package linkedin

import (
	"net/http"
	"strings"
	"time"
)

// limit is how often a member may call in a window. Those of a day begin at midnight UTC; no
// header tells how much is left (shared/api-guide/concepts/rate-limits).
type limit struct {
	name   string
	max    int
	length time.Duration
	covers func(*http.Request) bool
}

func creates(path string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, path) }
}

var limits = []limit{
	{"APPLICATION_AND_MEMBER DAY", 150, 24 * time.Hour, creates("/rest/posts")},
	{"APPLICATION_AND_MEMBER MINUTE", 20, time.Minute, creates("/comments")}, // how many is not documented
}

// count counts a call, or refuses it over a limit.
func (s *simulator) count(v visit) bool {
	if !s.limited {
		return true
	}
	profile, now := profileOf(v.account), s.world.Now()
	profile.mu.Lock()
	defer profile.mu.Unlock()
	for _, l := range limits {
		if !l.covers(v.r) {
			continue
		}
		window := l.name + now.Truncate(l.length).String()
		if profile.calls[window] >= l.max {
			refuse(v.rw, tooMany(l.name))
			return false
		}
		profile.calls[window]++
	}
	return true
}

func tooMany(window string) refusal {
	return refusal{
		Status: http.StatusTooManyRequests, Service: 101, Code: "TOO_MANY_REQUESTS",
		Message: "Resource level throttle " + window + " limit for calls to this resource is reached.",
	}
}
