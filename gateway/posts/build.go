package posts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier/gateway/body"
	"crier/gateway/calendar"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/validation"
	"crier/schema/wording"
)

const (
	// transit is by how much a time may miss the lead, since requests take time to arrive
	// and clocks differ; of a small lead it is a tenth.
	transit         = 2 * time.Second
	codeTimeInvalid = "time_invalid"
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
		ID: schema.NewPostID(b.now), Workspace: b.key.Workspace, Version: 1, FromAPI: b.key.User.IsZero(),
		Status: schema.Scheduled, Timezone: b.timezone, CreatedAt: b.now, UpdatedAt: b.now,
	}
	queue := readQueueID(f)
	mode := readMode(f, fields, queue)
	if b.key.DraftsOnly && mode != asDraft {
		f.Fail("status", body.CodeInvalidValue, "must be draft: your role makes drafts alone")
	}
	f.Finish()
	requirePlatforms(f, fields)
	change := p.changeOf(ctx, b, fields, r)
	change.apply(&post)
	switch mode {
	case atOnce:
		post.ScheduledFor = b.now
	case asDraft:
		post.Status = schema.Draft
	case inQueue:
		if fields.timezone == nil {
			post.Timezone = "" // it gets the queue's, with its slot
		}
	case atTime:
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
	id, err := schema.ParseQueueID(text)
	if err != nil {
		f.Fail("queueId", "queue_unknown", "there is no queue of this id")
	}
	return id
}

// modeFields are the fields that choose a mode. If one of them has failed, the mode is
// not known.
var modeFields = []string{"publishNow", "queue", "queueId", "scheduledFor", "status"}

// readMode returns the one scheduling mode of a request.
func readMode(f *body.Form, fields postFields, named schema.QueueID) mode {
	now, _ := f.Boolean("publishNow")
	queue, _ := f.Boolean("queue")
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
		f.Fail("status", body.CodeInvalidValue, "must be draft, scheduled or immediate")
	case status == "scheduled" && now:
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

// change is what a request does to a post, computed as far as possible without the post.
type change struct {
	fields    postFields
	targets   []schema.Target
	uploads   []schema.MediaID // that settings name
	brand     schema.BrandID
	accounts  *directory.Directory // nil: they could not be read
	timezone  string               // empty: stays
	scheduled time.Time            // zero: stays
}

// changeOf resolves what the fields of a request name: accounts, brand, time. It reads
// from the database and from DNS, so it runs before a post is locked.
func (p *posts) changeOf(ctx context.Context, b batch, fields postFields, r *body.Report) change {
	c := change{fields: fields}
	p.resolve(ctx, b, &c, r)
	inSettings := p.settingMedia(fields.settings)
	media := append(fields.allMedia(), inSettings...)
	p.resolveMedia(ctx, b.key.Workspace, media, r)
	checkAddresses(ctx, b.lookups, media, r)
	c.uploads = uploadsOf(inSettings)
	zone, err := p.Zones.Load(b.timezone)
	if fields.timezone != nil {
		c.timezone = *fields.timezone
		if zone, err = p.Zones.Load(c.timezone); err != nil {
			r.Fail("timezone", body.CodeInvalidValue, err.Error())
		}
	}
	if err == nil && fields.scheduledFor != nil {
		c.scheduled = p.readTime(*fields.scheduledFor, zone, b.now, r)
	}
	return c
}

// resolve finds accounts and brand. A change that names none needs the accounts too: the whole
// post is held to what they take.
func (p *posts) resolve(ctx context.Context, b batch, c *change, r *body.Report) {
	var targets []schema.Target
	var found body.Report
	var brand schema.BrandID
	known := false
	accounts, err := p.Accounts.Find(ctx, b.key.Workspace, b.began, func(d *directory.Directory) bool {
		brand, known = d.Brand(c.fields.brand)
		targets, found = resolveTargets(d, c.fields.targets, brand)
		return len(found.Errors) == 0 && known
	})
	if err != nil {
		r.Fault = err
		return
	}
	if !known {
		r.Fail("brandId", "brand_unknown", fmt.Sprintf("there is no brand %q: GET /brands lists their ids", body.Clip(*c.fields.brand)))
	}
	r.Merge(&found)
	c.targets, c.brand, c.accounts = targets, brand, accounts
}

func (p *posts) readTime(text string, zone *time.Location, now time.Time, r *body.Report) time.Time {
	at, err := body.ParseTime(text, zone)
	switch earliest := now.Add(p.Lead - min(transit, p.Lead/10)); {
	case err != nil:
		r.Fail("scheduledFor", codeTimeInvalid, err.Error())
	case at.Before(earliest):
		r.Fail("scheduledFor", "time_too_early", fmt.Sprintf("must be at least %s in the future", wording.Duration(p.Lead)))
	case at.After(now.Add(calendar.MaxAhead)):
		r.Fail("scheduledFor", "time_too_late", "must be at most 90 days in the future")
	}
	return at.Truncate(time.Millisecond)
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
		content.Settings, content.SettingUploads = f.settings, c.uploads
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
