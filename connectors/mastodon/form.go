package mastodon

import (
	"html"
	"strings"

	nethtml "golang.org/x/net/html"

	"crier/connectors/listing"
)

// sameText compares by letters: servers change space, quotes and whatever their markup eats, and a status
// that is taken for another is worth less than one that goes out twice. They show what looks like a tag,
// strip it, or strip of it the signs alone (GoToSocial 0.20 of content warnings).
func sameText(a, b string) bool {
	return listing.SameLetters(formOf(a), formOf(b)) || listing.SameLetters(lettersOf(a), lettersOf(b))
}

// formOf brings what was sent and what a server shows of it to one form. Servers decode entities or keep
// them, leave out the servers of mentions, and write addresses with and without a scheme, escaped, or in
// punycode. Tags are left out.
func formOf(text string) string { return lettersOf(withoutTags(decoded(text))) }

// lettersOf is the form in which tags count by what is in them.
func lettersOf(text string) string { return listing.PlainAddresses(withoutServers(decoded(text))) }

// maxDecoding is how often entities are decoded: what is written as an entity of an entity may have been
// decoded once on its way.
const maxDecoding = 4

func decoded(text string) string {
	for range maxDecoding {
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
