package mail

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	maxPlain = 80  // characters of a name
	maxWords = 300 // of what a platform says
)

// linking is what programs that show mail make links of: anybody can name a workspace, and have it sent.
var linking = regexp.MustCompile(`([.:/@])(\S)`)

// plain is a name in one line, of which no program makes a link.
func plain(name string) string { return linking.ReplaceAllString(line(name, maxPlain), "$1 $2") }

// words is a text in one line.
func words(text string) string { return line(text, maxWords) }

// line is a text without what is not shown, in one line of at most so many characters.
func line(text string, maximum int) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, ""))
	joined := []rune(strings.Join(strings.Fields(visible), " "))
	if len(joined) > maximum {
		return string(joined[:maximum-1]) + "…"
	}
	return string(joined)
}

// paragraphs are those of a text, divided by empty lines.
func paragraphs(text string) (all []string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if p := line(part, len(part)+1); p != "" {
			all = append(all, p)
		}
	}
	return all
}
