package facebook

import (
	"cmp"
	"encoding/json"
	"regexp"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
	"crier/schema/validation"
)

// Where an entry is published.
const (
	asPost  = "FEED"
	asReel  = "REELS"
	asStory = "STORIES"
)

// settings is Facebook's part of platformSettings.
type settings struct {
	MediaType string `json:"mediaType"`
	Link      string `json:"link"`  // of a post without media
	Title     string `json:"title"` // of a video
	Place     string `json:"place"` // id of the page of a place
}

// settingsOf reads the settings of a delivery. They were checked when the post was made, so
// that an error is our fault.
func settingsOf(d schema.Delivery) (settings, error) {
	s, err := connectors.SettingsOf[settings](d)
	s.MediaType = cmp.Or(s.MediaType, asPost)
	return s, err
}

// settingsCheck returns a Constraints.Settings.
func settingsCheck() func(json.RawMessage) []schema.Detail {
	return validation.SettingRules{
		"mediaType": validation.EnumSetting(asPost, asReel, asStory),
		"link":      validation.FormSetting(validation.IsWebAddress, "an http or https url"),
		"title":     validation.TextSetting(schema.TextLimit{}),
		"place":     validation.PatternSetting(regexp.MustCompile(`^[0-9]+$`), "the numeric id of a place's page"),
	}.Check
}

// together is a Constraints.Together.
func together(first schema.Entry, s settings) []schema.Detail {
	conflict := func(field, message string) []schema.Detail {
		return []schema.Detail{connectors.Conflict(field, message)}
	}
	switch {
	case s.MediaType == asReel && (len(first.Media) != 1 || first.Media[0].KnownKind() != schema.Video):
		return conflict("mediaType", "a reel is one video")
	case s.MediaType == asStory && len(first.Media) != 1:
		return conflict("mediaType", "a story is one image or one video")
	case s.Link != "" && len(first.Media) > 0:
		return conflict("link", "a link cannot stand beside media; put it into the text")
	default:
		return nil
	}
}

// What a reel and the video of a story must be (video-api/guides/reels-publishing,
// page-stories-api).
const (
	shortest      = 3  // seconds
	longestReel   = 90 // seconds
	longestStory  = 60 // seconds
	narrowestReel = 540
	lowestReel    = 960
)

// check refuses what Facebook would refuse after the upload.
func (s settings) check(d schema.Delivery, file *media.File) error {
	if file.Kind == schema.Video && len(d.Media) > 1 {
		return connectors.Refuse("Facebook takes photos, or one video")
	}
	if err := file.Check(Constraints().Of(d)); err != nil || file.Kind != schema.Video || s.MediaType == asPost {
		return err
	}
	longest := longestReel
	if s.MediaType == asStory {
		longest = longestStory
	}
	switch seconds := file.Duration.Seconds(); {
	case file.Duration > 0 && (seconds < shortest || seconds > float64(longest)):
		return connectors.Refuse("Facebook takes reels and stories of %d to %d seconds, this one has %.0f", shortest, longest, seconds)
	case file.Width > 0 && (file.Width < narrowestReel || file.Height < lowestReel):
		return connectors.Refuse("Facebook takes reels and stories of %d × %d pixels at least, this one has %d × %d",
			narrowestReel, lowestReel, file.Width, file.Height)
	default:
		return nil
	}
}
