package validation

import (
	"fmt"
	"strings"

	"crier/schema"
)

// firstComments checks each first comment against the rules of all targets.
func (v *validation) firstComments(all []rules) {
	for i, comment := range v.content.FirstComments {
		var taken, refused []schema.Platform
		for _, c := range all {
			if !c.FirstComment.Takes(comment) {
				refused = append(refused, c.Platform)
				continue
			}
			taken = append(taken, c.Platform)
			v.commentText(*c.Constraints, i, comment.Text)
		}
		v.refusedComment(i, comment, taken, refused)
	}
}

func (v *validation) commentText(c schema.Constraints, i int, text string) {
	beside, note := v.beside(c)
	wrong, isWarning := tooLong(c, text, beside, "first comment", "this one"+note)
	switch wrong.Field = fmt.Sprintf("firstComments[%d].text", i); {
	case wrong.Message == "":
	case isWarning:
		wrong.Code = CodeFirstCommentLong
		v.add(&v.warnings, wrong)
	default:
		wrong.Code = CodeFirstCommentTooLong
		v.add(&v.errors, wrong)
	}
}

// tooLong says why a platform does not take a comment of such a length, or may not take it;
// without a message it does. So much of the length is taken beside the text.
func tooLong(c schema.Constraints, text string, beside int, what, it string) (d schema.Detail, isWarning bool) {
	p, limit := c.Platform, c.FirstComment
	if limit.Count == nil {
		return d, false
	}
	d.Platform = p.String()
	switch n := limit.Count(text) + beside; {
	case strings.ContainsAny(text, limit.Without):
		d.Message = fmt.Sprintf("%s takes no %s in a %s", c.LimitedBy(), signs(limit.Without), what)
	case limit.Max > 0 && n > limit.Max:
		d.Message = fmt.Sprintf("%s takes a %s of at most %d characters, %s has %d", c.LimitedBy(), what, limit.Max, it, n)
	case limit.MaxBytes > 0 && len(text) > limit.MaxBytes:
		d.Message = fmt.Sprintf("%s takes a %s of at most %d bytes, %s has %d", p, what, limit.MaxBytes, it, len(text))
	case limit.Usual > 0 && n > limit.Usual:
		d.Message, isWarning = fmt.Sprintf("%s has %d characters; a server of %s takes %d unless it allows more", it, n, p, limit.Usual), true
	}
	return d, isWarning
}

// Reply returns why a platform does not take a text as a reply: its limits are those of first
// comments.
func Reply(c schema.Constraints, text string) []schema.Detail {
	d, isWarning := tooLong(c, text, 0, "reply", "this one")
	if d.Message == "" || isWarning {
		return nil
	}
	d.Field, d.Code = "text", CodeTextTooLong
	return []schema.Detail{d}
}

// refusedComment adds an error for each platform if none takes the comment, and a warning
// for each that does not take it if others do.
func (v *validation) refusedComment(i int, comment schema.FirstComment, taken, refused []schema.Platform) {
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
		v.add(&v.warnings, schema.Detail{
			Field: field, Platform: p.String(), Code: CodeFirstCommentSkipped,
			Message: reason + "; it is posted on the others only",
		})
	}
}
