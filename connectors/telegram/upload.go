package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

// The kinds of an uploaded file: also the names of their fields.
const (
	photo = "photo"
	video = "video"
)

// sendFile sends an entry with one media item.
func (c *Connector) sendFile(ctx context.Context, d schema.Delivery, s settings, file file) (message, error) {
	fields := commonFields(d, s)
	connectors.SetField(fields, "caption", d.Text)
	connectors.SetField(fields, "parse_mode", s.ParseMode)
	method := sendPhoto
	if file.field() == video {
		method = sendVideo
		fields.Set("supports_streaming", "true")
		setNumber(fields, "width", file.probed.Width)
		setNumber(fields, "height", file.probed.Height)
		setNumber(fields, "duration", file.seconds())
	}
	call, err := c.upload(d, method, fields, file.part(file.field()))
	if err != nil {
		return message{}, err
	}
	return send[message](ctx, c, call)
}

// sendAlbum sends an entry with several media items. The text is the caption of the
// first, which is what Telegram shows as the album's; so is its message the album's.
func (c *Connector) sendAlbum(ctx context.Context, d schema.Delivery, s settings, files files) (message, error) {
	items := make([]inputMedia, len(files))
	parts := make([]connectors.FilePart, len(files))
	for i, file := range files {
		name := "file" + strconv.Itoa(i)
		items[i], parts[i] = file.item(name), file.part(name)
	}
	items[0].Caption, items[0].ParseMode = d.Text, s.ParseMode
	encoded, err := json.Marshal(items)
	if err != nil {
		return message{}, fmt.Errorf("encoding album: %w", err)
	}
	fields := commonFields(d, s)
	fields.Set("media", string(encoded))
	call, err := c.upload(d, sendMediaGroup, fields, parts...)
	if err != nil {
		return message{}, err
	}
	sent, err := send[[]message](ctx, c, call)
	if err != nil || len(sent) == 0 {
		return message{}, err
	}
	return sent[0], nil
}

// upload is the visible call of a method that takes files.
func (c *Connector) upload(d schema.Delivery, method string, fields url.Values, files ...connectors.FilePart) (connectors.Call, error) {
	call, err := c.call(d.Account, d.Credentials, method)
	if err != nil {
		return connectors.Call{}, err
	}
	call.Form, call.Files = fields, files
	return call.Publishing(d), nil
}

func commonFields(d schema.Delivery, s settings) url.Values {
	fields := url.Values{"chat_id": {d.Credentials.ChatID}}
	if s.DisableNotification {
		fields.Set("disable_notification", "true")
	}
	return fields
}

func setNumber(fields url.Values, name string, value int) {
	if value > 0 {
		fields.Set(name, strconv.Itoa(value))
	}
}

// file is one opened media item of an entry.
type file struct {
	probed  *media.File
	content io.ReadCloser
}

type files []file

// open opens the media of an entry, all or none, once it is sure that Telegram takes it.
func (c *Connector) open(ctx context.Context, d schema.Delivery) (files, error) {
	var opened files
	for i, item := range d.Media {
		f, err := c.openItem(ctx, d, item)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening media %d: %w", i+1, err), opened.Close())
		}
		opened = append(opened, f)
	}
	return opened, nil
}

func (c *Connector) openItem(ctx context.Context, d schema.Delivery, item schema.Media) (file, error) {
	probed, err := c.media.Open(ctx, item)
	if err != nil {
		return file{}, err
	}
	if err := probed.Check(Constraints().Of(d)); err != nil {
		return file{}, errors.Join(err, probed.Close())
	}
	content, err := probed.Open()
	if err != nil {
		return file{}, errors.Join(fmt.Errorf("reading media: %w", err), probed.Close())
	}
	return file{probed, content}, nil
}

// Close ends the reading of all files and removes what was fetched for it.
func (fs files) Close() error {
	var errs []error
	for _, f := range fs {
		errs = append(errs, f.content.Close(), f.probed.Close())
	}
	return errors.Join(errs...)
}

func (f file) field() string {
	if f.probed.Type == mp4 {
		return video
	}
	return photo
}

func (f file) seconds() int { return int(f.probed.Duration.Seconds()) }

func (f file) part(field string) connectors.FilePart {
	names := map[string]string{jpeg: field + ".jpg", png: field + ".png", mp4: field + ".mp4"}
	return connectors.FilePart{
		Field: field, Name: names[f.probed.Type], Type: f.probed.Type, Size: f.probed.Size, Content: f.content,
	}
}

// item is the file as one of an album.
func (f file) item(name string) inputMedia {
	item := inputMedia{Type: f.field(), Media: "attach://" + name}
	if item.Type == video {
		item.Width, item.Height, item.Duration = f.probed.Width, f.probed.Height, f.seconds()
		item.SupportsStreaming = true
	}
	return item
}
