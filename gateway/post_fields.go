package gateway

import (
	"encoding/json"
	"fmt"

	"crier/schema"
)

// Bounds of the fields of a post, in bytes or items, where no platform's own is lower.
const (
	maxContent       = 256 << 10
	maxTargets       = 250
	maxMediaItems    = 50
	maxComments      = 50
	maxMetadata      = 50
	maxMetadataName  = 64
	maxMetadataValue = 500
	maxExternalID    = 255
)

// postFields is what a request says about a post. Nil stands for a field it does not
// name, which in a PATCH stays as it is; an empty list or object empties.
type postFields struct {
	content      *string
	targets      []targetFields
	media        []schema.Media
	status       *string
	scheduledFor *string
	timezone     *string
	settings     map[schema.Platform]json.RawMessage
	comments     []schema.FirstComment
	brand        *string
	metadata     map[string]string
	externalID   *string
	entries      []schema.Entry       // of a thread
	thread       *schema.ThreadConfig // nil: not a thread
}

// allMedia returns the media of the post, or of all entries of a thread.
func (f postFields) allMedia() []locatedMedia {
	var all []locatedMedia
	add := func(media []schema.Media, parent string) {
		for i := range media {
			all = append(all, locatedMedia{&media[i], parent + indexed("mediaItems", i)})
		}
	}
	add(f.media, "")
	for i, e := range f.entries {
		add(e.Media, indexed("posts", i)+".")
	}
	return all
}

// targetFields is one element of platforms.
type targetFields struct {
	n        int             // its position
	platform schema.Platform // zero: it could not be read
	account  string          // empty: the only account of the platform
	content  string
}

// field returns how the sender calls the target, such as platforms[2].
func (t targetFields) field() string { return indexed("platforms", t.n) }

func readPostFields(f *form) postFields {
	fields := postFields{
		content: optional(f.text("content", maxContent)),
		targets: readTargets(f),
		media:   readMedia(f),
	}
	fields.readShared(f)
	return fields
}

// readShared reads what requests say about posts and threads alike.
func (f *postFields) readShared(in *form) {
	f.status = optional(in.text("status", maxShort))
	f.scheduledFor = optional(in.text("scheduledFor", maxShort))
	f.timezone = optional(in.text("timezone", maxShort))
	f.settings = readSettings(in)
	f.comments = readComments(in)
	f.brand = optional(in.text("brandId", maxShort))
	f.metadata = readMetadata(in)
	f.externalID = optional(in.text("externalId", maxExternalID))
}

func readTargets(f *form) []targetFields {
	items, ok := f.list("platforms", maxTargets)
	if !ok {
		return nil
	}
	targets := make([]targetFields, len(items))
	for i, item := range items {
		targets[i] = readTarget(f, item, i)
	}
	return targets
}

// readTarget returns a target without a platform where that is missing or unknown.
func readTarget(f *form, item value, n int) targetFields {
	t := targetFields{n: n}
	if item.kind == text {
		platform, err := schema.ParsePlatform(item.text)
		if err != nil {
			f.fail(t.field(), codeInvalidValue, noPlatform(item.text))
		}
		t.platform = platform
		return t
	}
	if item.kind != object {
		f.fail(t.field(), codeInvalidType, "must be the name of a platform or an object {platform, accountId, content}")
		return t
	}
	inner, _ := f.child(item, "platforms", n)
	defer inner.finish()
	t.account, _ = inner.text("accountId", maxShort)
	t.content, _ = inner.text("content", maxContent)
	name, ok := inner.text("platform", maxShort)
	if !ok {
		inner.require("platform")
		return t
	}
	platform, err := schema.ParsePlatform(name)
	if err != nil {
		inner.fail("platform", codeInvalidValue, noPlatform(name))
	}
	t.platform = platform
	return t
}

func readMedia(f *form) []schema.Media {
	items, ok := f.list("mediaItems", maxMediaItems)
	if !ok {
		return nil
	}
	media := make([]schema.Media, 0, len(items))
	for i, item := range items {
		inner, ok := f.child(item, "mediaItems", i)
		if !ok {
			continue
		}
		media = append(media, readMediaItem(&inner))
		inner.finish()
	}
	return media
}

func readMediaItem(f *form) schema.Media {
	var m schema.Media
	m.AltText, _ = f.text("altText", maxAltText)
	address, byURL := f.text("url", maxURL)
	id, byID := f.text("mediaId", maxShort)
	if name, ok := f.text("type", maxShort); ok {
		m.Kind = schema.MediaKind(name)
		if m.Kind != schema.Image && m.Kind != schema.Video && m.Kind != schema.PDF {
			f.fail("type", codeInvalidValue, "must be image, video or pdf")
		}
	} else if !byID {
		f.require("type")
	}
	if byURL {
		m.URL = address
		f.checkURL("url", address)
	}
	if byID {
		var err error
		if m.MediaID, err = schema.ParseMediaID(id); err != nil || m.MediaID.IsZero() {
			f.fail("mediaId", codeMediaUnknown, noMedia(id))
		}
	}
	if !byURL && !byID {
		f.require("url")
	}
	return m
}

func readSettings(f *form) map[schema.Platform]json.RawMessage {
	members, ok := f.members("platformSettings")
	if !ok {
		return nil
	}
	settings := make(map[schema.Platform]json.RawMessage, len(members))
	for _, m := range members {
		field := "platformSettings." + clip(m.name)
		platform, err := schema.ParsePlatform(m.name)
		switch {
		case err != nil:
			f.report.warn(field, codeUnknownField, "there is no platform of this name; the settings were ignored")
		case m.value.kind == null:
		case m.value.kind != object:
			f.fail(field, codeInvalidType, f.report.wrong(m.value, object))
		default:
			settings[platform] = m.value.withoutNulls().appendCanonical(nil)
		}
	}
	return settings
}

func readComments(f *form) []schema.FirstComment {
	single, hasSingle := f.text("firstComment", maxContent)
	items, hasList := f.list("firstComments", maxComments)
	if hasSingle && hasList {
		f.fail("firstComment", codeConflict, "must not stand beside firstComments; it is short for one with target 0")
	}
	if !hasList {
		if hasSingle {
			return []schema.FirstComment{{Text: single}}
		}
		return nil
	}
	comments := make([]schema.FirstComment, 0, len(items))
	for i, item := range items {
		inner, ok := f.child(item, "firstComments", i)
		if !ok {
			continue
		}
		var comment schema.FirstComment
		comment.Target, _ = inner.integer("target")
		if comment.Text, ok = inner.text("text", maxContent); !ok {
			inner.require("text")
		}
		inner.finish()
		comments = append(comments, comment)
	}
	return comments
}

func readMetadata(f *form) map[string]string {
	members, ok := f.members("metadata")
	if !ok {
		return nil
	}
	if len(members) > maxMetadata {
		f.fail("metadata", codeTooMany, fmt.Sprintf("must have at most %d entries, not %d", maxMetadata, len(members)))
		return nil
	}
	metadata := make(map[string]string, len(members))
	for _, m := range members {
		field := "metadata." + clip(m.name)
		switch {
		case m.name == "" || len(m.name) > maxMetadataName:
			f.fail(field, codeInvalidValue, fmt.Sprintf("a name must be 1 to %d bytes long", maxMetadataName))
		case m.value.kind != text:
			f.fail(field, codeInvalidType, f.report.wrong(m.value, text))
		case len(m.value.text) > maxMetadataValue:
			f.fail(field, codeTooLong, fmt.Sprintf("must be at most %d bytes long", maxMetadataValue))
		default:
			metadata[m.name] = m.value.text
		}
	}
	return metadata
}
