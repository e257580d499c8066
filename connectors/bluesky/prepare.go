package bluesky

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"crier/connectors"
	"crier/connectors/media"
	"crier/schema"
)

// upload is what is known of one media item. A finished one has a Blob.
type upload struct {
	Blob   blob         `json:"blob,omitempty"`
	Job    string       `json:"job,omitempty"` // of the video service, while it works
	Video  bool         `json:"video,omitempty"`
	Aspect *aspectRatio `json:"aspect,omitempty"`
}

// progress is the State of a Progress: the uploads so far, by the position of the item, or the card.
type progress struct {
	Uploads []upload `json:"uploads,omitempty"`
	Card    *card    `json:"card,omitempty"` // of an entry without media
}

// Prepare uploads the entry's media, or makes its card. An error comes with the progress up to it: what
// is uploaded is not uploaded again.
func (c *Connector) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	p, err := connectors.ProgressOf[progress](d)
	if err != nil {
		return schema.Progress{}, err
	}
	ready, err := c.advance(ctx, d, &p)
	state, encodeErr := json.Marshal(p)
	if encodeErr != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", encodeErr)
	}
	if err != nil || ready {
		return schema.Progress{State: state, Ready: ready}, err
	}
	return schema.Progress{State: state, RetryIn: lookAgain}, nil
}

// advance takes the uploads on as far as they go without waiting.
func (c *Connector) advance(ctx context.Context, d schema.Delivery, p *progress) (ready bool, err error) {
	if len(d.Media) == 0 {
		p.Card, err = c.cardOf(ctx, d)
		return err == nil, err
	}
	if len(p.Uploads) == 1 && p.Uploads[0].Job != "" {
		return c.lookAtJob(ctx, d, p)
	}
	for len(p.Uploads) < len(d.Media) {
		i := len(p.Uploads)
		u, err := c.upload(ctx, d, d.Media[i])
		if err != nil {
			return false, fmt.Errorf("uploading media item %d: %w", i, err)
		}
		p.Uploads = append(p.Uploads, u)
		if u.Job != "" {
			return false, nil
		}
	}
	return true, nil
}

// upload gives one item to the server that takes its kind.
func (c *Connector) upload(ctx context.Context, d schema.Delivery, item schema.Media) (upload, error) {
	file, err := c.media.Open(ctx, item)
	if err != nil {
		return upload{}, err
	}
	defer file.Close()
	if err := checkFile(d, file); err != nil {
		return upload{}, err
	}
	if file.Kind == schema.Video {
		return c.uploadVideo(ctx, d, file)
	}
	return c.uploadImage(ctx, d, file)
}

// checkFile checks what only the content shows: a url says nothing of what it holds.
func checkFile(d schema.Delivery, file *media.File) error {
	if file.Kind == schema.Video && len(d.Media) > 1 {
		return connectors.Refuse("a video stands alone, not among %d items", len(d.Media))
	}
	return file.Check(Constraints().Of(d))
}

func aspectRatioOf(file *media.File) *aspectRatio {
	if file.Width <= 0 || file.Height <= 0 {
		return nil
	}
	return &aspectRatio{Width: file.Width, Height: file.Height}
}

func (c *Connector) uploadImage(ctx context.Context, d schema.Delivery, file *media.File) (upload, error) {
	open := func() (io.ReadCloser, error) { return file.Open() }
	b, err := c.putBlob(ctx, d, blobContent{Type: file.Type, Size: file.Size, open: open})
	return upload{Blob: b, Aspect: aspectRatioOf(file)}, err
}

// blobContent is what becomes a blob.
type blobContent struct {
	Type string // image/jpeg, …
	Size int64  // bytes
	open func() (io.ReadCloser, error)
}

func (c *Connector) putBlob(ctx context.Context, d schema.Delivery, of blobContent) (blob, error) {
	var answer struct {
		Blob blob `json:"blob"`
	}
	_, err := c.authorized(ctx, d, func(s session) error {
		body, err := of.open()
		if err != nil {
			return err
		}
		defer body.Close()
		put := call(d, http.MethodPost, s.PDS, uploadBlob, s.Access)
		put.Kind = connectors.Media
		put.Body, put.ContentType, put.ContentLength = body, of.Type, of.Size
		_, err = c.client.Do(ctx, put, &answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !isBlob(answer.Blob) {
		return nil, &schema.Error{Kind: schema.Retryable, Message: "the server returned no blob for the image"}
	}
	return answer.Blob, nil
}
