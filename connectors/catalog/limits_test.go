package catalog_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
)

// typical is media that a platform takes, whatever its limits are.
func typical(l schema.MediaLimits, kind schema.MediaKind) schema.MediaFacts {
	f := schema.MediaFacts{Kind: kind, Type: "application/pdf", Size: 1}
	if kind == schema.PDF {
		return f
	}
	f.Type = first(l.ImageTypes, "image/jpeg")
	if kind == schema.Video {
		f.Type, f.Duration = first(l.VideoTypes, "video/mp4"), time.Second
	}
	ratio := 1.0
	if l.MinAspect > 0 {
		ratio = math.Sqrt(l.MinAspect * l.MaxAspect) // in the middle
	}
	f.Height = 5000
	f.Width = int(ratio * float64(f.Height))
	return f
}

func first(all []string, otherwise string) string {
	if len(all) == 0 {
		return otherwise
	}
	return all[0]
}

// bound is a limit of media: at it they are taken, over it they are not.
type bound struct {
	is       bool // the platform has this limit
	code     string
	at, over func(*schema.MediaFacts)
}

// bounds makes of a platform's data what is at each of its limits and over it.
func bounds(l schema.MediaLimits, kind schema.MediaKind) map[string]bound {
	maximum := map[schema.MediaKind]int64{schema.Image: l.MaxImageBytes, schema.Video: l.MaxVideoBytes, schema.PDF: l.MaxDocumentBytes}[kind]
	pixels := kind != schema.PDF
	shaped := pixels && l.MaxAspect > 0 && (kind == schema.Image || !l.AspectOfImages)
	const sides = 9000 // together
	size := func(n int64) func(*schema.MediaFacts) { return func(f *schema.MediaFacts) { f.Size = n } }
	lasting := func(d time.Duration) func(*schema.MediaFacts) { return func(f *schema.MediaFacts) { f.Duration = d } }
	ratio := func(r float64) func(*schema.MediaFacts) {
		return func(f *schema.MediaFacts) { // in whole pixels, and not beyond it by a part of one
			if r < 1 {
				f.Width = int(math.Ceil(sides * r / (1 + r)))
				f.Height = int(float64(f.Width) / r)
				return
			}
			f.Height = int(math.Ceil(sides / (1 + r)))
			f.Width = int(float64(f.Height) * r)
		}
	}
	narrow := func(width int) func(*schema.MediaFacts) {
		return func(f *schema.MediaFacts) {
			f.Height = max(f.Height*l.MinWidth/f.Width, l.MinHeight)
			f.Width = width
		}
	}
	square := func(side int) func(*schema.MediaFacts) {
		return func(f *schema.MediaFacts) { f.Width, f.Height = side, side }
	}
	widest := int(math.Sqrt(float64(l.MaxPixels)))
	return map[string]bound{
		"pixels":   {kind == schema.Image && l.MaxPixels > 0, validation.CodeMediaTooManyPixels, square(widest), square(widest + 1)},
		"sides":    {kind == schema.Image && l.MaxSides > 0, validation.CodeMediaTooManyPixels, square(l.MaxSides / 2), square(l.MaxSides/2 + 1)},
		"bytes":    {maximum > 0, validation.CodeMediaTooLarge, size(maximum), size(maximum + 1)},
		"duration": {kind == schema.Video && l.MaxVideoDuration > 0, validation.CodeMediaTooLong, lasting(l.MaxVideoDuration), lasting(l.MaxVideoDuration + 1)},
		"side":     {kind == schema.Video && l.Film.MinSide > l.MinWidth, validation.CodeMediaTooSmall, square(l.Film.MinSide), square(l.Film.MinSide - 1)},
		"width":    {pixels && l.MinWidth > 0 && (kind != schema.Video || l.Film.MinSide <= l.MinWidth), validation.CodeMediaTooSmall, narrow(l.MinWidth), narrow(l.MinWidth - 1)},
		"tallest":  {shaped, validation.CodeMediaAspect, ratio(l.MinAspect), ratio(l.MinAspect * 0.99)},
		"widest":   {shaped, validation.CodeMediaAspect, ratio(l.MaxAspect), ratio(l.MaxAspect * 1.01)},
	}
}

// A picture of a usual form can be made to fit every platform that takes pictures, either way,
// and one that is taken as it is stays.
func TestUsualPicturesCanBeMadeToFit(t *testing.T) {
	for _, p := range schema.Platforms() {
		c := catalog.Constraints(p)
		if !slices.Contains(c.Media.Kinds, schema.Image) {
			continue
		}
		for _, side := range []int{1000, 1333, 4001, 6000} {
			for _, other := range []int{1000, 1080, 2999, 4000} {
				for _, fit := range []schema.Fit{schema.FitContain, schema.FitCover} {
					f := schema.MediaFacts{Kind: schema.Image, Type: "image/webp", Size: 60 << 20, Width: side, Height: other}
					if plan, needed, details := validation.Fit(c, f, fit); needed != (len(details) > 0) || plan.Inner.Empty() && needed {
						t.Errorf("%s, %s, %d × %d: %+v, %v", p, fit, side, other, plan, details)
					}
				}
			}
		}
	}
}

// Every limit of every platform's data has an effect: what is at it passes, one over it
// fails for it alone.
func TestMediaAtTheirLimits(t *testing.T) {
	tried := 0
	for _, p := range schema.Platforms() {
		limits := catalog.Constraints(p).Media
		for _, kind := range limits.Kinds {
			if kind == schema.GIF {
				continue // an image or a video to each platform
			}
			for name, b := range bounds(limits, kind) {
				if !b.is {
					continue
				}
				tried++
				t.Run(strings.Join([]string{p.String(), string(kind), name}, " "), func(t *testing.T) {
					at, over := typical(limits, kind), typical(limits, kind)
					b.at(&at)
					b.over(&over)
					if details := validation.CheckMedia(limits, p, at); len(details) != 0 {
						t.Errorf("%+v is at the limit: %v", at, details)
					}
					if details := validation.CheckMedia(limits, p, over); len(details) != 1 || details[0].Code != b.code || details[0].Platform != p.String() {
						t.Errorf("%+v is over the limit: %v, want %s", over, details, b.code)
					}
				})
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d limits were tried", tried)
	}
}

func TestEveryPlatformHasARetention(t *testing.T) {
	retention := catalog.Profiles()
	for _, p := range schema.Platforms() {
		if retention[p] <= 0 || retention[p] > 30*24*time.Hour {
			t.Errorf("profiles of %s are kept for %v", p, retention[p])
		}
	}
}
