package telegram

import "strings"

// maxMarkup is how many bytes a text may have before it is parsed (Client.cpp, get_formatted_text).
const maxMarkup = 1 << 15

// parsed returns what is shown of a text, and how a text is refused that cannot be parsed. The grammar is of
// core.telegram.org/bots/api#formatting-options, the errors are those of the Bot API server, which parses
// with tdlib.
func parsed(text, mode string) (visible, problem string) {
	if len(text) > maxMarkup {
		return "", "Bad Request: text is too long"
	}
	switch strings.ToLower(mode) {
	case "":
		return text, ""
	case "html":
		visible, problem = parseHTML(text)
	case "markdown":
		visible, problem = parseMarkdown(text)
	case "markdownv2":
		visible, problem = parseMarkdownV2(text)
	default:
		return "", "Bad Request: unsupported parse_mode"
	}
	if problem != "" {
		return "", "Bad Request: can't parse entities: " + problem
	}
	return visible, ""
}

// The white space of tdlib.
const blanks = " \t\n\v\r"

// span returns how many bytes a text begins with that are of a set.
func span(text, set string) int { return len(text) - len(strings.TrimLeft(text, set)) }

// until returns how many bytes there are before the first of a set, or the end.
func until(text, set string) int {
	if n := strings.IndexAny(text, set); n >= 0 {
		return n
	}
	return len(text)
}

// afterFence returns what follows the backticks that begin a block, and whether a language stood there.
func afterFence(text string) (rest string, hasLanguage bool) {
	if n := until(text, blanks+"`"); n > 0 && n < len(text) && text[n] != '`' {
		text, hasLanguage = text[n:], true
	}
	for _, lineBreak := range []string{"\r\n", "\n\r", "\n", "\r"} {
		if rest, found := strings.CutPrefix(text, lineBreak); found {
			return rest, hasLanguage
		}
	}
	return text, hasLanguage
}

// smallLetters are those of ASCII made small.
func smallLetters(text string) string {
	small := []byte(text)
	for i, b := range small {
		if b >= 'A' && b <= 'Z' {
			small[i] = b | 0x20
		}
	}
	return string(small)
}
