package connectors

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Graphemes returns how many user-perceived characters a text has: its extended grapheme
// clusters (unicode.org/reports/tr29).
func Graphemes(text string) int {
	if !IsASCII(text) {
		n := 0
		for clusters := graphemes.FromString(text); clusters.Next(); {
			n++
		}
		return n
	}
	// The only cluster of several ASCII characters is a line break (rule GB3).
	return len(text) - strings.Count(text, "\r\n")
}

// UTF16Units returns how many UTF-16 code units a text has.
func UTF16Units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// IsASCII reports whether a text has only ASCII characters, as most have. They can be
// counted without the tables of Unicode.
func IsASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}
