package twitter_test

import (
	"strings"
	"testing"

	"crier/connectors/twitter"
)

func TestWeight(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"nothing":                                 {"", 0},
		"latin":                                   {"plain text", 10},
		"the last light character":                {"\u10ff", 1},
		"the first heavy character":               {"\u1100", 2},
		"typographic quotes are light":            {"“it’s”", 6},
		"an ellipsis is heavy":                    {"…", 2},
		"chinese":                                 {"今日は", 6},
		"accents are counted composed":            {"e\u0301", 1},
		"an emoji":                                {"🐱", 2},
		"an emoji with a skin tone":               {"🙋🏽", 2},
		"a family is one emoji":                   {"👨‍👩‍👧‍👦", 2},
		"a flag":                                  {"🇩🇪", 2},
		"a flag made of tags":                     {"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", 2},
		"a keycap":                                {"1️⃣", 2},
		"a sign made an emoji":                    {"❤️", 2},
		"joined letters are no emoji":             {"क्\u200dष", 4},
		"a link":                                  {"http://example.com", 23},
		"a long link weighs the same":             {"https://example.com/" + strings.Repeat("a", 200) + "?q=1", 23},
		"a link without protocol":                 {"see example.com now", 4 + 23 + 4},
		"two links":                               {"a.com b.com", 23 + 1 + 23},
		"a full stop ends a link":                 {"Go to example.com.", 6 + 23 + 1},
		"parentheses around a link":               {"(https://example.com/a)", 25},
		"parentheses in a link":                   {"https://example.com/a_(b)", 23},
		"a path's accents belong to it":           {"https://example.com/größe", 23},
		"chinese right behind a link":             {"http://example.com中文", 27},
		"an unknown top level domain":             {"example.notatld", 15},
		"a mail address is no link":               {"me@example.com", 14},
		"a hashtag is no link":                    {"#example.com", 12},
		"an underscore in a domain":               {"http://a.x_bar.com", 18},
		"a label that is too long":                {"http://" + strings.Repeat("a", 64) + ".com", 75},
		"X's own short link ends at its slug":     {"https://t.co/abc/def", 27},
		"X's own short link of a mistyped length": {"https://t.co/" + strings.Repeat("a", 41), 54},
	} {
		t.Run(name, func(t *testing.T) {
			if got := twitter.Weight(tt.text); got != tt.want {
				t.Errorf("Weight(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}
