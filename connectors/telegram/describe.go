package telegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"crier/connectors"
	"crier/connectors/telegram/markup"
	"crier/schema"
	"crier/schema/validation"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.Telegram, Label: "Telegram",
		Constraints: Constraints(),
		// One message a second to a chat, short bursts excepted, and some 30 a second of a bot,
		// which may serve many chats (core.telegram.org/bots/faq). A little less of those, since
		// calls bunch up on their way. groupPace has the 20 a minute of a group.
		Limits: connectors.Limits{connectors.Any: {
			Account: connectors.Rate{PerSecond: 1, Burst: 20}, App: connectors.Rate{PerSecond: 25, Burst: 5},
		}},
		Calls: connectors.Calls{Platform: schema.Telegram, Answers: answers(), LimitOf: limitOf},
		Connecting: connectors.Connecting{
			Method: connectors.ByBotToken, Instead: "POST /connect/telegram/channels takes a bot's token and a chat's id",
		},
		New: func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// limitOf puts all that sends messages under one limit.
func limitOf(call connectors.Call) string {
	if call.Kind == connectors.Post {
		return "messages"
	}
	return call.Operation
}

// The limits of the Bot API (core.telegram.org/bots/api#sending-files).
const (
	maxText       = 4096
	maxCaption    = 1024
	maxAlbum      = 10
	maxPhotoBytes = 10 << 20
	maxVideoBytes = 50 << 20
	maxPhotoRatio = 20
	maxPhotoSides = 10_000 // pixels, width and height together
	// maxMarkup is of a text with its markup, in bytes, which no document names
	// (tdlib/telegram-bot-api Client.cpp, get_formatted_text).
	maxMarkup = 1 << 15
)

const (
	jpeg = "image/jpeg"
	png  = "image/png"
	mp4  = "video/mp4"
)

// Constraints is what Telegram takes of a bot.
func Constraints() schema.Constraints {
	return schema.Constraints{
		Platform: schema.Telegram,
		Text:     schema.TextLimit{Max: maxText, Count: connectors.UTF16Units},
		Visible:  visible,
		Caption:  maxCaption,
		Media: schema.MediaLimits{
			Max:            maxAlbum,
			MaxVideos:      maxAlbum,
			Mixed:          true,
			Kinds:          []schema.MediaKind{schema.Image, schema.Video},
			ImageTypes:     []string{jpeg, png},
			VideoTypes:     []string{mp4},
			MaxImageBytes:  maxPhotoBytes,
			MaxVideoBytes:  maxVideoBytes,
			MaxSides:       maxPhotoSides,
			MinAspect:      1.0 / maxPhotoRatio,
			MaxAspect:      maxPhotoRatio,
			AspectOfImages: true,
			ExactAspect:    true,
			FilmAdvice:     schema.FilmLimits{Codecs: []string{"h264"}, Plain: true},
		},
		DailyCap:   50,
		CannotFind: true, // a bot is not shown what it has sent
		Settings:   settingRules().Check,
	}
}

// parseModeOf returns the parseMode of settings; none of settings that are wrong, which their own rules say.
func parseModeOf(raw json.RawMessage) string {
	var s struct {
		ParseMode string `json:"parseMode"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s.ParseMode
}

// visible returns what Telegram shows of a text, or why it cannot read it and where that begins.
func visible(text string, raw json.RawMessage) (string, error) {
	mode := parseModeOf(raw)
	if mode != "" && len(text) > maxMarkup {
		return "", fmt.Errorf("with its markup it may have %d bytes, it has %d", maxMarkup, len(text))
	}
	read, err := markup.Visible(mode, text)
	if wrong, ok := errors.AsType[*markup.Error](err); ok {
		before := text[:wrong.Offset]
		line := before[strings.LastIndexByte(before, '\n')+1:]
		return "", fmt.Errorf("%w (line %d, character %d, as %s)", err, strings.Count(before, "\n")+1, utf8.RuneCountInString(line)+1, mode)
	}
	return read, err
}

// settings is Telegram's part of platformSettings: fields of the Bot API's send methods.
type settings struct {
	ParseMode           string       `json:"parseMode"` // of text and captions; empty: none
	DisableNotification bool         `json:"disableNotification"`
	LinkPreviewOptions  *linkPreview `json:"linkPreviewOptions"` // of posts without media
}

type linkPreview struct {
	IsDisabled       bool   `json:"isDisabled"`
	URL              string `json:"url"` // previewed instead of the text's first link
	PreferSmallMedia bool   `json:"preferSmallMedia"`
	PreferLargeMedia bool   `json:"preferLargeMedia"`
	ShowAboveText    bool   `json:"showAboveText"`
}

func settingRules() validation.SettingRules {
	flag := validation.BoolSetting()
	return validation.SettingRules{
		"parseMode":           validation.EnumSetting(parseModes()...),
		"disableNotification": flag,
		"linkPreviewOptions": validation.ObjectSetting(validation.SettingRules{
			"isDisabled": flag, "url": validation.TextSetting(schema.TextLimit{}),
			"preferSmallMedia": flag, "preferLargeMedia": flag, "showAboveText": flag,
		}),
	}
}

func parseModes() []string { return []string{"HTML", "MarkdownV2", "Markdown"} }
