package markup

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// htmlReader reads what Telegram takes for HTML.
type htmlReader struct {
	scanner
	open     []htmlTag
	isBroken bool // there was a reference to a half of a surrogate pair
}

// htmlTag is a start tag whose end tag is still to come.
type htmlTag struct {
	name     string
	argument string // the value of the attribute that Telegram checks
	begin    int    // in the text
	offset   int    // what was shown before it, in bytes
}

var htmlTags = []string{
	"a", "b", "blockquote", "code", "del", "em", "i", "ins", "pre", "s", "span", "strike", "strong", "tg-emoji",
	"tg-spoiler", "tg-time", "u",
}

func readHTML(text string) (string, *Error) {
	r := &htmlReader{scanner: scanner{text: text}}
	for !r.isDone() {
		r.showUntil("&<")
		switch {
		case r.isDone():
		case r.peek(0) == '&':
			sign, n := reference(r.rest())
			if n == 0 {
				r.show(1)
				continue
			}
			r.isBroken = r.isBroken || 0xd800 <= sign && sign <= 0xdfff
			r.visible.WriteRune(sign)
			r.at += n
		default:
			if wrong := r.tag(); wrong != nil {
				return "", wrong
			}
		}
	}
	return r.end()
}

func (r *htmlReader) end() (string, *Error) {
	if n := len(r.open); n > 0 {
		last := r.open[n-1]
		return "", failAt(last.begin, `Can't find end tag corresponding to start tag "%s"`, last.name)
	}
	if r.isBroken {
		return "", failAt(len(r.text), "Text contains invalid Unicode characters after decoding HTML entities, "+
			"check for unmatched surrogate code units")
	}
	return r.visible.String(), nil
}

// referencePattern matches what may refer to a character. A semicolon may end it, or not.
var referencePattern = regexp.MustCompile(`^&(?:#x([0-9A-Fa-f]*)|#([0-9]*)|([A-Za-z]*))`)

// longestNumeric is how many bytes a numeric reference has at most, without a semicolon.
const longestNumeric = 9

// reference returns the character that a text refers to at its beginning, and in how many bytes; none
// where it refers to none that Telegram knows.
func reference(text string) (sign rune, n int) {
	found := referencePattern.FindStringSubmatch(text)
	n = len(found[0])
	switch {
	case found[3] != "":
		sign = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"'}[found[3]]
	case n > longestNumeric:
		return 0, 0
	case found[1] != "":
		sign = numeric(found[1], 16)
	default:
		sign = numeric(found[2], 10)
	}
	if sign == 0 || sign >= utf8.MaxRune {
		return 0, 0
	}
	if strings.HasPrefix(text[n:], ";") {
		n++
	}
	return sign, n
}

// numeric returns the character of a number; 0 where it is none.
func numeric(digits string, base int) rune {
	code, err := strconv.ParseInt(digits, base, 32)
	if err != nil {
		return 0
	}
	return rune(code)
}

func (r *htmlReader) tag() *Error {
	if r.peek(1) == '/' {
		return r.endTag()
	}
	return r.startTag()
}

func isSpaceOr(signs string) func(byte) bool {
	return func(b byte) bool { return isSpace(b) || strings.IndexByte(signs, b) >= 0 }
}

func (r *htmlReader) startTag() *Error {
	t := htmlTag{begin: r.at, offset: r.visible.Len()}
	r.at++
	t.name = lower(r.take(isSpaceOr(">")))
	if r.isDone() {
		return failAt(t.begin, "Unclosed start tag at byte offset %d", t.begin)
	}
	if !slices.Contains(htmlTags, t.name) {
		return failAt(t.begin, `Unsupported start tag "%s" at byte offset %d`, t.name, t.begin)
	}
	for r.skipSpace(); r.peek(0) != '>'; r.skipSpace() {
		if wrong := r.attribute(&t); wrong != nil {
			return wrong
		}
	}
	r.at++
	if t.name == "span" && t.argument != "tg-spoiler" {
		return failAt(t.begin, `Tag "span" must have class "tg-spoiler" at byte offset %d`, t.begin)
	}
	r.open = append(r.open, t)
	return nil
}

// attribute reads one attribute of a start tag.
func (r *htmlReader) attribute(t *htmlTag) *Error {
	name := r.take(isSpaceOr(`=>/"'`))
	if name == "" {
		return failAt(t.begin, `Empty attribute name in the tag "%s" at byte offset %d`, t.name, t.begin)
	}
	r.skipSpace()
	hasValue := r.peek(0) == '='
	if hasValue {
		r.at++
		r.skipSpace()
	}
	if r.isDone() {
		return failAt(t.begin, `Unclosed start tag "%s" at byte offset %d`, t.name, t.begin)
	}
	if !hasValue {
		return nil
	}
	value, wrong := r.value()
	if wrong != nil {
		return wrong
	}
	if r.isDone() {
		return failAt(t.begin, "Unclosed start tag at byte offset %d", t.begin)
	}
	switch t.name + " " + name {
	case "span class":
		if strings.HasPrefix(value, "tg-") {
			t.argument = value
		}
	case "tg-emoji emoji-id", "tg-time format":
		t.argument = value
	}
	return nil
}

// value reads the value of an attribute: in quotation marks, or a word.
func (r *htmlReader) value() (string, *Error) {
	quote := r.peek(0)
	if quote != '"' && quote != '\'' {
		begin := r.at
		word := r.take(func(b byte) bool { return !isOfWord(b) })
		if !r.isDone() && !isSpaceOr(">")(r.peek(0)) {
			return "", failAt(begin, "Unexpected end of name token at byte offset %d", begin)
		}
		return lower(word), nil
	}
	r.at++
	var value strings.Builder
	for !r.isDone() && r.peek(0) != quote {
		if r.peek(0) == '&' {
			if sign, n := reference(r.rest()); n > 0 {
				value.WriteRune(sign)
				r.at += n
				continue
			}
		}
		value.WriteByte(r.peek(0))
		r.at++
	}
	r.at++ // beyond the end where there is no second quotation mark
	return value.String(), nil
}

func isOfWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '.' || b == '-'
}

func (r *htmlReader) endTag() *Error {
	begin := r.at
	if len(r.open) == 0 {
		return failAt(begin, "Unexpected end tag at byte offset %d", begin)
	}
	r.at += len("</")
	name := lower(r.take(isSpaceOr(">")))
	r.skipSpace()
	if r.peek(0) != '>' {
		return failAt(begin, "Unclosed end tag at byte offset %d", begin)
	}
	r.at++
	last := r.open[len(r.open)-1]
	if name != "" && name != last.name {
		return failAt(begin, `Unmatched end tag at byte offset %d, expected "</%s>", found "</%s>"`, begin, last.name, name)
	}
	r.open = r.open[:len(r.open)-1]
	if r.visible.Len() == last.offset {
		return nil // of what shows nothing there is no entity
	}
	switch {
	case last.name == "tg-emoji" && !isWhole(last.argument, 64):
		return failAt(last.begin, "Invalid custom emoji identifier specified")
	case last.name == "tg-time" && !isDateFormat(last.argument):
		return failAt(last.begin, "Invalid date format used")
	}
	return nil
}
