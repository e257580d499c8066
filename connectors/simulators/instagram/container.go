package instagram

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
)

// The limits of a post (developers.facebook.com/docs/instagram-platform/instagram-graph-api/
// reference/ig-user/media and -/error-codes).
const (
	maxCaption       = 2200
	maxHashtags      = 30
	maxMentions      = 20
	maxAltText       = 1000
	maxCollaborators = 3
	maxUserTags      = 20
	minChildren      = 2
	maxChildren      = 10
	maxImageBytes    = 8 << 20
	maxVideoBytes    = 300 << 20
)

// The kinds of containers; a picture of the feed names none.
const (
	kindImage    = "IMAGE"
	kindVideo    = "VIDEO" // an item of a carousel
	kindReel     = "REELS"
	kindStory    = "STORIES"
	kindCarousel = "CAROUSEL"
)

// request is what a container is made of: kept with it, and with the post it becomes.
type request struct {
	Kind          string            `json:"kind"`
	Caption       string            `json:"caption,omitempty"`
	Children      []string          `json:"children,omitempty"`
	IsItem        bool              `json:"isItem,omitempty"`
	Collaborators []string          `json:"collaborators,omitempty"`
	UserTags      []userTag         `json:"userTags,omitempty"`
	Location      string            `json:"location,omitempty"`
	ShareToFeed   string            `json:"shareToFeed,omitempty"`
	Cover         string            `json:"cover,omitempty"`
	ThumbOffset   string            `json:"thumbOffset,omitempty"`
	AudioName     string            `json:"audioName,omitempty"`
	Trial         map[string]string `json:"trial,omitempty"`
	Failure       string            `json:"failure,omitempty"` // why the media could not be made ready
}

type userTag struct {
	Username string   `json:"username"`
	X        *float64 `json:"x,omitempty"`
	Y        *float64 `json:"y,omitempty"`
}

func requestOf(fields json.RawMessage) (r request) {
	if json.Unmarshal(fields, &r) != nil {
		return request{}
	}
	return r
}

// createContainer makes a container: of a post or of an item of a carousel.
func (s *simulator) createContainer(v visit) {
	input, err := s.read(v)
	if err != nil {
		v.Fail(err)
		return
	}
	container := simulation.Upload{Account: v.Account.ID, AltText: v.Param("alt_text"), Content: s.world.NewContent()}
	switch {
	case v.Param("video_url") != "":
		input.Failure = s.pulls(v.Param("media_type")).Video(v.R, &container)
		container.ReadyAt = s.world.Now().Add(graph.VideoWork)
	case v.Param("image_url") != "":
		err = s.pulls(v.Param("media_type")).Image(v.R, &container)
	}
	if err == nil {
		container, err = graph.Keep(s.world, container, input)
	}
	if err != nil {
		v.Fail(err)
		return
	}
	v.Answer(map[string]string{"id": container.ID})
}

// read reads what is asked for, or says why the API refuses it.
func (s *simulator) read(v visit) (request, error) {
	r := request{
		Kind: v.Param("media_type"), Caption: v.Param("caption"), IsItem: v.Param("is_carousel_item") == "true",
		Location: v.Param("location_id"), ShareToFeed: v.Param("share_to_feed"), Cover: v.Param("cover_url"),
		ThumbOffset: v.Param("thumb_offset"), AudioName: v.Param("audio_name"),
	}
	if r.Kind == "" {
		r.Kind = kindImage
	}
	if text := v.Param("children"); text != "" {
		r.Children = strings.Split(text, ",")
	}
	for field, into := range map[string]any{"collaborators": &r.Collaborators, "user_tags": &r.UserTags, "trial_params": &r.Trial} {
		if text := v.Param(field); text != "" && json.Unmarshal([]byte(text), into) != nil {
			return r, graph.Invalid(field)
		}
	}
	for _, check := range []func(visit, request) error{checkKind, s.checkChildren, checkCaption, checkPeople, checkReel} {
		if err := check(v, r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func checkKind(v visit, r request) error {
	image, video := graph.IsAddress(v.Param("image_url")), graph.IsAddress(v.Param("video_url"))
	switch {
	case !slices.Contains([]string{kindImage, kindVideo, kindReel, kindStory, kindCarousel}, r.Kind):
		return graph.Bad(100, 2207023, "The media type "+r.Kind+" is unknown.")
	case r.Kind == kindVideo && !r.IsItem:
		return graph.Bad(100, 2207067, "The VIDEO value for media_type is no longer supported. Use the REELS media_type.")
	case r.IsItem && r.Kind != kindImage && r.Kind != kindVideo:
		return graph.Invalid("is_carousel_item")
	case r.Kind == kindImage && !image, (r.Kind == kindVideo || r.Kind == kindReel) && !video, r.Kind == kindStory && image == video:
		return graph.Invalid("image_url or video_url is required")
	}
	return nil
}

func (s *simulator) checkChildren(v visit, r request) error {
	if r.Kind != kindCarousel {
		return nil
	}
	if len(r.Children) < minChildren || len(r.Children) > maxChildren {
		return graph.Bad(100, 2207028, "A carousel has 2 to 10 children")
	}
	for _, id := range r.Children {
		item, ok := s.world.Upload(id)
		if !ok || item.Account != v.Account.ID || !requestOf(item.Fields).IsItem {
			return mediaNotFound()
		}
		if s.statusOf(item) != graph.Finished {
			return notReady()
		}
	}
	return nil
}

var (
	hashtag = regexp.MustCompile(`#[\pL\pN_]+`)
	mention = regexp.MustCompile(`@[A-Za-z0-9._]+`)
)

func checkCaption(v visit, r request) error {
	switch {
	case utf8.RuneCountInString(r.Caption) > maxCaption, len(hashtag.FindAllString(r.Caption, -1)) > maxHashtags,
		len(mention.FindAllString(r.Caption, -1)) > maxMentions:
		return graph.Bad(36004, 2207010, "The caption was too long.")
	case utf8.RuneCountInString(v.Param("alt_text")) > maxAltText:
		return graph.Invalid("alt_text")
	case v.Param("alt_text") != "" && r.Kind != kindImage:
		return graph.Invalid("alt_text is of pictures")
	}
	return nil
}

func checkPeople(_ visit, r request) error {
	switch {
	case len(r.UserTags) > maxUserTags:
		return graph.Bad(100, 2207040, "Cannot use more than 20 tags per created media.")
	case len(r.Collaborators) > maxCollaborators:
		return graph.Invalid("collaborators")
	case r.Kind == kindStory && (len(r.Collaborators) > 0 || r.Location != ""):
		return graph.Invalid("a story has neither collaborators nor a location")
	}
	for _, tag := range r.UserTags {
		isInside := func(at *float64) bool { return at != nil && *at >= 0 && *at <= 1 }
		if tag.Username == "" || r.Kind == kindImage && (!isInside(tag.X) || !isInside(tag.Y)) {
			return graph.Invalid("user_tags")
		}
	}
	return nil
}

func checkReel(_ visit, r request) error {
	isOfReel := r.ShareToFeed != "" || r.Cover != "" || r.ThumbOffset != "" || r.AudioName != "" || r.Trial != nil
	switch _, err := strconv.Atoi(r.ThumbOffset); {
	case isOfReel && r.Kind != kindReel:
		return graph.Invalid("this is of reels only")
	case r.ThumbOffset != "" && err != nil:
		return graph.Bad(1, 2207057, "Thumbnail offset must be greater than or equal to 0 and less than video duration")
	case r.Trial != nil && !slices.Contains([]string{"MANUAL", "SS_PERFORMANCE"}, r.Trial["graduation_strategy"]):
		return graph.Invalid("trial_params")
	case r.Trial != nil && len(r.Collaborators) > 0:
		return graph.Invalid("a trial reel has no collaborators")
	}
	return nil
}

// pulls is what is taken of media.
func (s *simulator) pulls(mediaType string) graph.Pulls {
	return graph.Pulls{
		World: s.world, ImageTypes: []string{"image/jpeg"}, MaxImageBytes: maxImageBytes, MaxVideoBytes: maxVideoBytes,
		Unreachable: 9004, NoVideo: "Error: Media upload has failed with error code 2207052", BadVideo: badVideo,
		IsShaped: func(m simulation.Measured) bool { return mediaType == kindStory || isShaped(m) }, Failure: failureOf,
	}
}

const badVideo = "Error: Media upload has failed with error code 2207026"

// The ratios of pictures, and by how much a rounded side may miss them.
const (
	minRatio = 4.0 / 5
	maxRatio = 1.91
	rounding = 0.01
)

func isShaped(m simulation.Measured) bool {
	ratio := m.Ratio()
	return ratio == 0 || m.Turns || ratio >= minRatio*(1-rounding) && ratio <= maxRatio*(1+rounding)
}

// maxReel is how long a reel may be.
const maxReel = 15 * time.Minute

// failureOf says what is wrong with a film; empty: nothing.
func failureOf(m simulation.Measured) string {
	if m.Duration > maxReel || m.Codec != "" && !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1"}, m.Codec) {
		return badVideo
	}
	return ""
}

// statusOf returns how a container stands.
func (s *simulator) statusOf(c simulation.Upload) string {
	return graph.StatusOf(s.world, c, requestOf(c.Fields).Failure)
}

// inWords is what status says beside status_code.
var inWords = map[string]string{
	graph.InProgress: "In Progress: Media is still being processed.",
	graph.Finished:   "Finished: Media has been uploaded and it is ready to be published.",
	graph.Published:  "Published: Media has been published.",
	graph.Expired:    "Expired: The container was not published within 24 hours and has expired.",
}

func (s *simulator) showContainer(v visit, c simulation.Upload) {
	if graph.IsUnread(s.world, requestOf(c.Fields).Caption, c) {
		refused := withdrawn()
		v.Fail(&refused)
		return
	}
	code := s.statusOf(c)
	words := inWords[code]
	if code == graph.Failed {
		words = requestOf(c.Fields).Failure
	}
	object := map[string]any{"id": c.ID, "status_code": code, "status": words}
	if graph.IsUnsaid(s.world, requestOf(c.Fields).Caption, c) {
		object = map[string]any{"id": c.ID}
	}
	v.Answer(v.Pick(object))
}
