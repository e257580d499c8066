package catalog_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
)

// verdicts returns what the platforms that take its kind say of an item: refused, warned with codes, or
// nothing, as "twitter: refused media_codec_unsupported".
func verdicts(item schema.Media) map[string]string {
	byPlatform := map[string]string{}
	for p := schema.Twitter; p.String() != fmt.Sprintf("platform(%d)", p); p++ {
		c := catalog.Constraints(p)
		content := schema.Content{Entries: []schema.Entry{{Text: "x", Media: []schema.Media{item}}}}
		failed, warned := validation.Check(content, []schema.Target{{Platform: p}}, func(schema.Target) *schema.Constraints { return new(c) })
		codes := func(details []schema.Detail) string {
			var all []string
			for _, d := range details {
				if d.Field == "mediaItems[0]" {
					all = append(all, d.Code)
				}
			}
			return strings.Join(all, " ")
		}
		switch {
		case strings.Contains(codes(failed), validation.CodeMediaKindUnsupported):
		case codes(failed) != "":
			byPlatform[p.String()] = "refused " + codes(failed)
		case codes(warned) != "":
			byPlatform[p.String()] = codes(warned)
		}
	}
	return byPlatform
}

// upload is an item whose facts are known.
func upload(f schema.MediaFacts) schema.Media {
	return schema.Media{Kind: f.Kind.APIKind(), MediaID: schema.MediaID{1}, URL: "https://crier.example/a", Facts: &f}
}

func everywhere(verdict string, platforms ...schema.Platform) map[string]string {
	byPlatform := map[string]string{}
	for _, p := range platforms {
		byPlatform[p.String()] = verdict
	}
	return byPlatform
}

func merged(all ...map[string]string) map[string]string {
	union := map[string]string{}
	for _, m := range all {
		maps.Copy(union, m)
	}
	return union
}

// TestFilmsAreHeldToThePlatformsDocuments has films that nothing is wrong with but how they are coded.
// Sources: Meta's tables of reels and of Threads' videos (H.264 or HEVC, 4:2:0, 23 to 60 pictures a
// second, no edit lists, 1,920 pixels in width), TikTok's media transfer guide (H.264, H.265, VP8, VP9),
// X's media best practices (H.264, 4:2:0, half a second, AAC LC in mono or stereo; Meta's tables say AAC), LinkedIn's videos API and Pinterest's help.
func TestFilmsAreHeldToThePlatformsDocuments(t *testing.T) {
	film := func(change func(*schema.MediaFacts)) schema.Media {
		f := schema.MediaFacts{
			Kind: schema.Video, Type: "video/mp4", Size: 1 << 20, Width: 1080, Height: 1080, Duration: 20 * time.Second,
			Film: schema.FilmFacts{Codec: "h264", Chroma: "4:2:0", Depth: 8, FrameRate: 29.97},
		}
		change(&f)
		return upload(f)
	}
	const square = "refused media_aspect_ratio" // pinterest takes none
	codec := func(name string) schema.Media { return film(func(f *schema.MediaFacts) { f.Film.Codec = name }) }
	const bad, rate = validation.CodeMediaCodec, validation.CodeMediaFrameRate
	unheard := everywhere(bad, schema.Twitter, schema.Instagram, schema.Threads)
	unlisted := everywhere(bad, schema.Facebook, schema.LinkedIn, schema.Telegram, schema.Bluesky)
	for name, tt := range map[string]struct {
		item schema.Media
		want map[string]string
	}{
		"H.264":                               {codec("h264"), nil},
		"HEVC":                                {codec("hevc"), everywhere(bad, schema.Twitter, schema.LinkedIn, schema.Telegram, schema.Bluesky)},
		"AV1":                                 {codec("av1"), merged(unlisted, everywhere("refused "+bad, schema.Twitter, schema.Instagram, schema.Threads, schema.TikTok))},
		"VP9":                                 {codec("vp9"), merged(unlisted, everywhere("refused "+bad, schema.Twitter, schema.Instagram, schema.Threads))},
		"ProRes":                              {codec("prores"), merged(unlisted, everywhere("refused "+bad, schema.Twitter, schema.Instagram, schema.Threads, schema.TikTok))},
		"MPEG-4":                              {codec("mpeg4"), merged(unlisted, everywhere("refused "+bad, schema.Twitter, schema.Instagram, schema.Threads, schema.TikTok))},
		"Motion JPEG":                         {codec("mjpeg"), merged(unlisted, everywhere("refused "+bad, schema.Twitter, schema.Instagram, schema.Threads, schema.TikTok))},
		"a codec that the file does not name": {codec(""), nil},
		"PCM of a camera":                     {film(func(f *schema.MediaFacts) { f.Film.Sound, f.Film.Channels = "pcm", 2 }), unheard},
		"Opus of a browser":                   {film(func(f *schema.MediaFacts) { f.Film.Sound, f.Film.Channels = "opus", 1 }), unheard},
		"sound of six channels":               {film(func(f *schema.MediaFacts) { f.Film.Sound, f.Film.Channels = "aac", 6 }), unheard},
		"AAC in stereo":                       {film(func(f *schema.MediaFacts) { f.Film.Sound, f.Film.Channels = "aac", 2 }), nil},
		"AAC whose band is made up":           {film(func(f *schema.MediaFacts) { f.Film.Sound, f.Film.Channels = "he-aac", 2 }), everywhere(bad, schema.Twitter)},
		"4:2:2 of 10 bits": {film(func(f *schema.MediaFacts) { f.Film.Chroma, f.Film.Depth = "4:2:2", 10 }),
			everywhere(validation.CodeMediaSampling, schema.Twitter, schema.Instagram, schema.Threads, schema.Facebook, schema.LinkedIn, schema.Telegram)},
		"120 pictures a second": {film(func(f *schema.MediaFacts) { f.Film.FrameRate = 120 }),
			merged(everywhere(rate, schema.Twitter, schema.Instagram, schema.Facebook, schema.LinkedIn), everywhere("refused "+rate, schema.Threads, schema.TikTok))},
		"23.976 pictures a second": {film(func(f *schema.MediaFacts) { f.Film.FrameRate = 23.976 }), nil},
		"10 pictures a second": {film(func(f *schema.MediaFacts) { f.Film.FrameRate = 10 }),
			merged(everywhere(rate, schema.Instagram), everywhere("refused "+rate, schema.Threads, schema.TikTok))},
		"a rate that changes": {film(func(f *schema.MediaFacts) { f.Film.Unsteady = true }), everywhere(rate, schema.Facebook)},
		"a part left out":     {film(func(f *schema.MediaFacts) { f.Film.Edited = true }), everywhere(validation.CodeMediaEdited, schema.Instagram, schema.Threads)},
		"a third of a second": {film(func(f *schema.MediaFacts) { f.Duration = time.Second / 3 }),
			merged(everywhere(validation.CodeMediaTooShort, schema.Instagram, schema.LinkedIn), everywhere("refused "+validation.CodeMediaTooShort, schema.Twitter))},
		"sides of 5,000": {film(func(f *schema.MediaFacts) { f.Width, f.Height = 5000, 5000 }),
			everywhere(validation.CodeMediaTooManyPixels, schema.Instagram, schema.Threads, schema.TikTok)},
	} {
		got := verdicts(tt.item)
		if verdict := got[schema.Pinterest.String()]; !strings.HasPrefix(verdict, square) {
			t.Errorf("%s: pinterest says %q", name, verdict)
		}
		delete(got, schema.Pinterest.String())
		if !maps.Equal(got, merged(tt.want)) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestPicturesThatStandStill has pictures that move.
func TestPicturesThatStandStill(t *testing.T) {
	moving := func(kind schema.MediaKind, mediaType string) schema.Media {
		return upload(schema.MediaFacts{Kind: kind, Type: mediaType, Size: 1 << 10, Width: 600, Height: 600, Animated: true})
	}
	for name, tt := range map[string]struct {
		item  schema.Media
		still []schema.Platform
	}{
		"GIF":           {moving(schema.GIF, "image/gif"), []schema.Platform{schema.Bluesky, schema.Facebook}},
		"animated WebP": {moving(schema.Image, "image/webp"), []schema.Platform{schema.Bluesky, schema.Facebook, schema.Mastodon, schema.Twitter}},
		"APNG": {moving(schema.Image, "image/png"), []schema.Platform{
			schema.Bluesky, schema.Facebook, schema.GoogleBusiness, schema.LinkedIn, schema.Mastodon, schema.Telegram, schema.Threads, schema.Twitter,
		}},
		"a GIF that does not move": {upload(schema.MediaFacts{Kind: schema.GIF, Type: "image/gif", Size: 1, Width: 600, Height: 600}), nil},
	} {
		var still []string
		for platform, verdict := range verdicts(tt.item) {
			if strings.Contains(verdict, validation.CodeGIFStandsStill) {
				still = append(still, platform)
			}
		}
		var want []string
		for _, p := range tt.still {
			want = append(want, p.String())
		}
		slices.Sort(still)
		slices.Sort(want)
		if !slices.Equal(still, want) {
			t.Errorf("%s stands still on %v, want %v", name, still, want)
		}
	}
}

// TestGIFsAreHeldToThePlatformsDocuments has GIFs of as many pictures as screens are recorded in. Sources:
// LinkedIn's images API (250 pictures), X's media best practices (350, 1280 × 1080, 300 million pixels in all).
func TestGIFsAreHeldToThePlatformsDocuments(t *testing.T) {
	const linkedIn, x = "linkedin", "twitter"
	for name, tt := range map[string]struct {
		frames, width, height int
		want                  map[string]string
	}{
		"250":             {250, 600, 600, nil},
		"251":             {251, 600, 600, map[string]string{linkedIn: "refused " + validation.CodeMediaTooLong}},
		"351":             {351, 600, 600, map[string]string{linkedIn: "refused " + validation.CodeMediaTooLong, x: validation.CodeMediaTooLong}},
		"of many pixels":  {240, 1200, 1080, map[string]string{x: validation.CodeMediaTooManyPixels}},
		"of a wide one":   {2, 1281, 1000, map[string]string{x: validation.CodeMediaTooManyPixels}},
		"of a high one":   {2, 1000, 1081, map[string]string{x: validation.CodeMediaTooManyPixels}},
		"of which nobody": {0, 600, 600, nil}, // counted them, of an upload to an earlier version
	} {
		got := verdicts(upload(schema.MediaFacts{Kind: schema.GIF, Type: "image/gif", Size: 1, Width: tt.width, Height: tt.height, Frames: tt.frames}))
		for _, p := range []string{linkedIn, x} {
			if got[p] != tt.want[p] {
				t.Errorf("%s: %s says %q, want %q", name, p, got[p], tt.want[p])
			}
		}
	}
}

// TestMetadataThatIsKeptIsNamed has what crier cannot remove: of urls that platforms fetch where they do
// not reach crier, and in tracks of films.
func TestMetadataThatIsKeptIsNamed(t *testing.T) {
	const code = validation.CodeMetadataKept
	film := schema.MediaFacts{
		Kind: schema.Video, Type: "video/mp4", Width: 600, Height: 900, Duration: 10 * time.Second, Film: schema.FilmFacts{Codec: "h264", Tracks: "gpmd"},
	}
	byURL := schema.Media{Kind: schema.Image, URL: "https://media.example/a.jpg"}
	want := everywhere(code, schema.Instagram, schema.Threads, schema.Pinterest, schema.GoogleBusiness)
	if got := verdicts(byURL); !maps.Equal(got, want) {
		t.Errorf("a url: %v, want %v", got, want)
	}
	byURL.KeepMetadata = true
	if got := verdicts(byURL); len(got) != 0 {
		t.Errorf("a url whose metadata is kept: %v", got)
	}
	item := upload(film)
	if got := verdicts(item)[schema.Mastodon.String()]; got != code {
		t.Errorf("a film with a track of positions: %q", got)
	}
	item.KeepMetadata = true
	if got := verdicts(item)[schema.Mastodon.String()]; got != "" {
		t.Errorf("a film whose metadata is kept: %q", got)
	}
}

// TestRefusalsSayWhetherFitHelps has a picture and a film of every reason.
func TestRefusalsSayWhetherFitHelps(t *testing.T) {
	picture := func(mediaType string, width, height int) schema.MediaFacts {
		return schema.MediaFacts{Kind: schema.Image, Type: mediaType, Size: 1 << 10, Width: width, Height: height}
	}
	large := picture("image/jpeg", 1000, 1000)
	large.Size = 20 << 20
	moving := picture("image/webp", 600, 600)
	moving.Animated = true
	for name, tt := range map[string]struct {
		facts schema.MediaFacts
		want  string
	}{
		"format":      {picture("image/webp", 600, 600), ""}, // it becomes a JPEG unasked
		"ratio":       {picture("image/jpeg", 1200, 400), `with "fit": "contain" or "cover" it gets a copy`},
		"bytes":       {large, `with "fit": "contain" or "cover" it gets a copy`},
		"too small":   {picture("image/jpeg", 100, 100), "fit does not help: made to fit it would have 100 × 100 pixels"},
		"that moves":  {moving, "fit does not help: a picture that moves is not made to fit"},
		"of a film":   {schema.MediaFacts{Kind: schema.Video, Type: "video/webm", Width: 600, Height: 600}, "fit does not help: it is for pictures"},
		"of a phone":  {picture("image/heic", 1200, 400), `with "fit": "contain" or "cover" it gets a copy`},
		"too narrow":  {picture("image/jpeg", 1200, 100), `with "fit": "contain" it gets a copy`}, // cropped it would be too small
		"as a film":   {moving, "converted to MP4 (H.264"},
		"another box": {schema.MediaFacts{Kind: schema.Video, Type: "video/webm", Width: 600, Height: 600}, "it is for pictures; converted to MP4 (H.264"},
		"of its size": {picture("image/jpeg", 20_000, 20_000), ""},
	} {
		c := catalog.Constraints(schema.Instagram)
		content := schema.Content{Entries: []schema.Entry{{Text: "x", Media: []schema.Media{upload(tt.facts)}}}}
		failed, _ := validation.Check(content, []schema.Target{{Platform: schema.Instagram}}, func(schema.Target) *schema.Constraints { return new(c) })
		if tt.want == "" {
			if len(failed) > 0 {
				t.Errorf("%s: %v", name, failed)
			}
			continue
		}
		if len(failed) == 0 || !strings.Contains(failed[0].Message, tt.want) {
			t.Errorf("%s: %v, want %q", name, failed, tt.want)
		}
	}
}
