package validation

import (
	"regexp"
	"strings"

	"crier/schema"
)

func (v *validation) text(c schema.Constraints, target schema.Target, i, entry int) {
	e := v.content.Entries[entry]
	text := v.content.TextFor(entry, target.Platform, target.Content)
	field := func() string { return v.textField(target, i, entry) }
	switch empty := strings.TrimSpace(text) == ""; {
	case empty && c.Text.Required:
		v.fail(c.Platform, field(), CodeTextRequired, "%s needs a text with every post", c.Platform)
	case empty && len(e.Media) == 0 && !c.Media.Required:
		v.fail(0, field(), CodeContentRequired, "a post needs a text or media")
	}
	if most := c.MaxText(e); most > 0 {
		if n := c.Text.Count(text); n > most {
			v.fail(c.Platform, field(), CodeTextTooLong, "%s takes at most %d characters%s, the text has %d",
				c.Taker(), most, captionNote(c, e), n)
		}
	}
	if exceeds(c.Text, text) {
		v.fail(c.Platform, field(), CodeTextTooLong, "%s takes at most %d bytes of text, the text has %d", c.Platform, c.Text.MaxBytes, len(text))
	}
	if strings.ContainsAny(text, c.Text.Without) {
		v.fail(c.Platform, field(), CodeTextSign, "%s takes no %s in a text", c.Taker(), signs(c.Text.Without))
	}
	if c.Hashtags == 0 {
		return
	}
	if n := hashtags(text); n > c.Hashtags {
		v.fail(c.Platform, field(), CodeHashtagsTooMany, "%s takes at most %d hashtags, the text has %d", c.Platform, c.Hashtags, n)
	}
}

// signs names signs, with "or" between them.
func signs(all string) string { return strings.Join(strings.Split(all, ""), " or ") }

// exceeds reports whether a text has more bytes than it may.
func exceeds(l schema.TextLimit, text string) bool { return l.MaxBytes > 0 && len(text) > l.MaxBytes }

func captionNote(c schema.Constraints, e schema.Entry) string {
	if len(e.Media) > 0 && c.Caption > 0 {
		return " beside media"
	}
	return ""
}

// textField returns the name of the field that the text of an entry on a target comes from,
// in the order of schema.Content.TextFor.
func (v *validation) textField(target schema.Target, i, entry int) string {
	switch {
	case target.Content != "":
		return targetField(i) + ".content"
	case len(v.content.Entries) == 1 && v.content.SettingText(target.Platform) != "":
		return "platformSettings." + target.Platform.String() + ".content"
	case v.content.Entries[entry].Platform[target.Platform] != "":
		return v.entryField(entry, "platformContent."+target.Platform.String())
	default:
		return v.entryField(entry, "content")
	}
}

// hashtagPattern matches a hashtag, or several without a space between them. A hashtag is not
// inside a word or a url, and has more than digits.
var hashtagPattern = regexp.MustCompile(`(?:^|[^\pL\pM\pN_&/#＃])(?:[#＃]\pN*[\pL\pM_][\pL\pM\pN_]*)+`)

func hashtags(text string) int {
	if !strings.ContainsAny(text, "#＃") {
		return 0
	}
	n := 0
	for _, run := range hashtagPattern.FindAllString(text, -1) {
		n += strings.Count(run, "#") + strings.Count(run, "＃")
	}
	return n
}
