package platforms

import (
	"math"
	"time"

	"crier/schema"
)

// platformView is what is taken on a platform. A limit that there is not is left out.
type platformView struct {
	Platform     schema.Platform `json:"platform"`
	Server       string          `json:"server,omitempty"` // whose limits these are, where servers have their own
	Text         textView        `json:"text"`
	Title        *textView       `json:"title,omitempty"`
	Media        mediaView       `json:"media"`
	FirstComment commentView     `json:"firstComment"`
	Threads      bool            `json:"threads"`
	PostsPerDay  int             `json:"postsPerDay,omitempty"` // of an account, by crier
	// Wider are the limits of the platform itself that are wider: in force with the limits of the platform.
	Wider []widerView `json:"wider"`
}

type textView struct {
	MaxLength        int  `json:"maxLength,omitempty"` // as the platform counts
	MaxCaptionLength int  `json:"maxCaptionLength,omitempty"`
	MaxBytes         int  `json:"maxBytes,omitempty"` // of UTF-8
	Required         bool `json:"required"`
	MaxHashtags      int  `json:"maxHashtags,omitempty"`
	MaxCashtags      int  `json:"maxCashtags,omitempty"`
	MaxMentions      int  `json:"maxMentions,omitempty"`
	MaxLinks         int  `json:"maxLinks,omitempty"` // different ones
}

type mediaView struct {
	Required         bool               `json:"required"`
	Max              int                `json:"max"`
	MaxVideos        int                `json:"maxVideos,omitempty"`
	Kinds            []schema.MediaKind `json:"kinds"`
	ImageTypes       []string           `json:"imageTypes,omitempty"`
	VideoTypes       []string           `json:"videoTypes,omitempty"`
	MaxImageBytes    int64              `json:"maxImageBytes,omitempty"`
	MaxVideoBytes    int64              `json:"maxVideoBytes,omitempty"`
	MaxGIFBytes      int64              `json:"maxGifBytes,omitempty"`
	MaxDocumentBytes int64              `json:"maxDocumentBytes,omitempty"`
	MaxVideoSeconds  float64            `json:"maxVideoSeconds,omitempty"`
	MinWidth         int                `json:"minWidth,omitempty"`
	MinHeight        int                `json:"minHeight,omitempty"`
	MaxWidth         int                `json:"maxWidth,omitempty"`
	MaxHeight        int                `json:"maxHeight,omitempty"`
	MaxPixels        int64              `json:"maxPixels,omitempty"` // of a picture
	MaxGIFPixels     int64              `json:"maxGifPixels,omitempty"`
	MaxVideoPixels   int64              `json:"maxVideoPixels,omitempty"`
	MinAspectRatio   float64            `json:"minAspectRatio,omitempty"`
	MaxAspectRatio   float64            `json:"maxAspectRatio,omitempty"`
	MaxAltText       int                `json:"maxAltText"`
}

type commentView struct {
	Supported bool `json:"supported"`
	MaxLength int  `json:"maxLength,omitempty"`
}

type widerView struct {
	What    string `json:"what"`
	Source  string `json:"source"`
	InForce bool   `json:"inForce"`
}

// viewPlatform is what is taken of an account.
func viewPlatform(all schema.Constraints, a schema.Account) platformView {
	c := all.For(&a)
	view := platformView{
		Platform: c.Platform, Server: c.Server, Text: viewText(c), Media: viewMedia(c.Media), Threads: c.Thread.Supported,
		FirstComment: commentView{c.FirstComment.Supported, c.FirstComment.Max}, PostsPerDay: c.DailyCap, Wider: []widerView{},
	}
	if c.Title.Max > 0 {
		view.Title = &textView{MaxLength: c.Title.Max, Required: c.Title.Required}
	}
	for _, w := range all.Wider {
		view.Wider = append(view.Wider, widerView{w.What, w.Source, a.Limits == schema.PlatformLimits && w.Holds(a)})
	}
	return view
}

func viewText(c schema.Constraints) textView {
	return textView{
		MaxLength: c.Text.Max, MaxCaptionLength: c.Caption, MaxBytes: c.Text.MaxBytes, Required: c.Text.Required,
		MaxHashtags: c.Hashtags, MaxCashtags: c.Cashtags, MaxMentions: c.Mentions, MaxLinks: c.Links,
	}
}

func viewMedia(l schema.MediaLimits) mediaView {
	alt := l.MaxAltText
	if alt == 0 {
		alt = schema.MaxAltText
	}
	return mediaView{
		Required: l.Required, Max: l.Max, MaxVideos: l.MaxVideos, Kinds: append([]schema.MediaKind{}, l.Kinds...), ImageTypes: l.ImageTypes, VideoTypes: l.VideoTypes,
		MaxImageBytes: l.MaxImageBytes, MaxVideoBytes: l.MaxVideoBytes, MaxGIFBytes: l.MaxGIFBytes, MaxDocumentBytes: l.MaxDocumentBytes,
		MaxVideoSeconds: math.Round(float64(l.MaxVideoDuration)/float64(time.Second)*1000) / 1000,
		MinWidth:        l.MinWidth, MinHeight: l.MinHeight, MaxWidth: l.MaxWidth, MaxHeight: l.MaxHeight,
		MaxPixels: l.MaxPixels, MaxGIFPixels: l.MaxGIFPixels, MaxVideoPixels: l.MaxVideoPixels,
		MinAspectRatio: rounded(l.MinAspect), MaxAspectRatio: rounded(l.MaxAspect), MaxAltText: alt,
	}
}

// rounded is a ratio as people write it.
func rounded(ratio float64) float64 { return math.Round(ratio*1000) / 1000 }
