package threads

import (
	"strings"
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/schema"
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
