package mastodon

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

// processingWait is when to look again at media that the server still processes:
// images are ready at once, a video takes from a second to minutes.
const processingWait = 2 * time.Second

// progress is what is kept of an entry's media between two calls of Prepare.
type progress = connectors.MediaProgress[attachment]

type attachment struct {
	ID    string `json:"id,omitempty"` // empty: not uploaded; it is never dropped
	Ready bool   `json:"ready,omitempty"`
}

// IsReady implements connectors.MediaItem.
func (a attachment) IsReady() bool { return a.Ready }

// Prepare looks once at what the server was still processing, then uploads what is
// not uploaded. The state that comes with an error holds what was uploaded before it.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Progress{}, err
	}
	if s.pollOf(d) != nil && len(d.Media) > 0 {
		return schema.Progress{}, errPollWithMedia()
	}
	p, err := connectors.ReadMediaProgress[attachment](d)
	if err != nil {
		return schema.Progress{}, err
	}
	err = c.lookAtMedia(ctx, d, p)
	if err == nil {
		err = c.uploadMissing(ctx, d, p)
	}
	return p.Keep(err, processingWait)
}

// mediaIDs returns the ids of the entry's media, all of which are prepared.
func mediaIDs(d schema.Delivery) ([]string, error) {
	attachments, err := connectors.Prepared[attachment](d)
	ids := make([]string, len(attachments))
	for i, a := range attachments {
		ids[i] = a.ID
	}
	return ids, err
}

// lookAtMedia asks once for each item that was still processed. The body of a 206 may be
// empty; the status says all (docs.joinmastodon.org/methods/media/#get).
func (c *Connector) lookAtMedia(ctx context.Context, d schema.Delivery, p progress) error {
	for i, m := range p.Media {
		if m.ID == "" || m.Ready {
			continue
		}
		call := c.call(d.Account, d.Credentials, http.MethodGet, "/api/v1/media/"+url.PathEscape(m.ID), opMediaProcessed)
		call.Kind = connectors.Status
		response, err := c.client.Do(ctx, call, nil)
		if err != nil {
			return fmt.Errorf("looking at media: %w", err)
		}
		p.Media[i].Ready = response.Status == http.StatusOK
	}
	return nil
}

// uploadMissing uploads the items that have no id.
func (c *Connector) uploadMissing(ctx context.Context, d schema.Delivery, p progress) (err error) {
	files, err := p.OpenMissing(ctx, c.media, d, func(a attachment) bool { return a.ID == "" }, check)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, media.CloseAll(files)) }()
	for i, file := range files {
		if file == nil {
			continue
		}
		if p.Media[i], err = c.upload(ctx, d, d.Media[i], file); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what the server would refuse after the upload.
func check(d schema.Delivery, file *media.File) error {
	if file.Kind != schema.Image && len(d.Media) > 1 {
		return &schema.Error{Kind: schema.Refused, Message: "Mastodon takes images or 1 video or GIF"}
	}
	return file.Check(constraintsOfAccount(d.Account))
}

// upload answers 200 when the media is processed, which images are at once, and 202
// when that goes on (docs.joinmastodon.org/methods/media/#v2).
func (c *Connector) upload(ctx context.Context, d schema.Delivery, item schema.Media, file *media.File) (attachment, error) {
	content, err := file.Open()
	if err != nil {
		return attachment{}, fmt.Errorf("reading media: %w", err)
	}
	defer content.Close()
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/api/v2/media", opUploadMedia)
	call.Kind, call.Form = connectors.Media, url.Values{}
	connectors.SetField(call.Form, "description", item.AltText)
	call.Files = []connectors.FilePart{{
		Field: "file", Name: "media." + path.Base(file.Type), Type: file.Type, Size: file.Size, Content: content,
	}}
	var created connectors.Created
	response, err := c.client.Do(ctx, call, &created)
	if err != nil {
		return attachment{}, fmt.Errorf("uploading media: %w", connectors.WithoutEnd(err))
	}
	if created.ID == "" {
		return attachment{}, &schema.Error{Kind: schema.Retryable, Message: "the server's answer names no media"}
	}
	return attachment{ID: created.ID, Ready: response.Status == http.StatusOK}, nil
}
