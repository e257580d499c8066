package validation

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"crier/schema"
)

// CheckAccounts checks a post's settings against those that its targets' accounts allow.
// accountOf returns an account, or nil if it is not known, which is not checked then.
func CheckAccounts(c schema.Content, targets []schema.Target, accountOf func(schema.AccountID) *schema.Account) []schema.Detail {
	v := validation{content: c}
	for _, target := range targets {
		if len(c.Settings[target.Platform]) == 0 {
			continue
		}
		var enabled map[string][]string
		if account := accountOf(target.Account); account != nil && len(account.Settings) > 0 && json.Unmarshal(account.Settings, &enabled) == nil {
			v.enabled(target.Platform, enabled)
		}
	}
	return v.errors
}

func (v *validation) enabled(p schema.Platform, enabled map[string][]string) {
	var values map[string]json.RawMessage
	if len(enabled) == 0 || json.Unmarshal(v.content.Settings[p], &values) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(enabled)) {
		var value string
		if json.Unmarshal(values[name], &value) != nil || slices.Contains(enabled[name], value) {
			continue // not given, or the platform's own rules say that it is wrong
		}
		v.fail(p, "platformSettings."+p.String()+"."+name, CodeSettingNotEnabled,
			"this account may have %s, not %s", strings.Join(enabled[name], ", "), shorten(values[name]))
	}
}
