package tiktok

import (
	"encoding/json"
	"strings"
)

// maxQueried is how many videos are asked about at once.
const maxQueried = 20

// queryVideos tells of an account's own videos. Those that are not there, or that nobody else sees,
// are left out.
func (s *simulator) queryVideos(v visit) {
	var input struct {
		Filters struct {
			IDs []string `json:"video_ids"`
		} `json:"filters"`
	}
	if json.Unmarshal(v.fields, &input) != nil || len(input.Filters.IDs) == 0 || len(input.Filters.IDs) > maxQueried {
		invalid("filters.video_ids must have 1 to 20 ids").writeTo(v.rw)
		return
	}
	videos := []map[string]any{}
	for _, id := range input.Filters.IDs {
		p, ok := s.world.Post(v.account.ID, id)
		var post postInfo
		if !ok || s.world.IsTakenDown(p) || json.Unmarshal(p.Fields, &post) != nil || post.Privacy == oneself {
			continue
		}
		a, video := s.world.Audience(p), map[string]any{}
		for field := range strings.SplitSeq(v.r.URL.Query().Get("fields"), ",") {
			switch field {
			case "id":
				video[field] = id
			case "view_count":
				video[field] = a.Views
			case "like_count":
				video[field] = a.Likes
			case "comment_count":
				video[field] = a.Comments
			case "share_count":
				video[field] = a.Shares
			default:
				invalid("Field " + field + " is not supported.").writeTo(v.rw)
				return
			}
		}
		videos = append(videos, video)
	}
	v.answer(map[string]any{"videos": videos})
}
