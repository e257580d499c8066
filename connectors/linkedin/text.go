package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reserved are the signs of LinkedIn's markup, the "little text format". One that is not
// escaped ends the text there, without an error (posts-api).
const reserved = `\|{}@[]()<>#*_~`

// commentary returns a text in LinkedIn's markup, with hashtags and mentions as such.
func commentary(text string) string {
	var marked strings.Builder
	before := ' '
	for rest := text; rest != ""; {
		if tag := hashtagAt(before, rest); tag != "" {
			marked.WriteString(`{hashtag|\#|` + escape(tag) + `}`)
			rest, before = rest[len("#")+len(tag):], 'x'
			continue
		}
		if mention := mentionAt(rest); mention != "" {
			name, urn, _ := strings.Cut(strings.TrimSuffix(mention[len("@["):], ")"), "](")
			marked.WriteString("@[" + escape(name) + "](" + urn + ")")
			rest, before = rest[len(mention):], 'x'
			continue
		}
		sign, size := utf8.DecodeRuneInString(rest)
		marked.WriteString(escape(rest[:size]))
		before, rest = sign, rest[size:]
	}
	return marked.String()
}

func escape(text string) string {
	var escaped strings.Builder
	for _, r := range text {
		if strings.ContainsRune(reserved, r) {
			escaped.WriteByte('\\')
		}
		escaped.WriteRune(r)
	}
	return escaped.String()
}

// mention is somebody whom a text names by the platform's own markup (little-text-format); Postiz leaves it
// as it is too. Names of companies have parentheses.
var mention = regexp.MustCompile(`^@\[[^\[\]\n]+\]\(urn:li:(?:organization|person):[A-Za-z0-9_-]+\)`)

func mentionAt(text string) string { return mention.FindString(text) }

var hashtag = regexp.MustCompile(`^#([\p{L}\p{M}\p{N}_]*\p{L}[\p{L}\p{M}\p{N}_]*)`)

// hashtagAt returns the tag that a text begins with, empty if none. One has a letter, and
// stands by itself: the # of an address is none.
func hashtagAt(before rune, text string) string {
	if !unicode.IsSpace(before) && !strings.ContainsRune(`([{"'«“‘`, before) {
		return ""
	}
	if match := hashtag.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	return ""
}

var markup = regexp.MustCompile(`\{hashtag\|\\?#\|((?:\\.|[^\\}])*)\}|@\[((?:\\.|[^\\\]])*)\]\((?:\\.|[^\\)])*\)|\\(.)`)

// plainText returns what is shown of a text in LinkedIn's markup.
func plainText(marked string) string {
	return markup.ReplaceAllStringFunc(marked, func(found string) string {
		parts := markup.FindStringSubmatch(found)
		switch {
		case strings.HasPrefix(found, "{"):
			return "#" + plainText(parts[1])
		case strings.HasPrefix(found, "@"):
			return plainText(parts[2])
		default:
			return parts[3]
		}
	})
}
