package connectors_test

import (
	"testing"

	"crier/connectors"
)

func TestGraphemes(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"nothing":                     {"", 0},
		"ASCII":                       {"Hello, world.", 13},
		"a line break of two":         {"a\r\nb", 3},
		"line breaks of one":          {"a\n\rb", 4},
		"control characters":          {"\x00\x01\t\x7f", 4},
		"only line breaks":            {"\r\r\n\n\r\n", 4},
		"an accent of its own":        {"e\u0301", 1},
		"a family":                    {"👨‍👩‍👧", 1},
		"a line break and an umlaut":  {"\r\nü", 2},
		"a digit that is an emoji":    {"1\ufe0f\u20e3", 1},
		"Hindi of conjuncts":          {"क्षत्रिय", 3}, // Unicode 15.1, GB9c
		"Bengali of conjuncts":        {"ক্ষুদ্র", 2},
		"ASCII before a letter of it": {"ab\u0308", 2},
	} {
		t.Run(name, func(t *testing.T) {
			got := connectors.Graphemes(tt.text)
			if got != tt.want {
				t.Errorf("Graphemes(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}
