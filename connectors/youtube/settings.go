package youtube

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// Who may see a video. An upload that says nothing is public since 2 November 2026
// (developers.google.com/youtube/v3/revision_history): it is always said.
const (
	isPublic   = "public"
	isUnlisted = "unlisted"
	isPrivate  = "private"
)

// settings is YouTube's part of platformSettings, named as in a video resource
// (developers.google.com/youtube/v3/docs/videos#properties) where that has them.
type settings struct {
	Title                   string   `json:"title"`
	PrivacyStatus           string   `json:"privacyStatus"`
	Tags                    []string `json:"tags"`
	CategoryID              string   `json:"categoryId"`
	DefaultLanguage         string   `json:"defaultLanguage"`
	DefaultAudioLanguage    string   `json:"defaultAudioLanguage"`
	SelfDeclaredMadeForKids *bool    `json:"selfDeclaredMadeForKids"`
	ContainsSyntheticMedia  *bool    `json:"containsSyntheticMedia"`
	HasPaidProductPlacement *bool    `json:"hasPaidProductPlacement"`
	License                 string   `json:"license"`
	Embeddable              *bool    `json:"embeddable"`
	PublicStatsViewable     *bool    `json:"publicStatsViewable"`
	NotifySubscribers       *bool    `json:"notifySubscribers"`
	PlaylistIDs             []string `json:"playlistIds"`
	ThumbnailURL            string   `json:"thumbnailUrl"`
}

const (
	maxTagLength = 500 // characters of all of them, as YouTube counts them
	maxTags      = 100
	maxPlaylists = 5 // crier's own: each costs what a thumbnail does of the app's day
)

// settingsOf reads the settings of a delivery. They were checked when the post was made, so
// that an error is our fault.
func settingsOf(d schema.Delivery) (settings, error) {
	s, err := connectors.SettingsOf[settings](d)
	s.PrivacyStatus = cmp.Or(s.PrivacyStatus, isPublic)
	return s, err
}

var (
	languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
	playlistID  = regexp.MustCompile(`^[A-Za-z0-9_-]{10,64}$`)
	categoryID  = regexp.MustCompile(`^[0-9]{1,3}$`)
)

// settingRules are the rules of YouTube's settings.
func settingRules() validation.SettingRules {
	language := validation.PatternSetting(languageTag, "the tag of a language, such as en or pt-BR")
	flag := validation.BoolSetting()
	tag := schema.TextLimit{Max: maxTagLength, Required: true, Without: brackets + ",", Count: utf8.RuneCountInString}
	return validation.SettingRules{
		"title":                   validation.TextSetting(titleLimit()),
		"privacyStatus":           validation.EnumSetting(isPublic, isUnlisted, isPrivate).Audience(),
		"tags":                    validation.ListSetting(maxTags, validation.TextSetting(tag)),
		"categoryId":              validation.PatternSetting(categoryID, "the number of a category"),
		"defaultLanguage":         language,
		"defaultAudioLanguage":    language,
		"selfDeclaredMadeForKids": flag,
		"containsSyntheticMedia":  flag,
		"hasPaidProductPlacement": flag,
		"license":                 validation.EnumSetting("youtube", "creativeCommon"),
		"embeddable":              flag,
		"publicStatsViewable":     flag,
		"notifySubscribers":       flag,
		"playlistIds":             validation.ListSetting(maxPlaylists, validation.PatternSetting(playlistID, "the id of a playlist")),
		"thumbnailUrl":            validation.MediaSetting(),
	}
}

// together is a Constraints.Together: tags are bounded all together.
func together(_ schema.Entry, s settings) []schema.Detail {
	if n := weightOf(s.Tags); n > maxTagLength {
		return []schema.Detail{{Field: "tags", Code: validation.CodeTextTooLong, Message: fmt.Sprintf(
			"all tags together may have %d characters, with a comma between two and quotes around one that has a space; these have %d", maxTagLength, n)}}
	}
	return nil
}

// weightOf counts tags as YouTube does (videos#snippet.tags[]).
func weightOf(tags []string) (n int) {
	for i, tag := range tags {
		if i > 0 {
			n++
		}
		n += utf8.RuneCountInString(tag)
		if strings.Contains(tag, " ") {
			n += 2
		}
	}
	return n
}

// video is the resource of a new video, and what an answer shows of one.
type video struct {
	ID      string          `json:"id,omitempty"`
	Snippet snippet         `json:"snippet"`
	Status  status          `json:"status"`
	Paid    *paid           `json:"paidProductPlacementDetails,omitempty"`
	Process *processDetails `json:"processingDetails,omitempty"`
}

type snippet struct {
	Title                string   `json:"title,omitempty"`
	Description          string   `json:"description,omitempty"`
	Tags                 []string `json:"tags,omitempty"`
	CategoryID           string   `json:"categoryId,omitempty"`
	DefaultLanguage      string   `json:"defaultLanguage,omitempty"`
	DefaultAudioLanguage string   `json:"defaultAudioLanguage,omitempty"`
}

type status struct {
	PrivacyStatus           string `json:"privacyStatus,omitempty"`
	SelfDeclaredMadeForKids *bool  `json:"selfDeclaredMadeForKids,omitempty"`
	ContainsSyntheticMedia  *bool  `json:"containsSyntheticMedia,omitempty"`
	License                 string `json:"license,omitempty"`
	Embeddable              *bool  `json:"embeddable,omitempty"`
	PublicStatsViewable     *bool  `json:"publicStatsViewable,omitempty"`
	// Of an answer: how far YouTube is, and why it is no further.
	UploadStatus    string `json:"uploadStatus,omitempty"`
	FailureReason   string `json:"failureReason,omitempty"`
	RejectionReason string `json:"rejectionReason,omitempty"`
}

type paid struct {
	HasPaidProductPlacement bool `json:"hasPaidProductPlacement"`
}

type processDetails struct {
	Status        string `json:"processingStatus,omitempty"`
	FailureReason string `json:"processingFailureReason,omitempty"`
}

// resource returns what YouTube is told of a video, and of which parts of it.
func (s settings) resource(text string) (video, []string) {
	v := video{
		Snippet: snippet{
			Title: s.Title, Description: text, Tags: s.Tags, CategoryID: s.CategoryID,
			DefaultLanguage: s.DefaultLanguage, DefaultAudioLanguage: s.DefaultAudioLanguage,
		},
		Status: status{
			PrivacyStatus: s.PrivacyStatus, SelfDeclaredMadeForKids: s.SelfDeclaredMadeForKids,
			ContainsSyntheticMedia: s.ContainsSyntheticMedia, License: s.License,
			Embeddable: s.Embeddable, PublicStatsViewable: s.PublicStatsViewable,
		},
	}
	parts := []string{"snippet", "status"}
	if s.HasPaidProductPlacement != nil {
		v.Paid = &paid{*s.HasPaidProductPlacement}
		parts = append(parts, "paidProductPlacementDetails")
	}
	return v, parts
}
