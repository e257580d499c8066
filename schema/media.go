package schema

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// MediaFacts is what probing found out about the content of a media item; what its
// name, its url or a header says counts for nothing.
type MediaFacts struct {
	Kind MediaKind `json:"kind"`
	Type string    `json:"type"` // image/jpeg, video/mp4, …
	Size int64     `json:"size"` // bytes
	// Width and Height are in pixels, as shown (a picture or film that is marked as
	// rotated is turned); zero where the format has none or they are not known (PDF, AVI).
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Duration is of a video; zero when the file does not say (live recordings do not).
	Duration time.Duration `json:"duration,omitempty"`
	Animated bool          `json:"animated,omitempty"` // a picture that moves: GIF, PNG or WebP
}

// Check returns what a platform does not take about content, each with a code and a
// message that says what was found and what is taken. Creating a post runs it for media
// whose content is known by then, each connector for all others before it uploads.
func (l MediaLimits) Check(p Platform, f MediaFacts) []Detail {
	c := factsCheck{platform: p}
	if !slices.Contains(l.Kinds, f.Kind) {
		c.fail(CodeMediaKindUnsupported, "%s takes %s, not %s", p, kinds(l.Kinds), f.Type)
		return c.details // its other limits are of what it takes
	}
	types, most := l.boundsOf(f.Kind)
	if len(types) > 0 && !slices.Contains(types, f.Type) {
		c.fail(CodeMediaTypeUnsupported, "%s takes %s of %s, not %s", p, plural(f.Kind), strings.Join(types, ", "), f.Type)
	}
	if most > 0 && f.Size > most {
		c.fail(CodeMediaTooLarge, "%s takes %s of at most %d bytes, this one has %d", p, plural(f.Kind), most, f.Size)
	}
	if f.Kind == Video && l.MaxVideoDuration > 0 && f.Duration > l.MaxVideoDuration {
		c.fail(CodeMediaTooLong, "%s takes videos of at most %s, this one lasts %s", p, l.MaxVideoDuration, f.Duration.Round(time.Millisecond))
	}
	if f.Kind != PDF && f.Width > 0 && f.Height > 0 {
		c.dimensions(l, f)
	}
	return c.details
}

// boundsOf returns the types and the size a kind may have.
func (l MediaLimits) boundsOf(kind MediaKind) (types []string, most int64) {
	switch {
	case kind == PDF:
		return nil, l.MaxDocumentBytes
	case kind == Video, kind == GIF && l.gifIsVideo():
		return l.VideoTypes, l.MaxVideoBytes
	default:
		return l.ImageTypes, l.MaxImageBytes
	}
}

// factsCheck collects what Check finds.
type factsCheck struct {
	platform Platform
	details  []Detail
}

func (c *factsCheck) fail(code, format string, args ...any) {
	c.details = append(c.details, Detail{Platform: platformName(c.platform), Code: code, Message: fmt.Sprintf(format, args...)})
}

// aspectTolerance allows for sides that were rounded to whole pixels: 1080 × 565 is
// meant to be 1.91 to 1.
const aspectTolerance = 0.005

func (c *factsCheck) dimensions(l MediaLimits, f MediaFacts) {
	if f.Width < l.MinWidth || f.Height < l.MinHeight {
		c.fail(CodeMediaTooSmall, "%s takes media of at least %d × %d pixels, this one has %d × %d",
			c.platform, l.MinWidth, l.MinHeight, f.Width, f.Height)
	}
	if l.AspectOfImages && f.Kind == Video {
		return
	}
	ratio := float64(f.Width) / float64(f.Height)
	if l.MinAspect > 0 && ratio < l.MinAspect*(1-aspectTolerance) || l.MaxAspect > 0 && ratio > l.MaxAspect*(1+aspectTolerance) {
		c.fail(CodeMediaAspect, "%s takes an aspect ratio from %.3g to %.3g (width by height), %d × %d is %.3g",
			c.platform, l.MinAspect, l.MaxAspect, f.Width, f.Height, ratio)
	}
}

func plural(kind MediaKind) string {
	switch kind {
	case PDF:
		return "documents"
	case GIF:
		return "GIFs"
	default:
		return string(kind) + "s"
	}
}
