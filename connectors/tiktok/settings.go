package tiktok

import (
	"encoding/json"
	"math"

	"crier/connectors"
	"crier/schema"
	"crier/schema/validation"
)

// Who may see a video.
const (
	everyone  = "PUBLIC_TO_EVERYONE"
	friends   = "MUTUAL_FOLLOW_FRIENDS"
	followers = "FOLLOWER_OF_CREATOR"
	oneself   = "SELF_ONLY"
)

// settings is TikTok's part of platformSettings.
type settings struct {
	Privacy        string `json:"privacy"`
	DisableComment *bool  `json:"disableComment"` // nil: as the account has it
	DisableDuet    *bool  `json:"disableDuet"`
	DisableStitch  *bool  `json:"disableStitch"`
	CoverTimestamp *int   `json:"videoCoverTimestampMs"`
	BrandContent   bool   `json:"brandContentToggle"` // a partnership that is paid for
	BrandOrganic   bool   `json:"brandOrganicToggle"` // the account's own business
	Generated      bool   `json:"isAigc"`
}

func settingRules() validation.SettingRules {
	return validation.SettingRules{
		"privacy":               validation.EnumSetting(everyone, friends, followers, oneself).Require().Audience(),
		"disableComment":        validation.BoolSetting(),
		"disableDuet":           validation.BoolSetting(),
		"disableStitch":         validation.BoolSetting(),
		"videoCoverTimestampMs": validation.IntegerSetting(0, math.MaxInt32),
		"brandContentToggle":    validation.BoolSetting(),
		"brandOrganicToggle":    validation.BoolSetting(),
		"isAigc":                validation.BoolSetting(),
	}
}

// settingsCheck returns a Constraints.Settings of a creator's account. Which privacy levels the
// account enables is checked with its settings.
func settingsCheck(k creator) func(json.RawMessage) []schema.Detail {
	return func(object json.RawMessage) []schema.Detail {
		details := settingRules().Check(object)
		s, err := connectors.SettingsOf[settings](schema.Delivery{Settings: object})
		if err != nil {
			return details // which say what is wrong
		}
		if s.Privacy == oneself {
			details = append(details, schema.Detail{
				Field: "privacy", Code: validation.CodeSettingPrivate,
				Message: "only the account itself sees the video; of an app that TikTok has not audited it takes no other",
			})
		}
		for _, interaction := range s.interactions() {
			if *interaction.disable != nil && !**interaction.disable && !k.allows(interaction.name) {
				details = append(details, schema.Detail{
					Field: interaction.setting, Code: validation.CodeSettingNotEnabled,
					Message: "the account has " + interaction.several + " turned off on TikTok, so that they cannot be turned on here",
				})
			}
		}
		return details
	}
}

// interaction is what others may do with a video.
type interaction struct {
	name, several string
	setting       string
	disable       **bool
}

func (s *settings) interactions() []interaction {
	return []interaction{
		{"comment", "comments", "disableComment", &s.DisableComment},
		{"duet", "duets", "disableDuet", &s.DisableDuet},
		{"stitch", "stitches", "disableStitch", &s.DisableStitch},
	}
}

// together is a Constraints.Together.
func together(_ schema.Entry, s settings) []schema.Detail {
	if s.BrandContent && s.Privacy == oneself {
		return []schema.Detail{connectors.Conflict("brandContentToggle", "branded content cannot be private: TikTok takes none with "+oneself)}
	}
	return nil
}
