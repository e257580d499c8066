package validation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/validation"
)

func TestMediaLimitsAtTheirEdges(t *testing.T) {
	limits := schema.MediaLimits{
		Kinds:      []schema.MediaKind{schema.Image, schema.GIF, schema.Video, schema.PDF},
		ImageTypes: []string{"image/jpeg"}, VideoTypes: []string{"video/mp4", "image/gif"},
		MaxImageBytes: 1000, MaxVideoBytes: 5000, MaxDocumentBytes: 3000, MaxVideoDuration: time.Minute,
		MinWidth: 320, MinHeight: 200, MinAspect: 0.8, MaxAspect: 1.91, MaxPixels: 4_000_000,
	}
	image := func(size int64, width, height int) schema.MediaFacts {
		return schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Size: size, Width: width, Height: height}
	}
	video := func(size int64, d time.Duration) schema.MediaFacts {
		return schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: size, Width: 640, Height: 640, Duration: d}
	}
	for name, tt := range map[string]struct {
		facts schema.MediaFacts
		want  []string
	}{
		"an image at its size":         {image(1000, 320, 320), nil},
		"an image over its size":       {image(1001, 320, 320), []string{validation.CodeMediaTooLarge}},
		"an image of another type":     {schema.MediaFacts{Kind: schema.Image, Type: "image/png"}, []string{validation.CodeMediaTypeUnsupported}},
		"an image that is too narrow":  {image(1, 319, 319), []string{validation.CodeMediaTooSmall}},
		"an image that is too low":     {image(1, 320, 199), []string{validation.CodeMediaTooSmall}},
		"as upright as can be":         {image(1, 320, 400), nil},
		"more upright":                 {image(1, 320, 410), []string{validation.CodeMediaAspect}},
		"as wide as can be, rounded":   {image(1, 1080, 565), nil},
		"wider":                        {image(1, 1080, 540), []string{validation.CodeMediaAspect}},
		"as many pixels as can be":     {image(1, 2000, 2000), nil},
		"more pixels":                  {image(1, 2001, 2000), []string{validation.CodeMediaTooManyPixels}},
		"a video of as many":           {schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 3000, Height: 3000}, nil},
		"all at once":                  {image(1001, 319, 100), []string{validation.CodeMediaTooLarge, validation.CodeMediaTooSmall, validation.CodeMediaAspect}},
		"an unknown size in pixels":    {image(1, 0, 0), nil},
		"a video at its limits":        {video(5000, time.Minute), nil},
		"a video over its size":        {video(5001, time.Minute), []string{validation.CodeMediaTooLarge}},
		"a video that is too long":     {video(1, time.Minute+time.Millisecond), []string{validation.CodeMediaTooLong}},
		"a GIF has a video's size":     {schema.MediaFacts{Kind: schema.GIF, Type: "image/gif", Size: 5000, Width: 320, Height: 320}, nil},
		"a document at its size":       {schema.MediaFacts{Kind: schema.PDF, Type: "application/pdf", Size: 3000}, nil},
		"a document over its size":     {schema.MediaFacts{Kind: schema.PDF, Type: "application/pdf", Size: 3001}, []string{validation.CodeMediaTooLarge}},
		"a video of an unknown length": {video(1, 0), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range validation.CheckMedia(limits, schema.Twitter, tt.facts) {
				got = append(got, d.Code)
				if d.Platform != "twitter" || !strings.Contains(d.Message, "twitter takes") {
					t.Errorf("detail %+v does not name the platform", d)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("codes %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAspectRatioMayBoundPicturesOnly(t *testing.T) {
	limits := schema.MediaLimits{Kinds: []schema.MediaKind{schema.Image, schema.Video}, MinAspect: 0.8, MaxAspect: 1.91, AspectOfImages: true}
	reel := schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 1080, Height: 1920}
	if got := validation.CheckMedia(limits, schema.Instagram, reel); len(got) != 0 {
		t.Errorf("a reel: %+v", got)
	}
	reel.Kind = schema.Image
	if got := validation.CheckMedia(limits, schema.Instagram, reel); len(got) != 1 {
		t.Errorf("a picture: %+v", got)
	}
}

// TestAnExactRatioIsExact has a platform that takes no picture that is longer by a part of a pixel.
func TestAnExactRatioIsExact(t *testing.T) {
	const maximum = 20
	c := schema.Constraints{Platform: schema.Telegram, Media: schema.MediaLimits{
		Kinds: []schema.MediaKind{schema.Image}, MinAspect: 1.0 / maximum, MaxAspect: maximum, ExactAspect: true, MaxSides: 10_000,
	}}
	for long := 400; long < 12_000; long += 7 {
		for _, short := range []int{long/maximum - 1, long / maximum, long/maximum + 1} {
			for _, size := range [][2]int{{long, short}, {short, long}} {
				facts := schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Width: size[0], Height: size[1]}
				isTaken := len(validation.CheckMedia(c.Media, c.Platform, facts)) == 0
				if want := long <= maximum*short && long+short <= c.Media.MaxSides; isTaken != want {
					t.Errorf("%d × %d is taken: %t", size[0], size[1], isTaken)
				}
				for _, fit := range []schema.Fit{schema.FitContain, schema.FitCover} {
					plan, isNeeded, details := validation.Fit(c, facts, fit)
					isWithin := max(plan.Width, plan.Height) <= maximum*min(plan.Width, plan.Height)
					if isNeeded == isTaken || isNeeded && !isWithin {
						t.Fatalf("%d × %d, %s: made %v: %+v", size[0], size[1], fit, plan, details)
					}
				}
			}
		}
	}
}
