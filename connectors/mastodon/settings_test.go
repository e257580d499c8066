package mastodon

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"crier/schema"
)

func TestCheckSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		want     []string // fields with the code of what is wrong
	}{
		"none":                  {``, nil},
		"empty":                 {`{}`, nil},
		"everything":            {`{"visibility":"unlisted","spoilerText":"cw","sensitive":true,"language":"de","poll":{"options":["a","b"],"expiresIn":300,"multiple":true,"hideTotals":false}}`, nil},
		"the longest poll":      {`{"poll":{"options":["a","b","c","d"],"expiresIn":2629746}}`, nil},
		"a poll that is null":   {`{"poll":null}`, []string{"poll setting_invalid"}},
		"no object":             {`[]`, []string{" setting_invalid"}},
		"another visibility":    {`{"visibility":"friends"}`, []string{"visibility setting_invalid"}},
		"a language by name":    {`{"language":"english"}`, []string{"language setting_invalid"}},
		"sensitive as a text":   {`{"sensitive":"yes"}`, []string{"sensitive setting_invalid"}},
		"a warning too long":    {`{"spoilerText":"` + strings.Repeat("x", 501) + `"}`, []string{"spoilerText text_too_long"}},
		"an unknown setting":    {`{"spoiler":"x"}`, []string{"spoiler setting_unknown"}},
		"an unknown part":       {`{"poll":{"options":["a","b"],"expiresIn":300,"anonymous":true}}`, []string{"poll.anonymous setting_unknown"}},
		"a poll as a text":      {`{"poll":"a,b"}`, []string{"poll setting_invalid"}},
		"a poll without parts":  {`{"poll":{}}`, []string{"poll.options setting_required", "poll.expiresIn setting_required"}},
		"one option":            {`{"poll":{"options":["a"],"expiresIn":300}}`, []string{"poll.options setting_invalid"}},
		"five options":          {`{"poll":{"options":["a","b","c","d","e"],"expiresIn":300}}`, []string{"poll.options setting_invalid"}},
		"an empty option":       {`{"poll":{"options":["a"," "],"expiresIn":300}}`, []string{"poll.options.1 setting_invalid"}},
		"the same option twice": {`{"poll":{"options":["a","a"],"expiresIn":300}}`, []string{"poll.options.1 setting_invalid"}},
		"an option too long":    {`{"poll":{"options":["a","` + strings.Repeat("x", 51) + `"],"expiresIn":300}}`, []string{"poll.options.1 text_too_long"}},
		"a poll too short":      {`{"poll":{"options":["a","b"],"expiresIn":299}}`, []string{"poll.expiresIn setting_invalid"}},
		"a poll too long":       {`{"poll":{"options":["a","b"],"expiresIn":2629747}}`, []string{"poll.expiresIn setting_invalid"}},
		"flags of a poll":       {`{"poll":{"options":["a","b"],"expiresIn":300,"multiple":1,"hideTotals":"no"}}`, []string{"poll.hideTotals setting_invalid", "poll.multiple setting_invalid"}},
		"all that is wrong":     {`{"visibility":1,"poll":{"options":["a"],"expiresIn":1}}`, []string{"visibility setting_invalid", "poll.options setting_invalid", "poll.expiresIn setting_invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range Constraints().Settings(json.RawMessage(tt.settings)) {
				if d.Message == "" {
					t.Errorf("%s has no message", d.Field)
				}
				got = append(got, d.Field+" "+d.Code)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("details = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSettingsDefaultToPublic(t *testing.T) {
	for _, given := range []string{"", "{}", `{"visibility":""}`} {
		s, err := settingsOf(schema.Delivery{Settings: json.RawMessage(given)})
		if err != nil || s.Visibility != "public" {
			t.Errorf("settingsOf(%q) = %+v, %v, want public", given, s, err)
		}
	}
}
