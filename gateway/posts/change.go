package posts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"crier/gateway/body"
	"crier/gateway/calendar"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/wording"
)

const (
	// transit is by how much a time may miss the lead, since requests take time to arrive
	// and clocks differ; of a small lead it is a tenth.
	transit         = 2 * time.Second
	codeTimeInvalid = "time_invalid"
)

// change is what a request does to a post, computed as far as possible without the post.
type change struct {
	fields    postFields
	mode      mode           // atTime: the post keeps its time, or gets the one that is scheduled
	queue     schema.QueueID // of inQueue
	config    threadConfig   // of a thread
	targets   []schema.Target
	uploads   []schema.MediaID // that settings name
	brand     schema.BrandID
	accounts  *directory.Directory // nil: they could not be read
	timezone  string               // empty: stays
	scheduled time.Time            // zero: stays
}

// isEmpty reports whether a change names nothing.
func (c change) isEmpty() bool {
	return c.fields.isEmpty() && c.config == (threadConfig{}) && c.mode == atTime
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

// apply makes the change to a post: only what the request named. A slot of a queue is given to it apart.
func (c change) apply(post *schema.Post, now time.Time) {
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
	if content.Thread != nil {
		config := c.config.merge(*content.Thread)
		content.Thread = &config
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
	switch c.mode {
	case atOnce:
		post.Status, post.ScheduledFor, post.Content.Queue = schema.Scheduled, now, schema.QueueID{}
	case inQueue:
		post.Status = schema.Scheduled
	case atTime, asDraft:
	}
}
