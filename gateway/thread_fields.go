package gateway

import (
	"fmt"

	"crier/schema"
)

// maxTitle is the length of a thread's title, in bytes.
const maxTitle = 255

// readThreadFields reads what a request says about a thread that is to be made.
func readThreadFields(f *form) postFields {
	thread := readThreadConfig(f).merge(schema.ThreadConfig{MaxRetries: schema.DefaultThreadRetries})
	fields := postFields{
		entries: readEntries(f),
		thread:  &thread,
		targets: readTargets(f),
	}
	fields.readShared(f)
	for _, t := range fields.targets {
		if t.content != "" {
			f.fail(t.field()+".content", codeConflict, "a platform's own text stands in platformContent of each entry")
		}
	}
	return fields
}

// readEntries returns an entry for each that was sent, so that what validation says of
// them has their numbers.
func readEntries(f *form) []schema.Entry {
	items, ok := f.list("posts", schema.MaxThreadEntries)
	if !ok {
		f.require("posts")
		return nil
	}
	if len(items) == 0 {
		f.fail("posts", schema.CodeThreadLength, fmt.Sprintf("a thread has %d to %d posts", schema.MinThreadEntries, schema.MaxThreadEntries))
	}
	entries := make([]schema.Entry, len(items))
	for i, item := range items {
		inner, ok := f.child(item, "posts", i)
		if !ok {
			continue
		}
		entries[i].Text, _ = inner.text("content", maxContent)
		entries[i].Platform = readPlatformContent(&inner)
		entries[i].Media = readMedia(&inner)
		inner.finish()
	}
	return entries
}

func readPlatformContent(f *form) map[schema.Platform]string {
	inner, ok := f.inner("platformContent")
	if !ok {
		return nil
	}
	texts := make(map[schema.Platform]string, len(inner.object.members))
	for _, platform := range schema.Platforms() {
		if text, ok := inner.text(platform.String(), maxContent); ok {
			texts[platform] = text
		}
	}
	inner.finish()
	return texts
}

// threadConfig is what a request says about a thread's config. Nil stands for a field it
// does not name.
type threadConfig struct {
	title           *string
	postDelay       *float64
	continueOnError *bool
	maxRetries      *int
}

func readThreadConfig(f *form) threadConfig {
	config := threadConfig{title: optional(f.text("title", maxTitle))}
	inner, ok := f.inner("config")
	if !ok {
		return config
	}
	defer inner.finish()
	if delay, ok := inner.decimal("postDelay"); ok {
		config.postDelay = &delay
		f.report.warn(inner.name("postDelay"), "no_effect", "the pause between two entries is fixed by platform")
		if delay < 0 {
			inner.fail("postDelay", codeInvalidValue, "must not be negative")
		}
	}
	if goesOn, ok := inner.boolean("continueOnError"); ok {
		config.continueOnError = &goesOn
	}
	if retries, ok := inner.integer("maxRetries"); ok {
		config.maxRetries = &retries
		if retries < 0 || retries > schema.MaxThreadRetries {
			inner.fail("maxRetries", codeInvalidValue, fmt.Sprintf("must be from 0 to %d", schema.MaxThreadRetries))
		}
	}
	return config
}

// merge returns a thread's config with what the request names in place of what was.
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
