package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/schema"
	"crier/schema/wording"
)

// maxThreadMedia is how many media items an entry of a thread may have.
const maxThreadMedia = 1

// mediaShape checks what does not depend on the platform.
func (v *validation) mediaShape(entry int) {
	media := v.content.Entries[entry].Media
	if v.content.Thread != nil && len(media) > maxThreadMedia {
		v.fail(0, v.entryField(entry, "mediaItems"), CodeMediaTooMany,
			"a post of a thread takes at most %d media item, this one has %d", maxThreadMedia, len(media))
	}
	for i, m := range media {
		field := v.mediaField(entry, i)
		if !slices.Contains([]schema.MediaKind{schema.Image, schema.Video, schema.GIF, schema.PDF}, m.Kind) {
			v.fail(0, field+".type", CodeMediaInvalid, "image, video or pdf is wanted, not %q", m.Kind)
		}
		if byURL, byID := m.URL != "", !m.MediaID.IsZero(); byURL == byID && m.Facts == nil { // an upload has both
			v.fail(0, field, CodeMediaInvalid, "either url or mediaId is wanted")
		}
		if known := m.KnownKind(); m.Kind != known && (m.Kind != schema.Image || known != schema.GIF) {
			v.fail(0, field+".type", CodeMediaTypeMismatch, "the content is %s, not %s", m.Facts.Type, m.Kind)
		}
		v.fitShape(field+".fit", m)
		if m.Facts != nil && m.Facts.Film.Tracks != "" && !m.KeepMetadata {
			v.warn(0, field, CodeMetadataKept,
				"the film has timed metadata or subtitles (%s), which may say where it was made and are published with it", m.Facts.Film.Tracks)
		}
		if n := utf8.RuneCountInString(m.AltText); n > schema.MaxAltText {
			v.fail(0, field+".altText", CodeAltTextTooLong, "at most %d characters are allowed, these are %d", schema.MaxAltText, n)
		}
	}
}

// fitShape warns if a fit has no effect, and if it may have one that cannot be told yet.
func (v *validation) fitShape(field string, m schema.Media) {
	kind := m.KnownKind()
	switch {
	case m.Fit == schema.FitNone:
	case kind == schema.Video || kind == schema.PDF:
		v.warn(0, field, CodeMediaFitIgnored, "a %s is published as it is, or refused: only pictures are made to fit", kind)
	case m.Facts == nil:
		v.warn(0, field, CodeMediaResized, "a platform that does not take the picture as it is gets a copy that fits, once it is fetched")
	}
}

func (v *validation) mediaField(entry, i int) string {
	return v.entryField(entry, fmt.Sprintf("mediaItems[%d]", i))
}

// media checks the media of an entry against a platform: by their content if it is known,
// otherwise by their declared kinds.
func (v *validation) media(c rules, entry int) {
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
	v.mediaSizes(c, field, media)
}

// mediaSizes warns of pictures of several sizes where one is wanted, as far as they are known.
func (v *validation) mediaSizes(c rules, field string, media []schema.Media) {
	if !c.Media.OneSize {
		return
	}
	first := ""
	for _, m := range media {
		if m.Facts == nil || m.Facts.Width == 0 || m.KnownKind() != schema.Image {
			continue
		}
		f := m.Sent()
		if plan, needed, _ := c.fit(f, m.Fit); needed {
			f = plan.facts()
		}
		size := fmt.Sprintf("%d × %d", f.Width, f.Height)
		if first = cmp.Or(first, size); size != first {
			v.warn(c.Platform, field, CodeMediaSizesDiffer, "%s wants all pictures of a post in one size, there are %s and %s", c.LimitedBy(), first, size)
			return
		}
	}
}

func (v *validation) mediaItem(c rules, field string, m schema.Media) {
	if n := utf8.RuneCountInString(m.AltText); c.Media.MaxAltText > 0 && n > c.Media.MaxAltText && n <= schema.MaxAltText {
		v.fail(c.Platform, field+".altText", CodeAltTextTooLong, "%s takes alternative texts of at most %d characters, this one has %d", c.LimitedBy(), c.Media.MaxAltText, n)
	}
	if c.Pulls && !c.Copies && m.MediaID.IsZero() && !m.KeepMetadata {
		v.warn(c.Platform, field, CodeMetadataKept, "%s fetches the url by itself, with what the file says of where and when it was made: "+
			"POST /media/from-url makes an upload of it, which is published without", c.Platform)
	}
	if m.Facts == nil {
		if !slices.Contains(c.Media.Kinds, m.Kind) {
			v.fail(c.Platform, field+".type", CodeMediaKindUnsupported, "%s takes %s, not %s", c.LimitedBy(), kinds(c.Media.Kinds), m.Kind)
		}
		if c.Pulls && m.Fit != schema.FitNone && m.Kind == schema.Image {
			v.fail(c.Platform, field+".fit", CodeMediaFitNeedsUpload,
				"%s fetches media by itself, so that only an upload can be made to fit: POST /media/from-url makes one of a url", c.Platform)
		}
		return
	}
	plan, needed, details := c.fit(m.Sent(), m.Fit)
	if !needed {
		for _, d := range c.cured(m.Sent(), m.Fit, details) {
			d.Field = field
			v.add(&v.errors, d)
		}
	}
	for _, d := range advise(*c.Constraints, *m.Facts) {
		if isRefused := slices.ContainsFunc(details, func(other schema.Detail) bool { return other.Code == d.Code }); !isRefused {
			d.Field = field
			v.add(&v.warnings, d)
		}
	}
	if standsStill(c.Media, *m.Facts) && (needed || len(details) == 0) {
		v.warn(c.Platform, field, CodeGIFStandsStill, "the picture moves, and stands still on %s: a video of it (MP4) moves", c.LimitedBy())
	}
	if needed {
		v.warn(c.Platform, field, CodeMediaResized, "%s gets a copy of %s: %s", c.Platform, plan, details[0].Message)
	}
}

// fit returns what is made of a media item. A picture is made to fit what the platform takes,
// and the result must then meet the constraints of the account.
func (c rules) fit(f schema.MediaFacts, fit schema.Fit) (plan Refit, needed bool, details []schema.Detail) {
	plan, needed, details = Fit(*c.platform, f, fit)
	switch {
	case needed:
		if left := CheckMedia(c.Media, c.Platform, plan.facts()); len(left) > 0 {
			return plan, false, left
		}
	case len(details) == 0 || fit == schema.FitNone && !IsConverted(f.Type): // it is sent as it is
		details = CheckMedia(c.Media, c.Platform, f)
	}
	return plan, needed, details
}

func (v *validation) mediaCounts(c rules, field string, media []schema.Media) {
	videos, documents := 0, 0
	for _, m := range media {
		switch kind := m.KnownKind(); {
		case kind == schema.PDF:
			documents++
		case kind == schema.Video, kind == schema.GIF && gifIsVideo(c.Media):
			videos++
		}
	}
	images := len(media) - videos - documents
	switch {
	case len(media) > c.Media.Max:
		v.fail(c.Platform, field, CodeMediaTooMany, "%s takes at most %d media items, there are %d", c.LimitedBy(), c.Media.Max, len(media))
	case videos > c.Media.MaxVideos && c.Media.MaxVideos > 0:
		v.fail(c.Platform, field, CodeMediaTooMany, "%s takes at most %d videos, there are %d", c.Platform, c.Media.MaxVideos, videos)
	}
	if !c.Media.Mixed && !alone(images, videos, documents) {
		v.fail(c.Platform, field, CodeMediaMix, "%s takes only one kind of media in a post, there are %s",
			c.Platform, mixture(images, videos, documents))
	}
}

// gifIsVideo reports whether a platform counts a GIF as a video: it lists the type as one.
func gifIsVideo(m schema.MediaLimits) bool { return slices.Contains(m.VideoTypes, "image/gif") }

// alone reports whether at most one of the counts is not zero.
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

func kinds(all []schema.MediaKind) string {
	names := make([]string, len(all))
	for i, kind := range all {
		names[i] = string(kind)
	}
	return strings.Join(names, " or ")
}

// CheckMedia returns why a platform does not take a media item: each detail has a code, and a
// message that says what was found and what is taken. It is called for media whose content is
// known when a post is created, and by connectors for all others before they upload.
func CheckMedia(l schema.MediaLimits, p schema.Platform, f schema.MediaFacts) []schema.Detail {
	c := factsCheck{platform: p}
	if !slices.Contains(l.Kinds, f.Kind) {
		c.fail(CodeMediaKindUnsupported, "%s takes %s, not %s", p, kinds(l.Kinds), f.Type)
		return c.details // the other limits are for the kinds that it takes
	}
	types, maximum := boundsOf(l, f.Kind)
	switch {
	case slices.Contains(types, f.Type):
	case len(types) > 0:
		c.fail(CodeMediaTypeUnsupported, "%s takes %s of %s, not %s", p, plural(f.Kind), strings.Join(types, ", "), f.Type)
	case IsConverted(f.Type):
		c.fail(CodeMediaTypeUnsupported, "%s does not list %s among the pictures that it takes", p, f.Type)
	}
	if maximum > 0 && f.Size > maximum {
		c.fail(CodeMediaTooLarge, "%s takes %s of at most %d bytes, this one has %d", p, plural(f.Kind), maximum, f.Size)
	}
	switch f.Kind {
	case schema.Video:
		c.film(l.Film, p.String()+" takes", f)
	case schema.GIF:
		c.gif(l.GIF, p.String()+" takes", f)
	}
	if f.Kind == schema.Video && l.MaxVideoDuration > 0 && f.Duration > l.MaxVideoDuration {
		c.fail(CodeMediaTooLong, "%s takes videos of at most %s, this one lasts %s", p, wording.Duration(l.MaxVideoDuration), wording.Duration(f.Duration))
	}
	if f.Kind != schema.PDF && f.Width > 0 && f.Height > 0 {
		c.dimensions(l, f)
	}
	return c.details
}

// boundsOf returns the types and the largest size, in bytes, that a kind may have.
func boundsOf(l schema.MediaLimits, kind schema.MediaKind) (types []string, maximum int64) {
	switch {
	case kind == schema.PDF:
		return nil, l.MaxDocumentBytes
	case kind == schema.GIF && l.MaxGIFBytes > 0:
		types, _ = boundsOf(schema.MediaLimits{VideoTypes: l.VideoTypes, ImageTypes: l.ImageTypes}, kind)
		return types, l.MaxGIFBytes
	case kind == schema.Video, kind == schema.GIF && gifIsVideo(l):
		return l.VideoTypes, l.MaxVideoBytes
	default:
		return l.ImageTypes, l.MaxImageBytes
	}
}

// factsCheck collects what CheckMedia finds.
type factsCheck struct {
	platform schema.Platform
	details  []schema.Detail
}

func (c *factsCheck) fail(code, format string, args ...any) {
	c.details = append(c.details, schema.Detail{Platform: platformName(c.platform), Code: code, Message: fmt.Sprintf(format, args...)})
}

const (
	// aspectTolerance allows for sides that were rounded to whole pixels: 1080 × 565 is
	// meant to be 1.91 to 1.
	aspectTolerance = 0.005
	// exactly is what a division of whole numbers may be beside its result.
	exactly = 1e-9
)

func (c *factsCheck) dimensions(l schema.MediaLimits, f schema.MediaFacts) {
	if f.Width < l.MinWidth || f.Height < l.MinHeight {
		c.fail(CodeMediaTooSmall, "%s takes media of at least %d × %d pixels, this one has %d × %d",
			c.platform, l.MinWidth, l.MinHeight, f.Width, f.Height)
	}
	c.pixels(l, f)
	if l.MaxWidth > 0 && f.Width > l.MaxWidth || l.MaxHeight > 0 && f.Height > l.MaxHeight {
		c.fail(CodeMediaTooManyPixels, "%s takes media of at most %d × %d pixels, this one has %d × %d",
			c.platform, l.MaxWidth, l.MaxHeight, f.Width, f.Height)
	}
	if l.AspectOfImages && f.Kind == schema.Video {
		return
	}
	ratio := float64(f.Width) / float64(f.Height)
	tolerance, digits := aspectTolerance, 3
	if l.ExactAspect {
		tolerance, digits = exactly, 5
	}
	if l.MinAspect > 0 && ratio < l.MinAspect*(1-tolerance) || l.MaxAspect > 0 && ratio > l.MaxAspect*(1+tolerance) {
		c.fail(CodeMediaAspect, "%s takes an aspect ratio from %.3g to %.3g (width by height), %d × %d is %.*g",
			c.platform, l.MinAspect, l.MaxAspect, f.Width, f.Height, digits, ratio)
	}
}

func (c *factsCheck) pixels(l schema.MediaLimits, f schema.MediaFacts) {
	maximum := map[schema.MediaKind]int64{schema.Image: l.MaxPixels, schema.GIF: cmp.Or(l.MaxGIFPixels, l.MaxPixels), schema.Video: l.MaxVideoPixels}[f.Kind]
	if maximum > 0 && int64(f.Width)*int64(f.Height) > maximum {
		c.fail(CodeMediaTooManyPixels, "%s takes %s of at most %d pixels, this one has %d × %d", c.platform, plural(f.Kind), maximum, f.Width, f.Height)
	}
	if f.Kind != schema.Video && l.MaxSides > 0 && f.Width+f.Height > l.MaxSides {
		c.fail(CodeMediaTooManyPixels, "%s takes pictures of at most %d pixels in width and height together, this one has %d × %d",
			c.platform, l.MaxSides, f.Width, f.Height)
	}
}

func plural(kind schema.MediaKind) string {
	switch kind {
	case schema.PDF:
		return "documents"
	case schema.GIF:
		return "GIFs"
	default:
		return string(kind) + "s"
	}
}
