package validation

import (
	"fmt"
	"regexp"
	"strings"

	"crier/schema"
)

func (v *validation) text(c schema.Constraints, target schema.Target, i, entry int) {
	e := v.content.Entries[entry]
	text := v.content.TextFor(entry, target.Platform, target.Content)
	field := func() string { return v.textField(target, i, entry) }
	text, err := c.Reads(text, v.content.Settings[c.Platform])
	if err != nil {
		v.fail(c.Platform, field(), CodeTextMarkup, "%s cannot read the text: %s", c.Platform, err)
		return
	}
	switch empty := schema.IsBlank(text); {
	case empty && c.Text.Required:
		v.fail(c.Platform, field(), CodeTextRequired, "%s needs a text with every post", c.Platform)
	case empty && len(e.Media) == 0 && !c.Media.Required:
		v.fail(0, field(), CodeContentRequired, "a post needs a text or media")
	}
	if maximum := c.MaxText(e); maximum > 0 {
		beside, note := v.beside(c)
		if n := c.Text.Count(text) + beside; n > maximum {
			v.fail(c.Platform, field(), CodeTextTooLong, "%s takes at most %d characters%s, the text%s has %d",
				c.LimitedBy(), maximum, captionNote(c, e), note, n)
		}
	}
	if exceeds(c.Text, text) {
		v.fail(c.Platform, field(), CodeTextTooLong, "%s takes at most %d bytes of text, the text has %d", c.Platform, c.Text.MaxBytes, len(text))
	}
	if strings.ContainsAny(text, c.Text.Without) {
		v.fail(c.Platform, field(), CodeTextSign, "%s takes no %s in a text", c.LimitedBy(), signs(c.Text.Without))
	}
	v.hashtags(c, text, field)
	for _, l := range []struct {
		code, what string
		max        int
		count      func(string) int
	}{
		{CodeCashtagsTooMany, "cashtags", c.Cashtags, cashtags},
		{CodeMentionsTooMany, "mentions", c.Mentions, mentions},
		{CodeLinksTooMany, "different links", c.Links, v.linksWith(c, entry)},
	} {
		if l.max == 0 {
			continue
		}
		if n := l.count(text); n > l.max {
			v.fail(c.Platform, field(), l.code, "%s takes at most %d %s, the text has %d", c.Platform, l.max, l.what, n)
		}
	}
}

// hashtags checks how many hashtags a text has.
func (v *validation) hashtags(c schema.Constraints, text string, field func() string) {
	if c.Hashtags == 0 {
		return
	}
	switch n := hashtags(text); {
	case n > c.Hashtags:
		v.fail(c.Platform, field(), CodeHashtagsTooMany, "%s takes at most %d hashtags, the text has %d", c.Platform, c.Hashtags, n)
	case c.FewHashtags > 0 && n > c.FewHashtags:
		v.warn(c.Platform, field(), CodeHashtagsMany, "%s lets people use %d hashtags, and its API more: of the %d here it may not show or count all",
			c.Platform, c.FewHashtags, n)
	}
}

// beside returns how much of the limit of each text the platform's settings take, and how that is said.
func (v *validation) beside(c schema.Constraints) (n int, note string) {
	if c.Beside == nil {
		return 0, ""
	}
	n, what := c.Beside(v.content.Settings[c.Platform])
	if n == 0 {
		return 0, ""
	}
	return n, " with its " + what
}

// signs names signs, with "or" between them. Those that cannot be seen go by their code points.
func signs(all string) string {
	var names []string
	for _, r := range all {
		name := string(r)
		if schema.IsBlank(name) {
			name = fmt.Sprintf("U+%04X", r)
		}
		names = append(names, name)
	}
	return strings.Join(names, " or ")
}

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

// cashtagPattern matches a tag of a stock as X does (twitter-text, cashtag).
var cashtagPattern = regexp.MustCompile(`(?:^|[\s\pZ])(\$[a-zA-Z]{1,6}(?:[._][a-zA-Z]{1,2})?)(?:$|[^\pL\pN_$])`)

func cashtags(text string) int {
	n := 0
	for {
		found := cashtagPattern.FindStringSubmatchIndex(text)
		if found == nil {
			return n
		}
		n++
		text = text[found[3]:] // what ends one may begin the next
	}
}

// mentionPattern matches a name after an @ that does not stand in a word, an address or a url.
var mentionPattern = regexp.MustCompile(`(?:^|[^\pL\pM\pN_.@/])@[a-zA-Z0-9_.]`)

func mentions(text string) int { return len(mentionPattern.FindAllStringIndex(text, -1)) }

// linksWith counts the addresses of an entry's text, with the one that the settings add to the first.
func (v *validation) linksWith(c schema.Constraints, entry int) func(text string) int {
	if c.LinkBeside == nil || entry > 0 {
		return differentLinks
	}
	beside := c.LinkBeside(v.content.Settings[c.Platform])
	return func(text string) int { return differentLinks(text + " " + beside) }
}

var linkPattern = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s\pZ]+`)

var schemePattern = regexp.MustCompile(`(?i)^https?://`)

// differentLinks counts the addresses of a text, each once, with a scheme or without.
func differentLinks(text string) int {
	seen := map[string]bool{}
	for _, link := range linkPattern.FindAllString(text, -1) {
		seen[strings.TrimRight(schemePattern.ReplaceAllString(link, ""), "/.,;:!?)\"'")] = true
	}
	return len(seen)
}
