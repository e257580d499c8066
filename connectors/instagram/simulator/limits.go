package simulator

import (
	"encoding/json"
	"net/http"
	"time"

	"crier/connectors/simulation"
)

// What an account may do in 24 hours: publish as many posts as content_publishing_limit says,
// and call 4,800 times for each person who has seen it, of whom there are ten here
// (developers.facebook.com/docs/instagram-platform/content-publishing,
// docs/graph-api/overview/rate-limiting).
const (
	mostPosts = 100
	mostCalls = 4800 * 10
	day       = 24 * time.Hour
)

const useCaseUsage = "X-Business-Use-Case-Usage"

// window counts a profile's calls since it began.
type window struct {
	ends  time.Time
	calls int
}

// count counts a call and tells whether the limit allows it. The API says in a header how
// much is used.
func (s *simulator) count(v visit) bool {
	if s.unlimited {
		return true
	}
	v.kept.mu.Lock()
	defer v.kept.mu.Unlock()
	if now := s.world.Now(); !now.Before(v.kept.window.ends) {
		v.kept.window = window{ends: now.Add(day)}
	}
	v.kept.window.calls++
	used := v.kept.window.calls * 100 / mostCalls
	setUsage(v.rw.Header(), useCaseUsage, map[string]any{v.account.ID: []map[string]any{
		{"type": "instagram", "call_count": used, "total_cputime": 0, "total_time": 0, "estimated_time_to_regain_access": 0},
	}})
	return v.kept.window.calls <= mostCalls
}

func setUsage(header http.Header, name string, usage any) {
	encoded, err := json.Marshal(usage)
	if err != nil {
		panic(err) // not reached: maps of numbers
	}
	header.Set(name, string(encoded))
}

// forceWait names the shortest wait that the API can. A fault may have named one, which holds.
func forceWait(header http.Header) {
	if header.Get(useCaseUsage) != "" || header.Get("Retry-After") != "" {
		return
	}
	setUsage(header, useCaseUsage, map[string]any{"0": []map[string]any{
		{"type": "instagram", "call_count": 100, "total_cputime": 0, "total_time": 0, "estimated_time_to_regain_access": 1},
	}})
}

// used counts the posts of the last 24 hours; comments are none.
func (s *simulator) used(account *simulation.Account) (posts int) {
	from := s.world.Now().Add(-day)
	for p := range s.world.Newest(account.ID) {
		if p.CreatedAt.Before(from) {
			break
		}
		if p.ReplyTo == "" {
			posts++
		}
	}
	return posts
}

func (s *simulator) publishingLimit(v visit) {
	answer(v.rw, http.StatusOK, map[string]any{"data": []map[string]any{pick(v.param("fields"), map[string]any{
		"quota_usage": s.used(v.account), "config": map[string]any{"quota_total": mostPosts, "quota_duration": int(day.Seconds())},
	})}})
}
