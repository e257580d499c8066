package bluesky

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	const family = "👨‍👩‍👧‍👦" // one grapheme of 25 bytes
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"nothing":                             {"", 0},
		"letters":                             {"hello", 5},
		"a letter and its accent are one":     {"e\u0301", 1},
		"an emoji of seven characters is one": {family, 1},
		"a flag is one":                       {"🇩🇪", 1},
		"a line break counts":                 {"a\nb", 3},
		"120 families are 3000 bytes":         {strings.Repeat(family, 120), 120},
		"121 families have too many bytes":    {strings.Repeat(family, 121), 303},
		"a byte over the bound is too long":   {strings.Repeat(family, 120) + "a", 301},
	} {
		t.Run(name, func(t *testing.T) {
			if got := count(tt.text); got != tt.want {
				t.Errorf("count = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		want     []string // fields that are wrong or unknown
	}{
		"none":               {`{}`, nil},
		"three languages":    {`{"langs": ["en", "de-AT", "zh-Hant"]}`, nil},
		"four languages":     {`{"langs": ["en", "de", "fr", "it"]}`, []string{"langs"}},
		"no language":        {`{"langs": ["en", "not a tag"]}`, []string{"langs[1]"}},
		"a text for a list":  {`{"langs": "en"}`, []string{"langs"}},
		"one's own text":     {`{"content": "text"}`, nil},
		"an unknown setting": {`{"unheardOf": 1}`, []string{"unheardOf"}},
	} {
		t.Run(name, func(t *testing.T) {
			var fields []string
			for _, d := range Constraints().Settings(json.RawMessage(tt.settings)) {
				fields = append(fields, d.Field)
			}
			if strings.Join(fields, " ") != strings.Join(tt.want, " ") {
				t.Errorf("wrong fields = %q, want %q", fields, tt.want)
			}
		})
	}
}
