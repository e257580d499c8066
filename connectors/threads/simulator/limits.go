package simulator

import (
	"encoding/json"
	"net/http"
	"time"

	"crier/connectors/simulation"
)

// What a profile may do in 24 hours (developers.facebook.com/docs/threads/overview).
const (
	mostPosts   = 250
	mostReplies = 1000
	mostCalls   = 4800 * 10 // the least: a profile counts as seen ten times
	day         = 24 * time.Hour
)

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
	setUsage(v.rw.Header(), "X-App-Usage", map[string]any{"call_count": used, "total_cputime": 0, "total_time": 0})
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
	const usage = "X-Business-Use-Case-Usage"
	if header.Get(usage) != "" || header.Get("Retry-After") != "" {
		return
	}
	setUsage(header, usage, map[string]any{"0": []map[string]any{
		{"type": "threads", "call_count": 100, "total_cputime": 0, "total_time": 0, "estimated_time_to_regain_access": 1},
	}})
}

// used counts the posts and the replies of the last 24 hours.
func (s *simulator) used(account *simulation.Account) (posts, replies int) {
	from := s.world.Now().Add(-day)
	for p := range s.world.Newest(account.ID) {
		switch {
		case p.CreatedAt.Before(from):
			return posts, replies
		case p.ReplyTo != "":
			replies++
		default:
			posts++
		}
	}
	return posts, replies
}

func (s *simulator) publishingLimit(v visit) {
	posts, replies := s.used(v.account)
	config := func(total int) map[string]any {
		return map[string]any{"quota_total": total, "quota_duration": int(day.Seconds())}
	}
	answer(v.rw, http.StatusOK, map[string]any{"data": []map[string]any{pick(v.param("fields"), map[string]any{
		"quota_usage": posts, "config": config(mostPosts), "reply_quota_usage": replies, "reply_config": config(mostReplies),
	})}})
}
