package googlebusiness

import (
	"cmp"
	"encoding/json"
	"regexp"
	"time"
	"unicode/utf8"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// The kinds of local posts. The last two have an event, and end with it.
const (
	topicStandard = "STANDARD"
	topicEvent    = "EVENT"
	topicOffer    = "OFFER"
)

// actionCall is the button that calls the location: every other opens a url.
const actionCall = "CALL"

// maxEventTitle is in characters: no document names it, a refusal does
// (reported in github.com/trypostit/trypost).
const maxEventTitle = 58

// When an event begins and ends on its days that says no more.
const (
	firstMinute = "00:00"
	lastMinute  = "23:59"
)

// settings is Google Business Profile's part of platformSettings, under Google's names.
type settings struct {
	TopicType    string         `json:"topicType"`
	LanguageCode string         `json:"languageCode"`
	CallToAction *callToAction  `json:"callToAction"`
	Event        *eventSettings `json:"event"`
	Offer        *offer         `json:"offer"`
}

type eventSettings struct {
	Title     string `json:"title"`
	StartDate string `json:"startDate"`
	StartTime string `json:"startTime"`
	EndDate   string `json:"endDate"`
	EndTime   string `json:"endTime"`
}

// topic returns the type of the post: where none is named, that which what there is goes with.
func (s settings) topic() string {
	switch {
	case s.TopicType != "":
		return s.TopicType
	case s.Offer != nil:
		return topicOffer
	case s.Event != nil:
		return topicEvent
	default:
		return topicStandard
	}
}

// settingRules are a local post's fields under Google's names.
func settingRules() validation.SettingRules {
	date := validation.FormSetting(isDate, "a date such as 2026-01-31")
	clock := validation.PatternSetting(regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`), "a time such as 09:30")
	address := validation.FormSetting(func(text string) bool { return webURL(text) != "" }, "an http or https url")
	text := validation.TextSetting(schema.TextLimit{})
	return validation.SettingRules{
		"topicType":    validation.EnumSetting(topicStandard, topicEvent, topicOffer),
		"languageCode": validation.PatternSetting(regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`), "a language such as en or pt-BR"),
		"callToAction": validation.ObjectSetting(validation.SettingRules{
			"actionType": validation.EnumSetting("BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", actionCall).Require(),
			"url":        address,
		}),
		"event": validation.ObjectSetting(validation.SettingRules{
			"title":     validation.TextSetting(schema.TextLimit{Required: true, Max: maxEventTitle, Count: utf8.RuneCountInString}),
			"startDate": date.Require(), "startTime": clock, "endDate": date.Require(), "endTime": clock,
		}),
		"offer": validation.ObjectSetting(validation.SettingRules{
			"couponCode": text, "redeemOnlineUrl": address, "termsConditions": text,
		}),
	}
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// settingsCheck returns a Constraints.Settings.
func settingsCheck() func(json.RawMessage) []schema.Detail {
	rules := settingRules() // once: every post is checked
	return func(object json.RawMessage) []schema.Detail {
		details := rules.Check(object)
		s, err := connectors.SettingsOf[settings](schema.Delivery{Settings: object})
		if err != nil {
			return details // they say what is wrong
		}
		return append(details, s.conflicts()...)
	}
}

// conflicts tells what of the settings does not go together.
func (s settings) conflicts() []schema.Detail {
	var details []schema.Detail
	add := func(field, code, message string) {
		details = append(details, schema.Detail{Field: field, Code: code, Message: message})
	}
	topic := s.topic()
	switch {
	case topic == topicStandard && s.Event != nil:
		add("event", validation.CodeSettingConflict, "a post of type STANDARD has no event")
	case topic != topicEvent && topic != topicOffer:
	case s.Event == nil:
		add("event", validation.CodeSettingRequired, "a post of type "+topic+" needs an event")
	case s.Event.isOver():
		add("event.endDate", validation.CodeSettingInvalid, "the event has to end after it begins")
	}
	if s.Offer != nil && topic != topicOffer {
		add("offer", validation.CodeSettingConflict, "a post of type "+topic+" has no offer")
	}
	switch a := s.CallToAction; {
	case a == nil:
	case topic == topicOffer:
		add("callToAction", validation.CodeSettingConflict, "an offer has a button of its own, which opens redeemOnlineUrl")
	case a.ActionType == actionCall && a.URL != "":
		add("callToAction.url", validation.CodeSettingConflict, "the button calls the location's own number: it has no url")
	case a.ActionType != actionCall && a.URL == "":
		add("callToAction.url", validation.CodeSettingRequired, "the button needs a url to open")
	}
	return details
}

// isOver reports whether the event ends no later than it begins. One whose dates or times are
// none is not: they are reported by themselves.
func (e *eventSettings) isOver() bool {
	const form = time.DateOnly + " 15:04"
	begins, beginErr := time.Parse(form, e.StartDate+" "+cmp.Or(e.StartTime, firstMinute))
	ends, endErr := time.Parse(form, e.EndDate+" "+cmp.Or(e.EndTime, lastMinute))
	return beginErr == nil && endErr == nil && !begins.Before(ends)
}
