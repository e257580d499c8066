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

const (
	// longestTurn is how long uploads go on in one call of Prepare: what was uploaded by then
	// is kept, and a process that dies later does not begin from the start.
	longestTurn = 2 * time.Minute
	soon        = time.Second // when an upload is continued
)

// errPause ends a call of Prepare that has taken its time.
var errPause = errors.New("to be continued")

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
	err = c.uploadMissing(ctx, d, s, p)
	if errors.Is(err, errPause) {
		err = nil
	}
	return p.Keep(err, soon)
}

// assetsOf returns the entry's media, all of which is prepared.
func assetsOf(d schema.Delivery) ([]asset, error) {
	p, err := connectors.ReadMediaProgress[asset](d)
	if err == nil && !p.IsReady() {
		err = errors.New("the media is not prepared")
	}
	return p.Media, err
}

// uploadMissing uploads the items that are not uploaded. All are opened and checked first, so
// that nothing is uploaded for an entry that cannot be published.
func (c *Connector) uploadMissing(ctx context.Context, d schema.Delivery, s settings, p progress) (err error) {
	files := make([]*media.File, len(p.Media)) // nil: uploaded already
	defer func() { err = errors.Join(err, media.CloseAll(files)) }()
	for i, a := range p.Media {
		if a.Ready {
			continue
		}
		if files[i], err = c.media.Open(ctx, d.Media[i]); err != nil {
			return fmt.Errorf("opening media: %w", err)
		}
		if files[i].Kind == schema.Video && len(p.Media) > 1 {
			return connectors.Refuse("Facebook takes photos, or one video")
		}
		if err := s.check(d, files[i]); err != nil {
			return err
		}
	}
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
	var photo struct {
		ID string `json:"id"`
	}
	if _, err := c.client.Do(ctx, call, &photo); err != nil {
		return asset{}, fmt.Errorf("uploading photo: %w", err)
	}
	if photo.ID == "" {
		return asset{}, strange("names no photo")
	}
	return asset{ID: photo.ID, Ready: true}, nil
}
