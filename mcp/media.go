package mcp

import (
	"context"

	"crier/client"
)

func (t *tools) addMedia() {
	add(t, about{
		name: "media_from_url", title: "Fetch media", effect: fetches,
		says: "Has crier fetch a picture, video or PDF from a public address, within 75 seconds, for use in posts. It is removed after a week unless a post uses it. " +
			"Files of a person's machine are uploaded by the command crier media upload.",
	}, (*call).mediaFromURL)
}

type mediaInput struct {
	URL      string `json:"url" jsonschema:"public http or https address of the file"`
	FileName string `json:"fileName,omitempty"`
	AltText  string `json:"altText,omitempty" jsonschema:"what it shows, for those who do not see it"`
}

type mediaOutput struct {
	MediaID  string           `json:"mediaId" jsonschema:"what other tools take as mediaId"`
	Type     client.MediaType `json:"type"`
	MimeType string           `json:"mimeType"`
	Bytes    int              `json:"bytes"`
	Width    int              `json:"width,omitempty"`
	Height   int              `json:"height,omitempty"`
	Seconds  float64          `json:"seconds,omitempty"`
}

func (c *call) mediaFromURL(ctx context.Context, in mediaInput) (out mediaOutput, err error) {
	m, err := c.Media.FromURL(ctx, client.MediaFromURL{URL: in.URL, FileName: in.FileName, AltText: in.AltText})
	if err != nil {
		return out, err
	}
	return mediaOutput{
		MediaID: m.ID, Type: client.MediaType(m.Type), MimeType: m.MimeType, Bytes: m.Size, Width: m.Width, Height: m.Height, Seconds: m.Duration,
	}, nil
}
