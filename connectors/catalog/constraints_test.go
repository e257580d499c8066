package catalog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
)

func TestEveryPlatformHasConstraints(t *testing.T) {
	for _, p := range schema.Platforms() {
		t.Run(p.String(), func(t *testing.T) {
			c := catalog.Constraints(p)
			switch {
			case c.Platform != p:
				t.Errorf("constraints of %s", c.Platform)
			case c.Text.Max == 0 || c.Text.Count == nil:
				t.Error("no limit of the text")
			case c.DailyCap == 0:
				t.Error("no daily cap")
			case (c.Media.Max == 0) != (len(c.Media.Kinds) == 0):
				t.Errorf("%d media of the kinds %v", c.Media.Max, c.Media.Kinds)
			case c.FirstComment.Max > 0 && c.FirstComment.Count == nil:
				t.Error("first comments are limited but not counted")
			}
		})
	}
}

// No document of a platform says how soon its lists show what was made: where a look needs one, it
// is waited for.
func TestEveryPlatformThatListsIsWaitedFor(t *testing.T) {
	knowsAtOnce := map[schema.Platform]bool{schema.Bluesky: true, schema.TikTok: true, schema.Mastodon: true}
	for _, p := range schema.Platforms() {
		c := catalog.Constraints(p)
		if within := c.Listing.Within; (within == 0) != (knowsAtOnce[p] || c.CannotFind) || within != 0 && within < schema.UsualListing {
			t.Errorf("%s is waited for for %v", p, within)
		}
	}
}

func TestDailyCaps(t *testing.T) {
	special := map[schema.Platform]int{schema.Twitter: 20, schema.Instagram: 100, schema.Facebook: 100, schema.Threads: 250}
	for _, p := range schema.Platforms() {
		want := 50
		if maximum, ok := special[p]; ok {
			want = maximum
		}
		if got := catalog.Constraints(p).DailyCap; got != want {
			t.Errorf("%s: daily cap %d, want %d", p, got, want)
		}
	}
}

// limits is a row of the specification's tables. Zero is no limit.
type limits struct {
	text, media int
	video       time.Duration
	comment     int // -1: none are taken
	thread      time.Duration
}

func TestLimitsAreTheSpecifications(t *testing.T) {
	for p, want := range map[schema.Platform]limits{
		schema.Twitter:        {280, 4, 140 * time.Second, 280, time.Second},
		schema.Instagram:      {2200, 10, 90 * time.Second, 1000, 0},
		schema.Facebook:       {63206, 10, 4 * time.Hour, 0, 0},
		schema.Threads:        {500, 10, 5 * time.Minute, 500, 30 * time.Second},
		schema.LinkedIn:       {3000, 1, 10 * time.Minute, 1250, 0}, // a comment by LinkedIn's own limit
		schema.TikTok:         {2200, 1, 10 * time.Minute, -1, 0},   // a video is required, and excludes photos
		schema.Bluesky:        {300, 4, time.Minute, 300, 1500 * time.Millisecond},
		schema.YouTube:        {5000, 1, 0, 10000, 0},
		schema.Pinterest:      {500, 5, 15 * time.Minute, -1, 0}, // Pinterest's own carousels are of 5
		schema.Mastodon:       {500, 4, 0, 0, 1500 * time.Millisecond},
		schema.Telegram:       {4096, 10, 0, -1, 0},
		schema.GoogleBusiness: {1500, 1, 0, -1, 0},
	} {
		t.Run(p.String(), func(t *testing.T) {
			c := catalog.Constraints(p)
			comment := c.FirstComment.Max
			if !c.FirstComment.Supported {
				comment = -1
			}
			got := limits{c.Text.Max, c.Media.Max, c.Media.MaxVideoDuration, comment, c.Thread.Pause}
			if got != want {
				t.Errorf("limits %+v, want %+v", got, want)
			}
			if c.Thread.Supported != (want.thread > 0) {
				t.Errorf("threads supported: %t", c.Thread.Supported)
			}
		})
	}
}

func TestGIFsAreRefusedWhereTheyAreNotTaken(t *testing.T) {
	refusing := map[schema.Platform]bool{
		schema.Instagram: true, schema.TikTok: true, schema.Threads: true, schema.Pinterest: true, schema.YouTube: true,
		schema.Telegram: true, schema.GoogleBusiness: true,
	}
	for _, p := range schema.Platforms() {
		found, takesMedia := false, catalog.Constraints(p).Media.Max > 0
		for _, d := range check(p, schema.Entry{Text: "x", Media: items(schema.GIF)}, "") {
			found = found || d.Code == validation.CodeMediaKindUnsupported
		}
		if takesMedia && found != refusing[p] {
			t.Errorf("%s: GIF refused is %t, want %t", p, found, refusing[p])
		}
	}
}

// links is a text with so many addresses.
func links(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "https://example.com/%d ", i)
	}
	return text.String()
}

func items(kinds ...schema.MediaKind) []schema.Media {
	var all []schema.Media
	for _, kind := range kinds {
		all = append(all, schema.Media{Kind: kind, URL: "https://example.com/m"})
	}
	return all
}

// check validates one entry on one platform.
func check(p schema.Platform, e schema.Entry, settings string) []schema.Detail {
	c := schema.Content{Entries: []schema.Entry{e}, Settings: map[schema.Platform]json.RawMessage{p: json.RawMessage(settings)}}
	errors, _ := validation.Check(c, []schema.Target{{Platform: p}}, func(t schema.Target) *schema.Constraints { return new(catalog.Constraints(t.Platform)) })
	return errors
}

func TestRulesOfThePlatforms(t *testing.T) {
	const privacy, title = `{"privacy":"SELF_ONLY"}`, `{"title":"t"}`
	image, video, pdf := schema.Image, schema.Video, schema.PDF
	text := func(n int, kinds ...schema.MediaKind) schema.Entry {
		return schema.Entry{Text: strings.Repeat("x", n), Media: items(kinds...)}
	}
	for name, tt := range map[string]struct {
		platform schema.Platform
		entry    schema.Entry
		settings string
		want     string // field and code of the one error; empty: none
	}{
		"twitter counts links at 23":        {schema.Twitter, schema.Entry{Text: strings.Repeat("x", 256) + " https://example.com/a/long/path"}, "", ""},
		"twitter counts chinese twice":      {schema.Twitter, schema.Entry{Text: strings.Repeat("今", 141)}, "", "content text_too_long"},
		"twitter takes no image and video":  {schema.Twitter, text(1, image, video), "", "mediaItems media_mix"},
		"twitter knows who may reply":       {schema.Twitter, text(1), `{"replySettings":"nobody"}`, "platformSettings.twitter.replySettings setting_invalid"},
		"instagram needs media":             {schema.Instagram, text(1), "", "mediaItems media_required"},
		"instagram mixes in a carousel":     {schema.Instagram, text(2200, image, video), `{"shareToFeed":true}`, ""},
		"instagram takes 30 hashtags":       {schema.Instagram, schema.Entry{Text: strings.Repeat("#a ", 30), Media: items(image)}, "", ""},
		"instagram takes no 31 hashtags":    {schema.Instagram, schema.Entry{Text: strings.Repeat("#a ", 31), Media: items(image)}, "", "content hashtags_too_many"},
		"instagram takes 20 mentions":       {schema.Instagram, schema.Entry{Text: strings.Repeat("@a ", 20), Media: items(image)}, "", ""},
		"instagram takes no 21 mentions":    {schema.Instagram, schema.Entry{Text: strings.Repeat("@a ", 21), Media: items(image)}, "", "content mentions_too_many"},
		"twitter takes one cashtag":         {schema.Twitter, schema.Entry{Text: "$ABC is up"}, "", ""},
		"twitter takes no two cashtags":     {schema.Twitter, schema.Entry{Text: "$ABC and $DEF"}, "", "content cashtags_too_many"},
		"twitter takes no byte order mark":  {schema.Twitter, schema.Entry{Text: "\ufeffhello"}, "", "content text_sign_unsupported"},
		"mastodon takes a byte order mark":  {schema.Mastodon, schema.Entry{Text: "\ufeffhello"}, "", ""},
		"threads takes five links":          {schema.Threads, schema.Entry{Text: links(5)}, "", ""},
		"threads takes no six links":        {schema.Threads, schema.Entry{Text: links(6)}, "", "content links_too_many"},
		"signs that nobody sees":            {schema.Mastodon, schema.Entry{Text: "\u200b\u2060 \ufe0f"}, "", "content content_required"},
		"facebook takes photos or a video":  {schema.Facebook, text(1, image, video), "", "mediaItems media_mix"},
		"linkedin takes a document":         {schema.LinkedIn, text(3000, pdf), "", ""},
		"linkedin takes no carousel":        {schema.LinkedIn, text(1, image, image), "", "mediaItems too_many_media"},
		"tiktok needs a video":              {schema.TikTok, text(1), privacy, "mediaItems media_required"},
		"tiktok takes no photos":            {schema.TikTok, text(1, image), privacy, "mediaItems[0].type media_kind_unsupported"},
		"tiktok needs its privacy":          {schema.TikTok, text(1, video), "", "platformSettings.tiktok.privacy setting_required"},
		"tiktok knows four privacies":       {schema.TikTok, text(1, video), `{"privacy":"FRIENDS"}`, "platformSettings.tiktok.privacy setting_invalid"},
		"tiktok is content with that":       {schema.TikTok, text(2200, video), privacy, ""},
		"tiktok counts in UTF-16":           {schema.TikTok, schema.Entry{Text: strings.Repeat("🐱", 1101), Media: items(video)}, privacy, "content text_too_long"},
		"threads counts emoji in bytes":     {schema.Threads, schema.Entry{Text: strings.Repeat("🐱", 126)}, "", "content text_too_long"},
		"threads counts accents once":       {schema.Threads, schema.Entry{Text: strings.Repeat("é", 500)}, "", ""},
		"bluesky needs a text":              {schema.Bluesky, text(0, image), "", "content text_required"},
		"youtube needs a title":             {schema.YouTube, text(1, video), "", "platformSettings.youtube.title setting_required"},
		"youtube takes a title of 100":      {schema.YouTube, text(5000, video), `{"title":"` + strings.Repeat("é", 100) + `"}`, ""},
		"youtube takes no longer title":     {schema.YouTube, text(1, video), `{"title":"` + strings.Repeat("é", 101) + `"}`, "platformSettings.youtube.title text_too_long"},
		"youtube takes no images":           {schema.YouTube, text(1, image), title, "mediaItems[0].type media_kind_unsupported"},
		"youtube counts bytes":              {schema.YouTube, schema.Entry{Text: strings.Repeat("é", 2501), Media: items(video)}, title, "content text_too_long"},
		"pinterest needs media":             {schema.Pinterest, text(1), "", "mediaItems media_required"},
		"pinterest takes a title of 100":    {schema.Pinterest, text(500, image), `{"title":"` + strings.Repeat("x", 100) + `","boardId":"123"}`, ""},
		"pinterest takes no longer title":   {schema.Pinterest, text(1, image), `{"title":"` + strings.Repeat("x", 101) + `"}`, "platformSettings.pinterest.title text_too_long"},
		"pinterest numbers its boards":      {schema.Pinterest, text(1, image), `{"boardId":"my board"}`, "platformSettings.pinterest.boardId setting_invalid"},
		"mastodon takes no image and video": {schema.Mastodon, text(1, image, video), "", "mediaItems media_mix"},
		"telegram takes 4096 as a text":     {schema.Telegram, text(4096), "", ""},
		"telegram takes 1024 as a caption":  {schema.Telegram, text(1024, image, video), "", ""},
		"telegram takes no 1025":            {schema.Telegram, text(1025, image), "", "content text_too_long"},
		"google needs an image":             {schema.GoogleBusiness, text(1), "", "mediaItems media_required"},
		"google takes no second one":        {schema.GoogleBusiness, text(1, image, image), "", "mediaItems too_many_media"},
		"google takes no video":             {schema.GoogleBusiness, text(1, video), "", "mediaItems[0].type media_kind_unsupported"},
		"google knows its topics":           {schema.GoogleBusiness, text(1500, image), `{"topicType":"ALERT"}`, "platformSettings.google-business.topicType setting_invalid"},
		"google offers need an event":       {schema.GoogleBusiness, text(1, image), `{"topicType":"OFFER"}`, "platformSettings.google-business.event setting_required"},
		"google events need dates": {
			schema.GoogleBusiness, text(1, image), `{"topicType":"EVENT","event":{"title":"t","startDate":"2026-01-01"}}`,
			"platformSettings.google-business.event.endDate setting_required",
		},
		"google events with dates": {
			schema.GoogleBusiness, text(1, image), `{"topicType":"EVENT","event":{"title":"t","startDate":"2026-01-01","endDate":"2026-01-02"}}`, "",
		},
		"google buttons open a url": {
			schema.GoogleBusiness, text(1, image), `{"callToAction":{"actionType":"SHOP"}}`, "platformSettings.google-business.callToAction.url setting_required",
		},
		"google call buttons do not": {schema.GoogleBusiness, text(1, image), `{"callToAction":{"actionType":"CALL"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, d := range check(tt.platform, tt.entry, tt.settings) {
				found = append(found, d.Field+" "+d.Code)
			}
			if got := strings.Join(found, ", "); got != tt.want {
				t.Errorf("errors %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTextsAtTheirLimit(t *testing.T) {
	settings := map[schema.Platform]string{schema.TikTok: `{"privacy":"SELF_ONLY"}`, schema.YouTube: `{"title":"t"}`}
	for _, p := range schema.Platforms() {
		t.Run(p.String(), func(t *testing.T) {
			c := catalog.Constraints(p)
			entry := schema.Entry{}
			if c.Media.Required {
				entry.Media = items(c.Media.Kinds[0])
			}
			entry.Text = strings.Repeat("x", c.MaxText(entry))
			if errors := check(p, entry, settings[p]); len(errors) != 0 {
				t.Errorf("at the limit: %+v", errors)
			}
			entry.Text += "x"
			errors := check(p, entry, settings[p])
			if len(errors) != 1 || errors[0].Code != validation.CodeTextTooLong || errors[0].Platform != p.String() {
				t.Errorf("over it by one: %+v", errors)
			}
		})
	}
}

// Instagram's app takes 5 hashtags since 18 December 2025, and what its API documents is 30.
func TestManyHashtagsAreWarnedOf(t *testing.T) {
	for n, want := range map[int]bool{5: false, 6: true, 30: true} {
		text := ""
		for i := range n {
			text += fmt.Sprintf("#tag%d ", i)
		}
		content := schema.Content{Entries: []schema.Entry{{Text: text, Media: []schema.Media{{Kind: schema.Image, URL: "https://example.com/m"}}}}}
		errors, warnings := validation.Check(content, []schema.Target{{Platform: schema.Instagram}}, func(schema.Target) *schema.Constraints {
			return new(catalog.Constraints(schema.Instagram))
		})
		isWarned := slices.ContainsFunc(warnings, func(d schema.Detail) bool { return d.Code == validation.CodeHashtagsMany })
		if len(errors) > 0 || isWarned != want {
			t.Errorf("%d hashtags: %+v, %+v", n, errors, warnings)
		}
	}
}
