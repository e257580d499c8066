package posts

import (
	"fmt"

	"crier/gateway/body"
	"crier/schema"
	"crier/schema/validation"
)

// maxTitle is the length of a thread's title, in bytes.
const maxTitle = 255

// readThreadFields reads the fields of a creation of a thread.
func readThreadFields(f *body.Form) postFields {
	thread := readThreadConfig(f).merge(schema.ThreadConfig{MaxRetries: schema.DefaultThreadRetries})
	fields := postFields{
		entries: readEntries(f),
		thread:  &thread,
		targets: readTargets(f),
	}
	fields.readShared(f)
	for _, t := range fields.targets {
		if t.content != "" {
			f.Fail(t.field()+".content", body.CodeConflict, "a platform's own text stands in platformContent of each entry")
		}
	}
	return fields
}

// readEntries returns an entry for each that was sent, so that indexes in validation
// errors are the request's.
func readEntries(f *body.Form) []schema.Entry {
	items, ok := f.List("posts", schema.MaxThreadEntries)
	if !ok {
		f.Require("posts")
		return nil
	}
	if len(items) == 0 {
		f.Fail("posts", validation.CodeThreadLength, fmt.Sprintf("a thread has %d to %d posts", schema.MinThreadEntries, schema.MaxThreadEntries))
	}
	entries := make([]schema.Entry, len(items))
	for i, item := range items {
		inner, ok := f.Child(item, "posts", i)
		if !ok {
			continue
		}
		entries[i].Text, _ = inner.Prose("content", maxContent)
		entries[i].Platform = readPlatformContent(&inner)
		entries[i].Media = readMedia(&inner)
		inner.NoteUnread()
	}
	return entries
}

func readPlatformContent(f *body.Form) map[schema.Platform]string {
	inner, ok := f.Inner("platformContent")
	if !ok {
		return nil
	}
	texts := make(map[schema.Platform]string, len(inner.Object.Members))
	for _, platform := range schema.Platforms() {
		if text, ok := inner.Prose(platform.String(), maxContent); ok {
			texts[platform] = text
		}
	}
	inner.NoteUnread()
	return texts
}

// threadConfig is what a request says about a thread's config. Nil is an absent field.
type threadConfig struct {
	title           *string
	postDelay       *float64
	continueOnError *bool
	maxRetries      *int
}

func readThreadConfig(f *body.Form) threadConfig {
	config := threadConfig{title: body.Optional(f.Text("title", maxTitle))}
	inner, ok := f.Inner("config")
	if !ok {
		return config
	}
	defer inner.NoteUnread()
	if delay, ok := inner.Decimal("postDelay"); ok {
		config.postDelay = &delay
		f.Report.Warn(inner.Name("postDelay"), "no_effect", "the pause between two entries is fixed by platform")
		if delay < 0 {
			inner.Fail("postDelay", body.CodeInvalidValue, "must not be negative")
		}
	}
	if goesOn, ok := inner.Boolean("continueOnError"); ok {
		config.continueOnError = &goesOn
	}
	if retries, ok := inner.Integer("maxRetries"); ok {
		config.maxRetries = &retries
		if retries < 0 || retries > schema.MaxThreadRetries {
			inner.Fail("maxRetries", body.CodeInvalidValue, fmt.Sprintf("must be from 0 to %d", schema.MaxThreadRetries))
		}
	}
	return config
}

// merge returns a thread's config with the request's fields replaced.
func (c threadConfig) merge(config schema.ThreadConfig) schema.ThreadConfig {
	if c.title != nil {
		config.Title = *c.title
	}
	if c.postDelay != nil {
		config.PostDelay = *c.postDelay
	}
	if c.continueOnError != nil {
		config.ContinueOnError = *c.continueOnError
	}
	if c.maxRetries != nil {
		config.MaxRetries = *c.maxRetries
	}
	return config
}
