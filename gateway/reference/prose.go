package reference

import (
	"html/template"
	"strings"
)

// prose renders a description: paragraphs, and code between backticks.
func prose(text string) template.HTML {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b.WriteString("<p>")
		for i, part := range strings.Split(paragraph, "`") {
			if code := i%2 == 1; code {
				b.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
			} else {
				b.WriteString(template.HTMLEscapeString(part))
			}
		}
		b.WriteString("</p>")
	}
	return template.HTML(b.String()) // every part of it was escaped
}
