package media

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/validation"
)

// createFromURL fetches an image or a video from a public address and keeps it.
func (m *media) createFromURL(c *gin.Context) error {
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	u, err := m.newUpload(c)
	if err != nil {
		return err
	}
	address, ok := f.Text("url", body.MaxURL)
	f.Require("url")
	if ok {
		f.CheckURL("url", address)
	}
	readDescriptive(f, &u)
	f.Finish()
	m.checkAddress(c.Request.Context(), f, address)
	if err := f.Report.Err(); err != nil {
		return err
	}
	if u.FileName == "" {
		u.FileName = nameIn(address)
	}
	prolong(c, fetchLimit+answerGrace)
	u.Facts, err = m.Contents.KeepURL(c.Request.Context(), u.ID, address, imagesOrVideo)
	if err != nil {
		return refusedContent("url", namePlace(u.Facts, err))
	}
	return m.stored(c, u, f.Report)
}

func (m *media) checkAddress(ctx context.Context, f *body.Form, address string) {
	if f.Report.About("url") {
		return
	}
	if why := m.Refuses(ctx, address); why != "" {
		f.Fail("url", body.CodeInvalidURL, "must be a public http or https URL: "+why)
	}
}

// createAddress gives out an address that takes one upload of any kind.
func (m *media) createAddress(c *gin.Context) error {
	f, err := body.ReadOptionalForm(c)
	if err != nil {
		return err
	}
	u, err := m.newUpload(c)
	if err != nil {
		return err
	}
	readDescriptive(f, &u)
	if size, ok := f.Integer("size"); ok && (size < 1 || int64(size) > m.Contents.MaxBytes()) {
		f.Fail("size", validation.CodeMediaTooLarge, fmt.Sprintf("must be 1 byte to %d MB", m.Contents.MaxBytes()>>20))
	}
	f.Text("mimeType", body.MaxShort) // taken for those who send it: only the content counts
	f.Finish()
	if err := f.Report.Err(); err != nil {
		return err
	}
	u.State, u.ExpiresAt = schema.UploadAwaited, u.CreatedAt.Add(schema.UploadAddressLife)
	address, err := m.Contents.UploadURL(c.Request.Context(), u.ID, schema.UploadAddressLife)
	if err != nil {
		return err
	}
	if address == "" {
		address = m.Uploads + u.ID.String() + "/" + u.Secret
	}
	if err := m.Store.CreateMedia(c.Request.Context(), u); err != nil {
		return err
	}
	answer.JSON(c, http.StatusCreated, addressAnswer{
		Success: true, UploadURL: address, Method: http.MethodPut, Headers: map[string]string{},
		MediaID: u.ID.String(), ExpiresAt: answer.Moment(u.ExpiresAt), Warnings: f.Report.Warnings,
	})
	return nil
}

// receive takes the content of an upload whose address was given out. What it says of
// its type counts for nothing. Of two at once the first to be whole is kept.
func (m *media) receive(c *gin.Context) error {
	id, err := mediaID(c)
	if err != nil {
		return err
	}
	u, err := m.Store.PublicMedia(c.Request.Context(), id, c.Param("secret"))
	if err != nil {
		return err
	}
	if u.State != schema.UploadAwaited {
		return &schema.Error{Kind: schema.InvalidState, Message: "this address has taken its upload; it takes one only"}
	}
	if !m.Now().Before(u.ExpiresAt) {
		return mediaNotFound(nil)
	}
	facts, err := m.Contents.Keep(c.Request.Context(), u.ID, newTransfer(c, m.Contents.MaxBytes(), uploadLimit), anyMedia)
	if err != nil {
		return refusedContent("body", err)
	}
	completed, err := m.Store.CompleteMedia(c.Request.Context(), u.ID, facts)
	if err != nil {
		return err
	}
	answer.JSON(c, http.StatusOK, mediaAnswer{Success: true, Media: m.Library.view(completed)})
	return nil
}

// serve answers with the content of an upload, or a part of it, to whoever knows its
// address. The type is what probing found, which is never one that a browser runs.
func (m *media) serve(c *gin.Context) error {
	id, err := mediaID(c)
	if err != nil {
		return err
	}
	u, err := m.Store.PublicMedia(c.Request.Context(), id, secretOf(c.Param("name")))
	if err != nil {
		return err
	}
	if u.State != schema.UploadKept {
		return mediaNotFound(nil)
	}
	content, mediaType, tag, err := m.contentOf(c.Request.Context(), u, c.Param("name"))
	if err != nil {
		return err
	}
	defer content.Close()
	c.Header("Content-Type", mediaType)
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Content-Security-Policy", "default-src 'none'; sandbox")
	c.Header("Cache-Control", "public, max-age=86400, immutable")
	c.Header("ETag", `"`+tag.String()+`"`)
	http.ServeContent(newServed(c), c.Request, "", u.CreatedAt.Truncate(time.Second), content)
	return nil
}

// contentOf opens an upload, or what it is made into where the name says so, with its media type
// and the id by which caches know it.
func (m *media) contentOf(ctx context.Context, u schema.Upload, name string) (io.ReadSeekCloser, string, schema.MediaID, error) {
	if of, ok := schema.ParseVariant(name); ok {
		content, mediaType, err := m.Contents.OpenVariant(ctx, u.ID, of)
		return content, mediaType, of.Of(u.ID), err
	}
	content, err := m.Contents.Open(ctx, u.ID)
	return content, u.Facts.Type, u.ID, err
}

// nameIn returns the name of the file that a url ends with; empty: it ends with none.
func nameIn(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	_, file := path.Split(u.Path)
	return nameOf(file)
}
