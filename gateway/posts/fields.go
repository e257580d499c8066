package posts

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"

	"crier/gateway/body"
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

// postFields is what a request says about a post. Nil is an absent field, which a PATCH
// leaves as it is; an empty list or object clears it.
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

// isEmpty reports whether a request names nothing of a post.
func (f postFields) isEmpty() bool { return reflect.ValueOf(f).IsZero() }

// hasStatus reports whether a request asks for a status.
func (f postFields) hasStatus(status string) bool { return f.status != nil && *f.status == status }

// allMedia returns the media of the post, or of all entries of a thread.
func (f postFields) allMedia() []locatedMedia {
	var all []locatedMedia
	add := func(media []schema.Media, parent string) {
		for i := range media {
			all = append(all, locatedMedia{Media: &media[i], field: parent + body.Indexed("mediaItems", i)})
		}
	}
	add(f.media, "")
	for i, e := range f.entries {
		add(e.Media, body.Indexed("posts", i)+".")
	}
	return all
}

// targetFields is one element of platforms.
type targetFields struct {
	n        int             // its position
	platform schema.Platform // zero: it could not be read
	account  string          // empty: the only account of the platform
	open     bool            // it may go without an account, where there is none or a choice
	content  string
}

// field returns how the sender calls the target, such as platforms[2].
func (t targetFields) field() string { return body.Indexed("platforms", t.n) }

func readPostFields(f *body.Form) postFields {
	fields := postFields{
		content: body.Optional(f.Prose("content", maxContent)),
		targets: readTargets(f),
		media:   readMedia(f),
	}
	fields.readShared(f)
	return fields
}

// readShared reads the fields that posts and threads have in common.
func (f *postFields) readShared(in *body.Form) {
	f.status = body.Optional(in.Text("status", body.MaxShort))
	f.scheduledFor = body.Optional(in.Text("scheduledFor", body.MaxShort))
	f.timezone = body.Optional(in.Text("timezone", body.MaxShort))
	f.settings = readSettings(in)
	f.comments = readComments(in)
	f.brand = body.Optional(in.Text("brandId", body.MaxShort))
	f.metadata = readMetadata(in)
	f.externalID = body.Optional(in.Text("externalId", maxExternalID))
}

func readTargets(f *body.Form) []targetFields {
	items, ok := f.List("platforms", maxTargets)
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
func readTarget(f *body.Form, item body.Value, n int) targetFields {
	t := targetFields{n: n}
	if item.Kind == body.Text {
		platform, err := schema.ParsePlatform(item.Text)
		if err != nil {
			f.Fail(t.field(), body.CodeInvalidValue, body.NoPlatform(item.Text))
		}
		t.platform = platform
		return t
	}
	if item.Kind != body.Object {
		f.Fail(t.field(), body.CodeInvalidType, "must be the name of a platform or an object {platform, accountId, content}")
		return t
	}
	inner, _ := f.Child(item, "platforms", n)
	defer inner.NoteUnread()
	t.account, _ = inner.Text("accountId", body.MaxShort)
	t.content, _ = inner.Prose("content", maxContent)
	name, ok := inner.Text("platform", body.MaxShort)
	if !ok {
		inner.Require("platform")
		return t
	}
	platform, err := schema.ParsePlatform(name)
	if err != nil {
		inner.Fail("platform", body.CodeInvalidValue, body.NoPlatform(name))
	}
	t.platform = platform
	return t
}

func readMedia(f *body.Form) []schema.Media {
	items, ok := f.List("mediaItems", maxMediaItems)
	if !ok {
		return nil
	}
	media := make([]schema.Media, 0, len(items))
	for i, item := range items {
		inner, ok := f.Child(item, "mediaItems", i)
		if !ok {
			continue
		}
		media = append(media, readMediaItem(&inner))
		inner.NoteUnread()
	}
	return media
}

func readMediaItem(f *body.Form) schema.Media {
	var m schema.Media
	m.AltText, _ = f.Text("altText", body.MaxAltText)
	if fit, ok := f.Text("fit", body.MaxShort); ok {
		switch m.Fit = schema.Fit(fit); m.Fit {
		case schema.FitContain, schema.FitCover:
		case "none":
			m.Fit = schema.FitNone
		default:
			f.Fail("fit", body.CodeInvalidValue, "must be none, contain or cover")
		}
	}
	m.KeepMetadata, _ = f.Boolean("keepMetadata")
	address, byURL := f.Text("url", body.MaxURL)
	id, byID := f.Text("mediaId", body.MaxShort)
	if name, ok := f.Text("type", body.MaxShort); ok {
		m.Kind = schema.MediaKind(name)
		if m.Kind != schema.Image && m.Kind != schema.Video && m.Kind != schema.PDF {
			f.Fail("type", body.CodeInvalidValue, "must be image, video or pdf")
		}
	} else if _, there := f.Find("type"); !byID && !there {
		f.Fail("type", body.CodeRequired, "this field is required: image, video or pdf")
	}
	if byURL {
		m.URL = address
		readMediaURL(f, address)
	}
	if byID {
		var err error
		if m.MediaID, err = schema.ParseID[schema.MediaID](id); err != nil || m.MediaID.IsZero() {
			f.Fail("mediaId", codeMediaUnknown, noMedia(id))
		}
	}
	if !byURL && !byID {
		f.Require("url")
	}
	return m
}

// readMediaURL fails an address that media cannot be fetched from, and says what to do with a file.
func readMediaURL(f *body.Form, address string) {
	if u, err := url.Parse(address); err == nil && (u.Scheme == "" || u.Scheme == "file") {
		f.Fail("url", body.CodeInvalidURL, "must be a public http or https URL; a file of your own is uploaded first (POST /media/upload-url) and named by its mediaId")
		return
	}
	f.CheckURL("url", address)
}

func readSettings(f *body.Form) map[schema.Platform]json.RawMessage {
	members, ok := f.Members("platformSettings")
	if !ok {
		return nil
	}
	settings := make(map[schema.Platform]json.RawMessage, len(members))
	for _, m := range members {
		field := "platformSettings." + body.Clip(m.Name)
		platform, err := schema.ParsePlatform(m.Name)
		switch {
		case err != nil && body.LikePlatform(m.Name) != "":
			f.Fail(field, body.CodeInvalidValue, body.NoPlatform(m.Name))
		case err != nil && (m.Value.Kind != body.Object || namesAudience(m)):
			f.Fail(field, body.CodeUnknownField, "settings stand under the name of their platform: "+settingName(platformsNamed(f), body.Clip(m.Name)))
		case err != nil:
			f.Report.WarnUnknown(field, "platform", "")
		case m.Value.Kind != body.Object:
			f.Fail(field, body.CodeInvalidType, f.Report.Wrong(m.Value, body.Object))
		default:
			settings[platform] = m.Value.AppendCanonical(nil)
		}
	}
	return settings
}

func readComments(f *body.Form) []schema.FirstComment {
	single, hasSingle := f.Prose("firstComment", maxContent)
	items, hasList := f.List("firstComments", maxComments)
	if hasSingle && hasList {
		f.Fail("firstComment", body.CodeConflict, "must not stand beside firstComments; it is short for one with target 0")
	}
	if !hasList {
		if hasSingle {
			return []schema.FirstComment{{Text: single}}
		}
		return nil
	}
	comments := make([]schema.FirstComment, 0, len(items))
	for i, item := range items {
		inner, ok := f.Child(item, "firstComments", i)
		if !ok {
			continue
		}
		var comment schema.FirstComment
		comment.Target, _ = inner.Integer("target")
		if comment.Text, ok = inner.Prose("text", maxContent); !ok {
			inner.Require("text")
		}
		inner.NoteUnread()
		comments = append(comments, comment)
	}
	return comments
}

func readMetadata(f *body.Form) map[string]string {
	members, ok := f.Members("metadata")
	if !ok {
		return nil
	}
	if len(members) > maxMetadata {
		f.Fail("metadata", body.CodeTooMany, fmt.Sprintf("must have at most %d entries, not %d", maxMetadata, len(members)))
		return nil
	}
	metadata := make(map[string]string, len(members))
	for _, m := range members {
		field := "metadata." + body.Clip(m.Name)
		switch {
		case m.Name == "" || len(m.Name) > maxMetadataName:
			f.Fail(field, body.CodeInvalidValue, fmt.Sprintf("a name must be 1 to %d bytes long", maxMetadataName))
		case m.Value.Kind != body.Text:
			f.Fail(field, body.CodeInvalidType, f.Report.Wrong(m.Value, body.Text))
		case len(m.Value.Text) > maxMetadataValue:
			f.Fail(field, body.CodeTooLong, fmt.Sprintf("must be at most %d bytes long", maxMetadataValue))
		default:
			metadata[m.Name] = m.Value.Text
		}
	}
	return metadata
}
