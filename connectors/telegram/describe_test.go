package telegram_test

import (
	"encoding/json"
	"testing"

	"crier/connectors/telegram"
	"crier/schema/validation"
)

func TestTextIsCountedInUTF16(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"latin": {"abc", 3}, "accents": {"äé", 2}, "chinese": {"今日", 2}, "an emoji counts twice": {"🐱", 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := telegram.Constraints().Text.Count(tt.text); got != tt.want {
				t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	for name, tt := range map[string]struct{ settings, field, code string }{
		"none":                     {``, "", ""},
		"all":                      {`{"parseMode":"MarkdownV2","disableNotification":false,"linkPreviewOptions":{"isDisabled":true},"content":"x"}`, "", ""},
		"an unknown parse mode":    {`{"parseMode":"RTF"}`, "parseMode", validation.CodeSettingInvalid},
		"a flag that is a text":    {`{"disableNotification":"yes"}`, "disableNotification", validation.CodeSettingInvalid},
		"a preview that is a flag": {`{"linkPreviewOptions":true}`, "linkPreviewOptions", validation.CodeSettingInvalid},
		"a part of the preview":    {`{"linkPreviewOptions":{"isDisabled":1}}`, "linkPreviewOptions.isDisabled", validation.CodeSettingInvalid},
		"a typo":                   {`{"parsemode":"HTML"}`, "parsemode", validation.CodeSettingUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			details := telegram.Constraints().Settings(json.RawMessage(tt.settings))
			if tt.code == "" {
				if len(details) != 0 {
					t.Errorf("details %+v, want none", details)
				}
				return
			}
			if len(details) != 1 || details[0].Field != tt.field || details[0].Code != tt.code {
				t.Errorf("details %+v, want %s at %s", details, tt.code, tt.field)
			}
		})
	}
}
