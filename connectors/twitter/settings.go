package twitter

import (
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// The bounds of a poll and of tagged people (CreatePostsPoll, CreatePostsMedia).
const (
	minPollOptions = 2
	maxPollOptions = 4
	maxPollOption  = 25 // characters
	minPollMinutes = 5
	maxPollMinutes = 10080 // a week
	maxTagged      = 10
)

// settings is X's part of platformSettings. In a thread, what a reply cannot have is the
// first entry's.
type settings struct {
	ReplySettings         string   `json:"replySettings"`
	Poll                  *poll    `json:"poll"`
	QuoteTweetID          string   `json:"quoteTweetId"`
	CommunityID           string   `json:"communityId"`
	ShareWithFollowers    bool     `json:"shareWithFollowers"`
	ForSuperFollowersOnly bool     `json:"forSuperFollowersOnly"`
	MadeWithAI            bool     `json:"madeWithAi"`
	PaidPartnership       bool     `json:"paidPartnership"`
	TaggedUserIDs         []string `json:"taggedUserIds"`
}

type poll struct {
	Options         []string `json:"options"`
	DurationMinutes int      `json:"durationMinutes"`
}

func settingRules() validation.SettingRules {
	id := validation.FormSetting(isID, "an id of X, which is a number in quotes,")
	option := schema.TextLimit{Max: maxPollOption, Required: true, Count: utf8.RuneCountInString}
	return validation.SettingRules{
		"replySettings": validation.EnumSetting("following", "mentionedUsers", "subscribers", "verified"),
		"poll": validation.ObjectSetting(validation.SettingRules{
			"options":         validation.BoundedListSetting(minPollOptions, maxPollOptions, validation.TextSetting(option)).Require(),
			"durationMinutes": validation.IntegerSetting(minPollMinutes, maxPollMinutes).Require(),
		}),
		"quoteTweetId":          id,
		"communityId":           id.Audience(),
		"shareWithFollowers":    validation.BoolSetting().Audience(),
		"forSuperFollowersOnly": validation.BoolSetting().Audience(),
		"madeWithAi":            validation.BoolSetting(),
		"paidPartnership":       validation.BoolSetting(),
		"taggedUserIds":         validation.ListSetting(maxTagged, id),
	}
}

// conflict refuses what X takes only one of: media, a poll or a quote.
func (s settings) conflict(media int) error {
	if problem := s.together(media); problem != "" {
		return connectors.Refuse("%s", problem)
	}
	return nil
}

func (s settings) together(media int) string {
	switch {
	case s.Poll != nil && media > 0:
		return "a poll cannot stand beside media"
	case s.Poll != nil && s.QuoteTweetID != "":
		return "a poll cannot stand beside a quote"
	case s.QuoteTweetID != "" && media > 0:
		return "a quote cannot stand beside media"
	default:
		return ""
	}
}

// exclusive is a Constraints.Together.
func exclusive(first schema.Entry, s settings) []schema.Detail {
	field := "poll"
	if s.Poll == nil {
		field = "quoteTweetId"
	}
	if problem := s.together(len(first.Media)); problem != "" {
		return []schema.Detail{connectors.Conflict(field, problem)}
	}
	return nil
}
