package bluesky

import (
	"encoding/json"
	"strings"
	"testing"

	"crier/schema"
	"crier/schema/validation"
)

func TestATextIsRefusedInTheUnitItExceeds(t *testing.T) {
	const family = "👨‍👩‍👧‍👦" // one character of 25 bytes
	for name, tt := range map[string]struct{ text, want string }{
		"300 letters":                    {strings.Repeat("x", 300), ""},
		"301 letters":                    {strings.Repeat("x", 301), "at most 300 characters, the text has 301"},
		"300 letters with their accents": {strings.Repeat("e\u0301", 300), ""},
		"120 families are 3000 bytes":    {strings.Repeat(family, 120), ""},
		"121 families":                   {strings.Repeat(family, 121), "at most 3000 bytes of text, the text has 3025"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkText(tt.text)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("the connector says %v, want %q", err, tt.want)
			}
			content := schema.Content{Entries: []schema.Entry{{Text: tt.text}}}
			found, _ := validation.Check(content, []schema.Target{{Platform: schema.Bluesky}}, func(schema.Target) *schema.Constraints { return new(Constraints()) })
			if tt.want == "" && len(found) > 0 || tt.want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, tt.want)) {
				t.Errorf("validation says %+v, want %q", found, tt.want)
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
		"a locale":           {`{"langs": ["pt_BR"]}`, nil}, // written pt-BR
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
