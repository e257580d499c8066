package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxThreadMedia is how many media items an entry of a thread may have.
const maxThreadMedia = 1

// mediaShape checks what is the same for every platform.
func (v *validation) mediaShape(entry int) {
	media := v.content.Entries[entry].Media
	if v.content.Thread != nil && len(media) > maxThreadMedia {
		v.fail(0, v.entryField(entry, "mediaItems"), CodeMediaTooMany,
			"a post of a thread takes at most %d media item, this one has %d", maxThreadMedia, len(media))
	}
	for i, m := range media {
		field := v.mediaField(entry, i)
		if !slices.Contains([]MediaKind{Image, Video, GIF, PDF}, m.Kind) {
			v.fail(0, field+".type", CodeMediaInvalid, "image, video or pdf is wanted, not %q", m.Kind)
		}
		if byURL, byID := m.URL != "", !m.MediaID.IsZero(); byURL == byID && m.Facts == nil { // an upload has both
			v.fail(0, field, CodeMediaInvalid, "either url or mediaId is wanted")
		}
		if known := m.KnownKind(); m.Kind != known && (m.Kind != Image || known != GIF) {
			v.fail(0, field+".type", CodeMediaTypeMismatch, "the content is %s, not %s", m.Facts.Type, m.Kind)
		}
		if n := utf8.RuneCountInString(m.AltText); n > MaxAltText {
			v.fail(0, field+".altText", CodeAltTextTooLong, "at most %d characters are allowed, these are %d", MaxAltText, n)
		}
	}
}

func (v *validation) mediaField(entry, i int) string {
	return v.entryField(entry, fmt.Sprintf("mediaItems[%d]", i))
}

// media checks the media of an entry against a platform: by their content where it is
// known, else by their declared kinds.
func (v *validation) media(c Constraints, entry int) {
	media := v.content.Entries[entry].Media
	field := v.entryField(entry, "mediaItems")
	if len(media) == 0 {
		if c.Media.Required {
			v.fail(c.Platform, field, CodeMediaRequired, "%s needs media (%s) with every post, there are none", c.Platform, kinds(c.Media.Kinds))
		}
		return
	}
	for i, m := range media {
		v.mediaItem(c, v.mediaField(entry, i), m)
	}
	v.mediaCounts(c, field, media)
}

func (v *validation) mediaItem(c Constraints, field string, m Media) {
	if m.Facts == nil {
		if !slices.Contains(c.Media.Kinds, m.Kind) {
			v.fail(c.Platform, field+".type", CodeMediaKindUnsupported, "%s takes %s, not %s", c.Platform, kinds(c.Media.Kinds), m.Kind)
		}
		return
	}
	for _, d := range c.Media.Check(c.Platform, *m.Facts) {
		d.Field = field
		v.add(&v.errors, d)
	}
}

func (v *validation) mediaCounts(c Constraints, field string, media []Media) {
	videos, documents := 0, 0
	for _, m := range media {
		switch kind := m.KnownKind(); {
		case kind == PDF:
			documents++
		case kind == Video, kind == GIF && c.Media.gifIsVideo():
			videos++
		}
	}
	images := len(media) - videos - documents
	switch {
	case len(media) > c.Media.Max:
		v.fail(c.Platform, field, CodeMediaTooMany, "%s takes at most %d media items, there are %d", c.Platform, c.Media.Max, len(media))
	case videos > c.Media.MaxVideos && c.Media.MaxVideos > 0:
		v.fail(c.Platform, field, CodeMediaTooMany, "%s takes at most %d videos, there are %d", c.Platform, c.Media.MaxVideos, videos)
	}
	if !c.Media.Mixed && !alone(images, videos, documents) {
		v.fail(c.Platform, field, CodeMediaMix, "%s takes only one kind of media in a post, there are %s",
			c.Platform, mixture(images, videos, documents))
	}
}

// gifIsVideo tells whether a GIF counts as a video: its media type is among theirs.
func (m MediaLimits) gifIsVideo() bool { return slices.Contains(m.VideoTypes, "image/gif") }

// alone tells whether at most one of the counts is not zero.
func alone(counts ...int) bool {
	kinds := 0
	for _, n := range counts {
		kinds += min(n, 1)
	}
	return kinds <= 1
}

func mixture(images, videos, documents int) string {
	var parts []string
	for _, part := range []struct {
		name string
		n    int
	}{{"image", images}, {"video", videos}, {"document", documents}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s × %d", part.name, part.n))
		}
	}
	return strings.Join(parts, ", ")
}

func kinds(all []MediaKind) string {
	names := make([]string, len(all))
	for i, kind := range all {
		names[i] = string(kind)
	}
	return strings.Join(names, " or ")
}
