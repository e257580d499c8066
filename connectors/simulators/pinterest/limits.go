package pinterest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The categories of calls, and how many of each a person has in a minute (reference/rate-limits,
// standard access).
const (
	reads     = "org_read"
	writes    = "org_write"
	maxReads  = 1000
	maxWrites = 100
	window    = time.Minute
)

// count counts a call, tells in the headers how many are left, and refuses what is over.
func (s *simulator) count(v visit) bool {
	if !s.limited {
		return true
	}
	category, maximum := reads, maxReads
	if v.r.Method != http.MethodGet {
		category, maximum = writes, maxWrites
	}
	profile, now := profileOf(v.account), s.world.Now()
	profile.mu.Lock()
	defer profile.mu.Unlock()
	if now.Sub(profile.since) >= window || now.Before(profile.since) {
		profile.since = now
		clear(profile.calls)
	}
	profile.calls[category]++
	left := maximum - profile.calls[category]
	header := v.rw.Header()
	header.Set("X-Ratelimit-Limit", fmt.Sprintf(`%d, 100;w=1;name="safety_net_app_id_user_id", %d;w=60;name="%s_app_id_user_id"`, maximum, maximum, category))
	header.Set("X-Ratelimit-Remaining", strconv.Itoa(max(left, 0)))
	header.Set("X-Ratelimit-Reset", strconv.Itoa(int(profile.since.Add(window).Sub(now)/time.Second)+1))
	if left < 0 {
		tooMany().writeTo(v.rw)
	}
	return left >= 0
}

func tooMany() *refusal {
	return &refusal{http.StatusTooManyRequests, 8, "This request exceeded a rate limit. This can happen if the client exceeds one of the published rate limits within a short time window."}
}
