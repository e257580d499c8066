package mastodon

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/idna"

	"crier/connectors/listing"
)

// sameText compares by letters, in the one form of both: servers change space, quotes and whatever their
// markup eats, and a status that is taken for another is worth less than one that goes out twice.
func sameText(a, b string) bool { return listing.SameLetters(formOf(a), formOf(b)) }

// formOf brings what was sent and what a server shows of it to one form. Servers decode entities or keep
// them, strip what looks like a tag or show it (GoToSocial internal/text/plain.go), leave out the servers
// of mentions, and write addresses with and without a scheme, escaped, or in punycode.
func formOf(text string) string {
	text = withoutServers(withoutTags(decoded(text)))
	text = scheme.ReplaceAllString(text, "")
	text = escaped.ReplaceAllStringFunc(text, unescaped)
	return punycode.ReplaceAllStringFunc(text, unicodeLabel)
}

var (
	scheme   = regexp.MustCompile(`(?i)\b(?:https?://|mailto:)`)
	escaped  = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
	punycode = regexp.MustCompile(`(?i)\bxn--[a-z0-9-]+`)
)

// mostDecoding is how often entities are decoded: what is written as an entity of an entity may have been
// decoded once on its way.
const mostDecoding = 4

func decoded(text string) string {
	for range mostDecoding {
		plain := html.UnescapeString(text)
		if plain == text {
			break
		}
		text = plain
	}
	return text
}

// withoutTags leaves out what a parser of HTML takes for a tag.
func withoutTags(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var plain strings.Builder
	tokens := nethtml.NewTokenizer(strings.NewReader(text))
	for {
		switch tokens.Next() {
		case nethtml.ErrorToken: // the end: a strings.Reader does not fail
			return plain.String()
		case nethtml.TextToken:
			plain.Write(tokens.Text())
		}
	}
}

// withoutServers leaves of mentions what servers show of them.
func withoutServers(text string) string {
	var short strings.Builder
	last := 0
	for _, e := range entities(text) {
		if e.kind == mentionEntity {
			short.WriteString(text[last:e.start] + "@" + e.name)
			last = e.end
		}
	}
	return short.String() + text[last:]
}

func unescaped(escapes string) string {
	if plain, err := url.PathUnescape(escapes); err == nil && utf8.ValidString(plain) {
		return plain
	}
	return escapes
}

func unicodeLabel(label string) string {
	if plain, err := idna.Punycode.ToUnicode(strings.ToLower(label)); err == nil {
		return plain
	}
	return label
}
