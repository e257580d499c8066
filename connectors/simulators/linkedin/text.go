package linkedin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// rendered returns what LinkedIn shows of a commentary in its little text format. It stops,
// without an error, at a reserved sign that is neither escaped nor part of the markup
// (marketing/community-management/shares/little-text-format).
func rendered(commentary string) string {
	var text strings.Builder
	for rest := commentary; rest != ""; {
		sign, size := utf8.DecodeRuneInString(rest)
		if content, length := element(rest); length > 0 {
			text.WriteString(content)
			rest = rest[length:]
			continue
		}
		switch {
		case sign == '\\' && len(rest) > 1:
			_, escaped := utf8.DecodeRuneInString(rest[1:])
			text.WriteString(rest[1 : 1+escaped])
			size = 1 + escaped
		case strings.ContainsRune(`\|{}@[]()<>#*_~`, sign):
			return text.String()
		default:
			text.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return text.String()
}

// element reads a hashtag, in either form, or a mention; the length is 0 where there is none.
func element(text string) (content string, length int) {
	if inner, length := between(text, `{hashtag|\#|`, '}'); length > 0 {
		return "#" + rendered(inner), length
	}
	if name, length := between(text, "@[", ']'); length > 0 {
		if _, target := between(text[length:], "(urn:li:", ')'); target > 0 {
			return rendered(name), length + target
		}
	}
	if word, isTag := strings.CutPrefix(text, "#"); isTag {
		end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if end < 0 {
			end = len(word)
		}
		if end > 0 {
			return text[:1+end], 1 + end
		}
	}
	return "", 0
}

// between returns what stands between a beginning and a sign that is not escaped, and how
// long all of it is.
func between(text, begin string, end rune) (inner string, length int) {
	rest, ok := strings.CutPrefix(text, begin)
	if !ok {
		return "", 0
	}
	escaped := false
	for i, r := range rest {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == end:
			return rest[:i], len(begin) + i + len(string(end))
		}
	}
	return "", 0
}
