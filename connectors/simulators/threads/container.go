package threads

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// The limits of a post (developers.facebook.com/docs/threads/overview, create-posts).
const (
	maxText       = 500
	maxAltText    = 1000
	maxLinks      = 5
	maxTopic      = 50
	maxPollOption = 25
	minChildren   = 2
	maxChildren   = 20
	maxImageBytes = 8 << 20
	maxVideoBytes = 1 << 30
)

// request is what a container is made of: kept with it, and with the post it becomes.
type request struct {
	Kind         string            `json:"kind"` // media_type
	Text         string            `json:"text,omitempty"`
	Children     []string          `json:"children,omitempty"`
	IsItem       bool              `json:"isItem,omitempty"`
	ReplyTo      string            `json:"replyTo,omitempty"`
	ReplyControl string            `json:"replyControl,omitempty"`
	Topic        string            `json:"topic,omitempty"`
	Link         string            `json:"link,omitempty"`
	Quotes       string            `json:"quotes,omitempty"`
	Poll         map[string]string `json:"poll,omitempty"`
	Failure      string            `json:"failure,omitempty"` // why the media could not be made ready
}

func requestOf(fields json.RawMessage) (r request) {
	if json.Unmarshal(fields, &r) != nil {
		return request{}
	}
	return r
}

// createContainer makes a container: of a post, a reply or an item of a carousel.
func (s *simulator) createContainer(v visit) {
	input, err := s.read(v)
	if err != nil {
		v.Fail(err)
		return
	}
	container := simulation.Upload{Account: v.Account.ID, AltText: v.Param("alt_text"), Content: s.world.NewContent()}
	switch input.Kind {
	case "IMAGE":
		err = s.pulls().Image(v.R, &container)
	case "VIDEO":
		input.Failure = s.pulls().Video(v.R, &container)
		container.ReadyAt = s.world.Now().Add(graph.VideoWork)
	}
	if err == nil {
		container, err = graph.Keep(s.world, container, input)
	}
	if err != nil {
		v.Fail(err)
		return
	}
	if v.Param("auto_publish_text") == "true" && input.Kind == "TEXT" {
		s.publishContainer(v, container)
		return
	}
	v.Answer(map[string]string{"id": container.ID})
}

// read reads what is asked for, or says why the API refuses it.
func (s *simulator) read(v visit) (request, error) {
	r := request{
		Kind: v.Param("media_type"), Text: v.Param("text"), IsItem: v.Param("is_carousel_item") == "true",
		ReplyTo: v.Param("reply_to_id"), ReplyControl: v.Param("reply_control"), Topic: v.Param("topic_tag"),
		Link: v.Param("link_attachment"), Quotes: v.Param("quote_post_id"),
	}
	if text := v.Param("children"); text != "" {
		r.Children = strings.Split(text, ",")
	}
	if text := v.Param("poll_attachment"); text != "" && json.Unmarshal([]byte(text), &r.Poll) != nil {
		return r, graph.Invalid("poll_attachment")
	}
	for _, check := range []func(visit, request) error{s.checkKind, checkText, checkAttachments, s.checkReferences} {
		if err := check(v, r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (s *simulator) checkKind(v visit, r request) error {
	switch {
	case !slices.Contains([]string{"TEXT", "IMAGE", "VIDEO", "CAROUSEL"}, r.Kind):
		return graph.Bad(100, 2207023, "The media type "+r.Kind+" is unknown.")
	case r.Kind == "TEXT" && r.Text == "" && r.Poll == nil:
		return graph.Invalid("text is required")
	case r.Kind == "IMAGE" && !graph.IsAddress(v.Param("image_url")), r.Kind == "VIDEO" && !graph.IsAddress(v.Param("video_url")):
		return graph.Invalid("image_url or video_url is required")
	case r.IsItem && r.Kind != "IMAGE" && r.Kind != "VIDEO":
		return graph.Invalid("is_carousel_item")
	case r.Kind != "CAROUSEL":
		return nil
	case len(r.Children) < minChildren || len(r.Children) > maxChildren:
		return graph.Bad(100, 2207028, "A carousel has 2 to 20 children")
	}
	for _, id := range r.Children {
		item, ok := s.world.Upload(id)
		if !ok || item.Account != v.Account.ID || !requestOf(item.Fields).IsItem || s.statusOf(item) != graph.Finished {
			return mediaNotFound(id)
		}
	}
	return nil
}

func checkText(v visit, r request) error {
	switch {
	case length(r.Text) > maxText:
		return graph.Invalid("text must be at most 500 characters long")
	case links(r.Text, r.Link) > maxLinks:
		refused := graph.Bad(100, 0, "THREADS_API__LINK_LIMIT_EXCEEDED")
		refused.ForPeople = "A post can have at most 5 links."
		return refused
	case utf8.RuneCountInString(v.Param("alt_text")) > maxAltText:
		return graph.Invalid("alt_text must be at most 1000 characters long")
	}
	return nil
}

func checkAttachments(_ visit, r request) error {
	controls := []string{"", "everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"}
	switch {
	case !slices.Contains(controls, r.ReplyControl):
		return graph.Invalid("reply_control")
	case utf8.RuneCountInString(r.Topic) > maxTopic || strings.ContainsAny(r.Topic, ".&"):
		return graph.Invalid("topic_tag")
	case r.Kind != "TEXT" && (r.Link != "" || r.Poll != nil):
		return graph.Invalid("attachments go with text-only posts")
	case r.Link != "" && !graph.IsAddress(r.Link):
		return graph.Invalid("link_attachment")
	case r.Poll == nil:
		return nil
	case r.Poll["option_a"] == "" || r.Poll["option_b"] == "" || r.Poll["option_d"] != "" && r.Poll["option_c"] == "":
		return graph.Invalid("poll_attachment has 2 to 4 options")
	}
	for name, option := range r.Poll {
		known := slices.Contains([]string{"option_a", "option_b", "option_c", "option_d"}, name)
		if n := utf8.RuneCountInString(option); !known || n < 1 || n > maxPollOption {
			return graph.Invalid("poll_attachment." + name)
		}
	}
	return nil
}

var postID = regexp.MustCompile(`^[0-9]+$`)

// checkReferences looks for the post that is answered. One that is quoted may be anybody's.
func (s *simulator) checkReferences(v visit, r request) error {
	if r.Quotes != "" && !postID.MatchString(r.Quotes) {
		return graph.NotFound(r.Quotes)
	}
	if r.ReplyTo == "" {
		return nil
	}
	if _, heard := s.world.Remark(v.Account.ID, r.ReplyTo); heard {
		return nil
	}
	if _, ok := s.world.Post(v.Account.ID, r.ReplyTo); !ok || v.state.isDeleted(r.ReplyTo) {
		return graph.NotFound(r.ReplyTo)
	}
	return nil
}

// pulls is what is taken of media.
func (s *simulator) pulls() graph.Pulls {
	return graph.Pulls{
		World: s.world, ImageTypes: []string{"image/jpeg", "image/png"}, MaxImageBytes: maxImageBytes, MaxVideoBytes: maxVideoBytes,
		Unreachable: 1, NoVideo: "FAILED_DOWNLOADING_VIDEO", BadVideo: "FAILED_PROCESSING_VIDEO",
		IsShaped: isShaped, Failure: failureOf,
	}
}

// The bounds of pictures and films (developers.facebook.com/docs/threads/overview), and by how much a
// rounded side may miss a ratio.
const (
	maxRatio     = 10
	minRatio     = 0.01
	rounding     = 0.01
	maxFilm      = 5 * time.Minute
	minFrameRate = 23
	maxFrameRate = 60
	measuring    = 0.02 // by how much a measured rate may miss: 23.976 is one of 24
)

func isShaped(m simulation.Measured) bool {
	ratio := m.Ratio()
	return ratio == 0 || ratio >= minRatio*(1-rounding) && ratio <= maxRatio*(1+rounding)
}

// failureOf says what is wrong with a film, in the words of its container; empty: nothing.
func failureOf(m simulation.Measured) string {
	switch {
	case m.Codec != "" && !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1"}, m.Codec):
		return "FAILED_PROCESSING_VIDEO"
	case m.Duration > maxFilm:
		return "INVALID_DURATION"
	case !isShaped(m):
		return "INVALID_ASPEC_RATIO"
	case m.FrameRate > 0 && (m.FrameRate < minFrameRate*(1-measuring) || m.FrameRate > maxFrameRate*(1+measuring)):
		return "INVALID_FRAME_RATE"
	default:
		return ""
	}
}

// statusOf returns how a container stands.
func (s *simulator) statusOf(c simulation.Upload) string {
	return graph.StatusOf(s.world, c, requestOf(c.Fields).Failure)
}

func (s *simulator) showContainer(v visit, c simulation.Upload) {
	if graph.IsUnread(s.world, requestOf(c.Fields).Text, c) {
		refused := withdrawn()
		v.Fail(&refused)
		return
	}
	object := map[string]any{"id": c.ID, "status": s.statusOf(c)}
	if object["status"] == graph.Failed {
		object["error_message"] = cmp.Or(requestOf(c.Fields).Failure, "UNKNOWN")
	}
	if graph.IsUnsaid(s.world, requestOf(c.Fields).Text, c) {
		object = map[string]any{"id": c.ID}
	}
	v.Answer(v.Pick(object))
}
