package facebook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

// soon is when an upload is continued.
const soon = time.Second

// progress is what is kept of an entry's media between two calls of Prepare.
type progress = connectors.MediaProgress[asset]

// asset is one media item as Facebook knows it: a photo that is not published, or a video
// whose upload is not ended.
type asset struct {
	ID      string `json:"id,omitempty"` // empty: nothing was begun
	Video   bool   `json:"video,omitempty"`
	Session string `json:"session,omitempty"` // of the upload of a video of the feed
	URL     string `json:"url,omitempty"`     // where the video of a reel or a story goes
	Next    int64  `json:"next,omitempty"`    // the part that is wanted next: from here,
	End     int64  `json:"end,omitempty"`     // and up to here; the same at the end
	Ready   bool   `json:"ready,omitempty"`
}

// IsReady implements connectors.MediaItem.
func (a asset) IsReady() bool { return a.Ready }

// BytesSent tells connectors.MediaProgress how far the upload of a video is.
func (a asset) BytesSent() int64 { return a.Next }

// Prepare uploads what is not uploaded. The state that comes with an error, or without being
// ready, holds what was uploaded before.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Progress{}, err
	}
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		return schema.Progress{}, err
	}
	return p.Keep(c.uploadMissing(ctx, d, s, p), soon)
}

// uploadMissing uploads the items that are not uploaded.
func (c *Connector) uploadMissing(ctx context.Context, d schema.Delivery, s settings, p progress) (err error) {
	files, err := p.OpenMissing(ctx, c.media, d, func(a asset) bool { return !a.Ready }, s.check)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, media.CloseAll(files)) }()
	began := c.now()
	for i, file := range files {
		switch {
		case file == nil:
		case file.Kind == schema.Video:
			err = (&turn{Connector: c, d: d, s: s, began: began}).upload(ctx, file, &p.Media[i])
		default:
			p.Media[i], err = c.uploadPhoto(ctx, d, d.Media[i], file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// uploadPhoto uploads a photo that nobody sees until a post attaches it.
func (c *Connector) uploadPhoto(ctx context.Context, d schema.Delivery, item schema.Media, file *media.File) (asset, error) {
	content, err := file.Open()
	if err != nil {
		return asset{}, fmt.Errorf("reading media: %w", err)
	}
	defer content.Close()
	call := c.call(d.Account, d.Credentials, http.MethodPost, pageOf(d)+"/photos", opPhotos)
	call.Kind, call.Form = connectors.Media, url.Values{"published": {"false"}}
	connectors.SetField(call.Form, "alt_text_custom", item.AltText)
	call.Files = []connectors.FilePart{{
		Field: "source", Name: "photo." + path.Base(file.Type), Type: file.Type, Size: file.Size, Content: content,
	}}
	var photo connectors.Created
	if _, err := c.client.Do(ctx, call, &photo); err != nil {
		return asset{}, fmt.Errorf("uploading photo: %w", err)
	}
	if photo.ID == "" {
		return asset{}, platform.Strange("names no photo")
	}
	return asset{ID: photo.ID, Ready: true}, nil
}
