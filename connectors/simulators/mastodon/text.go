package mastodon

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

// entityKind is what Mastodon makes a link of in a text. The connector has the same, by the documents alone.
type entityKind int

const (
	urlEntity entityKind = iota
	mentionEntity
	hashtagEntity
)

// entity is a part of a text, text[start:end], that Mastodon makes a link.
type entity struct {
	kind       entityKind
	start, end int
	name       string // the address; a mention's local part; a hashtag without its sign
	domain     string // of a remote mention
}

// What Mastodon takes for addresses, mentions and hashtags, as its own source has it
// (config/initializers/twitter_regex.rb, app/models/account.rb, app/models/tag.rb). Its
// list of top-level domains is not repeated: any that is made of letters is one here.
var (
	addressPattern = regexp.MustCompile(`(?i)(?:^|[^a-z0-9_@＠$#＃])(` +
		`(?:https?|dat|dweb|ipfs|ipns|ssb|gopher|gemini)://` +
		`((?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?\.)+(?:xn--[a-z0-9-]*[a-z0-9]|\p{L}[\p{L}\p{M}]+))` +
		`(?::[0-9]+)?` +
		`(?:/(?:` + pathChars + `*(?:` + inParentheses + pathChars + `*)*(?:` + pathEnd + `|` + inParentheses + `)|` + pathChars + `+/)?)?` +
		`(?:\?` + queryChars + `*` + queryEnd + `)?)`)
	mentionPattern = regexp.MustCompile(`(?i)(?:^|[^=/\p{L}\p{M}\p{N}_])(@([a-z0-9_]+(?:[a-z0-9_.-]+[a-z0-9_]+)?)` +
		`(?:@([\p{L}\p{M}\p{N}_]+(?:[.-]+[\p{L}\p{M}\p{N}_]+)*))?)`)
	hashtagPattern = regexp.MustCompile(`(?:^|[^=/)\p{L}\p{N}])(#([\p{L}\p{M}\p{N}_]*[\p{L}_][\p{L}\p{M}\p{N}_]*))`)
)

const (
	pathChars     = `[^\s\p{Z}<>()?]`
	pathEnd       = `[^\s\p{Z}()?!*"'「」<>;:=,.$%\[\]~&|@]`
	inParentheses = `\((?:` + pathChars + `+|` + pathChars + `*\(` + pathChars + `+\)` + pathChars + `*)\)`
	queryChars    = `[a-z0-9!?*'();:&=+$/%#\[\]\-_.,~|@^\x{A0}-\x{10FFFD}]`
	queryEnd      = `[a-z0-9_&=#/\-\x{A0}-\x{10FFFD}]`
)

// length is how many characters a text counts: those that people see, where any address
// counts the same and a mention elsewhere only its local part
// (app/validators/status_length_validator.rb).
func length(text string, address int) int {
	var counted strings.Builder
	last := 0
	for _, e := range entities(text) {
		counted.WriteString(text[last:e.start])
		switch e.kind {
		case urlEntity:
			counted.WriteString(strings.Repeat("x", address))
		case mentionEntity:
			counted.WriteString("@" + e.name)
		case hashtagEntity:
			counted.WriteString(text[e.start:e.end])
		}
		last = e.end
	}
	counted.WriteString(text[last:])
	return simulation.Graphemes(counted.String())
}

// entities returns what is a link in a text, in order. What looks like a mention or a
// hashtag within an address is part of the address.
func entities(text string) []entity {
	found := addresses(text)
	for _, kind := range []entityKind{mentionEntity, hashtagEntity} {
		for _, e := range named(kind, text) {
			if !slices.ContainsFunc(found, func(f entity) bool { return f.start < e.end && e.start < f.end }) {
				found = append(found, e)
			}
		}
	}
	slices.SortFunc(found, func(a, b entity) int { return a.start - b.start })
	return found
}

func addresses(text string) []entity {
	var found []entity
	for from := 0; ; {
		m := addressPattern.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return found
		}
		start, end, domainEnd := from+m[2], from+m[3], from+m[5]
		from = domainEnd
		if next, _ := utf8.DecodeRuneInString(text[domainEnd:]); isInDomain(next) {
			continue // a domain ends before what cannot be a part of it
		}
		found = append(found, entity{kind: urlEntity, start: start, end: end, name: text[start:end]})
		from = lastRune(text[:end])
	}
}

func isInDomain(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_@+-", r)
}

// named finds mentions or hashtags.
func named(kind entityKind, text string) []entity {
	pattern := hashtagPattern
	if kind == mentionEntity {
		pattern = mentionPattern
	}
	var found []entity
	for from := 0; ; {
		m := pattern.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return found
		}
		e := entity{kind: kind, start: from + m[2], end: from + m[3], name: text[from+m[4] : from+m[5]]}
		if len(m) > 6 && m[6] >= 0 {
			e.domain = text[from+m[6] : from+m[7]]
		}
		found = append(found, e)
		from = lastRune(text[:e.end])
	}
}

// lastRune is where the last character begins: the patterns look at the one before.
func lastRune(text string) int {
	_, size := utf8.DecodeLastRuneInString(text)
	return len(text) - size
}
