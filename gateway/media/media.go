package media

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/cursor"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// Store is all that media ask of the database.
type Store interface {
	reader
	writer
}

// reader reads what is known of uploads.
type reader interface {
	// Media returns those of the uploads that a workspace has; they stay for as long as a
	// request may take.
	Media(ctx context.Context, workspace schema.WorkspaceID, ids []schema.MediaID) ([]schema.Upload, error)
	// MediaUses returns the ids of posts that an upload is kept for, newest first, at most so many.
	MediaUses(ctx context.Context, id schema.MediaID, limit int) ([]schema.PostID, error)
	// ListMedia returns a page, newest first, and how many there are in all.
	ListMedia(ctx context.Context, workspace schema.WorkspaceID, part schema.UploadFilter) ([]schema.Upload, int, error)
	// PublicMedia returns the upload of an address that somebody was given, or NotFound.
	PublicMedia(ctx context.Context, id schema.MediaID, secret string) (schema.Upload, error)
}

// writer stores what is known of uploads.
type writer interface {
	CreateMedia(ctx context.Context, upload schema.Upload) error
	// CompleteMedia notes what came for an awaited upload; InvalidState where something
	// came before.
	CompleteMedia(ctx context.Context, id schema.MediaID, facts schema.MediaFacts) (schema.Upload, error)
	// DescribeMedia gives an upload another alternative text. Posts that use it keep theirs.
	DescribeMedia(ctx context.Context, workspace schema.WorkspaceID, id schema.MediaID, altText string) (schema.Upload, error)
	// DeleteMedia is InvalidState while a post that uses it is still to be published.
	DeleteMedia(ctx context.Context, workspace schema.WorkspaceID, id schema.MediaID) error
}

// Config is what media are served with.
type Config struct {
	Store    Store
	Contents Contents
	Library  *Library
	Cursors  cursor.Cursors
	// Refuses tells why crier must not call an address; empty: it may.
	Refuses func(ctx context.Context, address string) string
	Uploads string // address under which uploads arrive
	Now     func() time.Time
	Random  io.Reader
}

// Routes returns the operations of media.
func Routes(c Config) []admission.Route {
	m := &media{c}
	return []admission.Route{
		admission.Handle(http.MethodPost, "/media", schema.Write, m.create).For(people.Author).Carrying(transferLimit),
		admission.Handle(http.MethodGet, "/media", schema.Read, m.list),
		admission.Handle(http.MethodPost, "/media/from-url", schema.Write, body.WithForm(m.createFromURL)).For(people.Author).Carrying(fetchLimit),
		admission.Handle(http.MethodPost, "/media/upload-url", schema.Write, m.createAddress).For(people.Author),
		admission.Handle(http.MethodGet, "/media/:id", schema.Read, body.WithID("media", m.get)),
		admission.Handle(http.MethodGet, "/media/:id/parts", schema.Write, body.WithID("media", m.parts)).For(people.Author),
		admission.Handle(http.MethodPost, "/media/:id/complete", schema.Write, body.WithID("media", m.complete)).For(people.Author).Carrying(completeLimit),
		admission.Handle(http.MethodPatch, "/media/:id", schema.Write, body.WithIDForm("media", m.describe)).For(people.Author),
		admission.Handle(http.MethodDelete, "/media/:id", schema.Write, body.WithID("media", m.delete)),
		admission.Handle(http.MethodPut, "/uploads/:id/:secret", admission.Public, body.WithID("media", m.receive)).Carrying(uploadLimit),
		admission.Handle(http.MethodGet, "/files/:id/:name", admission.Public, body.WithID("media", m.serve)).Carrying(uploadLimit),
		admission.Handle(http.MethodHead, "/files/:id/:name", admission.Public, body.WithID("media", m.serve)),
	}
}

// media is the resource of uploads.
type media struct{ Config }

// What may come which way.
var (
	imagesOnly    = []schema.MediaKind{schema.Image, schema.GIF}
	imagesOrVideo = []schema.MediaKind{schema.Image, schema.GIF, schema.Video}
	anyMedia      = []schema.MediaKind{schema.Image, schema.GIF, schema.Video, schema.PDF}
)

// newUpload is an upload of the caller that nothing is known of yet.
func (m *media) newUpload(c *gin.Context) (schema.Upload, error) {
	now := m.Now().UTC().Truncate(time.Millisecond)
	secret := make([]byte, 16)
	if _, err := io.ReadFull(m.Random, secret); err != nil {
		return schema.Upload{}, fmt.Errorf("reading randomness: %w", err)
	}
	return schema.Upload{
		ID: schema.NewID[schema.MediaID](now), Workspace: admission.RequestOf(c).Key.Workspace, State: schema.UploadStored,
		Secret: hex.EncodeToString(secret), CreatedAt: now, ExpiresAt: now.Add(schema.UnusedUploadLife),
	}, nil
}

// list answers with a page of what was uploaded, newest first.
func (m *media) list(c *gin.Context) error {
	workspace := admission.RequestOf(c).Key.Workspace
	q := body.NewQuery(c)
	part := m.Cursors.Read(q, "media of "+workspace.String())
	if err := q.Finish(); err != nil {
		return err
	}
	filter := schema.UploadFilter{Limit: part.Limit + 1, Offset: part.Offset} // one more shows whether there is a next page
	part.From(&filter.Below)
	uploads, total, err := m.Store.ListMedia(c.Request.Context(), workspace, filter)
	if err != nil {
		return err
	}
	var last any
	if len(uploads) > part.Limit {
		uploads = uploads[:part.Limit]
		last = uploads[part.Limit-1].ID
	}
	pagination, err := part.Paginate(total, last)
	if err != nil {
		return err
	}
	return answer.Page(c, "media", lists.Map(uploads, m.Library.view), pagination, q.Report.Warnings)
}

// get answers with one upload. One whose content has not come yet has no url; of content
// that was none a warning says why it was removed, and another may be sent.
func (m *media) get(c *gin.Context, id schema.MediaID) error {
	found, err := m.owned(c, id)
	if err != nil {
		return err
	}
	var warnings []schema.Detail
	u, err := m.Library.Completed(c.Request.Context(), found)
	switch e, ok := errors.AsType[*schema.Error](err); {
	case err == nil:
	case ok && e.Kind == schema.NotFound:
		u = found // it is still awaited
	case ok && e.Kind == schema.Refused:
		u = found
		warnings = []schema.Detail{{Field: "id", Code: codeMediaRefused, Message: "what was uploaded was removed: " + e.Message}}
	default:
		return err
	}
	view := m.Library.view(u)
	if view.UsedBy, err = m.Store.MediaUses(c.Request.Context(), u.ID, maxUses); err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "media", view, warnings)
}

// maxUses is how many posts are named that use an upload.
const maxUses = 25

// describe changes what is said about an upload.
func (m *media) describe(c *gin.Context, id schema.MediaID, f *body.Form) error {
	altText := readAltText(f)
	f.Require("altText")
	if err := f.Finish(); err != nil {
		return err
	}
	u, err := m.Store.DescribeMedia(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, altText)
	if err != nil {
		return err
	}
	return m.Library.answer(c, http.StatusOK, u, f.Report.Warnings)
}

// delete removes an upload that no post is still to be published with.
func (m *media) delete(c *gin.Context, id schema.MediaID) error {
	return admission.Remove(c, id, m.Store.DeleteMedia, "the media was deleted; its address no longer works")
}

func mediaNotFound(cause error) error {
	return &schema.Error{Kind: schema.NotFound, Message: "media not found", Err: cause}
}

// refusedContent turns what the store says of content into a validation error of the
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
