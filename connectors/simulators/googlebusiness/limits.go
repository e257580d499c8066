package googlebusiness

import (
	"net/http"
	"sync"
	"time"

	"crier/connectors/simulators/simulation"
)

// The quotas (developers.google.com/my-business/content/limits).
const (
	maxCalls = 300 // a minute, of the app; each API has its own, here they are one
	maxEdits = 10  // a minute, of a location
)

// The quotas as refusals name them.
const (
	perMinute        = "defaultPerMinutePerProject"
	perMinuteProfile = "editsPerMinutePerProfile"
)

// window counts the calls of a minute.
type window struct {
	mu     sync.Mutex
	minute time.Time
	calls  int
}

// take counts a call and reports whether a quota allows it.
func (w *window) take(now time.Time, maximum int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(w.minute) {
		w.minute, w.calls = minute, 0
	}
	w.calls++
	return w.calls <= maximum
}

// count counts a call, or refuses it over a quota.
func (s *simulator) count(v visit) bool {
	if !s.limited {
		return true
	}
	now := s.world.Now()
	if !s.calls.take(now, maxCalls) {
		refuse(v.rw, exhausted(perMinute))
		return false
	}
	if v.r.Method != http.MethodGet && !editsOf(v.person, v.r.PathValue("location")).take(now, maxEdits) {
		refuse(v.rw, exhausted(perMinuteProfile))
		return false
	}
	return true
}

// editsOf are those of a location. They do not outlive the process.
func editsOf(person *simulation.Account, location string) *window {
	stored, _ := person.Data.LoadOrStore("edits of "+location, new(window))
	return stored.(*window)
}

func exhausted(limit string) refusal {
	return refusal{
		Code: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED",
		Message: "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' of service 'mybusiness.googleapis.com' for consumer 'project_number:1'.",
		Details: []any{info("RATE_LIMIT_EXCEEDED", map[string]string{
			"service": "mybusiness.googleapis.com", "consumer": "projects/1", "quota_limit": limit, "quota_limit_value": "300",
		})},
	}
}
