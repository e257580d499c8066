package youtube

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

const maxComment = 10_000

func (s *simulator) insertComment(v visit) {
	var input struct {
		Snippet struct {
			Channel string `json:"channelId"`
			Video   string `json:"videoId"`
			Top     struct {
				Snippet struct {
					Text string `json:"textOriginal"`
				} `json:"snippet"`
			} `json:"topLevelComment"`
		} `json:"snippet"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&input); err != nil {
		v.fail(badRequest("parseError", "Invalid JSON payload received."))
		return
	}
	text := input.Snippet.Top.Snippet.Text
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.channel, Text: text}, func(rw http.ResponseWriter) {
		v.rw = rw
		video, ok := s.world.Post(v.channel, input.Snippet.Video)
		_, fields, isVideo := s.sessionOfVideo(video)
		switch {
		case !ok || !isVideo:
			v.fail(notFound("videoNotFound", "The video identified by the videoId parameter could not be found."))
			return
		case input.Snippet.Channel != "" && input.Snippet.Channel != v.channel:
			v.fail(badRequest("invalidChannelId", "The channel is not the video's."))
			return
		case fields.Resource.Status.SelfDeclaredMadeForKids:
			v.fail(refusal{http.StatusForbidden, "commentsDisabled", "The video identified by the videoId parameter has disabled comments."})
			return
		case text == "":
			v.fail(badRequest("commentTextRequired", "The comment resource that is being inserted must specify a value for the textOriginal property."))
			return
		case utf8.RuneCountInString(text) > maxComment:
			v.fail(badRequest("commentTextTooLong", "The comment resource that is being inserted contains too many characters."))
			return
		}
		id := "Ug" + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(s.world.NewID())<<8|0xa5)) + "AaABAg"
		post, _, err := s.world.Add(simulation.Post{
			Account: v.channel, ID: id, Text: text, ReplyTo: video.ID, Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r),
		})
		if err != nil {
			v.fail(err)
			return
		}
		answer(rw, http.StatusOK, v.partsOf(v.thread(post)))
	})
}

func (v visit) thread(p simulation.Post) map[string]any {
	return map[string]any{
		"kind": "youtube#commentThread", "etag": "etag", "id": p.ID,
		"snippet": map[string]any{
			"channelId": v.channel, "videoId": p.ReplyTo, "canReply": true, "totalReplyCount": 0, "isPublic": true,
			"topLevelComment": map[string]any{
				"kind": "youtube#comment", "etag": "etag", "id": p.ID,
				"snippet": map[string]any{
					"authorDisplayName": v.name, "authorChannelId": map[string]string{"value": p.Account}, "videoId": p.ReplyTo,
					"textDisplay": p.Text, "textOriginal": p.Text, "likeCount": 0,
					"publishedAt": p.CreatedAt.Format(time.RFC3339), "updatedAt": p.CreatedAt.Format(time.RFC3339),
				},
			},
		},
	}
}

// listComments lists the comments of a video, the newest first.
func (s *simulator) listComments(v visit) {
	id := v.r.URL.Query().Get("videoId")
	video, ok := s.world.Post(v.channel, id)
	if _, _, isVideo := s.sessionOfVideo(video); !ok || !isVideo {
		v.fail(notFound("videoNotFound", "The video identified by the videoId parameter could not be found."))
		return
	}
	v.list("commentThread", s.threads(v, video), 20, 100)
}
