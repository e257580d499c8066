package listing

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

var (
	scheme   = regexp.MustCompile(`(?i)\b(?:https?://|mailto:)`)
	escapes  = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
	punycode = regexp.MustCompile(`(?i)\bxn--[a-z0-9-]+`)
)

// PlainAddresses brings the addresses in a text to one form: platforms write them with a scheme or without
// it, escaped or not, and hosts in punycode or in letters.
func PlainAddresses(text string) string {
	text = scheme.ReplaceAllString(text, "")
	text = escapes.ReplaceAllStringFunc(text, func(escaped string) string {
		if plain, err := url.PathUnescape(escaped); err == nil && utf8.ValidString(plain) {
			return plain
		}
		return escaped
	})
	return punycode.ReplaceAllStringFunc(text, func(label string) string {
		if plain, err := idna.Punycode.ToUnicode(strings.ToLower(label)); err == nil {
			return plain
		}
		return label
	})
}
