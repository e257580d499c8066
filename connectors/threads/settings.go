package threads

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// The bounds of what goes with a post (developers.facebook.com/docs/threads/create-posts).
const (
	minPollOptions = 2
	maxPollOptions = 4
	maxPollOption  = 25 // characters
	maxTopic       = 50 // characters
)

// settings is Threads' part of platformSettings. They are the first entry's: replies inherit
// what there is to inherit.
type settings struct {
	ReplyControl   string `json:"replyControl"`
	TopicTag       string `json:"topicTag"`
	LinkAttachment string `json:"linkAttachment"`
	QuotePostID    string `json:"quotePostId"`
	Poll           *poll  `json:"poll"`
}

type poll struct {
	Options []string `json:"options"`
}

// apply adds the settings to what is asked for.
func (s settings) apply(form url.Values, hasMedia bool) error {
	if hasMedia && (s.Poll != nil || s.LinkAttachment != "") {
		return &schema.Error{Kind: schema.Refused, Message: "Threads takes a poll or a link attachment with a text alone, not beside media"}
	}
	connectors.SetField(form, "reply_control", s.ReplyControl)
	connectors.SetField(form, "topic_tag", s.TopicTag)
	connectors.SetField(form, "link_attachment", s.LinkAttachment)
	connectors.SetField(form, "quote_post_id", s.QuotePostID)
	if s.Poll == nil {
		return nil
	}
	options := map[string]string{}
	for i, option := range s.Poll.Options {
		options["option_"+string(rune('a'+i))] = option
	}
	encoded, err := json.Marshal(options)
	if err != nil {
		return fmt.Errorf("encoding poll: %w", err)
	}
	form.Set("poll_attachment", string(encoded))
	return nil
}

func settingRules() validation.SettingRules {
	option := schema.TextLimit{Required: true, Max: maxPollOption, Count: utf8.RuneCountInString}
	return validation.SettingRules{
		"replyControl":   validation.EnumSetting("everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"),
		"topicTag":       validation.FormSetting(isTopic, "a topic of 1 to 50 characters without . and &"),
		"linkAttachment": validation.FormSetting(validation.IsWebAddress, "an http or https address"),
		"quotePostId":    validation.PatternSetting(regexp.MustCompile(`^[0-9]{1,40}$`), "the numeric id of a post"),
		"poll": validation.ObjectSetting(validation.SettingRules{
			"options": validation.BoundedListSetting(minPollOptions, maxPollOptions, validation.TextSetting(option)).Require(),
		}),
	}
}

func isTopic(text string) bool {
	n := utf8.RuneCountInString(text)
	return strings.TrimSpace(text) != "" && n <= maxTopic && !strings.ContainsAny(text, ".&")
}

// linkAttached is a Constraints.LinkBeside.
func linkAttached(raw json.RawMessage) string {
	var s settings
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s.LinkAttachment
}

// textAlone is a Constraints.Together: what goes with a text goes with no media.
func textAlone(first schema.Entry, s struct {
	Poll           *json.RawMessage `json:"poll"`
	LinkAttachment *json.RawMessage `json:"linkAttachment"`
}) (details []schema.Detail) {
	if len(first.Media) == 0 {
		return nil
	}
	if s.Poll != nil {
		details = append(details, connectors.Conflict("poll", "a poll cannot stand beside media"))
	}
	if s.LinkAttachment != nil {
		details = append(details, connectors.Conflict("linkAttachment", "a link attachment cannot stand beside media"))
	}
	return details
}
