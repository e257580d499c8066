package markup

import (
	"strings"
)

// markdownReader reads MarkdownV2.
type markdownReader struct {
	scanner
	open     []opened
	isQuoted bool // a block quotation is open
	mayQuote bool // a block quotation may begin here
}

// opened is an entity whose end is still to come.
type opened struct {
	kind  kind
	begin int // in the text
}

// kind is a kind of entity: its name in Telegram's errors, and what ends it.
type kind struct{ name, end string }

var (
	pre        = kind{"Pre", "```"}
	preCode    = kind{"PreCode", "```"}
	code       = kind{"Code", "`"}
	bold       = kind{"Bold", "*"}
	italic     = kind{"Italic", "_"}
	underline  = kind{"Underline", "__"}
	strike     = kind{"Strikethrough", "~"}
	spoiler    = kind{"Spoiler", "||"}
	link       = kind{"TextUrl", "]"}
	emoji      = kind{"CustomEmoji", "]"}
	quotation  = kind{name: "BlockQuote"} // ends with its last line
	beginnings = []struct {
		sign string
		kind kind
	}{
		{"__", underline}, {"_", italic}, {"*", bold}, {"~", strike}, {"||", spoiler}, {"[", link}, {"![", emoji}, {"```", pre}, {"`", code},
	}
)

const (
	reserved   = "_*[]()~`>#+-=|{}.!\n"
	lastEscape = 126 // of the signs that a backslash escapes
)

func readMarkdownV2(text string) (string, *Error) {
	r := &markdownReader{scanner: scanner{text: text}, mayQuote: true}
	for !r.isDone() {
		if wrong := r.next(); wrong != nil {
			return "", wrong
		}
	}
	return r.end()
}

// next reads a sign, or what begins or ends an entity.
func (r *markdownReader) next() *Error {
	switch sign := r.peek(0); {
	case sign == '\\' && r.peek(1) > 0 && r.peek(1) <= lastEscape:
		r.at++
		r.showSign(r.peek(0) == '\n')
		return nil
	case !r.isReserved(sign):
		r.showSign(false)
		return nil
	case sign == '\n' && r.isQuoted && r.peek(1) != '>':
		return r.endQuotation()
	case r.isEnd():
		return r.close()
	default:
		return r.begin()
	}
}

// showSign shows a byte, behind which a quotation may begin or not. A carriage return changes nothing of that.
func (r *markdownReader) showSign(mayQuote bool) {
	if r.peek(0) != '\r' {
		r.mayQuote = mayQuote
	}
	r.show(1)
}

func (r *markdownReader) isReserved(sign byte) bool {
	if kind := r.inner(); kind == code || kind == pre || kind == preCode {
		return sign == '`'
	}
	return strings.IndexByte(reserved, sign) >= 0
}

// inner returns the kind of the innermost entity that is open.
func (r *markdownReader) inner() kind {
	if len(r.open) == 0 {
		return kind{}
	}
	return r.open[len(r.open)-1].kind
}

// pop closes the innermost entity.
func (r *markdownReader) pop() { r.open = r.open[:len(r.open)-1] }

// isEnd reports whether the innermost entity ends here.
func (r *markdownReader) isEnd() bool {
	end := r.inner().end
	return end != "" && r.sees(end) && (end != italic.end || !r.sees(underline.end))
}

func (r *markdownReader) close() *Error {
	kind := r.inner()
	r.pop()
	r.at += len(kind.end)
	hasAddress := r.peek(0) == '('
	switch {
	case kind == emoji && !hasAddress:
		return failAt(r.at, "The entity must contain a tg://emoji or tg://time URL")
	case kind != emoji && (kind != link || !hasAddress):
		return nil
	}
	r.at++
	begin := r.at
	address, wrong := r.address()
	if wrong == nil && kind == emoji && !isEntityLink(address) {
		return failAt(begin, "Invalid tg://emoji or tg://time URL specified")
	}
	return wrong
}

// address reads an address to the parenthesis that ends it.
func (r *markdownReader) address() (string, *Error) {
	begin := r.at
	var address strings.Builder
	for !r.isDone() && r.peek(0) != ')' {
		if r.peek(0) == '\\' && r.peek(1) > 0 && r.peek(1) <= lastEscape {
			r.at++
		}
		address.WriteByte(r.peek(0))
		r.at++
	}
	if r.isDone() {
		return "", failAt(begin, "Can't find end of a URL at byte offset %d", begin)
	}
	r.at++
	return address.String(), nil
}

// begin begins an entity, or refuses a sign that means nothing where it stands.
func (r *markdownReader) begin() *Error {
	switch {
	case r.sees("\n"):
		r.showSign(true)
		return nil
	case r.sees(">") && r.mayQuote:
		if !r.isQuoted {
			r.open = append(r.open, opened{quotation, r.at})
			r.isQuoted = true
		}
		r.at++
		return nil
	}
	for _, b := range beginnings {
		if !r.sees(b.sign) || b.kind == code && r.sees(pre.end) {
			continue
		}
		begun := opened{b.kind, r.at}
		r.at += len(b.sign)
		if b.kind == pre && r.skipLanguage() {
			begun.kind = preCode
		}
		r.open = append(r.open, begun)
		return nil
	}
	return failAt(r.at, `Character '%c' is reserved and must be escaped with the preceding '\'`, r.peek(0))
}

// endQuotation ends a quotation with its last line. A spoiler that begins at the very end of it is the mark
// of one that is collapsed.
func (r *markdownReader) endQuotation() *Error {
	if r.inner() == spoiler {
		behind := strings.TrimSuffix(r.text[r.open[len(r.open)-1].begin:r.at], "\r")
		if behind == spoiler.end {
			r.pop()
		}
	}
	if r.inner() != quotation {
		return r.unended()
	}
	r.pop()
	r.isQuoted = false
	r.showSign(true)
	return nil
}

// unended is the error of the innermost entity that has no end.
func (r *markdownReader) unended() *Error {
	last := r.open[len(r.open)-1]
	return failAt(last.begin, "Can't find end of %s entity at byte offset %d", last.kind.name, last.begin)
}

func (r *markdownReader) end() (string, *Error) {
	if r.isQuoted {
		if r.inner() == spoiler && r.open[len(r.open)-1].begin == len(r.text)-len(spoiler.end) {
			r.pop()
		}
		if r.inner() == quotation {
			r.pop()
		}
	}
	if len(r.open) > 0 {
		return "", r.unended()
	}
	return r.visible.String(), nil
}
