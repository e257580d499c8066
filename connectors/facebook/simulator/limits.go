package simulator

import (
	"encoding/json"
	"time"
)

// A page's tokens have 4,800 calls in 24 hours for each person it has engaged; the simulated
// ones have one (graph-api/overview/rate-limiting).
const (
	mostCalls = 4800
	window    = 24 * time.Hour
)

// count counts a call, tells in the headers how much is used, and refuses what is over.
func (s *simulator) count(v visit) bool {
	profile, now := profileOf(v.account), s.world.Now()
	profile.mu.Lock()
	defer profile.mu.Unlock()
	if !now.Before(profile.until) {
		profile.calls, profile.until = 0, now.Add(window)
	}
	profile.calls++
	if !s.limited {
		return true
	}
	used := min(100*profile.calls/mostCalls, 100)
	usage := map[string]any{"type": "pages", "call_count": used, "total_cputime": 0, "total_time": 0, "estimated_time_to_regain_access": 0}
	isOver := profile.calls > mostCalls
	if isOver {
		usage["estimated_time_to_regain_access"] = int(profile.until.Sub(now)/time.Minute) + 1
	}
	encoded, err := json.Marshal(map[string]any{v.account.ID: []any{usage}})
	if err == nil {
		v.rw.Header().Set("X-Business-Use-Case-Usage", string(encoded))
	}
	v.rw.Header().Set("X-App-Usage", `{"call_count":1,"total_time":1,"total_cputime":1}`)
	if isOver {
		bad(80001, 2446079, "(#80001) There have been too many calls to this Page account. Wait a bit and try again.").writeTo(v.rw)
	}
	return !isOver
}

func tooMany() *refusal {
	return bad(32, 0, "(#32) Page request limit reached")
}
