package threads

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/schema"
	"crier/schema/validation"
)

func TestCheckSettings(t *testing.T) {
	media := []schema.Media{{Kind: schema.Image}}
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
		want     []string // fields with the code of what is wrong
	}{
		"none":                  {``, nil, nil},
		"everything":            {`{"content":"x","replyControl":"followers_only","topicTag":"a topic","linkAttachment":"https://example.com","quotePostId":"1","poll":{"options":["a","b"]}}`, nil, nil},
		"what goes with media":  {`{"replyControl":"everyone","topicTag":"x","quotePostId":"1"}`, media, nil},
		"text alone":            {`{"poll":{"options":["a","b"]},"linkAttachment":"https://example.com"}`, media, []string{"poll setting_conflict", "linkAttachment setting_conflict"}},
		"another control":       {`{"replyControl":"nobody"}`, nil, []string{"replyControl setting_invalid"}},
		"no topic":              {`{"topicTag":" "}`, nil, []string{"topicTag setting_invalid"}},
		"a topic too long":      {`{"topicTag":"` + strings.Repeat("é", 51) + `"}`, nil, []string{"topicTag setting_invalid"}},
		"a topic with a period": {`{"topicTag":"a.b"}`, nil, []string{"topicTag setting_invalid"}},
		"a link of a scheme":    {`{"linkAttachment":"javascript:alert(1)"}`, nil, []string{"linkAttachment setting_invalid"}},
		"a quote by address":    {`{"quotePostId":"https://threads.com/x"}`, nil, []string{"quotePostId setting_invalid"}},
		"one option":            {`{"poll":{"options":["a"]}}`, nil, []string{"poll.options setting_invalid"}},
		"five options":          {`{"poll":{"options":["a","b","c","d","e"]}}`, nil, []string{"poll.options setting_invalid"}},
		"no options":            {`{"poll":{}}`, nil, []string{"poll.options setting_required"}},
		"an option too long":    {`{"poll":{"options":["a","` + strings.Repeat("x", 26) + `"]}}`, nil, []string{"poll.options[1] text_too_long"}},
		"an empty option":       {`{"poll":{"options":["a",""]}}`, nil, []string{"poll.options[1] setting_required"}},
		"an unknown one":        {`{"pol":1}`, nil, []string{"pol setting_unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			connectortest.WantDetails(t, Constraints(), tt.media, tt.settings, tt.want...)
		})
	}
}

// Threads counts the attached link with those of the text, each once (create-posts/text-attachments).
func TestTheAttachedLinkIsCounted(t *testing.T) {
	const five = "www.a.example https://b.example https://c.example https://d.example https://e.example"
	for name, tt := range map[string]struct {
		link    string
		refused bool
	}{
		"none":                {"", false},
		"one of the text's":   {"https://www.a.example/", false},
		"one that is a sixth": {"https://f.example", true},
	} {
		t.Run(name, func(t *testing.T) {
			content := schema.Content{Entries: []schema.Entry{{Text: five}}}
			if tt.link != "" {
				content.Settings = map[schema.Platform]json.RawMessage{schema.Threads: json.RawMessage(`{"linkAttachment":"` + tt.link + `"}`)}
			}
			errors, _ := validation.Check(content, []schema.Target{{Platform: schema.Threads}}, func(schema.Target) *schema.Constraints { return new(Constraints()) })
			isRefused := slices.ContainsFunc(errors, func(d schema.Detail) bool { return d.Code == validation.CodeLinksTooMany })
			r := newRig(t)
			d := r.Delivery(five)
			d.Settings = content.Settings[schema.Threads]
			if _, err := r.Prepare(t.Context(), d); isRefused != tt.refused || (err != nil) != tt.refused {
				t.Errorf("%v, and Threads: %v", errors, err)
			}
		})
	}
}
