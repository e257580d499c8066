package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier/schema"
)

const (
	// transit is by how much a time may be too early because its request took time to
	// arrive and clocks differ; where the lead is small, a tenth of it.
	transit = 2 * time.Second
)

// mode is how the time of a post is chosen.
type mode int

const (
	atTime mode = iota
	atOnce
	asDraft
	inQueue
)

// build makes the post a creation asks for, by the fields that read finds in it, and
// reports all that is wrong with it. One for a queue has no time until it is placed.
func (p *posts) build(ctx context.Context, b batch, f *form, read func(*form) postFields) (schema.Post, *schema.QueueChoice) {
	if f.object.kind != object {
		return schema.Post{}, nil // the report says so already, and nothing of its fields
	}
	fields := read(f)
	r := f.report
	post := schema.Post{
		ID: schema.NewPostID(b.now), Workspace: b.key.Workspace, Version: 1, FromAPI: true,
		Status: schema.Scheduled, Timezone: b.timezone, CreatedAt: b.now, UpdatedAt: b.now,
	}
	queue := readQueueID(f)
	mode := readMode(f, fields, queue)
	f.finish()
	requirePlatforms(f, fields)
	change := p.changeOf(ctx, b, fields, r)
	change.apply(&post)
	switch mode {
	case atOnce:
		post.ScheduledFor = b.now
	case asDraft:
		post.Status = schema.Draft
	case atTime, inQueue:
	}
	p.validate(&post, change.accounts, r)
	if mode != inQueue {
		return post, nil
	}
	return post, &schema.QueueChoice{ID: queue, Brand: post.Brand}
}

// readQueueID returns the queue a request names, zero if it names none.
func readQueueID(f *form) schema.QueueID {
	text, ok := f.text("queueId", maxShort)
	if !ok {
		return schema.QueueID{}
	}
	id, err := schema.ParseQueueID(text)
	if err != nil {
		f.fail("queueId", "queue_unknown", "there is no queue of this id")
	}
	return id
}

// modeFields are those that choose a mode. One that cannot be read may have meant to.
var modeFields = []string{"publishNow", "queue", "queueId", "scheduledFor", "status"}

// readMode returns the one scheduling mode of a request.
func readMode(f *form, fields postFields, named schema.QueueID) mode {
	now, _ := f.boolean("publishNow")
	queue, _ := f.boolean("queue")
	status := ""
	if fields.status != nil {
		status = *fields.status
	}
	var modes []string
	chosen := atTime
	if fields.scheduledFor != nil {
		modes = append(modes, "scheduledFor")
	}
	if queue || !named.IsZero() {
		modes, chosen = append(modes, "queue"), inQueue
	}
	if now || status == "immediate" {
		modes, chosen = append(modes, "publishNow"), atOnce
	}
	if status == "draft" {
		modes, chosen = append(modes, "status draft"), asDraft
	}
	switch {
	case fields.status != nil && !slices.Contains([]string{"draft", "scheduled", "immediate"}, status):
		f.fail("status", codeInvalidValue, "must be draft, scheduled or immediate")
	case status == "scheduled" && now:
		f.fail("publishNow", codeConflict, "must not stand beside status scheduled")
	case len(modes) > 1:
		f.fail(strings.TrimPrefix(modes[0], "status "), codeConflict,
			"exactly one of publishNow, queue, scheduledFor and status draft is required, not "+strings.Join(modes, " and "))
	case len(modes) == 0 && !slices.ContainsFunc(modeFields, f.report.about):
		f.fail("scheduledFor", codeRequired, "exactly one of publishNow, queue, scheduledFor and status draft is required")
	}
	return chosen
}

// change is what a request makes of a post, worked out as far as can be without it.
type change struct {
	fields    postFields
	targets   []schema.Target
	brand     schema.BrandID
	accounts  *directory // nil: the request says nothing that is about accounts
	timezone  string     // empty: stays
	scheduled time.Time  // zero: stays
}

// changeOf finds what the fields of a request name: accounts, brand, time. What it
// takes from elsewhere (accounts, DNS) it takes here, before a post is locked.
func (p *posts) changeOf(ctx context.Context, b batch, fields postFields, r *report) change {
	c := change{fields: fields}
	if fields.targets != nil || fields.brand != nil || fields.settings != nil {
		p.resolve(ctx, b, &c, r)
	}
	p.resolveMedia(ctx, b.key.Workspace, fields.allMedia(), r)
	p.checkAddresses(ctx, fields, r)
	zone, err := p.Zones.load(b.timezone)
	if fields.timezone != nil {
		c.timezone = *fields.timezone
		if zone, err = p.Zones.load(c.timezone); err != nil {
			r.fail("timezone", codeInvalidValue, err.Error())
		}
	}
	if err == nil && fields.scheduledFor != nil {
		c.scheduled = p.readTime(*fields.scheduledFor, zone, b.now, r)
	}
	return c
}

// resolve finds accounts and brand.
func (p *posts) resolve(ctx context.Context, b batch, c *change, r *report) {
	var targets []schema.Target
	var found report
	var brand schema.BrandID
	known := false
	accounts, err := p.Accounts.find(ctx, b.key.Workspace, b.began, func(d *directory) bool {
		targets, found = resolveTargets(d, c.fields.targets)
		brand, known = d.brand(c.fields.brand)
		return len(found.errors) == 0 && known
	})
	if err != nil {
		r.fault = err
		return
	}
	if !known {
		r.fail("brandId", "brand_unknown", fmt.Sprintf("there is no brand %q", clip(*c.fields.brand)))
	}
	r.merge(&found)
	c.targets, c.brand, c.accounts = targets, brand, accounts
}

func (p *posts) readTime(text string, zone *time.Location, now time.Time, r *report) time.Time {
	at, err := parseTime(text, zone)
	switch earliest := now.Add(p.Lead - min(transit, p.Lead/10)); {
	case err != nil:
		r.fail("scheduledFor", "time_invalid", err.Error())
	case at.Before(earliest):
		r.fail("scheduledFor", "time_too_early", fmt.Sprintf("must be at least %s in the future", words(p.Lead)))
	case at.After(now.Add(maxAhead)):
		r.fail("scheduledFor", "time_too_late", "must be at most 90 days in the future")
	}
	return at.Truncate(time.Millisecond)
}

func words(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	}
	return d.String()
}

// apply makes the change to a post: only what the request named.
func (c change) apply(post *schema.Post) {
	f := c.fields
	content := post.Content
	if len(content.Entries) == 0 {
		content.Entries = []schema.Entry{{}}
	}
	content.Entries = slices.Clone(content.Entries)
	if f.thread != nil {
		content.Entries, content.Thread = f.entries, f.thread
	}
	if f.content != nil {
		content.Entries[0].Text = *f.content
	}
	if f.media != nil {
		content.Entries[0].Media = f.media
	}
	if f.settings != nil {
		content.Settings = f.settings
	}
	if f.comments != nil {
		content.FirstComments = f.comments
	}
	if f.metadata != nil {
		content.Metadata = f.metadata
	}
	if f.externalID != nil {
		content.ExternalID = *f.externalID
	}
	post.Content = content
	if f.targets != nil {
		post.Targets = c.targets
	}
	if f.brand != nil {
		post.Brand = c.brand
	}
	if c.timezone != "" {
		post.Timezone = c.timezone
	}
	if !c.scheduled.IsZero() && !c.scheduled.Equal(post.ScheduledFor) {
		post.ScheduledFor, post.Content.Queue = c.scheduled, schema.QueueID{}
	}
}

// validate checks the post as a whole against its platforms and those of its accounts
// that are known, and notes which platforms need it prepared. It leaves out what it says of a field that is known to be wrong
// already.
func (p *posts) validate(post *schema.Post, accounts *directory, r *report) {
	unreadable := func(t schema.Target) bool { return t.Platform == 0 }
	if len(post.Content.Entries) == 0 || slices.ContainsFunc(post.Targets, unreadable) {
		return // the report says so already
	}
	for i := range post.Targets {
		post.Targets[i].FirstStep = schema.StepPublish
		if p.Constraints(post.Targets[i].Platform).Prepares(post.Content.Entries[0]) {
			post.Targets[i].FirstStep = schema.StepPrepare
		}
	}
	errors, warnings := schema.Validate(post.Content, post.Targets, p.Constraints)
	if accounts != nil {
		errors = append(errors, schema.ValidateAccounts(post.Content, post.Targets, accounts.account)...)
	}
	known := r.errors // several platforms may find something in one field
	for _, d := range errors {
		if !about(known, d.Field) && !followsFromUpload(known, d.Field) {
			r.add(d)
		}
	}
	r.warnings = append(r.warnings, warnings...)
}

// followsFromUpload tells whether a field is the type of a media item whose upload was not
// found: without it the type is not known, and nothing is to be said of it.
func followsFromUpload(known []schema.Detail, field string) bool {
	item, ok := strings.CutSuffix(field, ".type")
	return ok && about(known, item+".mediaId")
}
