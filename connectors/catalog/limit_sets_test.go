package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
)

// What the specification refuses and the platform takes: refused by default, with a word about the other
// set of limits, and taken where the workspace is held to the platforms' own.
func TestThePlatformsOwnLimits(t *testing.T) {
	video := func(width, height int, lasts time.Duration) schema.MediaFacts {
		return schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: 1 << 20, Width: width, Height: height, Duration: lasts}
	}
	image := func(width, height int) schema.MediaFacts {
		return schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Size: 1 << 18, Width: width, Height: height}
	}
	several := func(n int) []schema.MediaFacts {
		facts := make([]schema.MediaFacts, n)
		for i := range facts {
			facts[i] = image(1000, 1000)
		}
		return facts
	}
	for name, tt := range map[string]struct {
		platform schema.Platform
		settings string
		media    []schema.MediaFacts
		code     string // of the refusal by the specification
	}{
		// ayrshare.com/docs/media-guidelines/threads, BrightBean #118
		"threads takes an upright film": {schema.Threads, "", []schema.MediaFacts{video(1080, 1920, time.Minute)}, validation.CodeMediaAspect},
		"threads takes a wide picture":  {schema.Threads, "", []schema.MediaFacts{image(3000, 1000)}, validation.CodeMediaAspect},
		"threads takes 20 items":        {schema.Threads, "", several(20), validation.CodeMediaTooMany},
		// TikTok names sides of 360 to 4,096 pixels and no ratio
		"tiktok takes a landscape":         {schema.TikTok, `{"privacy":"SELF_ONLY"}`, []schema.MediaFacts{video(1920, 1080, time.Minute)}, validation.CodeMediaAspect},
		"tiktok takes a phone's recording": {schema.TikTok, `{"privacy":"SELF_ONLY"}`, []schema.MediaFacts{video(1170, 2532, time.Minute)}, validation.CodeMediaAspect},
		"bluesky takes more than a minute": {schema.Bluesky, "", []schema.MediaFacts{video(1280, 720, 75*time.Second)}, validation.CodeMediaTooLong}, // postiz #652
		"instagram takes an upright story": {schema.Instagram, `{"mediaType":"STORIES"}`, []schema.MediaFacts{image(1080, 1920)}, validation.CodeMediaAspect},
		"instagram takes longer reels":     {schema.Instagram, "", []schema.MediaFacts{video(1080, 1920, 3*time.Minute)}, validation.CodeMediaTooLong},
		"linkedin takes several pictures":  {schema.LinkedIn, "", several(9), validation.CodeMediaTooMany},
		"linkedin takes a panorama":        {schema.LinkedIn, "", []schema.MediaFacts{image(4000, 1000)}, validation.CodeMediaAspect},
		"pinterest takes a square":         {schema.Pinterest, `{"boardId":"123"}`, []schema.MediaFacts{image(1000, 1000)}, validation.CodeMediaAspect},
	} {
		t.Run(name, func(t *testing.T) {
			content := schema.Content{Entries: []schema.Entry{{Text: "x"}}}
			for _, facts := range tt.media {
				content.Entries[0].Media = append(content.Entries[0].Media, schema.Media{Kind: facts.Kind, URL: "https://example.com/m", Facts: &facts})
			}
			if tt.settings != "" {
				content.Settings = map[schema.Platform]json.RawMessage{tt.platform: json.RawMessage(tt.settings)}
			}
			check := func(limits schema.LimitSet) []schema.Detail {
				errors, _ := validation.Check(content, []schema.Target{{Platform: tt.platform}}, func(target schema.Target) *schema.Constraints {
					return new(catalog.Constraints(target.Platform).For(&schema.Account{Platform: target.Platform, Limits: limits}))
				})
				return errors
			}
			if left := check(schema.PlatformLimits); len(left) != 0 {
				t.Errorf("by the platform's limits: %+v", left)
			}
			refused := check(schema.SpecificationLimits)
			if len(refused) == 0 || refused[0].Code != tt.code {
				t.Fatalf("by the specification's: %+v, want %s", refused, tt.code)
			}
			if !strings.Contains(refused[0].Message, "limits set to platform") {
				t.Errorf("the refusal says nothing of the other limits: %s", refused[0].Message)
			}
		})
	}
}

// What neither takes has no word about limits that would not help.
func TestWhatNoLimitsTakeIsRefusedAlone(t *testing.T) {
	facts := schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: 1 << 20, Width: 1280, Height: 720, Duration: time.Hour}
	content := schema.Content{Entries: []schema.Entry{{Text: "x", Media: []schema.Media{{Kind: schema.Video, URL: "https://example.com/m", Facts: &facts}}}}}
	errors, _ := validation.Check(content, []schema.Target{{Platform: schema.Bluesky}}, func(target schema.Target) *schema.Constraints {
		return new(catalog.Constraints(target.Platform))
	})
	if len(errors) != 1 || strings.Contains(errors[0].Message, "limits") {
		t.Errorf("errors = %+v", errors)
	}
}

func TestEachWiderLimitHasASource(t *testing.T) {
	for _, p := range schema.Platforms() {
		for _, w := range catalog.Constraints(p).Wider {
			if w.What == "" || w.Source == "" || w.Apply == nil {
				t.Errorf("%s: %+v", p, w)
			}
		}
	}
}
