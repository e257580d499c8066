package youtube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

// idOfRemark returns what the API calls what a person wrote: an answer has its comment's id before
// its own.
func idOfRemark(s simulation.Remark) string {
	if s.Answers != "" {
		return "UgS" + s.Answers + "." + s.ID
	}
	return "UgS" + s.ID
}

// spoken is a comment of anybody.
type spoken struct {
	id, parent, video, by, channel, text string
	at                                   time.Time
}

func saidOf(s simulation.Remark) spoken {
	c := spoken{id: idOfRemark(s), video: s.Under, by: "@" + s.By.Handle, channel: "UCp" + s.By.ID, text: s.Text, at: s.At}
	if s.Answers != "" {
		c.parent = "UgS" + s.Answers
	}
	return c
}

func (v visit) ownReply(p simulation.Post, video string) spoken {
	return spoken{id: p.ID, parent: p.ReplyTo, video: video, by: v.name, channel: p.Account, text: p.Text, at: p.CreatedAt}
}

// resource is a comment as the API shows it.
func (c spoken) resource() map[string]any {
	snippet := map[string]any{
		"authorDisplayName": c.by, "authorChannelId": map[string]string{"value": c.channel}, "authorChannelUrl": "http://www.youtube.com/channel/" + c.channel,
		"textDisplay": c.text, "textOriginal": c.text, "likeCount": 0, "videoId": c.video,
		"publishedAt": c.at.Format(time.RFC3339), "updatedAt": c.at.Format(time.RFC3339),
	}
	if c.parent != "" {
		snippet["parentId"] = c.parent
	}
	return map[string]any{"kind": "youtube#comment", "etag": "etag", "id": c.id, "snippet": snippet}
}

// answersTo are the answers to a comment, the oldest first.
func (s *simulator) answersTo(v visit, video simulation.Post, comment string) []spoken {
	var all []spoken
	for _, remark := range s.world.RemarksUnder(video) {
		if c := saidOf(remark); c.parent == comment {
			all = append(all, c)
		}
	}
	own := slices.Collect(s.world.Newest(v.channel))
	for _, p := range slices.Backward(own) {
		if p.ReplyTo == comment {
			all = append(all, v.ownReply(p, video.ID))
		}
	}
	slices.SortStableFunc(all, func(a, b spoken) int { return a.at.Compare(b.at) })
	return all
}

// maxNested is how many answers a thread shows.
const maxNested = 5

// threads are the comments on a video, the newest first.
func (s *simulator) threads(v visit, video simulation.Post) []any {
	type thread struct {
		at       time.Time
		resource map[string]any
	}
	var all []thread
	for p := range s.world.Newest(v.channel) {
		if p.ReplyTo == video.ID {
			all = append(all, thread{p.CreatedAt, v.thread(p)})
		}
	}
	for _, remark := range s.world.RemarksUnder(video) {
		if remark.Answers != "" {
			continue
		}
		top, below := saidOf(remark), []any{}
		for _, answer := range s.answersTo(v, video, idOfRemark(remark)) {
			below = append(below, answer.resource())
		}
		resource := map[string]any{
			"kind": "youtube#commentThread", "etag": "etag", "id": top.id,
			"snippet": map[string]any{
				"channelId": v.channel, "videoId": video.ID, "canReply": true, "totalReplyCount": len(below), "isPublic": true, "topLevelComment": top.resource(),
			},
		}
		if len(below) > 0 {
			resource["replies"] = map[string]any{"comments": below[:min(maxNested, len(below))]}
		}
		all = append(all, thread{remark.At, resource})
	}
	slices.SortStableFunc(all, func(a, b thread) int { return b.at.Compare(a.at) })
	replies := []any{}
	for _, t := range all {
		replies = append(replies, v.partsOf(t.resource))
	}
	return replies
}

// commented returns the video that a person's comment is under.
func (s *simulator) commented(v visit, comment string) (simulation.Post, bool) {
	remark, ok := s.world.Remark(v.channel, strings.TrimPrefix(comment, "UgS"))
	if !ok || remark.Under == "" || remark.Answers != "" || idOfRemark(remark) != comment {
		return simulation.Post{}, false
	}
	return s.world.Post(v.channel, remark.Under)
}

func parentNotFound() error {
	return notFound("parentCommentNotFound", "The specified parent comment could not be found.")
}

func (s *simulator) listReplies(v visit) {
	parent := v.r.URL.Query().Get("parentId")
	video, ok := s.commented(v, parent)
	if !ok {
		v.fail(parentNotFound())
		return
	}
	all := []any{}
	for _, answer := range s.answersTo(v, video, parent) {
		all = append(all, v.partsOf(answer.resource()))
	}
	v.list("comment", all, 20, 100)
}

func (s *simulator) insertReply(v visit) {
	var input struct {
		Snippet struct {
			Parent string `json:"parentId"`
			Text   string `json:"textOriginal"`
		} `json:"snippet"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&input); err != nil {
		v.fail(badRequest("parseError", "Invalid JSON payload received."))
		return
	}
	text := input.Snippet.Text
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.channel, Text: text}, func(rw http.ResponseWriter) {
		v.rw = rw
		video, ok := s.commented(v, input.Snippet.Parent)
		switch {
		case !ok:
			v.fail(parentNotFound())
			return
		case text == "":
			v.fail(badRequest("commentTextRequired", "The comment resource that is being inserted must specify a value for the textOriginal property."))
			return
		case utf8.RuneCountInString(text) > maxComment:
			v.fail(badRequest("commentTextTooLong", "The comment resource that is being inserted contains too many characters."))
			return
		}
		id := fmt.Sprintf("%s.%d", input.Snippet.Parent, s.world.NewID())
		post, _, err := s.world.Add(simulation.Post{
			Account: v.channel, ID: id, Text: text, ReplyTo: input.Snippet.Parent, Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r),
		})
		if err != nil {
			v.fail(err)
			return
		}
		answer(rw, http.StatusOK, v.partsOf(v.ownReply(post, video.ID).resource()))
	})
}

// A video has captions that its owner wrote, in English, and those of speech recognition: of what
// it is about.
var captionKinds = []struct{ prefix, kind string }{{"AUieDa", "standard"}, {"AUieDb", "asr"}}

func (s *simulator) listCaptions(v visit) {
	id := v.r.URL.Query().Get("videoId")
	video, ok := s.world.Post(v.channel, id)
	if _, _, isVideo := s.sessionOfVideo(video); !ok || !isVideo {
		v.fail(notFound("videoNotFound", "The video identified by the videoId parameter could not be found."))
		return
	}
	all := []any{}
	for _, track := range captionKinds {
		all = append(all, v.partsOf(map[string]any{
			"kind": "youtube#caption", "etag": "etag", "id": track.prefix + id,
			"snippet": map[string]any{
				"videoId": id, "lastUpdated": video.CreatedAt.Format(time.RFC3339), "trackKind": track.kind, "language": "en", "name": "",
				"audioTrackType": "primary", "isCC": false, "isLarge": false, "isEasyReader": false, "isDraft": false, "isAutoSynced": false, "status": "serving",
			},
		}))
	}
	v.list("caption", all, 50, 50)
}

func (s *simulator) downloadCaptions(v visit) {
	track := v.r.PathValue("id")
	if len(track) > len(captionKinds[0].prefix) {
		if video, ok := s.world.Post(v.channel, track[len(captionKinds[0].prefix):]); ok {
			v.rw.Header().Set("Content-Type", "application/octet-stream")
			fmt.Fprintf(v.rw, "1\n00:00:00,500 --> 00:00:02,250\n%s\n\n2\n00:00:02,250 --> 01:00:03,000\nThank you\nfor watching\n\n", firstLine(video.Text))
			return
		}
	}
	v.fail(notFound("captionNotFound", "The caption track could not be found."))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
