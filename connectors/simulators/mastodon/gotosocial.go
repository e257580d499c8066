package mastodon

import (
	"html"
	"net/url"
	"regexp"
	"strings"

	nethtml "golang.org/x/net/html"
)

// The content types that GoToSocial knows.
const (
	typePlain    = "text/plain"
	typeMarkdown = "text/markdown"
)

var (
	linkLike = regexp.MustCompile(`(?i)\b(?:https?://[^\s<>]+|www\.[^\s<>]+|[a-z0-9._+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+)`)
	escaped  = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)
	listItem = regexp.MustCompile(`^\s*(?:[-*+]|[0-9]{1,9}[.)])\s+`)
	heading  = regexp.MustCompile(`^#{1,6}\s+`)
	quoted   = regexp.MustCompile(`^>\s?`)
	titled   = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]*)\)`)
	emphasis = regexp.MustCompile("\\*\\*|~~|[*`]|\\b_|_\\b")
)

// contentAsGoToSocial makes HTML of a text: entities are decoded, addresses of mail are links, hosts in
// links are escaped (internal/text/plain.go); in Markdown tags are gone and markup means something
// (internal/text/markdown.go). Of Markdown it knows what posts have by accident.
func contentAsGoToSocial(text, contentType, base string) string {
	if text == "" {
		return ""
	}
	if contentType != typeMarkdown {
		return "<p>" + strings.ReplaceAll(linkedAsGoToSocial(text, base), "\n", "<br>") + "</p>"
	}
	var content strings.Builder
	for line := range strings.SplitSeq(stripped(text), "\n") {
		tag := "p"
		for pattern, name := range map[*regexp.Regexp]string{listItem: "li", heading: "h1", quoted: "blockquote"} {
			if marker := pattern.FindString(line); marker != "" {
				line, tag = line[len(marker):], name
			}
		}
		if line = strings.TrimSpace(line); line != "" {
			content.WriteString("<" + tag + ">" + markedUp(line, base) + "</" + tag + ">")
		}
	}
	return content.String()
}

// markedUp makes HTML of a line of Markdown.
func markedUp(line, base string) string {
	var out strings.Builder
	from := 0
	for _, m := range titled.FindAllStringSubmatchIndex(line, -1) {
		out.WriteString(linkedAsGoToSocial(emphasis.ReplaceAllString(line[from:m[0]], ""), base))
		out.WriteString(`<a href="` + html.EscapeString(line[m[4]:m[5]]) + `">` + html.EscapeString(line[m[2]:m[3]]) + `</a>`)
		from = m[1]
	}
	return out.String() + linkedAsGoToSocial(emphasis.ReplaceAllString(line[from:], ""), base)
}

// linkedAsGoToSocial makes HTML of a text and its links. Mentions of accounts elsewhere stay as they are:
// no other server can be asked for them.
func linkedAsGoToSocial(text, base string) string {
	var out strings.Builder
	from := 0
	for _, at := range linkLike.FindAllStringIndex(text, -1) {
		link := strings.TrimRight(text[at[0]:at[1]], ".,;:!?")
		if at[0] > 0 && text[at[0]-1] == '@' { // a mention
			continue
		}
		out.WriteString(hashtagsAsGoToSocial(text[from:at[0]], base))
		out.WriteString(`<a href="` + html.EscapeString(addressAsGoToSocial(link)) + `">` + html.EscapeString(link) + `</a>`)
		from = at[0] + len(link)
	}
	return out.String() + hashtagsAsGoToSocial(text[from:], base)
}

func addressAsGoToSocial(link string) string {
	switch {
	case strings.Contains(link, "://"):
		return escapedAddress(link)
	case strings.Contains(link, "@"):
		return "mailto:" + link
	default:
		return escapedAddress("http://" + link)
	}
}

// escapedAddress escapes all of an address that is no ASCII, its host included.
func escapedAddress(address string) string {
	var out strings.Builder
	for _, r := range address {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		out.WriteString(url.PathEscape(string(r)))
	}
	return out.String()
}

// hashtagsAsGoToSocial makes HTML of what is no link, with entities decoded once.
func hashtagsAsGoToSocial(text, base string) string {
	text = html.UnescapeString(escaped.ReplaceAllString(text, "$1"))
	var out strings.Builder
	from := 0
	for _, e := range named(hashtagEntity, text) {
		out.WriteString(html.EscapeString(text[from:e.start]))
		out.WriteString(link(e, text[e.start:e.end], base))
		from = e.end
	}
	return out.String() + html.EscapeString(text[from:])
}

// stripped is a text without what looks like a tag, as options of polls are and texts in Markdown.
func stripped(text string) string {
	var out strings.Builder
	tokens := nethtml.NewTokenizer(strings.NewReader(text))
	for {
		switch tokens.Next() {
		case nethtml.ErrorToken: // the end: a strings.Reader does not fail
			return out.String()
		case nethtml.TextToken:
			out.Write(tokens.Raw())
		}
	}
}

// optionAsGoToSocial is an option of a poll as it is shown.
func optionAsGoToSocial(option string) string {
	return strings.TrimSpace(html.UnescapeString(stripped(html.UnescapeString(option))))
}
