package tiktok

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
)

const (
	private   = "private-"
	unaudited = "unaudited-"
	// unauditedPublic are accounts that are not private themselves: such an app may not publish to them at
	// all, whatever creator_info offers.
	unauditedPublic = unaudited + "public-"
	// longestVideo is what the simulated accounts may publish, in seconds.
	longestVideo = 600
)

// The privacy levels there are.
const (
	everyone  = "PUBLIC_TO_EVERYONE"
	friends   = "MUTUAL_FOLLOW_FRIENDS"
	followers = "FOLLOWER_OF_CREATOR"
	oneself   = "SELF_ONLY"
)

// levels returns who may see what an account publishes.
func (v visit) levels() []string {
	if strings.HasPrefix(v.name, private) {
		return []string{followers, friends, oneself}
	}
	return []string{everyone, friends, oneself}
}

// openID is what TikTok calls an account before this app. The simulator's is the account's id
// in the world.
func openID(a *simulation.Account) string { return a.ID }

func (s *simulator) showUser(v visit) {
	crowd := s.world.Crowd(v.account.ID)
	stats := map[string]any{"follower_count": crowd.Followers, "following_count": crowd.Following, "video_count": crowd.Posts}
	known := map[string]any{
		"open_id": openID(v.account), "union_id": "union-" + v.account.ID, "avatar_url": s.world.BaseURL() + "/avatar.png",
		"display_name": "Creator " + v.account.ID,
	}
	mayKnow := slices.Contains(v.scopes, "user.info.stats")
	if mayKnow {
		maps.Copy(known, stats)
	}
	user := map[string]any{}
	for field := range strings.SplitSeq(v.r.URL.Query().Get("fields"), ",") {
		value, ok := known[field]
		if _, isStat := stats[field]; isStat && !mayKnow {
			scopeMissing().writeTo(v.rw)
			return
		}
		if !ok {
			invalid("Field " + field + " is not supported.").writeTo(v.rw)
			return
		}
		user[field] = value
	}
	v.answer(map[string]any{"user": user})
}

// showCreator tells what a creator may publish. It refuses some with a status of 200.
func (s *simulator) showCreator(v visit) {
	if s.world.EndOf(v.account.ID) == simulation.Suspended {
		banned(http.StatusOK).writeTo(v.rw)
		return
	}
	isPrivate := strings.HasPrefix(v.name, private)
	v.answer(map[string]any{
		"creator_avatar_url": s.world.BaseURL() + "/avatar.png", "creator_username": v.account.Handle,
		"creator_nickname": "Creator " + v.account.ID, "privacy_level_options": v.levels(),
		"comment_disabled": false, "duet_disabled": isPrivate, "stitch_disabled": isPrivate,
		"max_video_post_duration_sec": longestVideo,
	})
}
