package twitter

import (
	"context"
	"errors"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

const (
	// uploadTurn is how long Prepare uploads before it has its progress kept: what a death
	// costs at most.
	uploadTurn = 20 * time.Second
	// goOn is when to come again once it is kept.
	goOn = 10 * time.Millisecond
	// lookAgain is when to ask for processed media where X does not say, longestLook the most.
	lookAgain   = 2 * time.Second
	longestLook = time.Minute
	// expirySlack is how long before its time an upload counts as gone.
	expirySlack = time.Minute
)

// progress is what is kept of an entry's media between two calls of Prepare.
type progress = connectors.MediaProgress[upload]

// upload is how far an item has come.
type upload struct {
	ID       string    `json:"id,omitempty"` // of X; empty: not begun
	Expires  time.Time `json:"expires,omitzero"`
	Size     int64     `json:"size,omitempty"`     // of the content it was begun with
	Sent     int64     `json:"sent,omitempty"`     // bytes that X has
	Segments int       `json:"segments,omitempty"` // in so many
	Unsure   bool      `json:"unsure,omitempty"`   // the answer to a segment did not say that X has it
	Closing  bool      `json:"closing,omitempty"`  // finalize was called, and not answered
	Whole    bool      `json:"whole,omitempty"`    // X has all of it
	Ready    bool      `json:"ready,omitempty"`    // and has processed it
	AltText  bool      `json:"altText,omitempty"`  // was given
}

// IsReady implements connectors.MediaItem.
func (u upload) IsReady() bool { return u.Ready }

// BytesSent tells connectors.MediaProgress how far the upload is.
func (u upload) BytesSent() int64 { return u.Sent }

// Prepare looks once at what X was still processing and sends what it does not have yet,
// for as long as a turn. The state that comes with an error holds what was done before it.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return schema.Progress{}, err
	}
	if d.Entry == 0 {
		if err := s.conflict(len(d.Media)); err != nil {
			return schema.Progress{}, err
		}
	}
	p, err := connectors.ReadMediaProgress[upload](d)
	if err != nil {
		return schema.Progress{}, err
	}
	wait, stopped := c.advance(ctx, d, p)
	return p.Keep(stopped, wait)
}

// mediaIDs returns the ids of the entry's media, all of which are prepared.
func mediaIDs(d schema.Delivery) ([]string, error) {
	uploads, err := connectors.Prepared[upload](d)
	ids := make([]string, len(uploads))
	for i, u := range uploads {
		ids[i] = u.ID
	}
	return ids, err
}

// advance takes the uploads on, and returns when to come again.
func (c *Connector) advance(ctx context.Context, d schema.Delivery, p progress) (wait time.Duration, err error) {
	wait, err = c.lookAtMedia(ctx, d, p)
	if err != nil {
		return 0, err
	}
	began := c.now()
	files, err := p.OpenMissing(ctx, c.media, d, func(u upload) bool { return !u.Whole }, check)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, media.CloseAll(files)) }()
	opened := c.now() // what took long to fetch is not fetched for little
	until := opened.Add(min(max(uploadTurn, opened.Sub(began)), connectors.LongestTurn))
	for i, file := range files {
		if file == nil {
			continue
		}
		t := transfer{c, d, &p.Media[i], file}
		again, err := t.run(ctx, until)
		if err != nil {
			return 0, err
		}
		if !p.Media[i].Whole {
			return goOn, nil
		}
		wait = max(wait, again)
	}
	return wait, c.describe(ctx, d, p)
}

// check refuses what X would refuse after the upload.
func check(d schema.Delivery, file *media.File) error {
	if file.Kind != schema.Image && len(d.Media) > 1 {
		return connectors.Refuse("X takes 4 images or 1 video or GIF")
	}
	return file.Check(Constraints().Of(d))
}

// uploadedAgain returns the delivery with media that X still has: it drops an upload after
// a day that no post uses, as one that waited for its limit may have to. Images are quickly
// there again.
func (c *Connector) uploadedAgain(ctx context.Context, d schema.Delivery) (schema.Delivery, error) {
	p, err := connectors.ReadMediaProgress[upload](d)
	if err != nil {
		return d, err
	}
	latest := c.now().Add(expirySlack)
	for _, u := range p.Media {
		if !u.Expires.IsZero() && u.Expires.Before(latest) {
			d.Progress = nil
			again, err := c.Prepare(ctx, d)
			if err == nil && !again.Ready {
				err = connectors.Refuse("X has dropped the media, which waited too long to be published; retry the post")
			}
			d.Progress = again.State
			return d, err
		}
	}
	return d, nil
}
