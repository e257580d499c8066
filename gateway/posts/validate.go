package posts

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// validationView is what a creation would report about the same content.
type validationView struct {
	IsValid   bool                            `json:"isValid"`
	Platforms map[string]platformValidityView `json:"platforms"`
	Errors    []schema.Detail                 `json:"errors"`
	Warnings  []schema.Detail                 `json:"warnings"`
}

type platformValidityView struct {
	Valid               bool     `json:"valid"`
	ContentLength       int      `json:"contentLength"` // as the platform counts
	MaxLength           int      `json:"maxLength"`
	RemainingCharacters int      `json:"remainingCharacters"`
	MediaValid          bool     `json:"mediaValid"`
	Errors              []string `json:"errors,omitempty"`
}

// validate tells what a creation would refuse of a post, without creating it. Platforms are
// checked by name: an account matters only if it is named or the only one.
func (p *posts) validate(c *gin.Context, f *body.Form) error {
	b := p.batchOf(c)
	f.Judge = p.judge
	fields := readPostFields(f)
	for _, mode := range []string{"publishNow", "queue", "dryRun"} {
		_, _ = f.Boolean(mode) // the fields of a whole creation may be sent; its time is not checked
	}
	_, _ = f.Text("queueId", body.MaxShort)
	scheduledFor := fields.scheduledFor
	fields.scheduledFor = nil
	for i := range fields.targets {
		fields.targets[i].open = true
	}
	f.NoteUnread()
	requirePlatforms(f, fields)
	read := *f.Report
	change := p.changeOf(c.Request.Context(), b, fields, f.Report)
	refused, found := divide(read, *f.Report)
	if err := refused.Err(); err != nil {
		return err
	}
	if zone, err := p.Zones.Load(cmp.Or(change.timezone, b.timezone)); err == nil && scheduledFor != nil {
		if _, err := body.ParseTime(*scheduledFor, zone); err != nil {
			found.Fail("scheduledFor", codeTimeInvalid, err.Error())
		}
	}
	var post schema.Post
	change.apply(&post, b.now)
	p.checkAgainstPlatforms(&post, change.accounts, &found)
	warnOfBrands(&post, change.accounts, &found)
	return answer.Named(c, http.StatusOK, "validation", viewValidation(post, found, p.constraintsOf(change.accounts)), refused.Warnings)
}

// divide divides what is wrong with a post, of which read was seen by reading it, into what no post
// can be made of and what a validation tells.
func divide(read, all body.Report) (refused, found body.Report) {
	refused = body.Report{Warnings: read.Warnings, Fault: all.Fault}
	found = body.Report{Warnings: all.Warnings[len(read.Warnings):]}
	for i, d := range all.Errors {
		switch {
		case d.Code == codeMediaUnknown, i >= len(read.Errors) && d.Code != body.CodeInvalidURL:
			found.Add(d)
		default:
			refused.Add(d)
		}
	}
	return refused, found
}

// requirePlatforms fails a creation without platforms.
func requirePlatforms(f *body.Form, fields postFields) {
	switch {
	case fields.targets == nil:
		f.Require("platforms")
	case len(fields.targets) == 0:
		f.Fail("platforms", body.CodeRequired, "at least one platform is required")
	}
}

// viewValidation shows of several targets on a platform the one with the least room.
func viewValidation(post schema.Post, found body.Report, constraintsOf func(schema.Target) *schema.Constraints) validationView {
	v := validationView{
		IsValid: len(found.Errors) == 0, Platforms: map[string]platformValidityView{},
		Errors: orEmpty(found.Errors), Warnings: orEmpty(found.Warnings),
	}
	for _, t := range post.Targets {
		name := t.Platform.String()
		view := viewValidity(post.Content, t, constraintsOf(t), found.Errors)
		if known, done := v.Platforms[name]; !done || view.RemainingCharacters < known.RemainingCharacters {
			v.Platforms[name] = view
		}
	}
	return v
}

func viewValidity(content schema.Content, t schema.Target, limits *schema.Constraints, errors []schema.Detail) platformValidityView {
	text := content.TextFor(0, t.Platform, t.Content)
	if read, err := limits.Reads(text, content.Settings[t.Platform]); err == nil {
		text = read
	}
	v := platformValidityView{
		ContentLength: limits.Text.Count(text),
		MaxLength:     limits.MaxText(content.Entries[0]),
		MediaValid:    true,
	}
	v.RemainingCharacters = v.MaxLength - v.ContentLength
	for _, d := range errors {
		if d.Platform != "" && d.Platform != t.Platform.String() {
			continue
		}
		v.Errors = append(v.Errors, d.Field+": "+d.Message)
		if strings.HasPrefix(d.Field, "mediaItems") {
			v.MediaValid = false
		}
	}
	v.Valid = len(v.Errors) == 0
	return v
}

func orEmpty(details []schema.Detail) []schema.Detail {
	if details == nil {
		return []schema.Detail{}
	}
	return details
}
