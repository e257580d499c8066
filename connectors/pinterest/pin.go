package pinterest

import (
	"strings"
	"unicode/utf8"

	"crier/schema"
)

// newPin is the body of POST /pins.
type newPin struct {
	Board    string      `json:"board_id"`
	Section  string      `json:"board_section_id,omitempty"`
	Title    string      `json:"title,omitempty"`
	Text     string      `json:"description,omitempty"`
	Link     string      `json:"link,omitempty"`
	AltText  string      `json:"alt_text,omitempty"`
	Dominant string      `json:"dominant_color,omitempty"`
	Source   mediaSource `json:"media_source"`
}

// mediaSource is of one kind.
type mediaSource struct {
	Kind  string       `json:"source_type"`
	URL   string       `json:"url,omitempty"`   // of a picture
	Items []sourceItem `json:"items,omitempty"` // of a carousel

	Video         string `json:"media_id,omitempty"`
	CoverURL      string `json:"cover_image_url,omitempty"`
	CoverKeyFrame *int   `json:"cover_image_key_frame_time,omitempty"` // seconds
}

type sourceItem struct {
	URL string `json:"url"`
}

// The kinds of sources.
const (
	ofURL   = "image_url"
	ofURLs  = "multiple_image_urls"
	ofVideo = "video_id"
)

// defaultCover is the second of a video that is shown where nobody has chosen one: the first
// is black in many. Of a shorter video Pinterest takes the last picture.
const defaultCover = 1

// pinOf returns what a delivery asks to create.
func pinOf(d schema.Delivery, s settings, to destination, assets []asset) newPin {
	return newPin{
		Board: to.board, Section: to.section, Title: s.Title, Text: d.Text, Link: s.Link,
		AltText: altText(d.Media), Dominant: s.DominantColor, Source: sourceOf(s, assets),
	}
}

func sourceOf(s settings, assets []asset) mediaSource {
	switch {
	case len(assets) > 1:
		source := mediaSource{Kind: ofURLs}
		for _, a := range assets {
			source.Items = append(source.Items, sourceItem{a.URL})
		}
		return source
	case assets[0].Video != nil:
		source := mediaSource{Kind: ofVideo, Video: assets[0].Video.ID, CoverURL: schema.Variant{Platform: schema.Pinterest}.Cover(s.CoverImageURL), CoverKeyFrame: s.CoverImageKeyFrameTime}
		if source.CoverURL == "" && source.CoverKeyFrame == nil {
			source.CoverKeyFrame = new(defaultCover)
		}
		return source
	default:
		return mediaSource{Kind: ofURL, URL: assets[0].URL}
	}
}

// altText returns the one alternative text that a pin has: those of its items, a line each.
func altText(items []schema.Media) string {
	var lines []string
	for _, item := range items {
		if item.AltText != "" {
			lines = append(lines, item.AltText)
		}
	}
	text := strings.Join(lines, "\n")
	if utf8.RuneCountInString(text) <= maxAltText {
		return text
	}
	return string([]rune(text)[:maxAltText-1]) + "…"
}
