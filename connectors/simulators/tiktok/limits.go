package tiktok

import (
	"slices"
	"time"
)

const minute = time.Minute

// limits are those of an account's token in a minute, by operation (the references of
// creator_info, direct post and status; tiktok-api-v2-rate-limit).
func limits() map[string]int {
	return map[string]int{opCreator: 20, opInit: 6, opStatus: 30, opUser: 600, opVideos: 600}
}

// count counts a call, and reports whether the last minute had room for it.
func (s *simulator) count(v visit, operation string) bool {
	maximum, limited := s.limits[operation]
	if !limited {
		return true
	}
	p, now := profileOf(v.account), s.world.Now().UnixMilli()
	p.mu.Lock()
	defer p.mu.Unlock()
	recent := slices.DeleteFunc(p.calls[operation], func(at int64) bool { return at <= now-minute.Milliseconds() })
	if len(recent) >= maximum {
		p.calls[operation] = recent
		return false
	}
	p.calls[operation] = append(recent, now)
	return true
}
