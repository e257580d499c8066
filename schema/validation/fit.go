package validation

import (
	"fmt"
	"image"
	"math"
	"slices"

	"crier/schema"
)

const (
	// maxDecoded bounds the memory that decoding a picture may need, in bytes: enough for 64
	// megapixels as most cameras store them, or 24 as PNG.
	maxDecoded = 96 << 20
	// longestSide bounds the sides of the copy, in pixels: no platform shows more.
	longestSide = 4096
	// pixelsPerByte is how many pixels a byte of a photo of fair quality holds.
	pixelsPerByte = 4
)

// IsConverted reports whether files of a media type are made into a JPEG or PNG where a platform does
// not take them: phones take photos so, and few platforms show them.
func IsConverted(mediaType string) bool {
	return mediaType == "image/heic" || mediaType == "image/avif"
}

// Refit says how to make a copy of a picture that a platform takes.
type Refit struct {
	Crop          image.Rectangle // the part of the picture that is kept, in its pixels as shown
	Width, Height int             // of the copy, bars included
	Inner         image.Rectangle // where in the copy the picture is
	PNG           bool            // the platform takes PNG, which keeps transparency
	MaxBytes      int64           // 0: no limit

	minWidth, minHeight  int
	minAspect, maxAspect float64 // 0: any
	isExact              bool    // rounded sides may not go beyond them
}

// Fit returns how to make a copy of a picture that a platform takes. Details say why the
// platform does not take the picture as it is; there are none if it does. needed is false if
// no copy is to be made: it is not necessary, not asked for, or cannot be made to fit. The formats of
// phones are converted unasked where nothing of the picture is lost: it is shown whole, without bars.
func Fit(c schema.Constraints, f schema.MediaFacts, fit schema.Fit) (r Refit, needed bool, details []schema.Detail) {
	details = CheckMedia(c.Media, c.Platform, f)
	isConverted := IsConverted(f.Type) || c.Media.Converts && isOfFormat(f, details)
	if len(details) == 0 || fit == schema.FitNone && !isConverted || f.Kind == schema.Video || f.Kind == schema.PDF {
		return r, false, details
	}
	unfit := func(format string, args ...any) (Refit, bool, []schema.Detail) {
		return Refit{}, false, append(details, schema.Detail{
			Platform: c.Platform.String(), Code: CodeMediaUnfit, Message: fmt.Sprintf(format, args...),
		})
	}
	switch {
	case !slices.Contains(c.Media.Kinds, schema.Image):
		return r, false, details
	case f.Animated && !isConverted: // of a sequence beside a photo the photo is published
		return unfit("a picture that moves is not made to fit")
	case decodedSize(f) > maxDecoded:
		return unfit("a picture of %d × %d pixels is too large to be made to fit", f.Width, f.Height)
	}
	r = plan(c.Media, image.Pt(f.Width, f.Height), fit)
	if left := CheckMedia(c.Media, c.Platform, r.facts()); len(left) > 0 && fit == schema.FitNone {
		return Refit{}, false, left // of which the format is not the reason
	} else if len(left) > 0 {
		return unfit("made to fit it would have %d × %d pixels", r.Width, r.Height)
	}
	return r, true, details
}

// isOfFormat reports whether a picture has nothing but a format that its platform does not take, and that
// crier can read.
func isOfFormat(f schema.MediaFacts, details []schema.Detail) bool {
	return len(details) == 1 && details[0].Code == CodeMediaTypeUnsupported && (f.Type == "image/png" || f.Type == "image/webp") && !f.Animated
}

// MayConvert reports whether a picture of a type may be converted unasked for a platform: see Fit.
func MayConvert(l schema.MediaLimits, mediaType string) bool {
	return IsConverted(mediaType) || l.Converts && (mediaType == "image/png" || mediaType == "image/webp")
}

// facts returns what is known of the copy before it is made.
func (r Refit) facts() schema.MediaFacts {
	return schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Width: r.Width, Height: r.Height}
}

// decodedSize returns how much memory decoding needs, in bytes. For uploads of earlier
// versions, whose probing did not say, it is an estimate.
func decodedSize(f schema.MediaFacts) int64 {
	if f.Decoded > 0 {
		return f.Decoded
	}
	const bytesPerPixel = 4
	return int64(f.Width) * int64(f.Height) * bytesPerPixel
}

// plan brings a size to the aspect ratio that a platform takes, and then within its bounds.
func plan(l schema.MediaLimits, size image.Point, fit schema.Fit) Refit {
	r := Refit{
		Crop: image.Rectangle{Max: size}, MaxBytes: l.MaxImageBytes,
		PNG: len(l.ImageTypes) == 0 || slices.Contains(l.ImageTypes, "image/png"), minWidth: l.MinWidth, minHeight: l.MinHeight,
	}
	if fit != schema.FitNone {
		r.minAspect, r.maxAspect, r.isExact = l.MinAspect, l.MaxAspect, l.ExactAspect
	}
	canvas := size
	switch ratio := float64(size.X) / float64(size.Y); {
	case fit == schema.FitNone:
	case l.MinAspect > 0 && ratio < l.MinAspect && fit == schema.FitCover:
		canvas.Y = rounded(float64(size.X) / l.MinAspect)
	case l.MinAspect > 0 && ratio < l.MinAspect:
		canvas.X = rounded(float64(size.Y) * l.MinAspect)
	case l.MaxAspect > 0 && ratio > l.MaxAspect && fit == schema.FitCover:
		canvas.X = rounded(float64(size.Y) * l.MaxAspect)
	case l.MaxAspect > 0 && ratio > l.MaxAspect:
		canvas.Y = rounded(float64(size.X) / l.MaxAspect)
	}
	if fit == schema.FitCover {
		r.Crop = image.Rectangle{Max: canvas}.Add(size.Sub(canvas).Div(2))
	}
	return r.within(canvas, scaleOf(l, canvas))
}

// scaleOf returns the factor by which a canvas has to shrink, 1 if it need not.
func scaleOf(l schema.MediaLimits, canvas image.Point) float64 {
	pixels := float64(canvas.X) * float64(canvas.Y)
	scale := min(1, longestSide/float64(max(canvas.X, canvas.Y)))
	if l.MaxPixels > 0 {
		scale = min(scale, math.Sqrt(float64(l.MaxPixels)/pixels))
	}
	if l.MaxSides > 0 {
		scale = min(scale, float64(l.MaxSides)/float64(canvas.X+canvas.Y))
	}
	if l.MaxImageBytes > 0 {
		scale = min(scale, math.Sqrt(pixelsPerByte*float64(l.MaxImageBytes)/pixels))
	}
	return scale
}

// within scales a canvas, and centers the part of the picture that is kept in it.
func (r Refit) within(canvas image.Point, scale float64) Refit {
	scaled := func(n int) int { return max(1, int(float64(n)*scale)) }
	r.Width, r.Height = r.shaped(scaled(canvas.X), scaled(canvas.Y))
	inner := image.Pt(min(scaled(r.Crop.Dx()), r.Width), min(scaled(r.Crop.Dy()), r.Height))
	r.Inner = image.Rectangle{Max: inner}.Add(image.Pt(r.Width, r.Height).Sub(inner).Div(2))
	return r
}

// shaped takes from the longer side what scaling leaves beyond the ratio that a platform takes. What a
// rounded side makes of it stays, where the platform takes that: 1200 × 628 is 1.91 to 1.
func (r Refit) shaped(width, height int) (w, h int) {
	const exact = 1e-6 // of what a division makes of a whole number
	shortest := func(side float64) float64 {
		if r.isExact {
			return side - exact
		}
		return float64(rounded(side))
	}
	if r.maxAspect > 0 && float64(height) < shortest(float64(width)/r.maxAspect) {
		width = max(1, int(float64(height)*r.maxAspect+exact))
	}
	if r.minAspect > 0 && float64(width) < shortest(float64(height)*r.minAspect) {
		height = max(1, int(float64(width)/r.minAspect+exact))
	}
	return width, height
}

// Smaller returns the same with half the pixels. It returns false if that is too small for
// the platform.
func (r Refit) Smaller() (Refit, bool) {
	const half = math.Sqrt2 / 2
	small := r
	small.Width, small.Height = r.shaped(int(float64(r.Width)*half), int(float64(r.Height)*half))
	inner := image.Pt(min(small.Width, max(1, int(float64(r.Inner.Dx())*half))), min(small.Height, max(1, int(float64(r.Inner.Dy())*half))))
	small.Inner = image.Rectangle{Max: inner}.Add(image.Pt(small.Width, small.Height).Sub(inner).Div(2))
	return small, small.Width >= max(1, r.minWidth) && small.Height >= max(1, r.minHeight)
}

func rounded(n float64) int { return max(1, int(math.Round(n))) }

// String describes the copy.
func (r Refit) String() string {
	how := ""
	switch {
	case r.Crop.Min != (image.Point{}):
		how = ", cropped"
	case r.Inner.Size() != image.Pt(r.Width, r.Height):
		how = ", with bars"
	}
	return fmt.Sprintf("%d × %d pixels%s", r.Width, r.Height, how)
}
