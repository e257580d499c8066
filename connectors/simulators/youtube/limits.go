package youtube

import (
	"net/http"
	"sync"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// perDay is how much of each quota an app has a day, for all its channels
// (developers.google.com/youtube/v3/determine_quota_cost). A day begins at midnight Pacific.
func perDay(bucket string) int {
	if bucket == "uploads" {
		return 100
	}
	return 10_000
}

// quotas is what was used of a day. It does not outlive the process. Each workspace has an app of
// its own.
type quotas struct {
	mu   sync.Mutex
	day  string
	used map[quota]int
}

type quota struct {
	workspace schema.WorkspaceID
	bucket    string
}

// spend counts a call; false where the day's quota is not enough for it.
func (s *simulator) spend(r *http.Request, bucket string, cost int) bool {
	if !s.limited || cost == 0 {
		return true
	}
	of := quota{s.world.WorkspaceOf(r), bucket}
	s.used.mu.Lock()
	defer s.used.mu.Unlock()
	if day := dayOf(s.world.Now()); s.used.day != day {
		s.used.day, s.used.used = day, map[quota]int{}
	}
	if s.used.used[of]+cost > perDay(bucket) {
		return false
	}
	s.used.used[of] += cost
	return true
}

func dayOf(at time.Time) string {
	location, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // the database of time zones is compiled in
	}
	return at.In(location).Format(time.DateOnly)
}

func quotaExceeded() refusal {
	return refusal{http.StatusForbidden, "quotaExceeded", "The request cannot be completed because you have exceeded your quota."}
}

// forcedWait is what a forced rate limit asks to wait.
const forcedWait = "2"

// fail words what is forced on a call.
func (s *simulator) fail(rw http.ResponseWriter, o simulation.Outcome, status int) {
	worded := refusal{http.StatusBadRequest, "invalidVideoMetadata", "The request metadata is invalid."}
	switch o {
	case simulation.RateLimit:
		worded = refusal{http.StatusTooManyRequests, "rateLimitExceeded", "Rate Limit Exceeded"}
		if status == 0 {
			rw.Header().Set("Retry-After", forcedWait)
		}
	case simulation.ExpiredToken:
		worded = badCredentials()
	case simulation.Outage:
		worded = refusal{http.StatusServiceUnavailable, "backendError", "The service is currently unavailable."}
	}
	if status != 0 {
		worded.status = status
	}
	refuse(rw, worded)
}
