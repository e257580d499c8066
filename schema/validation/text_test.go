package validation

import "testing"

func TestCounts(t *testing.T) {
	for name, tt := range map[string]struct {
		count func(string) int
		text  string
		want  int
	}{
		"cashtags":                       {cashtags, "$ABC up, $xyz.b down", 2},
		"cashtags side by side":          {cashtags, "$ABC $DEF\n$GHI", 3},
		"amounts are no cashtags":        {cashtags, "$5 or $1,000 US$ A$AP", 0},
		"too long for a cashtag":         {cashtags, "$ABCDEFG", 0},
		"mentions":                       {mentions, "@ann and (@bob_.c)", 2},
		"an e-mail address is none":      {mentions, "ann@example.com", 0},
		"a profile's address is none":    {mentions, "https://example.com/@ann", 0},
		"different links":                {differentLinks, "https://a.example/x, https://a.example/y and www.b.example", 3},
		"one link, twice":                {differentLinks, "https://a.example/x and https://a.example/x.", 1},
		"one link, in two ways":          {differentLinks, "www.a.example and https://www.a.example/", 1},
		"hashtags are counted by others": {hashtags, "#one #two", 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.count(tt.text); got != tt.want {
				t.Errorf("%q: %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}
