package linkedin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

// processingWait is when to look again at media that LinkedIn still processes.
const processingWait = 3 * time.Second

// collection is where media of a kind is uploaded, in the API's paths.
type collection string

const (
	images    collection = "images"
	videos    collection = "videos"
	documents collection = "documents"
)

// kind is the field of an answer that names a new asset.
func (c collection) kind() string { return string(c[:len(c)-1]) }

// progress is what is kept of an entry's media between two calls of Prepare.
type progress = connectors.MediaProgress[asset]

// asset is one media item as LinkedIn knows it.
type asset struct {
	Kind     collection `json:"kind,omitempty"`
	URN      string     `json:"urn,omitempty"` // empty: no upload was begun
	Upload   *upload    `json:"upload,omitempty"`
	Uploaded bool       `json:"uploaded,omitempty"`
	Ready    bool       `json:"ready,omitempty"`
}

// IsReady implements connectors.MediaItem.
func (a asset) IsReady() bool { return a.Ready }

// BytesSent tells connectors.MediaProgress how far the upload is; it is nothing once it is over.
func (a asset) BytesSent() (n int64) {
	if a.Upload == nil {
		return 0
	}
	for _, p := range a.Upload.Parts {
		if p.ETag != "" {
			n = p.Last + 1
		}
	}
	return n
}

// upload is one that is not over.
type upload struct {
	Token string `json:"token,omitempty"`
	Parts []part `json:"parts"`
}

// Prepare uploads what is not uploaded, and looks once at what LinkedIn was still processing.
// The state that comes with an error, or without being ready, holds what was uploaded before.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return schema.Progress{}, err
	}
	if s.Poll != nil && len(d.Media) > 0 {
		return schema.Progress{}, connectors.Refuse("LinkedIn takes a poll or media, not both")
	}
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		return schema.Progress{}, err
	}
	err = c.lookAtMedia(ctx, d, p)
	if err == nil {
		err = c.uploadMissing(ctx, d, p)
	}
	return p.Keep(err, processingWait)
}

// The states of an asset (images-api, videos-api, documents-api).
const (
	stateWaiting    = "WAITING_UPLOAD"
	stateProcessing = "PROCESSING"
	stateAvailable  = "AVAILABLE"
	stateFailed     = "PROCESSING_FAILED"
)

// lookAtMedia asks once for each item that was uploaded and is not ready. One that LinkedIn
// waits for in spite of that is uploaded again.
func (c *Connector) lookAtMedia(ctx context.Context, d schema.Delivery, p progress) error {
	for i, a := range p.Media {
		if !a.Uploaded || a.Ready {
			continue
		}
		state, err := c.state(ctx, d, a)
		switch {
		case err != nil:
			return fmt.Errorf("looking at media: %w", err)
		case state == stateAvailable:
			p.Media[i].Ready = true
		case state == stateFailed:
			return connectors.Refuse("LinkedIn could not process the %s", a.Kind.kind())
		case state == stateWaiting:
			p.Media[i] = asset{}
		case state != stateProcessing:
			return platform.Strange("names no state of the media")
		}
	}
	return nil
}

// state asks how far an asset is. A token with w_member_social alone may not ask: the post
// tells then, by MEDIA_ASSET_WAITING_UPLOAD.
func (c *Connector) state(ctx context.Context, d schema.Delivery, a asset) (string, error) {
	operation := "GET /rest/" + string(a.Kind) + "/{urn}"
	call := c.call(d.Account, d.Credentials, http.MethodGet, "/rest/"+string(a.Kind)+"/"+url.QueryEscape(a.URN), operation)
	call.Kind = connectors.Status
	var response struct {
		Status string `json:"status"`
	}
	_, err := c.client.Do(ctx, call, &response)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.End == schema.EndScope {
		return stateAvailable, nil
	}
	return response.Status, err
}

// uploadMissing uploads the items that are not uploaded.
func (c *Connector) uploadMissing(ctx context.Context, d schema.Delivery, p progress) (err error) {
	isMissing := func(a asset) bool { return !a.Uploaded }
	if !slices.ContainsFunc(p.Media, isMissing) {
		return nil
	}
	files, err := p.OpenMissing(ctx, c.media, d, isMissing, check)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, media.CloseAll(files)) }()
	owner, err := c.author(ctx, d.Account, d.Credentials)
	if err != nil {
		return err
	}
	turn := &turn{Connector: c, d: d, owner: owner, began: c.now()}
	for i, file := range files {
		if file == nil {
			continue
		}
		if err := turn.upload(ctx, file, &p.Media[i]); err != nil {
			return err
		}
	}
	return c.lookAtMedia(ctx, d, p)
}

// check refuses what LinkedIn would refuse after the upload.
func check(d schema.Delivery, file *media.File) error {
	if len(d.Media) > 1 && file.Kind != schema.Image && file.Kind != schema.GIF {
		return connectors.Refuse("LinkedIn takes several images, or one video, or one document")
	}
	return file.Check(Constraints().Of(d))
}

func collectionOf(file *media.File) collection {
	switch file.Kind {
	case schema.Video:
		return videos
	case schema.PDF:
		return documents
	default:
		return images
	}
}
