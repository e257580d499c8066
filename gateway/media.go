package gateway

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// Routes of media that take longer than others.
const (
	mediaPath   = "/media"
	fromURLPath = "/media/from-url"
	uploadPath  = "/uploads/:id/:secret"
	filePath    = "/files/:id/:name"
)

// media is the resource of uploads.
type media struct {
	*library
	keeper   MediaKeeper
	checkURL func(ctx context.Context, rawURL string) error
	uploads  string // address under which uploads arrive
	now      func() time.Time
	random   io.Reader
}

func uploadsAddress(publicURL string) string {
	return strings.TrimSuffix(publicURL, "/") + basePath + "/uploads/"
}

func (m *media) routes() []route {
	return []route{
		{http.MethodPost, mediaPath, schema.Write, m.create},
		{http.MethodGet, mediaPath, schema.Read, m.list},
		{http.MethodPost, fromURLPath, schema.Write, m.createFromURL},
		{http.MethodPost, "/media/upload-url", schema.Write, m.createAddress},
		{http.MethodGet, "/media/:id", schema.Read, m.get},
		{http.MethodDelete, "/media/:id", schema.Write, m.delete},
		{http.MethodPut, uploadPath, public, m.receive},
		{http.MethodGet, filePath, public, m.serve},
		{http.MethodHead, filePath, public, m.serve},
	}
}

// What may come which way.
var (
	imagesOnly    = []schema.MediaKind{schema.Image, schema.GIF}
	imagesOrVideo = []schema.MediaKind{schema.Image, schema.GIF, schema.Video}
	anyMedia      = []schema.MediaKind{schema.Image, schema.GIF, schema.Video, schema.PDF}
)

// newUpload is an upload of the caller that nothing is known of yet.
func (m *media) newUpload(c *gin.Context) (schema.Upload, error) {
	now := m.now().UTC().Truncate(time.Millisecond)
	secret := make([]byte, 16)
	if _, err := io.ReadFull(m.random, secret); err != nil {
		return schema.Upload{}, fmt.Errorf("reading randomness: %w", err)
	}
	return schema.Upload{
		ID: schema.NewMediaID(now), Workspace: requestOf(c).key.Workspace, State: schema.UploadKept,
		Secret: hex.EncodeToString(secret), CreatedAt: now, ExpiresAt: now.Add(schema.UnusedUploadLife),
	}, nil
}

// list answers with a page of what was uploaded, newest first.
func (m *media) list(c *gin.Context) error {
	q := newQuery(c)
	page := q.page()
	if err := q.report.err(); err != nil {
		return err
	}
	uploads, total, err := m.reader.ListMedia(c.Request.Context(), requestOf(c).key.Workspace, page.limit+1, page.offset())
	if err != nil {
		return err
	}
	more := len(uploads) > page.limit
	uploads = uploads[:min(len(uploads), page.limit)]
	answer := mediaListAnswer{Success: true, Media: make([]uploadView, len(uploads)), Pagination: page.of(total, more)}
	for i, u := range uploads {
		answer.Media[i] = m.view(u)
	}
	respond(c, http.StatusOK, answer)
	return nil
}

// get answers with one upload. One whose content has not come yet has no url; of content
// that was none a warning says why it was removed, and another may be sent.
func (m *media) get(c *gin.Context) error {
	id, err := mediaID(c)
	if err != nil {
		return err
	}
	found, err := m.reader.Media(c.Request.Context(), requestOf(c).key.Workspace, []schema.MediaID{id})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return mediaNotFound(nil)
	}
	answer := mediaAnswer{Success: true}
	u, err := m.completed(c.Request.Context(), found[0])
	switch e, ok := errors.AsType[*schema.Error](err); {
	case err == nil:
	case ok && e.Kind == schema.NotFound:
		u = found[0] // it is still awaited
	case ok && e.Kind == schema.Refused:
		u = found[0]
		answer.Warnings = []schema.Detail{{Field: "id", Code: codeMediaRefused, Message: "what was uploaded was removed: " + e.Message}}
	default:
		return err
	}
	answer.Media = m.view(u)
	respond(c, http.StatusOK, answer)
	return nil
}

// delete removes an upload that no post is still to be published with.
func (m *media) delete(c *gin.Context) error {
	id, err := mediaID(c)
	if err != nil {
		return err
	}
	if err := m.writer.DeleteMedia(c.Request.Context(), requestOf(c).key.Workspace, id); err != nil {
		return err
	}
	respond(c, http.StatusOK, messageAnswer{Success: true, Message: "the media was deleted; its address no longer works"})
	return nil
}

// mediaID returns the id a path names. One that is no id names nothing that exists.
func mediaID(c *gin.Context) (schema.MediaID, error) {
	id, err := schema.ParseMediaID(c.Param("id"))
	if err != nil {
		return id, mediaNotFound(err)
	}
	return id, nil
}

func mediaNotFound(cause error) error {
	return &schema.Error{Kind: schema.NotFound, Message: "media not found", Err: cause}
}

// refusedContent turns what the keeper says of content into a validation error of the
// field it came in.
func refusedContent(field string, err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || (e.Kind != schema.Refused && e.Kind != schema.Retryable) {
		return err
	}
	refusal := schema.InvalidField(field, codeMediaRefused, e.Message)
	refusal.Err = err
	return refusal
}

// namePlace adds to the refusal of media of another kind than the request takes where it is
// taken.
func namePlace(facts schema.MediaFacts, err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind != schema.Refused || facts.Kind == "" {
		return err
	}
	return &schema.Error{
		Kind: schema.Refused, Message: e.Message + "; POST /media/upload-url gives an address that takes it", Err: err,
	}
}

// codeMediaRefused is that content is none that can be taken.
const codeMediaRefused = "media_refused"
