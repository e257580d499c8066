package googlebusiness

import (
	"encoding/json"
	"regexp"

	"crier/schema"
	"crier/schema/validation"
)

// The kinds of local posts that end with an event and so need one.
const (
	topicEvent = "EVENT"
	topicOffer = "OFFER"
)

// settingRules are a local post's fields under Google's names.
func settingRules() validation.SettingRules {
	date := validation.PatternSetting(regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`), "a date such as 2026-01-31").Require()
	text := validation.TextSetting(schema.TextLimit{})
	return validation.SettingRules{
		"topicType": validation.EnumSetting("STANDARD", topicEvent, topicOffer),
		"callToAction": validation.ObjectSetting(validation.SettingRules{
			"actionType": validation.EnumSetting("BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL").Require(),
			"url":        text,
		}),
		"event": validation.ObjectSetting(validation.SettingRules{
			"title": text.Require(), "startDate": date, "endDate": date,
		}),
		"offer": validation.ObjectSetting(validation.SettingRules{
			"couponCode": text, "redeemOnlineUrl": text, "termsConditions": text,
		}),
	}
}

// settingsCheck returns a Constraints.Settings.
func settingsCheck() func(json.RawMessage) []schema.Detail {
	rules := settingRules() // once: every post is checked
	return func(settings json.RawMessage) []schema.Detail {
		return append(rules.Check(settings), checkTopic(settings)...)
	}
}

// checkTopic checks what of the settings hangs together.
func checkTopic(settings json.RawMessage) []schema.Detail {
	var s struct {
		TopicType    string    `json:"topicType"`
		Event        *struct{} `json:"event"`
		CallToAction *struct {
			ActionType string `json:"actionType"`
			URL        string `json:"url"`
		} `json:"callToAction"`
	}
	if len(settings) == 0 || json.Unmarshal(settings, &s) != nil {
		return nil
	}
	var details []schema.Detail
	if (s.TopicType == topicEvent || s.TopicType == topicOffer) && s.Event == nil {
		details = append(details, required("event", "a post of type "+s.TopicType+" needs an event"))
	}
	// A call goes to the location's own number; every other button opens a url.
	if a := s.CallToAction; a != nil && a.ActionType != "CALL" && a.URL == "" {
		details = append(details, required("callToAction.url", "the button needs a url to open"))
	}
	return details
}

func required(field, message string) schema.Detail {
	return schema.Detail{Field: field, Code: validation.CodeSettingRequired, Message: message}
}
