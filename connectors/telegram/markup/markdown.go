package markup

import "strings"

// readMarkdown reads the first Markdown of Telegram, where entities are not nested and only what is outside
// of them is escaped.
func readMarkdown(text string) (string, *Error) {
	const special = "_*`["
	s := &scanner{text: text}
	for !s.isDone() {
		s.showUntil(`\` + special)
		switch {
		case s.isDone():
		case s.peek(0) != '\\':
			if wrong := s.markdownEntity(); wrong != nil {
				return "", wrong
			}
		case s.peek(1) != 0 && strings.IndexByte(special, s.peek(1)) >= 0:
			s.at++
			s.show(1)
		default:
			s.show(1)
		}
	}
	return s.visible.String(), nil
}

func (s *scanner) markdownEntity() *Error {
	begin, end := s.at, s.text[s.at:s.at+1]
	switch {
	case end == "[":
		end = "]"
	case s.sees("```"):
		end = "```"
	}
	s.at += len(end)
	if end == "```" {
		s.skipLanguage()
	}
	n := strings.Index(s.rest(), end)
	if n < 0 {
		return failAt(begin, "Can't find end of the entity starting at byte offset %d", begin)
	}
	s.show(n)
	s.at += len(end)
	if end == "]" && n > 0 && s.sees("(") {
		s.take(func(b byte) bool { return b == ')' }) // an address that does not end takes all that follows
		s.at++
	}
	return nil
}
