package mastodon

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crier/connectors"
)

// entityKind is what Mastodon makes a link of in a text.
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
	name       string // the URL; a mention's local part; a hashtag without its sign
	domain     string // of a remote mention
}

var (
	// domainAndPort is what follows a URL's scheme. Only a domain with a top level
	// makes a URL, so that http://localhost counts as it is written.
	domainAndPort = regexp.MustCompile(`^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?\.)+` +
		`(?:(?i:xn--[a-z0-9-]*[a-z0-9])|\p{L}[\p{L}\p{M}]+)(?::[0-9]+)?`)
	mention = regexp.MustCompile(`@([A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*)` +
		`(?:@([\p{L}\p{N}_]+(?:[.-]+[\p{L}\p{N}_]+)*))?`)
	hashtag = regexp.MustCompile(`#([\p{L}\p{M}\p{N}_]*[\p{L}_][\p{L}\p{M}\p{N}_]*)`)
)

// countText counts as Mastodon does: user-perceived characters, where a URL counts the same
// whatever its length, and a remote mention only its local part.
func countText(text string, urlLength int) int {
	shortened := inOrder(urls(text), mentions(text)) // a hashtag counts as it is written
	if len(shortened) == 0 {
		return connectors.Graphemes(text)
	}
	var counted strings.Builder
	last, beyond := 0, 0
	for _, e := range shortened {
		counted.WriteString(text[last:e.start])
		if e.kind == urlEntity {
			counted.WriteString("x")
			beyond += urlLength - 1
		} else {
			counted.WriteString("@" + e.name)
		}
		last = e.end
	}
	counted.WriteString(text[last:])
	return beyond + connectors.Graphemes(counted.String())
}

// entities returns what is a link in a text, in order and without overlaps: what
// looks like a mention or a hashtag within a URL is part of the URL.
func entities(text string) []entity {
	return inOrder(urls(text), append(mentions(text), hashtags(text)...))
}

func inOrder(urls, names []entity) []entity {
	found := urls
	isFree := func(at int) bool {
		return !slices.ContainsFunc(urls, func(e entity) bool { return e.start <= at && at < e.end })
	}
	for _, e := range names {
		if isFree(e.start) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b entity) int { return a.start - b.start })
	return found
}

func urls(text string) []entity {
	var found []entity
	for at := 0; ; {
		start, domain := nextScheme(text, at)
		if start < 0 {
			return found
		}
		at = domain
		length := len(domainAndPort.FindString(hostLike(text[domain:])))
		if length == 0 {
			continue
		}
		end := domain + length
		next, _ := utf8.DecodeRuneInString(text[end:])
		if isASCIIWord(next) || strings.ContainsRune("@+-", next) {
			continue
		}
		end += pathLength(text[end:])
		found = append(found, entity{kind: urlEntity, start: start, end: end, name: text[start:end]})
		at = end
	}
}

// hostLike returns the beginning of a text that could be of a host and port. What a
// regular expression need not look at it does not take time for.
func hostLike(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return r < utf8.RuneSelf && !isASCIIWord(r) && !strings.ContainsRune(".-:", r)
	})
	if end < 0 {
		return text
	}
	return text[:end]
}

// nextScheme returns where the next scheme of a URL begins, and where what follows it
// does; negative when there is none.
func nextScheme(text string, from int) (start, end int) {
	const separator = "://"
	for {
		i := strings.Index(text[from:], separator)
		if i < 0 {
			return -1, -1
		}
		colon := from + i
		start := colon
		for start > from && isASCIIWord(rune(text[start-1])) {
			start--
		}
		from = colon + len(separator)
		if isScheme(text[start:colon]) && !precededBy(text, start, "@＠$#＃") {
			return start, from
		}
	}
}

// isScheme reports whether Mastodon makes links of a scheme.
func isScheme(name string) bool {
	switch strings.ToLower(name) {
	case "http", "https", "dat", "dweb", "ipfs", "ipns", "ssb", "gopher", "gemini":
		return true
	}
	return false
}

func mentions(text string) []entity {
	var found []entity
	if !strings.Contains(text, "@") {
		return nil
	}
	for _, m := range mention.FindAllStringSubmatchIndex(text, -1) {
		if precededBy(text, m[0], "/=") || endsInWord(text[:m[0]]) {
			continue
		}
		e := entity{kind: mentionEntity, start: m[0], end: m[1], name: text[m[2]:m[3]]}
		if m[4] >= 0 {
			e.domain = text[m[4]:m[5]]
		}
		found = append(found, e)
	}
	return found
}

func hashtags(text string) []entity {
	var found []entity
	if !strings.Contains(text, "#") {
		return nil
	}
	for _, m := range hashtag.FindAllStringSubmatchIndex(text, -1) {
		if !precededBy(text, m[0], "/)") {
			found = append(found, entity{kind: hashtagEntity, start: m[0], end: m[1], name: text[m[2]:m[3]]})
		}
	}
	return found
}

// pathLength returns how much of what follows a domain belongs to the URL: all up to a
// space or a bracket, without the punctuation that ends a sentence and with
// parentheses only in pairs.
func pathLength(rest string) int {
	if rest == "" || rest[0] != '/' && rest[0] != '?' {
		return 0
	}
	length, open, query := 0, 0, false
	for at := 0; at < len(rest); {
		r, size := utf8.DecodeRuneInString(rest[at:])
		at += size
		switch {
		case unicode.IsSpace(r) || r == '<' || r == '>' || r == ')' && open == 0:
			return length
		case r == '(':
			open++
		case r == ')':
			open--
		case r == '?':
			query = true
		}
		if open == 0 && endsURL(r, query) {
			length = at
		}
	}
	return length
}

func endsURL(r rune, query bool) bool {
	if r == '=' || r == '&' {
		return query
	}
	return !strings.ContainsRune(`?!*"'「」:;,.$%[]~|@`, r)
}

// precededBy reports whether the character before a position keeps an entity from
// starting there: a letter, a digit or one of the others.
func precededBy(text string, at int, others string) bool {
	if at == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return isASCIIWord(r) || strings.ContainsRune(others, r)
}

// endsInWord reports whether a text ends in a letter or digit of any writing, behind which Mastodon sees no
// mention (app/models/account.rb, MENTION_RE).
func endsInWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc)
}

func isASCIIWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
