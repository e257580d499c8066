package pinterest

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// settings is Pinterest's part of platformSettings.
type settings struct {
	Title          string `json:"title"`
	Link           string `json:"link"`           // that a click on the pin leads to
	BoardID        string `json:"boardId"`        // in place of the account's
	BoardSectionID string `json:"boardSectionId"` // of that board, or of the account's
	DominantColor  string `json:"dominantColor"`
	CoverImageURL  string `json:"coverImageUrl"` // of a video
	// CoverImageKeyFrameTime is the second of a video that is shown in place of a picture.
	CoverImageKeyFrameTime *int `json:"coverImageKeyFrameTime"`
}

// longestVideo is the duration of the longest video, in seconds.
const longestVideo = 15 * 60

var (
	number = regexp.MustCompile(`^[0-9]+$`)
	colour = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)
)

// settingRules are the rules of Pinterest's settings.
func settingRules() validation.SettingRules {
	return validation.SettingRules{
		"title":                  validation.TextSetting(title()),
		"link":                   validation.FormSetting(isLink, fmt.Sprintf("an http or https url of at most %d characters", maxLink)),
		"boardId":                validation.PatternSetting(number, "a board's number"),
		"boardSectionId":         validation.PatternSetting(number, "the number of a board's section"),
		"dominantColor":          validation.PatternSetting(colour, "a colour such as #6E7874"),
		"coverImageUrl":          validation.MediaSetting(),
		"coverImageKeyFrameTime": validation.IntegerSetting(0, longestVideo),
	}
}

func isLink(text string) bool { return validation.IsWebAddress(text) && len(text) <= maxLink }

// together is a Constraints.Together: covers are of videos.
func together(first schema.Entry, s settings) (details []schema.Detail) {
	conflict := func(field, message string) { details = append(details, connectors.Conflict(field, message)) }
	isVideo := len(first.Media) == 1 && first.Media[0].KnownKind() == schema.Video
	if s.CoverImageURL != "" && !isVideo {
		conflict("coverImageUrl", "a cover is of a video")
	}
	if s.CoverImageKeyFrameTime != nil && !isVideo {
		conflict("coverImageKeyFrameTime", "a cover is of a video")
	}
	if s.CoverImageURL != "" && s.CoverImageKeyFrameTime != nil {
		conflict("coverImageKeyFrameTime", "a cover is a picture by its url or a moment of the video, not both")
	}
	return details
}

// destination is a board, or a section of one.
type destination struct{ board, section string }

// readDestination reads the id of an entity: a board's number, and behind a slash that of a
// section.
func readDestination(entity string) (destination, error) {
	board, section, hasSection := strings.Cut(entity, "/")
	if !number.MatchString(board) || hasSection && !number.MatchString(section) {
		return destination{}, connectors.Refuse("%q is no board: its number is wanted, or board/section", entity)
	}
	return destination{board, section}, nil
}

func (to destination) entity() string {
	if to.section == "" {
		return to.board
	}
	return to.board + "/" + to.section
}

// destinationOf returns where an entry is pinned: on the account's own board, unless its
// settings name another one.
func destinationOf(d schema.Delivery, s settings) (to destination, isOwn bool, err error) {
	if s.BoardID != "" {
		return destination{s.BoardID, s.BoardSectionID}, false, nil
	}
	to, err = readDestination(d.Credentials.EntityID)
	isOwn = s.BoardSectionID == ""
	to.section = cmp.Or(s.BoardSectionID, to.section)
	return to, isOwn, err
}
