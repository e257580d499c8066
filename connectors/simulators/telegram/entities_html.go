package telegram

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	htmlNames = " a b blockquote code del em i ins pre s span strike strong tg-emoji tg-spoiler tg-time u "
	digits    = "0123456789"
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// element is an HTML element that is not closed.
type element struct {
	name       string
	attributes map[string]string
	from       int // the length of what was shown before it
}

// parseHTML goes from tag to tag.
func parseHTML(text string) (visible, problem string) {
	var out []byte
	var stack []element
	for rest := text; ; {
		n := until(rest, "<")
		out = append(out, decoded(rest[:n])...)
		if rest = rest[n:]; rest == "" {
			break
		}
		at := len(text) - len(rest)
		if strings.HasPrefix(rest, "</") {
			if rest, problem = closeTag(rest, at, &stack, len(out)); problem != "" {
				return "", problem
			}
			continue
		}
		var opened element
		if opened, rest, problem = openTag(text, at); problem != "" {
			return "", problem
		}
		opened.from = len(out)
		stack = append(stack, opened)
	}
	switch {
	case len(stack) > 0:
		return "", fmt.Sprintf("Can't find end tag corresponding to start tag %q", stack[len(stack)-1].name)
	case strings.Contains(string(out), halfOfPair):
		return "", "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units"
	}
	return string(out), ""
}

// halfOfPair stands where a text refers to a surrogate: no text in UTF-8 has these bytes.
const halfOfPair = "\xff"

// decoded puts characters in the place of references to them.
func decoded(text string) string {
	var out strings.Builder
	for {
		n := until(text, "&")
		out.WriteString(text[:n])
		if text = text[n:]; text == "" {
			return out.String()
		}
		char, rest := referred(text)
		out.WriteString(char)
		text = rest
	}
}

// referred returns the character that a text refers to, and what follows; the ampersand itself where it
// refers to none.
func referred(text string) (char, rest string) {
	var number uint64
	var end int
	switch {
	case strings.HasPrefix(text, "&#x"):
		end = 3 + span(text[3:], digits+"abcdefABCDEF")
		number, _ = strconv.ParseUint(text[3:end], 16, 64) // zero where it is none
	case strings.HasPrefix(text, "&#"):
		end = 2 + span(text[2:], digits)
		number, _ = strconv.ParseUint(text[2:end], 10, 64)
	default:
		end = 1 + span(text[1:], letters)
		switch text[1:end] {
		case "lt":
			number = '<'
		case "gt":
			number = '>'
		case "amp":
			number = '&'
		case "quot":
			number = '"'
		}
	}
	isNumeric := strings.HasPrefix(text, "&#")
	switch {
	case number == 0, number >= 0x10ffff, isNumeric && end >= 10:
		return "&", text[1:]
	case number >= 0xd800 && number <= 0xdfff:
		char = halfOfPair
	default:
		char = string(rune(number))
	}
	return char, strings.TrimPrefix(text[end:], ";")
}

// openTag reads the start tag at a place of a text.
func openTag(text string, at int) (e element, rest, problem string) {
	rest = text[at+1:]
	n := until(rest, blanks+">")
	if n == len(rest) {
		return e, "", fmt.Sprintf("Unclosed start tag at byte offset %d", at)
	}
	e = element{name: smallLetters(rest[:n]), attributes: map[string]string{}}
	if !strings.Contains(htmlNames, " "+e.name+" ") || e.name == "" {
		return e, "", fmt.Sprintf("Unsupported start tag \"%s\" at byte offset %d", e.name, at)
	}
	for rest = strings.TrimLeft(rest[n:], blanks); !strings.HasPrefix(rest, ">"); rest = strings.TrimLeft(rest, blanks) {
		if rest, problem = e.attribute(text, rest, at); problem != "" {
			return e, "", problem
		}
	}
	if e.name == "span" && e.attributes["class"] != "tg-spoiler" {
		return e, "", fmt.Sprintf("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", at)
	}
	return e, rest[1:], ""
}

var wordPattern = regexp.MustCompile(`^[a-zA-Z0-9.-]*`)

// attribute reads an attribute of the tag that begins at a place of a text.
func (e element) attribute(text, from string, at int) (rest, problem string) {
	n := until(from, blanks+`=>/"'`)
	name := from[:n]
	if name == "" {
		return "", fmt.Sprintf("Empty attribute name in the tag \"%s\" at byte offset %d", e.name, at)
	}
	unclosed := fmt.Sprintf("Unclosed start tag \"%s\" at byte offset %d", e.name, at)
	rest = strings.TrimLeft(from[n:], blanks)
	if rest == "" {
		return "", unclosed
	}
	rest, hasValue := strings.CutPrefix(rest, "=")
	if !hasValue {
		return rest, ""
	}
	if rest = strings.TrimLeft(rest, blanks); rest == "" {
		return "", unclosed
	}
	var value string
	if quote := rest[:1]; quote == `"` || quote == "'" {
		value, rest, _ = strings.Cut(rest[1:], quote)
		value = decoded(value)
	} else {
		word := wordPattern.FindString(rest)
		start := len(text) - len(rest)
		rest = rest[len(word):]
		if rest != "" && !strings.ContainsAny(rest[:1], blanks+">") {
			return "", fmt.Sprintf("Unexpected end of name token at byte offset %d", start)
		}
		value = smallLetters(word)
	}
	if rest == "" {
		return "", fmt.Sprintf("Unclosed start tag at byte offset %d", at)
	}
	if name != "class" || strings.HasPrefix(value, "tg-") {
		e.attributes[name] = value
	}
	return rest, ""
}

// closeTag reads an end tag, and checks the element that it closes where that shows anything.
func closeTag(text string, at int, stack *[]element, visible int) (rest, problem string) {
	if len(*stack) == 0 {
		return "", fmt.Sprintf("Unexpected end tag at byte offset %d", at)
	}
	last := (*stack)[len(*stack)-1]
	n := 2 + until(text[2:], blanks+">")
	name := smallLetters(text[2:n])
	rest, isClosed := strings.CutPrefix(strings.TrimLeft(text[n:], blanks), ">")
	switch {
	case !isClosed:
		return "", fmt.Sprintf("Unclosed end tag at byte offset %d", at)
	case name != "" && name != last.name:
		return "", fmt.Sprintf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", at, last.name, name)
	}
	*stack = (*stack)[:len(*stack)-1]
	isEmpty := visible == last.from
	switch {
	case isEmpty:
	case last.name == "tg-emoji" && !isEmojiID(last.attributes["emoji-id"]):
		return "", "Invalid custom emoji identifier specified"
	case last.name == "tg-time" && !dateFormatPattern.MatchString(last.attributes["format"]):
		return "", "Invalid date format used"
	}
	return rest, ""
}

var (
	emojiIDPattern    = regexp.MustCompile(`^-?[1-9][0-9]*$`)
	dateFormatPattern = regexp.MustCompile(`^(?:[rR]|[tTdDwW]*)$`)
)

// isEmojiID reports whether a text is a number of 64 bits, as identifiers of stickers are.
func isEmojiID(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil && emojiIDPattern.MatchString(text)
}
