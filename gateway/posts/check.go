package posts

import (
	"slices"
	"strings"

	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/validation"
)

// checkAgainstPlatforms checks the whole post against its platforms and against those of its
// accounts that were found, and sets which platforms need it prepared. It reports nothing
// about fields that have failed already.
func (p *posts) checkAgainstPlatforms(post *schema.Post, accounts *directory.Directory, r *body.Report) {
	unreadable := func(t schema.Target) bool { return t.Platform == 0 }
	if len(post.Content.Entries) == 0 || slices.ContainsFunc(post.Targets, unreadable) {
		return // the report says so already
	}
	for i := range post.Targets {
		t := &post.Targets[i]
		t.FirstStep = schema.StepPublish
		text, settings := post.Content.TextFor(0, t.Platform, t.Content), post.Content.Settings[t.Platform]
		if p.Constraints(t.Platform).Prepares(post.Content.Entries[0], text, settings) {
			t.FirstStep = schema.StepPrepare
		}
	}
	errors, warnings := validation.Check(post.Content, post.Targets, p.constraintsOf(accounts))
	if accounts != nil {
		errors = append(errors, validation.CheckAccounts(post.Content, post.Targets, accounts.Account)...)
	}
	known := r.Errors // without this check's own: several platforms may fail one field
	for _, d := range errors {
		if !body.About(known, d.Field) && !isInside(known, d.Field) && !followsFromUpload(known, d.Field) {
			r.Add(d)
		}
	}
	r.Warnings = append(r.Warnings, warnings...)
}

// constraintsOf returns what targets are held to: those whose accounts were found, to what is
// taken of these.
func (p *posts) constraintsOf(accounts *directory.Directory) func(schema.Target) *schema.Constraints {
	return func(t schema.Target) *schema.Constraints {
		if accounts == nil {
			c := p.Constraints(t.Platform)
			return &c
		}
		return accounts.Constraints(t.Platform, t.Account, p.Constraints)
	}
}

// isInside reports whether a field is one of an object that has failed itself.
func isInside(known []schema.Detail, field string) bool {
	return slices.ContainsFunc(known, func(d schema.Detail) bool { return strings.HasPrefix(field, d.Field+".") })
}

// followsFromUpload reports whether a field is the type of a media item whose upload has
// failed: the type comes from the upload, so an error about it says nothing new.
func followsFromUpload(known []schema.Detail, field string) bool {
	item, ok := strings.CutSuffix(field, ".type")
	return ok && body.About(known, item+".mediaId")
}
