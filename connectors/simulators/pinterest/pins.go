package pinterest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

// The limits of a pin.
const (
	maxTitle       = 100
	maxDescription = 800
	maxAltText     = 500
	maxLink        = 2048
	minItems       = 2
	maxItems       = 5
	maxImageBytes  = 32 << 20
	maxRequest     = 1 << 20
)

// pin is the body of a new pin, as it is kept with the post.
type pin struct {
	Board       string `json:"board_id"`
	Section     string `json:"board_section_id,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Link        string `json:"link,omitempty"`
	AltText     string `json:"alt_text,omitempty"`
	Dominant    string `json:"dominant_color,omitempty"`
	Source      source `json:"media_source"`
}

type source struct {
	Kind  string `json:"source_type"`
	URL   string `json:"url,omitempty"`
	Items []struct {
		URL string `json:"url"`
	} `json:"items,omitempty"`
	Video    string `json:"media_id,omitempty"`
	CoverURL string `json:"cover_image_url,omitempty"`
	KeyFrame *int   `json:"cover_image_key_frame_time,omitempty"`
}

func pinOf(p simulation.Post) (input pin) {
	if json.Unmarshal(p.Fields, &input) != nil {
		return pin{}
	}
	return input
}

// createPin makes a pin. What it shows is fetched while the caller waits.
func (s *simulator) createPin(v visit) {
	var input pin
	if json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest)).Decode(&input) != nil {
		v.fail(bad("Invalid request: the body is no JSON object"))
		return
	}
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: input.Board, Text: input.Description}, func(rw http.ResponseWriter) {
		v.rw = rw
		post, err := s.create(v, input)
		if err != nil {
			v.fail(err)
			return
		}
		answer(rw, http.StatusCreated, s.objectOf(v.account, post))
	})
}

func (s *simulator) create(v visit, input pin) (simulation.Post, error) {
	if err := check(input); err != nil {
		return simulation.Post{}, err
	}
	b, _, err := v.board(input.Board, input.Section)
	if err != nil {
		return simulation.Post{}, err
	}
	if b.adsOnly {
		return simulation.Post{}, &refusal{http.StatusForbidden, 29, "You are not permitted to access that resource."}
	}
	media, err := s.media(v, input)
	if err != nil {
		return simulation.Post{}, err
	}
	fields, err := json.Marshal(input)
	if err != nil {
		return simulation.Post{}, err
	}
	post, _, err := s.world.Add(simulation.Post{
		Account: input.Board, Text: input.Description, Media: media, Fields: fields, Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r),
	})
	return post, err
}

var (
	digits = regexp.MustCompile(`^\d+$`)
	colour = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)
)

func check(input pin) error {
	switch length := utf8.RuneCountInString; {
	case !digits.MatchString(input.Board):
		return bad("Invalid request: 'board_id' is required")
	case input.Section != "" && !digits.MatchString(input.Section):
		return bad(`'board_section_id' value must match the pattern: ^\d+$`)
	case length(input.Title) > maxTitle:
		return bad("'title' is longer than 100 characters")
	case length(input.Description) > maxDescription:
		return bad("'description' is longer than 800 characters")
	case length(input.AltText) > maxAltText:
		return bad("'alt_text' is longer than 500 characters")
	case input.Link != "" && (length(input.Link) > maxLink || !isAddress(input.Link)):
		return bad("Whoops! It looks like you entered an invalid URL. Try creating a Pin again with a valid URL.")
	case input.Dominant != "" && !colour.MatchString(input.Dominant):
		return bad("'dominant_color' is no color")
	default:
		return nil
	}
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// media returns what a pin shows.
func (s *simulator) media(v visit, input pin) ([]simulation.Media, error) {
	switch from := input.Source; from.Kind {
	case "image_url":
		return s.pull(v, input.AltText, from.URL)
	case "multiple_image_urls":
		if len(from.Items) < minItems || len(from.Items) > maxItems {
			return nil, bad(fmt.Sprintf("Invalid request: 'items' has %d elements, 2 to 5 are allowed", len(from.Items)))
		}
		var all []simulation.Media
		for _, item := range from.Items {
			pulled, err := s.pull(v, input.AltText, item.URL)
			if err != nil {
				return nil, err
			}
			all = append(all, pulled...)
		}
		return all, nil
	case "video_id":
		if !isAddress(from.CoverURL) && (from.KeyFrame == nil || *from.KeyFrame < 0) {
			return nil, bad("Invalid request: a video needs a cover image")
		}
		video, err := s.video(v, from.Video)
		video.AltText = input.AltText
		return []simulation.Media{video}, err
	default:
		return nil, bad("Invalid request: '" + from.Kind + "' is no source_type that the simulated Pinterest knows")
	}
}

// pull fetches a picture.
func (s *simulator) pull(v visit, altText, address string) ([]simulation.Media, error) {
	if !isAddress(address) {
		return nil, bad("Invalid request: 'url' is required")
	}
	content := s.world.NewContent()
	mediaType, size, err := s.world.Pull(v.r.Context(), content, address)
	switch {
	case err != nil:
		return nil, bad("Sorry we could not fetch the image.")
	case !slices.Contains([]string{"image/jpeg", "image/png", "image/webp"}, mediaType) || size > maxImageBytes:
		return nil, bad("Sorry, this image cannot be used.")
	}
	return []simulation.Media{{ID: content, Type: mediaType, Size: size, AltText: altText, Content: content}}, nil
}

// objectOf is a pin as the API shows it.
func (s *simulator) objectOf(owner *simulation.Account, p simulation.Post) map[string]any {
	input := pinOf(p)
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	kind, creative := "image", "REGULAR"
	switch input.Source.Kind {
	case "video_id":
		kind, creative = "video", "VIDEO"
	case "multiple_image_urls":
		kind, creative = "multiple_images", "CAROUSEL"
	}
	return map[string]any{
		"id": p.ID, "created_at": p.CreatedAt.Format("2006-01-02T15:04:05-07:00"), "board_id": input.Board,
		"board_section_id": orNull(input.Section), "board_owner": map[string]string{"username": username(owner)},
		"title": orNull(input.Title), "description": orNull(input.Description), "link": orNull(input.Link),
		"alt_text": orNull(input.AltText), "dominant_color": orNull(input.Dominant), "creative_type": creative,
		"media": map[string]any{"media_type": kind}, "is_owner": true, "is_standard": true, "has_been_promoted": false,
		"parent_pin_id": nil, "pin_metrics": nil,
	}
}

func (s *simulator) showPin(v visit) {
	for _, b := range boardsOf(v.account) {
		if p, ok := s.world.Post(b.id, v.r.PathValue("pin")); ok && !s.world.IsTakenDown(p) {
			object := s.objectOf(v.account, p)
			if v.r.URL.Query().Get("pin_metrics") == "true" {
				object["pin_metrics"] = metricsOf(s.world.Audience(p))
			}
			answer(v.rw, http.StatusOK, object)
			return
		}
	}
	(&refusal{http.StatusNotFound, 50, "Pin not found."}).writeTo(v.rw)
}

// metricsOf is how a pin does, since it was pinned and of late: of a new one they are the same.
func metricsOf(a simulation.Audience) map[string]any {
	late := map[string]any{"impression": a.Impressions, "pin_click": a.Clicks * 2, "clickthrough": a.Clicks}
	lifetime := map[string]any{"reaction": a.Likes, "comment": a.Comments}
	maps.Copy(lifetime, late)
	return map[string]any{"90d": late, "lifetime_metrics": lifetime}
}

// listPins lists the pins of a board, those of its sections too, or of a section: the newest
// first, which is not documented.
func (s *simulator) listPins(v visit) {
	b, part, err := v.board(v.r.PathValue("board"), v.r.PathValue("section"))
	if err != nil {
		v.fail(err)
		return
	}
	pins := []map[string]any{}
	for p := range s.world.Newest(b.id) {
		if part.id == "" || pinOf(p).Section == part.id {
			pins = append(pins, s.objectOf(v.account, p))
		}
	}
	list(v, pins)
}

// show tells how Pinterest shows a pin.
func (s *simulator) show(p simulation.Post) simulation.View {
	input := pinOf(p)
	view := simulation.View{By: "board " + p.Account, Title: input.Title, Text: p.Text}
	if input.Section != "" {
		view.Labels = append(view.Labels, "section "+input.Section)
	}
	if input.Link != "" {
		view.Link = &simulation.Link{URL: input.Link}
	}
	switch cover := input.Source; {
	case cover.CoverURL != "":
		view.Labels = append(view.Labels, "cover "+cover.CoverURL)
	case cover.KeyFrame != nil:
		view.Labels = append(view.Labels, "cover at "+(time.Duration(*cover.KeyFrame)*time.Second).String())
	}
	if input.Dominant != "" {
		view.Labels = append(view.Labels, strings.ToUpper(input.Dominant))
	}
	return view
}
