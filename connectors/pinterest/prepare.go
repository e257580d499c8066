package pinterest

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
	"crier/schema/validation"
)

const (
	// processingWait is when to look again at a video that Pinterest still processes.
	processingWait = 5 * time.Second
	// maxWork is for how long Pinterest may process a video; it says no time.
	maxWork = time.Hour
)

// progress is the state of an entry's media between two calls of Prepare.
type progress = connectors.MediaProgress[asset]

// asset is one media item: a picture where Pinterest fetches it, or a video that was uploaded.
type asset struct {
	URL   string  `json:"url,omitempty"`
	Video *upload `json:"video,omitempty"`
	Ready bool    `json:"ready,omitempty"`
}

// IsReady implements connectors.MediaItem.
func (a asset) IsReady() bool { return a.Ready }

// upload is a video that was registered.
type upload struct {
	ID   string `json:"id"`
	Sent int64  `json:"sent,omitempty"` // when all of it was sent, in seconds since 1970; 0: nobody knows that it was
}

// Prepare checks the pictures, and uploads a video or looks once at one that Pinterest was still
// processing. The state that comes with an error, or without being ready, holds what was done
// before.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		return schema.Progress{}, err
	}
	err = c.advance(ctx, d, p)
	return p.Keep(err, processingWait)
}

// assetsOf returns the entry's media, all of which is prepared.
func assetsOf(d schema.Delivery) ([]asset, error) {
	p, err := connectors.ReadMediaProgress[asset](d)
	switch {
	case err != nil:
		return nil, err
	case len(p.Media) == 0:
		return nil, connectors.Refuse("a pin needs a picture or a video")
	case !p.IsReady():
		return nil, errors.New("the media is not prepared")
	}
	return p.Media, nil
}

func (c *Connector) advance(ctx context.Context, d schema.Delivery, p progress) error {
	if len(p.Media) > maxItems {
		return connectors.Refuse("Pinterest takes at most %d pictures in a pin, there are %d", maxItems, len(p.Media))
	}
	for i := range p.Media {
		if p.Media[i].Ready {
			continue
		}
		if err := c.prepareItem(ctx, d, i, &p.Media[i]); err != nil {
			return err
		}
	}
	return nil
}

// prepareItem takes one item as far as it goes without waiting.
func (c *Connector) prepareItem(ctx context.Context, d schema.Delivery, i int, a *asset) error {
	if a.Video != nil {
		sent, err := c.lookAtVideo(ctx, d, a)
		if err != nil || sent {
			return err
		}
	}
	item := d.Media[i]
	if a.Video == nil && item.KnownKind() != schema.Video {
		inspected, err := media.Inspect(ctx, c.media, item, Constraints().Of(d))
		if err != nil {
			return fmt.Errorf("looking at media item %d: %w", i, err)
		}
		if item = inspected; item.Facts.Kind != schema.Video {
			*a = asset{URL: item.URL, Ready: true}
			return nil
		}
	}
	return c.uploadVideo(ctx, d, item, a)
}

// The states of a video.
const (
	stateRegistered = "registered"
	stateProcessing = "processing"
	stateSucceeded  = "succeeded"
	stateFailed     = "failed"
)

// lookAtVideo asks once how far Pinterest is with a video. It has to be sent once more where
// nobody knows that it arrived, and Pinterest knows of nothing.
func (c *Connector) lookAtVideo(ctx context.Context, d schema.Delivery, a *asset) (sent bool, err error) {
	call := c.look(d.Account, d.Credentials, "/media/"+url.PathEscape(a.Video.ID), opMedia)
	var video struct {
		Status string `json:"status"`
	}
	response, err := c.client.Do(ctx, call, &video)
	isGone := err != nil && response != nil && response.Status == http.StatusNotFound && refusalIn(response.Body).Message != ""
	if err != nil && !isGone {
		return false, fmt.Errorf("looking at video: %w", connectors.WithoutEnd(err))
	}
	isAtWork := video.Status == stateProcessing || video.Status == stateRegistered && a.Video.Sent != 0
	switch {
	case video.Status == stateSucceeded:
		a.Ready = true
		return true, nil
	case video.Status == stateFailed:
		*a = asset{}
		return true, connectors.Refuse("Pinterest could not process the video")
	case isAtWork && a.Video.Sent == 0:
		a.Video.Sent = c.now().Unix()
		return true, nil
	case isAtWork && c.now().Sub(time.Unix(a.Video.Sent, 0)) > maxWork:
		*a = asset{}
		return true, &schema.Error{Kind: schema.Retryable, Message: fmt.Sprintf("Pinterest did not make the video ready within %s", maxWork)}
	case isAtWork:
		return true, nil
	case isGone || video.Status == stateRegistered:
		a.Video = nil
		return false, nil
	default:
		return false, platform.Strange("names no state of the video")
	}
}

// uploadVideo registers a video and sends it. What was registered before is left to lapse: the
// form that it is sent with was for that time.
func (c *Connector) uploadVideo(ctx context.Context, d schema.Delivery, item schema.Media, a *asset) (err error) {
	if len(d.Media) > 1 {
		return connectors.Refuse("Pinterest takes pictures, or one video")
	}
	file, err := c.media.Open(ctx, item)
	if err != nil {
		return fmt.Errorf("opening media: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Check(Constraints().Of(d)); err != nil {
		return err
	}
	if file.Kind != schema.Video {
		*a = asset{URL: item.URL, Ready: true}
		return nil
	}
	begun, err := c.register(ctx, d)
	if err != nil {
		return err
	}
	a.Video = &upload{ID: begun.ID}
	if err := c.send(ctx, d, file, begun); err != nil {
		return err
	}
	a.Video.Sent = c.now().Unix()
	_, err = c.lookAtVideo(ctx, d, a)
	return err
}

// registration is where a video is sent, and with which fields.
type registration struct {
	ID     string            `json:"media_id"`
	URL    string            `json:"upload_url"`
	Fields map[string]string `json:"upload_parameters"`
}

func (c *Connector) register(ctx context.Context, d schema.Delivery) (registration, error) {
	call := c.call(d.Account, d.Credentials, http.MethodPost, "/media", opRegister)
	call.Kind, call.JSON = connectors.Media, map[string]string{"media_type": "video"}
	var begun registration
	if _, err := c.client.Do(ctx, call, &begun); err != nil {
		return registration{}, fmt.Errorf("registering video: %w", err)
	}
	if begun.ID == "" || !validation.IsWebAddress(begun.URL) {
		return registration{}, platform.Strange("does not say where to upload")
	}
	return begun, nil
}

// send sends a video to the storage that Pinterest names, which is told no token. Its refusals
// say nothing about the account: another registration may be taken.
func (c *Connector) send(ctx context.Context, d schema.Delivery, file *media.File, to registration) error {
	content, err := file.Open()
	if err != nil {
		return fmt.Errorf("reading media: %w", err)
	}
	defer content.Close()
	fields := url.Values{}
	secrets := make([]string, 0, len(to.Fields))
	for name, value := range to.Fields {
		fields.Set(name, value)
		secrets = append(secrets, value)
	}
	call := connectors.Call{
		Operation: opUpload, Method: http.MethodPost, URL: to.URL, Account: d.Account.ID, Kind: connectors.Media, Secrets: secrets,
		Form:  fields,
		Files: []connectors.FilePart{{Field: "file", Name: "video." + path.Base(file.Type), Type: file.Type, Size: file.Size, Content: content}},
	}
	_, err = c.client.Do(ctx, call, nil)
	switch kind := schema.KindOf(err); {
	case err == nil:
		return nil
	case kind == schema.Refused || kind == schema.TokenDead:
		return &schema.Error{
			Kind: schema.Retryable, Message: "Pinterest's storage did not take the video", Err: err,
		}
	default:
		return fmt.Errorf("uploading video: %w", err)
	}
}
