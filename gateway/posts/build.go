package posts

import (
	"context"
	"slices"
	"strings"

	"crier/gateway/body"
	"crier/schema"
)

// mode is how the time of a post is chosen.
type mode int

const (
	atTime mode = iota
	atOnce
	asDraft
	inQueue
)

// build makes the post of a creation from the fields that read finds in it, and reports
// everything that is wrong with it. A post for a queue has no time until it is placed.
func (p *posts) build(ctx context.Context, b batch, f *body.Form, read func(*body.Form) postFields) (schema.Post, *schema.QueueChoice) {
	if f.Object.Kind != body.Object {
		return schema.Post{}, nil // the report says so already
	}
	f.Judge = p.judge
	fields := read(f)
	r := f.Report
	post := schema.Post{
		ID: schema.NewID[schema.PostID](b.now), Workspace: b.key.Workspace, Version: 1, FromAPI: b.key.User.IsZero(),
		Status: schema.Scheduled, Timezone: b.timezone, CreatedAt: b.now, UpdatedAt: b.now,
	}
	queue := readQueueID(f)
	mode := readMode(f, fields, queue)
	if b.key.DraftsOnly && mode != asDraft {
		f.Fail("status", body.CodeInvalidValue, "must be draft: your role makes drafts alone")
	}
	f.NoteUnread()
	requirePlatforms(f, fields)
	change := p.changeOf(ctx, b, fields, r)
	change.mode = mode
	change.apply(&post, b.now)
	if mode == asDraft {
		post.Status = schema.Draft
	}
	if mode == inQueue && fields.timezone == nil {
		post.Timezone = "" // it gets the queue's, with its slot
	}
	p.checkAgainstPlatforms(&post, change.accounts, r)
	warnOfBrands(&post, change.accounts, r)
	if mode != inQueue {
		return post, nil
	}
	return post, &schema.QueueChoice{ID: queue, Brand: post.Brand}
}

// readQueueID returns the queue a request names, zero if it names none.
func readQueueID(f *body.Form) schema.QueueID {
	text, ok := f.Text("queueId", body.MaxShort)
	if !ok {
		return schema.QueueID{}
	}
	id, err := schema.ParseID[schema.QueueID](text)
	if err != nil {
		f.Fail("queueId", "queue_unknown", "there is no queue of this id")
	}
	return id
}

// modeFields are the fields that choose a mode. If one of them has failed, the mode is
// not known.
var modeFields = []string{"publishNow", "queue", "queueId", "scheduledFor", "status"}

// readMode returns the one scheduling mode of a creation.
func readMode(f *body.Form, fields postFields, named schema.QueueID) mode {
	modes, chosen := namedModes(f, fields, named)
	switch {
	case fields.status != nil && !slices.Contains([]string{"draft", "scheduled", "immediate"}, *fields.status):
		f.Fail("status", body.CodeInvalidValue, "must be draft, scheduled or immediate")
	case fields.hasStatus("scheduled") && chosen == atOnce:
		f.Fail("publishNow", body.CodeConflict, "must not stand beside status scheduled")
	case len(modes) > 1:
		message := "exactly one of publishNow, queue, scheduledFor and status draft is required, not " + strings.Join(modes, " and ")
		if slices.Equal(modes, []string{"scheduledFor", "status draft"}) {
			message += ": leave scheduledFor out, and give the draft its time by PATCH"
		}
		f.Fail(strings.TrimPrefix(modes[0], "status "), body.CodeConflict, message)
	case len(modes) == 0 && !slices.ContainsFunc(modeFields, f.Report.About):
		f.Fail("scheduledFor", body.CodeRequired, "exactly one of publishNow, queue, scheduledFor and status draft is required")
	}
	return chosen
}

// readNewMode returns the mode that a change chooses; atTime: the post keeps its time, or gets another. Unlike
// a creation, a change may give a draft its time.
func readNewMode(f *body.Form, fields postFields, named schema.QueueID) mode {
	modes, chosen := namedModes(f, fields, named)
	switch {
	case fields.hasStatus("scheduled") && chosen == atOnce:
		f.Fail("publishNow", body.CodeConflict, "must not stand beside status scheduled")
	case len(modes) > 1 && !slices.Equal(modes, []string{"scheduledFor", "status draft"}):
		f.Fail(strings.TrimPrefix(modes[0], "status "), body.CodeConflict, "must not stand beside "+strings.Join(modes[1:], " and "))
	}
	return chosen
}

// namedModes returns the fields of a request that choose a mode, and the mode of the last.
func namedModes(f *body.Form, fields postFields, named schema.QueueID) (modes []string, chosen mode) {
	now, _ := f.Boolean("publishNow")
	queue, _ := f.Boolean("queue")
	if fields.scheduledFor != nil {
		modes = append(modes, "scheduledFor")
	}
	if queue || !named.IsZero() {
		modes, chosen = append(modes, "queue"), inQueue
	}
	if now || fields.hasStatus("immediate") {
		modes, chosen = append(modes, "publishNow"), atOnce
	}
	if fields.hasStatus("draft") {
		modes, chosen = append(modes, "status draft"), asDraft
	}
	return modes, chosen
}
