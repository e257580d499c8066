package validation

import (
	"fmt"
	"slices"
	"strings"

	"crier/schema"
	"crier/schema/wording"
)

// rateTolerance allows for rates that are measured: of 23.976 pictures a second, for 23.
const rateTolerance = 0.02

// film checks how a video is coded. says begins each message, such as "tiktok takes".
func (c *factsCheck) film(l schema.FilmLimits, says string, f schema.MediaFacts) {
	film := f.Film
	if len(l.Codecs) > 0 && film.Codec != "" && !slices.Contains(l.Codecs, film.Codec) {
		c.fail(CodeMediaCodec, "%s videos coded as %s, this one is %s", says, strings.Join(l.Codecs, ", "), film.Codec)
	}
	if len(l.Sounds) > 0 && film.Sound != "" && !slices.Contains(l.Sounds, film.Sound) {
		c.fail(CodeMediaCodec, "%s videos whose sound is coded as %s, that of this one is %s", says, strings.Join(l.Sounds, ", "), film.Sound)
	}
	if l.MaxChannels > 0 && film.Channels > l.MaxChannels {
		c.fail(CodeMediaCodec, "%s videos with sound of at most %d channels, this one has %d", says, l.MaxChannels, film.Channels)
	}
	if rate := film.FrameRate; rate > 0 {
		if l.MinFrameRate > 0 && rate < l.MinFrameRate*(1-rateTolerance) || l.MaxFrameRate > 0 && rate > l.MaxFrameRate*(1+rateTolerance) {
			c.fail(CodeMediaFrameRate, "%s videos of %s pictures a second, this one has %.4g", says, between(l.MinFrameRate, l.MaxFrameRate), rate)
		}
	}
	if l.Steady && film.Unsteady {
		c.fail(CodeMediaFrameRate, "%s videos whose frame rate does not change, that of this one does", says)
	}
	if f.Duration > 0 && f.Duration < l.MinDuration {
		c.fail(CodeMediaTooShort, "%s videos of at least %s, this one lasts %s", says, wording.Duration(l.MinDuration), wording.Duration(f.Duration))
	}
	if f.Width > 0 && min(f.Width, f.Height) < l.MinSide {
		c.fail(CodeMediaTooSmall, "%s videos of at least %d pixels a side, this one has %d × %d", says, l.MinSide, f.Width, f.Height)
	}
	if side := max(f.Width, f.Height); l.MaxSide > 0 && side > l.MaxSide {
		c.fail(CodeMediaTooManyPixels, "%s videos of at most %d pixels a side, this one has %d × %d", says, l.MaxSide, f.Width, f.Height)
	}
	if l.MaxWidth > 0 && f.Width > l.MaxWidth {
		c.fail(CodeMediaTooManyPixels, "%s videos of at most %d pixels in width, this one has %d × %d", says, l.MaxWidth, f.Width, f.Height)
	}
	if l.Plain && (film.Chroma != "" && film.Chroma != "4:2:0" || film.Depth > 8) {
		c.fail(CodeMediaSampling, "%s videos of 4:2:0 with 8 bits, this one has %s with %d", says, film.Chroma, film.Depth)
	}
	if l.Whole && film.Edited {
		c.fail(CodeMediaEdited, "%s videos without edit lists, this one has one that leaves out a part, which may be shown", says)
	}
}

func between(minimum, maximum float64) string {
	switch {
	case minimum == 0:
		return fmt.Sprintf("at most %g", maximum)
	case maximum == 0:
		return fmt.Sprintf("at least %g", minimum)
	default:
		return fmt.Sprintf("%g to %g", minimum, maximum)
	}
}

// gif checks a GIF. says begins each message.
func (c *factsCheck) gif(l schema.GIFLimits, says string, f schema.MediaFacts) {
	if l.MaxFrames > 0 && f.Frames > l.MaxFrames {
		c.fail(CodeMediaTooLong, "%s GIFs of at most %d pictures, this one has %d", says, l.MaxFrames, f.Frames)
	}
	if l.MaxWidth > 0 && f.Width > l.MaxWidth || l.MaxHeight > 0 && f.Height > l.MaxHeight {
		c.fail(CodeMediaTooManyPixels, "%s GIFs of at most %d × %d pixels, this one has %d × %d", says, l.MaxWidth, l.MaxHeight, f.Width, f.Height)
	}
	if all := int64(f.Frames) * int64(f.Width) * int64(f.Height); l.MaxPixels > 0 && all > l.MaxPixels {
		c.fail(CodeMediaTooManyPixels, "%s GIFs whose pictures have at most %d pixels together, those of this one have %d", says, l.MaxPixels, all)
	}
}

// advise returns what the platform's documents ask of a video or GIF that it may refuse.
func advise(c schema.Constraints, f schema.MediaFacts) []schema.Detail {
	check, says := factsCheck{platform: c.Platform}, c.Platform.String()+"'s documents ask for"
	switch f.Kind {
	case schema.Video:
		check.film(c.Media.FilmAdvice, says, f)
	case schema.GIF:
		check.gif(c.Media.GIFAdvice, says, f)
	}
	return check.details
}

// standsStill reports whether a picture that moves is shown as one that does not.
func standsStill(l schema.MediaLimits, f schema.MediaFacts) bool {
	return f.Animated && !slices.Contains(l.Moving, f.Type) && !slices.Contains(l.VideoTypes, f.Type)
}
