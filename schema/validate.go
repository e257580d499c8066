package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// MaxAltText is the length of an alternative text, in characters.
const MaxAltText = 1000

// The number of entries of a thread.
const (
	MinThreadEntries = 2
	MaxThreadEntries = 25
)

// Validate checks content against what the platforms of its targets take. It returns
// everything that is wrong and everything worth a warning at once, each with the field
// of the API it is about; content without errors can be published as far as can be told
// before its media are probed.
func Validate(c Content, targets []Target, constraintsOf func(Platform) Constraints) (errors, warnings []Detail) {
	v := validation{content: c}
	v.shape()
	checked := make(map[Platform]bool, len(platformNames)) // those whose targets without a text of their own are
	for i, target := range targets {
		if checked[target.Platform] && target.Content == "" && c.Thread == nil {
			continue // nothing could be found but what was found already
		}
		constraints := constraintsOf(target.Platform)
		v.settings(constraints)
		if c.Thread != nil && !constraints.Thread.Supported {
			v.fail(target.Platform, targetField(i), CodeThreadUnsupported, "threads cannot be published on %s", target.Platform)
			continue
		}
		for entry := range c.Entries {
			v.entry(constraints, target, i, entry)
		}
		if target.Content == "" {
			checked[target.Platform] = true
		}
	}
	v.otherSettings(targets, constraintsOf)
	v.firstComments(targets, constraintsOf)
	return v.errors, v.warnings
}

// MaxText returns how long the text of an entry may be, 0: any length.
func (c Constraints) MaxText(entry Entry) int {
	if len(entry.Media) > 0 && c.Caption > 0 {
		return c.Caption
	}
	return c.Text.Max
}

// validation collects what is found.
type validation struct {
	content          Content
	errors, warnings []Detail
	seen             map[Detail]bool // two accounts of one platform fail alike; nil while nothing is found
}

func (v *validation) fail(p Platform, field, code, format string, args ...any) {
	v.add(&v.errors, Detail{Field: field, Platform: platformName(p), Code: code, Message: fmt.Sprintf(format, args...)})
}

func (v *validation) add(to *[]Detail, d Detail) {
	if v.seen[d] {
		return
	}
	if v.seen == nil {
		v.seen = make(map[Detail]bool)
	}
	v.seen[d] = true
	*to = append(*to, d)
}

// platformName is empty for what is wrong on every platform.
func platformName(p Platform) string {
	if p == 0 {
		return ""
	}
	return p.String()
}

// shape checks what is the same for every platform.
func (v *validation) shape() {
	if n := len(v.content.Entries); v.content.Thread != nil && (n < MinThreadEntries || n > MaxThreadEntries) {
		v.fail(0, "posts", CodeThreadLength, "a thread has %d to %d posts, this one has %d", MinThreadEntries, MaxThreadEntries, n)
	}
	for entry := range v.content.Entries {
		v.mediaShape(entry)
	}
	for i, comment := range v.content.FirstComments {
		field := fmt.Sprintf("firstComments[%d]", i)
		if strings.TrimSpace(comment.Text) == "" {
			v.fail(0, field+".text", CodeFirstCommentEmpty, "a first comment needs a text")
		}
		if last := len(v.content.Entries) - 1; comment.Target < 0 || comment.Target > last {
			v.fail(0, field+".target", CodeFirstCommentTarget, "target is 0 to %d, not %d", last, comment.Target)
		}
	}
}

// settings checks the part of platformSettings that is the platform's.
func (v *validation) settings(c Constraints) {
	details := c.checkSettings(v.content.Settings[c.Platform])
	if c.Together != nil && len(v.content.Entries) > 0 {
		details = append(details, c.Together(v.content.Entries[0], v.content.Settings[c.Platform])...)
	}
	for _, d := range details {
		v.setting(c.Platform, d)
	}
}

func (v *validation) setting(p Platform, d Detail) {
	d.Field = joinField("platformSettings."+p.String(), d.Field)
	d.Platform = p.String()
	if d.Code == CodeSettingUnknown {
		v.add(&v.warnings, d)
		return
	}
	v.add(&v.errors, d)
}

// otherSettings checks what is said for platforms the content does not go to: nothing of
// it is missing, but what is stored and shown is of the described form.
func (v *validation) otherSettings(targets []Target, constraintsOf func(Platform) Constraints) {
	for _, p := range slices.Sorted(maps.Keys(v.content.Settings)) {
		if slices.ContainsFunc(targets, func(t Target) bool { return t.Platform == p }) {
			continue
		}
		for _, d := range constraintsOf(p).checkSettings(v.content.Settings[p]) {
			if d.Code != CodeSettingRequired || strings.ContainsAny(d.Field, ".[") {
				v.setting(p, d)
			}
		}
	}
}

// checkSettings knows no setting but content where the platform has none.
func (c Constraints) checkSettings(settings json.RawMessage) []Detail {
	if c.Settings == nil {
		return SettingRules{}.Check(settings)
	}
	return c.Settings(settings)
}

// entry checks the text and the media one target gets of an entry.
func (v *validation) entry(c Constraints, target Target, i, entry int) {
	v.text(c, target, i, entry)
	v.media(c, entry)
}

func (v *validation) text(c Constraints, target Target, i, entry int) {
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
				c.Platform, most, captionNote(c, e), n)
		}
	}
	if c.Text.exceeds(text) {
		v.fail(c.Platform, field(), CodeTextTooLong, "%s takes at most %d bytes of text, the text has %d", c.Platform, c.Text.MaxBytes, len(text))
	}
	if c.Hashtags == 0 {
		return
	}
	if n := hashtags(text); n > c.Hashtags {
		v.fail(c.Platform, field(), CodeHashtagsTooMany, "%s takes at most %d hashtags, the text has %d", c.Platform, c.Hashtags, n)
	}
}

// exceeds tells whether a text has more bytes than it may.
func (l TextLimit) exceeds(text string) bool { return l.MaxBytes > 0 && len(text) > l.MaxBytes }

func captionNote(c Constraints, e Entry) string {
	if len(e.Media) > 0 && c.Caption > 0 {
		return " beside media"
	}
	return ""
}

// textField names the field the text of an entry on a target comes from, in the order
// of Content.TextFor.
func (v *validation) textField(target Target, i, entry int) string {
	switch {
	case target.Content != "":
		return targetField(i) + ".content"
	case len(v.content.Entries) == 1 && contentSetting(v.content.Settings[target.Platform]) != "":
		return "platformSettings." + target.Platform.String() + ".content"
	case v.content.Entries[entry].Platform[target.Platform] != "":
		return v.entryField(entry, "platformContent."+target.Platform.String())
	default:
		return v.entryField(entry, "content")
	}
}

func targetField(i int) string { return fmt.Sprintf("platforms[%d]", i) }

// entryField names a field of an entry: only a thread's are under posts.
func (v *validation) entryField(entry int, field string) string {
	if v.content.Thread == nil {
		return field
	}
	return fmt.Sprintf("posts[%d].%s", entry, field)
}

// hashtagPattern is a hashtag, or several without a space between them: not within a
// word or a url, and not of digits only.
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

// firstComments checks each first comment on each platform.
func (v *validation) firstComments(targets []Target, constraintsOf func(Platform) Constraints) {
	if len(v.content.FirstComments) == 0 {
		return
	}
	platforms := platformsOf(targets)
	for i, comment := range v.content.FirstComments {
		var taken, refused []Platform
		for _, p := range platforms {
			limit := constraintsOf(p).FirstComment
			if !limit.takes(comment) {
				refused = append(refused, p)
				continue
			}
			taken = append(taken, p)
			v.commentText(p, limit, i, comment.Text)
		}
		v.refusedComment(i, comment, taken, refused)
	}
}

func (l CommentLimit) takes(c FirstComment) bool {
	return l.Supported && (c.Target == 0 || !l.RootOnly)
}

func (v *validation) commentText(p Platform, limit CommentLimit, i int, text string) {
	if limit.Count == nil {
		return
	}
	field := fmt.Sprintf("firstComments[%d].text", i)
	switch n := limit.Count(text); {
	case limit.Max > 0 && n > limit.Max:
		v.fail(p, field, CodeFirstCommentTooLong,
			"%s takes a first comment of at most %d characters, this one has %d", p, limit.Max, n)
	case limit.MaxBytes > 0 && len(text) > limit.MaxBytes:
		v.fail(p, field, CodeFirstCommentTooLong,
			"%s takes a first comment of at most %d bytes, this one has %d", p, limit.MaxBytes, len(text))
	case limit.Usual > 0 && n > limit.Usual:
		v.add(&v.warnings, Detail{
			Field: field, Platform: p.String(), Code: CodeFirstCommentLong,
			Message: fmt.Sprintf("this one has %d characters; a server of %s takes %d unless it allows more", n, p, limit.Usual),
		})
	}
}

// refusedComment makes an error of a comment no platform takes, and a warning for each
// of the platforms that do not take it where others do.
func (v *validation) refusedComment(i int, comment FirstComment, taken, refused []Platform) {
	field := fmt.Sprintf("firstComments[%d]", i)
	for _, p := range refused {
		reason := fmt.Sprintf("%s takes no first comments", p)
		if comment.Target > 0 {
			reason = fmt.Sprintf("%s takes no first comment on post %d of a thread", p, comment.Target+1)
		}
		if len(taken) == 0 {
			v.fail(p, field, CodeFirstCommentUnsupported, "%s", reason)
			continue
		}
		v.add(&v.warnings, Detail{
			Field: field, Platform: p.String(), Code: CodeFirstCommentSkipped,
			Message: reason + "; it is posted on the others only",
		})
	}
}

func platformsOf(targets []Target) []Platform {
	var platforms []Platform
	for _, t := range targets {
		if !slices.Contains(platforms, t.Platform) {
			platforms = append(platforms, t.Platform)
		}
	}
	return platforms
}
