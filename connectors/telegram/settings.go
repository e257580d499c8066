package telegram

import (
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
