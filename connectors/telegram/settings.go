package telegram

import (
	"encoding/json"
	"fmt"

	"crier/schema"
	"crier/schema/validation"
)

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

// settingsOf reads the settings of a delivery. They were checked when the post was
// made, so that an error is our fault.
func settingsOf(d schema.Delivery) (settings, error) {
	var s settings
	if len(d.Settings) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(d.Settings, &s); err != nil {
		return s, fmt.Errorf("reading settings: %w", err)
	}
	return s, nil
}
