package validation

import (
	"fmt"
	"slices"

	"crier/schema"
)

// firstComments checks each first comment on each platform.
func (v *validation) firstComments(targets []schema.Target, constraintsOf func(schema.Platform) schema.Constraints) {
	if len(v.content.FirstComments) == 0 {
		return
	}
	platforms := platformsOf(targets)
	for i, comment := range v.content.FirstComments {
		var taken, refused []schema.Platform
		for _, p := range platforms {
			limit := constraintsOf(p).FirstComment
			if !limit.Takes(comment) {
				refused = append(refused, p)
				continue
			}
			taken = append(taken, p)
			v.commentText(p, limit, i, comment.Text)
		}
		v.refusedComment(i, comment, taken, refused)
	}
}

func (v *validation) commentText(p schema.Platform, limit schema.CommentLimit, i int, text string) {
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
		v.add(&v.warnings, schema.Detail{
			Field: field, Platform: p.String(), Code: CodeFirstCommentLong,
			Message: fmt.Sprintf("this one has %d characters; a server of %s takes %d unless it allows more", n, p, limit.Usual),
		})
	}
}

// refusedComment makes an error of a comment no platform takes, and a warning for each
// of the platforms that do not take it where others do.
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

func platformsOf(targets []schema.Target) []schema.Platform {
	var platforms []schema.Platform
	for _, t := range targets {
		if !slices.Contains(platforms, t.Platform) {
			platforms = append(platforms, t.Platform)
		}
	}
	return platforms
}
