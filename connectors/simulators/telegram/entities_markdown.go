package telegram

import (
	"fmt"
	"regexp"
	"strings"
)

// parseMarkdown parses the first of Telegram's two kinds of Markdown.
func parseMarkdown(text string) (visible, problem string) {
	var out strings.Builder
	for rest := text; rest != ""; {
		n := until(rest, "\\_*`[")
		out.WriteString(rest[:n])
		if rest = rest[n:]; rest == "" {
			break
		}
		if rest[0] == '\\' {
			if len(rest) > 1 && strings.ContainsAny(rest[1:2], "_*`[") {
				rest = rest[1:]
			}
			out.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		at := len(text) - len(rest)
		inner, after, isClosed := cutEntity(rest)
		if !isClosed {
			return "", fmt.Sprintf("Can't find end of the entity starting at byte offset %d", at)
		}
		out.WriteString(inner)
		if rest[0] == '[' && inner != "" && strings.HasPrefix(after, "(") {
			_, after, _ = strings.Cut(after, ")")
		}
		rest = after
	}
	return out.String(), ""
}

// cutEntity returns the text of the entity that a text begins with, and what follows.
func cutEntity(text string) (inner, after string, isClosed bool) {
	if fenced, isBlock := strings.CutPrefix(text, "```"); isBlock {
		fenced, _ = afterFence(fenced)
		return strings.Cut(fenced, "```")
	}
	return strings.Cut(text[1:], strings.ReplaceAll(text[:1], "[", "]"))
}

// marks are what begins an entity of MarkdownV2, longer ones first; each is also what ends it, except those
// with a bracket. A language behind a fence makes it one of code in that language.
var marks = []string{"```", "__", "||", "![", "*", "_", "~", "`", "["}

const languageFence = "```language"

// markNames are what errors call the entities.
var markNames = map[string]string{
	"*": "Bold", "_": "Italic", "__": "Underline", "~": "Strikethrough", "||": "Spoiler", "`": "Code", "```": "Pre",
	languageFence: "PreCode", "[": "TextUrl", "![": "CustomEmoji", ">": "BlockQuote",
}

func endOf(mark string) string {
	switch mark {
	case "[", "![":
		return "]"
	case languageFence:
		return "```"
	default:
		return mark
	}
}

// markdownV2 is a text that is being parsed.
type markdownV2 struct {
	text    string
	rest    string // of it
	out     strings.Builder
	marks   []string // of the entities that are not closed
	places  []int    // of these, in bytes
	inQuote bool
	atStart bool // of a line, as far as quotations go: marks do not count
	problem string
}

func parseMarkdownV2(text string) (visible, problem string) {
	m := &markdownV2{text: text, rest: text, atStart: true}
	for m.rest != "" && m.problem == "" {
		m.step()
	}
	if m.problem != "" {
		return "", m.problem
	}
	if m.inQuote {
		if m.top() == "||" && m.places[len(m.places)-1] == len(text)-2 {
			m.pop()
		}
		if m.top() == ">" {
			m.pop()
		}
	}
	if m.top() != "" {
		m.unclosed()
	}
	return m.out.String(), m.problem
}

func (m *markdownV2) top() string {
	if len(m.marks) == 0 {
		return ""
	}
	return m.marks[len(m.marks)-1]
}

func (m *markdownV2) pop() {
	m.marks, m.places = m.marks[:len(m.marks)-1], m.places[:len(m.places)-1]
}

func (m *markdownV2) unclosed() {
	m.problem = fmt.Sprintf("Can't find end of %s entity at byte offset %d", markNames[m.top()], m.places[len(m.places)-1])
}

func (m *markdownV2) offset() int { return len(m.text) - len(m.rest) }

// write shows the first byte of what is left. A carriage return is no part of a line.
func (m *markdownV2) write(startsLine bool) {
	if m.rest[0] != '\r' {
		m.atStart = startsLine
	}
	m.out.WriteByte(m.rest[0])
	m.rest = m.rest[1:]
}

func isEscape(text string) bool {
	return len(text) > 1 && text[0] == '\\' && text[1] > 0 && text[1] < 127
}

func (m *markdownV2) step() {
	if isEscape(m.rest) {
		m.rest = m.rest[1:]
		m.write(m.rest[0] == '\n')
		return
	}
	special := "_*[]()~`>#+-=|{}.!\n"
	if strings.HasPrefix(endOf(m.top()), "`") {
		special = "`"
	}
	if !strings.Contains(special, m.rest[:1]) {
		m.write(false)
		return
	}
	isLineEnd := m.rest[0] == '\n'
	switch {
	case isLineEnd && m.inQuote && !strings.HasPrefix(m.rest[1:], ">"):
		m.endQuote()
	case isLineEnd:
		m.write(true)
	case m.closes():
		m.close()
	case m.rest[0] == '>' && m.atStart:
		if !m.inQuote {
			m.open(">")
		}
		m.inQuote, m.rest = true, m.rest[1:]
	default:
		m.begin()
	}
}

func (m *markdownV2) open(mark string) {
	m.marks, m.places = append(m.marks, mark), append(m.places, m.offset())
}

// closes reports whether the entity that was opened last ends here. Two underscores are always of an
// underline.
func (m *markdownV2) closes() bool {
	switch top := m.top(); top {
	case "", ">":
		return false
	case "_":
		return m.rest[0] == '_' && !strings.HasPrefix(m.rest, "__")
	default:
		return strings.HasPrefix(m.rest, endOf(top))
	}
}

func (m *markdownV2) close() {
	mark := m.top()
	m.pop()
	m.rest = m.rest[len(endOf(mark)):]
	if mark != "[" && mark != "![" {
		return
	}
	url, hasURL := strings.CutPrefix(m.rest, "(")
	if !hasURL {
		if mark == "![" {
			m.problem = "The entity must contain a tg://emoji or tg://time URL"
		}
		return
	}
	at := len(m.text) - len(url)
	var target strings.Builder
	for url != "" && url[0] != ')' {
		if isEscape(url) {
			url = url[1:]
		}
		target.WriteByte(url[0])
		url = url[1:]
	}
	switch {
	case url == "":
		m.problem = fmt.Sprintf("Can't find end of a URL at byte offset %d", at)
	case mark == "![" && !isInlineURL(target.String()):
		m.problem = "Invalid tg://emoji or tg://time URL specified"
	default:
		m.rest = url[1:]
	}
}

func (m *markdownV2) begin() {
	for _, mark := range marks {
		rest, found := strings.CutPrefix(m.rest, mark)
		if !found {
			continue
		}
		if mark == "```" {
			var hasLanguage bool
			if rest, hasLanguage = afterFence(rest); hasLanguage {
				mark = languageFence
			}
		}
		m.open(mark)
		m.rest = rest
		return
	}
	m.problem = fmt.Sprintf("Character '%s' is reserved and must be escaped with the preceding '\\'", m.rest[:1])
}

// endQuote ends a quotation; a spoiler without anything in it may stand at its end, and makes it expandable.
func (m *markdownV2) endQuote() {
	if m.top() == "||" {
		if inside := m.text[m.places[len(m.places)-1]+2 : m.offset()]; inside == "" || inside == "\r" {
			m.pop()
		}
	}
	if m.top() != ">" {
		m.unclosed()
		return
	}
	m.pop()
	m.inQuote = false
	m.write(true)
}

var (
	emojiURLPattern = regexp.MustCompile(`^(?i:tg:(?://)?emoji)/?\?(?:[^#]*?&)??id=([^&#]*)`)
	timeURLPattern  = regexp.MustCompile(`^(?i:tg:(?://)?time)/?\?([^#]*)`)
	unixPattern     = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)
)

// isInlineURL reports whether a URL is one of an emoji or of a time.
func isInlineURL(url string) bool {
	if found := emojiURLPattern.FindStringSubmatch(url); found != nil {
		return isEmojiID(found[1])
	}
	found := timeURLPattern.FindStringSubmatch(url)
	if found == nil {
		return false
	}
	hasTime, format := false, ""
	for _, parameter := range strings.Split(found[1], "&") {
		name, value, _ := strings.Cut(parameter, "=")
		switch {
		case name == "unix" && (!unixPattern.MatchString(value) || len(value) == 10 && value > "2147483647"):
			return false
		case name == "unix":
			hasTime = true
		case name == "format":
			format = value
		}
	}
	return hasTime && dateFormatPattern.MatchString(format)
}
