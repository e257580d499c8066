package catalog_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
)

// piece is a post at an edge of what a platform takes.
type piece struct {
	text     string
	files    []file
	settings map[string]any
	comment  string // a first comment
	follow   int    // entries of a thread after the first
}

// edge is a constraint of a platform: what is at its edge, and one beyond it.
type edge struct {
	at     *piece // nil: it has none of its own
	beyond piece
	own    bool  // it is crier's: platforms may take more
	size   int64 // of what is at the edge, where that is the edge; 0: it is another
}

func between(at, beyond piece) edge { return edge{at: &at, beyond: beyond} }

// gentle are the platforms that take what validation does not, and where that is known from. What no
// platform takes needs no row, nor do limits of the specification that the platforms' own widen.
var gentle = map[string]string{
	"instagram/width of images":        "scaled up to 320 pixels: instagram-platform/instagram-graph-api/reference/ig-user/media, image specifications",
	"instagram/height of images":       "likewise",
	"instagram/width of videos":        "that page names no least width of reels",
	"instagram/height of videos":       "likewise",
	"instagram/comment":                "the specification's: docs.upload-post.com/resources/character-limits takes 2,196 characters",
	"threads/width of images":          "scaled up to 320 pixels: developers.facebook.com/docs/threads/overview, image specifications",
	"threads/height of images":         "likewise",
	"threads/width of videos":          "that page names no least width of videos",
	"threads/height of videos":         "likewise",
	"facebook/width of images":         "the specification's: graph-api/reference/page/photos names no least size",
	"facebook/height of images":        "likewise",
	"facebook/width of videos":         "the specification's: video-api names no least size of videos of the feed",
	"facebook/height of videos":        "likewise",
	"bluesky/duration of videos":       "app.bsky.video.uploadVideo knows no length; clients hold to 10 minutes (bluesky-social/social-app #11528)",
	"youtube/width of videos":          "the specification's: docs/videos/insert names none",
	"youtube/height of videos":         "likewise",
	"pinterest/image/jpeg":             "a picture by its address may be of any type: only content_type of image_base64 names two",
	"pinterest/image/png":              "likewise",
	"pinterest/alt text":               "crier cuts the pin's text, which is that of all items",
	"bluesky/no text":                  "the specification's: app.bsky.feed.post wants the field, which may be empty",
	"pinterest/text":                   "the specification's: the OpenAPI of pinterest/api-description takes 800",
	"pinterest/width of images":        "the specification's: the OpenAPI names no least size",
	"pinterest/height of images":       "likewise",
	"pinterest/width of videos":        "likewise",
	"pinterest/height of videos":       "likewise",
	"google-business/width of images":  "asked for by support.google.com/business/answer/6103862; which refusal is the API's is in no document",
	"google-business/height of images": "likewise",
}

// TestConstraintsAtTheirEdges holds each platform's constraints against its simulator: what validation
// takes, at the edge, is published; one beyond, validation refuses it, and so does the simulator past
// validation, except for what the platform is known to take.
func TestConstraintsAtTheirEdges(t *testing.T) {
	s := newEdgeStage(t)
	for _, p := range schema.Platforms() {
		a := s.account(t, p)
		own := catalog.Constraints(p).For(&a)
		sets := map[schema.LimitSet]schema.Constraints{schema.SpecificationLimits: own}
		if len(own.Wider) > 0 {
			wide := a
			wide.Limits = schema.PlatformLimits
			sets[schema.PlatformLimits] = own.For(&wide)
		}
		for set, c := range sets {
			a.Limits = set
			specified := edgesOf(own)
			for name, e := range edgesOf(c) {
				if set == schema.PlatformLimits && e.size > 0 && e.size == specified[name].size {
					continue // it was held
				}
				t.Run(fmt.Sprintf("%s/%s/%s", p, set, name), func(t *testing.T) { s.hold(t, a, c, p.String()+"/"+name, e) })
			}
		}
	}
	for row := range gentle {
		if !s.gentle[row] {
			t.Errorf("no platform took what %q is about", row)
		}
	}
}

func (s *edgeStage) hold(t *testing.T, a schema.Account, c schema.Constraints, row string, e edge) {
	if e.at != nil {
		if found := s.validate(a, c, *e.at); len(found) > 0 {
			t.Errorf("validation refuses what is at the edge: %v", found)
		}
		if err := s.publishTo(t, a, *e.at, *e.at, e.size); err != nil {
			t.Errorf("the simulator refuses what is at the edge: %v", err)
		}
	}
	if found := s.validate(a, c, e.beyond); len(found) == 0 {
		t.Error("validation takes what is beyond the edge")
	}
	if e.size > 0 {
		s.holdSize(t, a, c, e)
	}
	if e.own || c.Media.Required && len(e.beyond.files) == 0 {
		return // of the latter no connector makes a call
	}
	wide := a
	wide.Limits = schema.PlatformLimits
	isWider := len(s.validate(wide, c.For(&wide), e.beyond)) == 0
	err := s.publishTo(t, wide, e.beyond, e.beyond.claiming(c), e.size+1)
	_, isGentle := gentle[row]
	s.gentle[row] = s.gentle[row] || err == nil
	if isTaken := err == nil; isTaken != (isGentle || isWider) {
		t.Errorf("beyond the edge the simulator says %v; known to be taken: %t, by the platform's limits: %t", err, isGentle, isWider)
	}
}

func (s *edgeStage) validate(a schema.Account, c schema.Constraints, p piece) []schema.Detail {
	content := schema.Content{Entries: []schema.Entry{{Text: p.text, Media: s.media(p)}}, Settings: map[schema.Platform]json.RawMessage{}}
	for i := range p.follow {
		content.Thread = new(schema.ThreadConfig)
		content.Entries = append(content.Entries, schema.Entry{Text: p.textOf(i + 1)})
	}
	if settings := p.rawSettings(c); settings != nil {
		content.Settings[a.Platform] = settings
	}
	if p.comment != "" {
		content.FirstComments = []schema.FirstComment{{Text: p.comment}}
	}
	found, _ := validation.Check(content, []schema.Target{{Platform: a.Platform, Account: a.ID}}, func(schema.Target) *schema.Constraints { return &c })
	return found
}

func (p piece) textOf(entry int) string {
	if entry == 0 {
		return p.text
	}
	return fmt.Sprintf("%s, %d", p.text, entry)
}

// rawSettings are the settings of a piece, with what every post of the platform needs.
func (p piece) rawSettings(c schema.Constraints) json.RawMessage {
	all := map[string]any{}
	if c.Title.Required {
		all["title"] = "A film"
	}
	if c.Platform == schema.TikTok {
		all["privacy"] = "PUBLIC_TO_EVERYONE"
	}
	maps.Copy(all, p.settings)
	if len(all) == 0 {
		return nil
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts
	}
	return raw
}

// claiming returns a piece whose files pass for usual ones with the connector, so that the platform sees
// what they are. A size cannot be claimed: connectors send as many bytes.
func (p piece) claiming(c schema.Constraints) piece {
	p.files = slices.Clone(p.files)
	for i, f := range p.files {
		usual := usualFile(c, f.facts.Kind)
		usual.facts.Size = f.facts.Size
		p.files[i].facts = usual.facts
	}
	return p
}

// edgesOf returns the edges of a platform's constraints, by name.
func edgesOf(c schema.Constraints) map[string]edge {
	edges := map[string]edge{}
	for _, of := range []func(schema.Constraints, map[string]edge){
		edgesOfText, edgesOfWords, edgesOfComments, edgesOfThreads, edgesOfPolls, edgesOfCounts, edgesOfTypes, edgesOfSizes, edgesOfShapes, edgesOfFilms,
	} {
		of(c, edges)
	}
	return edges
}

// minimum is a post with no more than the platform requires.
func minimum(c schema.Constraints, text string) piece {
	if !c.Media.Required {
		return piece{text: text}
	}
	return withMedia(c, text, 1, c.Media.Kinds[0])
}

// withMedia is a post with usual media.
func withMedia(c schema.Constraints, text string, n int, kinds ...schema.MediaKind) piece {
	p := piece{text: text}
	for range n {
		for _, kind := range kinds {
			p.files = append(p.files, usualFile(c, kind))
		}
	}
	return p
}

func edgesOfText(c schema.Constraints, edges map[string]edge) {
	long := func(p piece, n int) piece {
		p.text = strings.Repeat("x", n)
		return p
	}
	plain := minimum(c, "")
	maximum := c.MaxText(schema.Entry{Media: make([]schema.Media, len(plain.files))})
	edges["text"] = between(long(plain, maximum), long(plain, maximum+1))
	if c.Caption > 0 {
		pictured := withMedia(c, "", 1, schema.Image)
		edges["caption"] = between(long(pictured, c.Caption), long(pictured, c.Caption+1))
	}
	if maximum := c.Text.MaxBytes; maximum > 0 {
		const family = "👨‍👩‍👧" // one character
		text := strings.Repeat(family, maximum/len(family)) + strings.Repeat("x", maximum%len(family))
		edges["bytes of text"] = between(piece{text: text}, piece{text: text + "x"})
	}
	if c.Text.Required {
		edges["no text"] = between(withMedia(c, "x", 1, schema.Image), withMedia(c, "", 1, schema.Image))
	}
	for _, sign := range c.Text.Without {
		edges[fmt.Sprintf("%U", sign)] = between(minimum(c, "signs"), minimum(c, "signs"+string(sign)))
	}
	if maximum := c.Title.Max; maximum > 0 {
		titled := func(n int) piece {
			p := minimum(c, fmt.Sprintf("title of %d", n))
			p.settings = map[string]any{"title": strings.Repeat("x", n)}
			return p
		}
		edges["title"] = between(titled(maximum), titled(maximum+1))
	}
}

func edgesOfWords(c schema.Constraints, edges map[string]edge) {
	for name, words := range map[string]struct {
		max  int
		word func(i int) string
	}{
		"hashtags": {c.Hashtags, func(i int) string { return fmt.Sprintf("#tag%d ", i) }},
		"mentions": {c.Mentions, func(i int) string { return fmt.Sprintf("@name%d ", i) }},
		"cashtags": {c.Cashtags, func(i int) string { return "$" + strings.Repeat("A", i+1) + " " }},
		"links":    {c.Links, func(i int) string { return fmt.Sprintf("https://example.com/%d ", i) }},
	} {
		if words.max == 0 {
			continue
		}
		saying := func(n int) piece {
			text := name + " "
			for i := range n {
				text += words.word(i)
			}
			return minimum(c, text)
		}
		edges[name] = between(saying(words.max), saying(words.max+1))
	}
}

func edgesOfComments(c schema.Constraints, edges map[string]edge) {
	l := c.FirstComment
	commented := func(text, comment string) piece {
		p := minimum(c, text)
		p.comment = comment
		return p
	}
	if l.Supported && l.Max > 0 {
		edges["comment"] = between(commented("commented", strings.Repeat("x", l.Max)), commented("commented more", strings.Repeat("x", l.Max+1)))
	}
	for _, sign := range l.Without {
		edges[fmt.Sprintf("%U in a comment", sign)] = edge{beyond: commented("signs of comments", "x"+string(sign))}
	}
}

func edgesOfThreads(c schema.Constraints, edges map[string]edge) {
	long := func(n int) piece { return piece{text: fmt.Sprintf("a thread of %d", n), follow: n - 1} }
	if !c.Thread.Supported {
		edges["thread"] = edge{beyond: long(schema.MinThreadEntries), own: true} // crier would make posts of it
		return
	}
	edges["longest thread"] = edge{at: ptr(long(schema.MaxThreadEntries)), beyond: long(schema.MaxThreadEntries + 1), own: true}
}

func edgesOfCounts(c schema.Constraints, edges map[string]edge) {
	l := c.Media
	takes := func(kind schema.MediaKind) bool { return slices.Contains(l.Kinds, kind) }
	if l.Required {
		edges["media required"] = between(minimum(c, "with media"), piece{text: "without media"})
	}
	if takes(schema.Image) {
		edges["images"] = between(withMedia(c, "images", l.Max, schema.Image), withMedia(c, "images", l.Max+1, schema.Image))
	}
	if takes(schema.Video) && l.MaxVideos > 0 {
		edges["videos"] = between(withMedia(c, "videos", l.MaxVideos, schema.Video), withMedia(c, "videos", l.MaxVideos+1, schema.Video))
	}
	if takes(schema.Image) && takes(schema.Video) && !l.Mixed && l.Max > 1 {
		edges["mixed media"] = edge{beyond: withMedia(c, "mixed", 1, schema.Image, schema.Video)}
	}
	if takes(schema.Image) {
		described := func(n int) piece {
			p := withMedia(c, "described", 1, schema.Image)
			p.files[0].altText = strings.Repeat("x", n)
			return p
		}
		maximum := min(cmp.Or(l.MaxAltText, schema.MaxAltText), schema.MaxAltText)
		edges["alt text"] = edge{at: ptr(described(maximum)), beyond: described(maximum + 1), own: maximum == schema.MaxAltText}
	}
}

func ptr[T any](v T) *T { return &v }

// fileTypes are the types of files that are tried on all platforms, by kind.
var fileTypes = map[schema.MediaKind][]string{
	schema.Image: {"image/jpeg", "image/png", "image/webp"},
	schema.Video: {"video/mp4", "video/quicktime", "video/webm", "video/x-msvideo"},
}

func edgesOfTypes(c schema.Constraints, edges map[string]edge) {
	for kind, taken := range map[schema.MediaKind][]string{schema.Image: c.Media.ImageTypes, schema.Video: c.Media.VideoTypes} {
		if !slices.Contains(c.Media.Kinds, kind) || len(taken) == 0 || kind == schema.Image && c.Media.Converts {
			continue
		}
		typed := func(mediaType string) piece {
			p := withMedia(c, "of "+mediaType, 1, kind)
			p.files[0].facts.Type = mediaType
			p.files[0].content.Type = mediaType
			return p
		}
		other := slices.IndexFunc(fileTypes[kind], func(mediaType string) bool { return !slices.Contains(taken, mediaType) })
		for _, mediaType := range taken {
			if !slices.Contains(fileTypes[kind], mediaType) || other < 0 {
				continue
			}
			edges[mediaType] = between(typed(mediaType), typed(fileTypes[kind][other]))
		}
	}
}

func edgesOfSizes(c schema.Constraints, edges map[string]edge) {
	l := c.Media
	for kind, maximum := range map[schema.MediaKind]int64{
		schema.Image: l.MaxImageBytes, schema.Video: l.MaxVideoBytes, schema.GIF: l.MaxGIFBytes, schema.PDF: l.MaxDocumentBytes,
	} {
		if maximum == 0 || !slices.Contains(l.Kinds, kind) {
			continue
		}
		sized := func(size int64) piece {
			p := withMedia(c, fmt.Sprintf("of %d bytes", size), 1, kind)
			p.files[0].facts.Size, p.files[0].content.Size = size, size
			return p
		}
		edges["size of "+string(kind)] = edge{at: ptr(sized(maximum)), beyond: sized(maximum + 1), size: maximum}
	}
}

func edgesOfShapes(c schema.Constraints, edges map[string]edge) {
	for _, kind := range []schema.MediaKind{schema.Image, schema.GIF, schema.Video} {
		if !slices.Contains(c.Media.Kinds, kind) {
			continue
		}
		s := shapes{c, kind, edges}
		s.pixels()
		if kind != schema.GIF { // which is held to the other bounds of its like
			s.sides()
			s.ratios()
		}
	}
}

// shapes are the edges of what media of a kind measure.
type shapes struct {
	schema.Constraints
	kind  schema.MediaKind
	edges map[string]edge
}

func (s shapes) between(what string, at, beyond [2]int) {
	shaped := func(sides [2]int) piece {
		p := withMedia(s.Constraints, fmt.Sprintf("%d by %d", sides[0], sides[1]), 1, s.kind)
		f := &p.files[0]
		f.facts.Width, f.facts.Height = sides[0], sides[1]
		f.content.Width, f.content.Height = sides[0], sides[1]
		return p
	}
	s.edges[what+" of "+string(s.kind)+"s"] = between(shaped(at), shaped(beyond))
}

func (s shapes) pixels() {
	l := s.Media
	if maximum := map[schema.MediaKind]int64{schema.Image: l.MaxPixels, schema.GIF: l.MaxGIFPixels, schema.Video: l.MaxVideoPixels}[s.kind]; maximum > 0 {
		side := int(math.Sqrt(float64(maximum)))
		s.between("pixels", [2]int{side, side}, [2]int{side + 1, side + 1})
	}
	if half := l.MaxSides / 2; half > 0 && s.kind == schema.Image {
		s.between("sides", [2]int{half, half}, [2]int{half, half + 1})
	}
}

func (s shapes) sides() {
	l, ratio := s.Media, usualRatio(s.Constraints)
	if s.kind == schema.Video {
		l.MinWidth, l.MinHeight = max(l.MinWidth, l.Film.MinSide), max(l.MinHeight, l.Film.MinSide)
	}
	if tall := max(l.MinHeight, int(math.Ceil(float64(l.MinWidth)/ratio))); l.MinWidth > 0 && s.isShape(l.MinWidth, tall) {
		s.between("width", [2]int{l.MinWidth, tall}, [2]int{l.MinWidth - 1, tall})
	}
	if wide := max(l.MinWidth, int(math.Ceil(float64(l.MinHeight)*ratio))); l.MinHeight > 0 && s.isShape(wide, l.MinHeight) {
		s.between("height", [2]int{wide, l.MinHeight}, [2]int{wide, l.MinHeight - 1})
	}
	if l.MaxWidth > 0 {
		s.between("most width", [2]int{l.MaxWidth, 720}, [2]int{l.MaxWidth + 1, 720})
		s.between("most height", [2]int{720, l.MaxHeight}, [2]int{720, l.MaxHeight + 1})
	}
}

func (s shapes) isShape(width, height int) bool {
	l, ratio := s.Media, float64(width)/float64(height)
	return s.kind == schema.Video && l.AspectOfImages || l.MaxAspect == 0 || ratio >= l.MinAspect && ratio <= l.MaxAspect
}

func (s shapes) ratios() {
	const beyond = 1.02 // by more than what is rounded
	l := s.Media
	if l.MaxAspect == 0 || s.kind == schema.Video && l.AspectOfImages {
		return
	}
	side := 400.0
	if l.MaxAspect < 10 {
		side = 2160
	}
	s.between("widest", [2]int{int(side * l.MaxAspect), int(side)}, [2]int{int(side * l.MaxAspect * beyond), int(side)})
	s.between("tallest", [2]int{int(side), int(side / l.MinAspect)}, [2]int{int(side), int(side / l.MinAspect * beyond)})
}

func edgesOfFilms(c schema.Constraints, edges map[string]edge) {
	l := c.Media
	if !slices.Contains(l.Kinds, schema.Video) {
		return
	}
	film := func(text string, change func(*schema.MediaFacts)) piece {
		p := withMedia(c, text, 1, schema.Video)
		change(&p.files[0].facts)
		change(&p.files[0].content)
		return p
	}
	lasting := func(d time.Duration) piece {
		return film("lasting "+d.String(), func(f *schema.MediaFacts) { f.Duration = d })
	}
	if l.MaxVideoDuration > 0 {
		edges["duration of videos"] = between(lasting(l.MaxVideoDuration), lasting(l.MaxVideoDuration+time.Second))
	}
	if l.Film.MinDuration > 0 {
		edges["least duration of videos"] = between(lasting(l.Film.MinDuration), lasting(l.Film.MinDuration-100*time.Millisecond))
	}
	coded := func(codec string) piece {
		return film("in "+codec, func(f *schema.MediaFacts) { f.Film.Codec = codec })
	}
	for _, codec := range l.Film.Codecs {
		edges["codec "+codec] = between(coded(codec), coded("prores"))
	}
	paced := func(rate float64) piece {
		return film(fmt.Sprintf("%.0f a second", rate), func(f *schema.MediaFacts) { f.Film.FrameRate = rate })
	}
	if maximum := l.Film.MaxFrameRate; maximum > 0 {
		edges["most pictures a second"] = between(paced(maximum), paced(maximum*1.05))
	}
	if minimum := l.Film.MinFrameRate; minimum > 0 {
		edges["least pictures a second"] = between(paced(minimum), paced(minimum/1.05))
	}
}
