package youtube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

const (
	soon = time.Second // when an upload is continued
	// large is the size of an upload whose session is kept before anything is sent: there are
	// a hundred a day.
	large = 16 << 20
)

// asset is the upload of a video. What is left of it at the end is kept here: it is sent within
// the seconds of a visible call, in which no large file can be fetched.
type asset struct {
	Session string `json:"session,omitempty"` // the address that takes its bytes; empty: nothing was begun
	Type    string `json:"type,omitempty"`
	Size    int64  `json:"size,omitempty"`
	Sent    int64  `json:"sent,omitempty"` // bytes that YouTube has
	Rest    []byte `json:"rest,omitempty"` // all after them, once that is little
	Ready   bool   `json:"ready,omitempty"`
}

// IsReady implements connectors.MediaItem.
func (a asset) IsReady() bool { return a.Ready }

// BytesSent tells connectors.MediaProgress how far the upload is.
func (a asset) BytesSent() int64 { return a.Sent }

// from returns the asset when more of the rest has arrived.
func (a asset) from(sent int64) asset {
	a.Rest = a.Rest[min(sent-a.Sent, int64(len(a.Rest))):]
	a.Sent = sent
	return a
}

// Prepare uploads the video except for its end. The state that comes with an error, or without
// being ready, holds the session, which knows how far it is.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Progress{}, err
	}
	p, err := connectors.ReadMediaProgress[asset](d)
	switch {
	case err != nil:
		return schema.Progress{}, err
	case len(p.Media) != 1:
		return schema.Progress{}, connectors.Refuse("YouTube takes one video")
	}
	if !p.IsReady() {
		err = c.upload(ctx, d, s, &p.Media[0])
	}
	return p.Keep(err, soon)
}

// assetOf returns the upload of a delivery that is prepared.
func assetOf(d schema.Delivery) (asset, error) {
	p, err := connectors.ReadMediaProgress[asset](d)
	switch {
	case err != nil:
		return asset{}, err
	case len(p.Media) != 1 || !p.IsReady() || len(p.Media[0].Rest) == 0:
		return asset{}, errors.New("the video is not prepared")
	default:
		return p.Media[0], nil
	}
}

func (c *Connector) upload(ctx context.Context, d schema.Delivery, s settings, a *asset) (err error) {
	file, err := c.media.Open(ctx, d.Media[0])
	if err != nil {
		return fmt.Errorf("opening media: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Check(Constraints().Of(d)); err != nil {
		return err
	}
	began := c.now()
	if isNew, err := c.session(ctx, d, s, file, a); err != nil || isNew && file.Size > large && !d.Media[0].MediaID.IsZero() {
		if err == nil {
			err = connectors.ErrPause
		}
		return err
	}
	return c.send(ctx, d, file, a, began)
}

// session sees to it that there is a session, and how far it is. One that YouTube has
// forgotten, or that was of another file under the same address, is begun again.
func (c *Connector) session(ctx context.Context, d schema.Delivery, s settings, file *media.File, a *asset) (isNew bool, err error) {
	if c.isOwn(a.Session) && a.Size == file.Size {
		now, err := c.ask(ctx, d, *a)
		switch {
		case err != nil:
			return false, fmt.Errorf("asking for the upload: %w", err)
		case now.video.ID != "":
			return false, platform.Strange("says that the upload is over before its end was sent")
		case !now.gone:
			a.Sent = now.sent
			return false, nil
		}
	}
	if err := c.checkExtras(ctx, d, s); err != nil {
		return false, err
	}
	begun, err := c.begin(ctx, d, s, file)
	if err == nil {
		*a = begun
	}
	return true, err
}

// send sends all parts but the last, and keeps that.
func (c *Connector) send(ctx context.Context, d schema.Delivery, file *media.File, a *asset, began time.Time) error {
	content, err := file.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	for parts := 0; ; parts++ {
		n := min(c.partSize, (file.Size-a.Sent-1)/granule*granule)
		if n <= 0 {
			break
		}
		if parts > 0 && c.now().Sub(began) > connectors.LongestTurn {
			return connectors.ErrPause
		}
		now, err := c.part(ctx, d, *a, io.NewSectionReader(content, a.Sent, n), n)
		switch {
		case err != nil:
			return fmt.Errorf("uploading video: %w", err)
		case now.gone:
			*a = asset{}
			return &schema.Error{Kind: schema.Retryable, Message: "YouTube no longer has the upload: it begins again"}
		case now.video.ID != "" || now.sent <= a.Sent || now.sent > a.Sent+n:
			return platform.Strange("to a part of the video says that it has another")
		}
		a.Sent = now.sent
	}
	rest := make([]byte, file.Size-a.Sent)
	if _, err := content.ReadAt(rest, a.Sent); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading media: %w", err)
	}
	a.Rest, a.Ready = rest, true
	return nil
}
