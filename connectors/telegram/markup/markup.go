// Package markup reads texts as the Bot API reads them in its three parse modes
// (core.telegram.org/bots/api#formatting-options). What that leaves open is as its server does it
// (tdlib, td/telegram/MessageEntity.cpp and test/message_entities.cpp as of 17 July 2026).
//
// Telegram refuses no entity for what is in it: those that may not be nested it splits, and a link to no
// address is none. Only what cannot be read is refused.
package markup

import (
	"fmt"
	"strings"
)

// Error is why Telegram cannot read a text.
type Error struct {
	Reason string // in Telegram's own words
	Offset int    // in bytes: where what cannot be read begins
}

func (e *Error) Error() string { return "can't parse entities: " + e.Reason }

func failAt(offset int, format string, args ...any) *Error {
	return &Error{Reason: fmt.Sprintf(format, args...), Offset: offset}
}

// Visible returns what is shown of a text: its markup is taken out, and what is escaped stands for itself.
// Of a mode that is none of the three it is the text as it is. An error is an *Error.
func Visible(mode, text string) (string, error) {
	var visible string
	var wrong *Error
	switch mode {
	case "HTML":
		visible, wrong = readHTML(text)
	case "MarkdownV2":
		visible, wrong = readMarkdownV2(text)
	case "Markdown":
		visible, wrong = readMarkdown(text)
	default:
		return text, nil
	}
	if wrong != nil {
		return "", wrong
	}
	return visible, nil
}

// scanner walks through a text and collects what is shown of it.
type scanner struct {
	text    string
	at      int // in bytes
	visible strings.Builder
}

func (s *scanner) isDone() bool { return s.at >= len(s.text) }

func (s *scanner) rest() string { return s.text[s.at:] }

func (s *scanner) sees(prefix string) bool { return strings.HasPrefix(s.rest(), prefix) }

// peek returns the byte so far ahead; 0 beyond the end.
func (s *scanner) peek(ahead int) byte {
	if s.at+ahead >= len(s.text) {
		return 0
	}
	return s.text[s.at+ahead]
}

// show shows so many bytes as they are.
func (s *scanner) show(n int) {
	s.visible.WriteString(s.text[s.at : s.at+n])
	s.at += n
}

// showUntil shows everything before the next of some signs.
func (s *scanner) showUntil(signs string) {
	n := strings.IndexAny(s.rest(), signs)
	if n < 0 {
		n = len(s.rest())
	}
	s.show(n)
}

// take moves on as long as the bytes are none of those that end it, and returns them.
func (s *scanner) take(ends func(byte) bool) string {
	begin := s.at
	for !s.isDone() && !ends(s.peek(0)) {
		s.at++
	}
	return s.text[begin:s.at]
}

func (s *scanner) skipSpace() {
	s.take(func(b byte) bool { return !isSpace(b) })
}

// isSpace knows no form feed, as Telegram's server.
func isSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' && b != '\f' }

// skipLanguage passes over what may stand behind the signs that begin a block of code: a language that a
// space ends, and a line break. It reports whether there is a language.
func (s *scanner) skipLanguage() (isNamed bool) {
	begin := s.at
	s.take(func(b byte) bool { return isSpace(b) || b == '`' })
	if isNamed = s.at > begin && isSpace(s.peek(0)); !isNamed {
		s.at = begin
	}
	if first := s.peek(0); first == '\n' || first == '\r' {
		s.at++
		if second := s.peek(0); second != first && (second == '\n' || second == '\r') {
			s.at++
		}
	}
	return isNamed
}

// lower makes the letters of ASCII small ones, and leaves all others.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, text)
}
