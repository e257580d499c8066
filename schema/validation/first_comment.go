package validation

import (
	"fmt"

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
			v.commentText(c.Constraints, i, comment.Text)
		}
		v.refusedComment(i, comment, taken, refused)
	}
}

func (v *validation) commentText(c schema.Constraints, i int, text string) {
	p, limit := c.Platform, c.FirstComment
	if limit.Count == nil {
		return
	}
	field := fmt.Sprintf("firstComments[%d].text", i)
	switch n := limit.Count(text); {
	case limit.Max > 0 && n > limit.Max:
		v.fail(p, field, CodeFirstCommentTooLong,
			"%s takes a first comment of at most %d characters, this one has %d", c.Taker(), limit.Max, n)
	case limit.MaxBytes > 0 && len(text) > limit.MaxBytes:
		v.fail(p, field, CodeFirstCommentTooLong,
			"%s takes a first comment of at most %d bytes, this one has %d", p, limit.MaxBytes, len(text))
	case limit.Usual > 0 && n > limit.Usual:
		v.add(&v.warnings, schema.Detail{
			Field: field, Platform: p.String(), Code: CodeFirstCommentLong,
			Message: fmt.Sprintf("this one has %d characters; a server of %s takes %d unless it allows more", n, p, limit.Usual),
		})
	}
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
