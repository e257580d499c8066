package instagram

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
	"crier/schema/validation"
)

// What one item may be made, beside what it is of itself.
const (
	story = "STORIES"
	reel  = "REELS"
)

const (
	maxCollaborators = 3
	maxUserTags      = 20
	maxThumbOffset   = 15 * 60 * 1000 // milliseconds: the longest reel
)

// settings is Instagram's part of platformSettings.
type settings struct {
	MediaType     string    `json:"mediaType"`
	ShareToFeed   *bool     `json:"shareToFeed"`
	CoverURL      string    `json:"coverUrl"`
	ThumbOffset   *int      `json:"thumbOffset"` // milliseconds
	AudioName     string    `json:"audioName"`
	Collaborators []string  `json:"collaborators"`
	UserTags      []userTag `json:"userTags"`
	LocationID    string    `json:"locationId"`
	TrialParams   *struct {
		GraduationStrategy string `json:"graduationStrategy"`
	} `json:"trialParams"`
}

// userTag names a person; of a picture with the place, from its left upper corner, 0 to 1.
type userTag struct {
	Username string   `json:"username"`
	X        *float64 `json:"x,omitempty"`
	Y        *float64 `json:"y,omitempty"`
}

// item returns the container of an item of a carousel. People are tagged on the first.
func (s settings) item(item schema.Media, p graph.Part) (url.Values, error) {
	form := url.Values{"is_carousel_item": {"true"}}
	if p.Kind == schema.Video {
		form.Set("media_type", "VIDEO")
		form.Set("video_url", item.URL)
	} else {
		form.Set("image_url", item.URL)
		connectors.SetField(form, "alt_text", item.AltText)
	}
	if p.Item > 0 {
		return form, nil
	}
	return form, s.applyTags(form, p.Kind)
}

// story returns the container of a story, which shows no text.
func (s settings) story(item schema.Media, kind schema.MediaKind) (url.Values, error) {
	form := url.Values{"media_type": {story}}
	if kind == schema.Video {
		form.Set("video_url", item.URL)
	} else {
		form.Set("image_url", item.URL)
	}
	return form, s.applyTags(form, kind)
}

func (s settings) applyToReel(form url.Values) error {
	if s.ShareToFeed != nil {
		form.Set("share_to_feed", strconv.FormatBool(*s.ShareToFeed))
	}
	if s.CoverURL != "" {
		form.Set("cover_url", schema.Variant{Platform: schema.Instagram}.Cover(s.CoverURL))
	}
	if s.ThumbOffset != nil {
		form.Set("thumb_offset", strconv.Itoa(*s.ThumbOffset))
	}
	connectors.SetField(form, "audio_name", s.AudioName)
	if s.TrialParams != nil {
		trial := map[string]string{"graduation_strategy": s.TrialParams.GraduationStrategy}
		if err := setJSON(form, "trial_params", trial); err != nil {
			return err
		}
	}
	return s.applyTags(form, schema.Video)
}

// applyToFeed adds what goes with all but stories.
func (s settings) applyToFeed(form url.Values) error {
	connectors.SetField(form, "location_id", s.LocationID)
	if len(s.Collaborators) == 0 {
		return nil
	}
	return setJSON(form, "collaborators", s.Collaborators)
}

// applyTags names people: those in videos have no place.
func (s settings) applyTags(form url.Values, kind schema.MediaKind) error {
	if len(s.UserTags) == 0 {
		return nil
	}
	tags := make([]userTag, len(s.UserTags))
	for i, tag := range s.UserTags {
		if tags[i] = tag; kind == schema.Video {
			tags[i].X, tags[i].Y = nil, nil
		}
	}
	return setJSON(form, "user_tags", tags)
}

func setJSON(form url.Values, field string, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", field, err)
	}
	form.Set(field, string(encoded))
	return nil
}

func settingRules() validation.SettingRules {
	username := validation.PatternSetting(regexp.MustCompile(`^[A-Za-z0-9._]{1,30}$`), "a username without @")
	place := validation.NumberSetting(0, 1)
	return validation.SettingRules{
		"mediaType":     validation.EnumSetting(reel, story),
		"shareToFeed":   validation.BoolSetting().Audience(),
		"coverUrl":      validation.MediaSetting(),
		"thumbOffset":   validation.IntegerSetting(0, maxThumbOffset),
		"audioName":     validation.FormSetting(func(text string) bool { return text != "" }, "a name"),
		"collaborators": validation.ListSetting(maxCollaborators, username),
		"userTags": validation.ListSetting(maxUserTags, validation.ObjectSetting(validation.SettingRules{
			"username": username.Require(), "x": place, "y": place,
		})),
		"locationId": validation.PatternSetting(regexp.MustCompile(`^[0-9]{1,40}$`), "the numeric id of a place's page"),
		"trialParams": validation.ObjectSetting(validation.SettingRules{
			"graduationStrategy": validation.EnumSetting("MANUAL", "SS_PERFORMANCE").Require(),
		}).Audience(),
	}
}

// ofItsMedia is a Constraints.Together: what a post may be depends on its media.
func ofItsMedia(first schema.Entry, s settings) (details []schema.Detail) {
	if len(first.Media) == 0 {
		return nil
	}
	conflict := func(field, message string) { details = append(details, connectors.Conflict(field, message)) }
	isVideo := len(first.Media) == 1 && first.Media[0].KnownKind() == schema.Video
	switch {
	case s.MediaType == story && len(first.Media) > 1:
		conflict("mediaType", "a story has one picture or video")
	case s.MediaType == reel && !isVideo:
		conflict("mediaType", "a reel has one video")
	}
	if s.TrialParams != nil && (!isVideo || s.MediaType == story) {
		conflict("trialParams", "only a reel can be a trial")
	}
	if s.MediaType == story && len(s.Collaborators) > 0 {
		conflict("collaborators", "a story has no collaborators")
	}
	if s.MediaType == story && s.LocationID != "" {
		conflict("locationId", "a story has no place")
	}
	if !isVideo && s.MediaType != story && len(first.Media) == 1 {
		for _, tag := range s.UserTags {
			if tag.X == nil || tag.Y == nil {
				conflict("userTags", "a person in a picture has a place, x and y")
				break
			}
		}
	}
	return details
}
