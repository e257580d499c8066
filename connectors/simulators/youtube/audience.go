package youtube

import (
	"net/http"
	"strconv"
	"strings"
)

// maxStats is how many videos are told of at once.
const maxStats = 50

func text(n int64) string { return strconv.FormatInt(n, 10) }

// batchGetStats tells how videos of the channel do. What does not exist is left out.
func (s *simulator) batchGetStats(v visit) {
	var ids []string
	for _, given := range v.r.URL.Query()["id"] {
		ids = append(ids, strings.Split(given, ",")...)
	}
	if len(ids) == 0 || len(ids) > maxStats || len(v.parts()) == 0 {
		v.fail(badRequest("invalidValue", "The number of IDs specified must be 1 to 50."))
		return
	}
	items := []any{}
	for _, id := range ids {
		p, ok := s.world.Post(v.channel, id)
		if _, _, isVideo := s.sessionOfVideo(p); !ok || !isVideo || s.world.IsTakenDown(p) {
			continue
		}
		a := s.world.Audience(p)
		items = append(items, v.partsOf(map[string]any{
			"kind": "youtube#videoStats", "etag": "etag", "id": id,
			"statistics": map[string]string{"viewCount": text(a.Views), "likeCount": text(a.Likes), "commentCount": text(a.Comments)},
		}))
	}
	answer(v.rw, http.StatusOK, map[string]any{"kind": "youtube#batchGetStatsResponse", "etag": "etag", "items": items})
}

// channelStatistics are those that a channel's owner is shown.
func (s *simulator) channelStatistics(channel string) map[string]any {
	crowd := s.world.Crowd(channel)
	return map[string]any{
		"subscriberCount": text(crowd.Followers), "videoCount": text(crowd.Posts), "viewCount": text(40 * crowd.Followers), "hiddenSubscriberCount": false,
	}
}
