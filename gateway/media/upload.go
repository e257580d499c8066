package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/validation"
)

// createFromURL fetches an image or a video from a public address and keeps it.
func (m *media) createFromURL(c *gin.Context, f *body.Form) error {
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
	f.NoteUnread()
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
	size, ok := f.Integer("size")
	if ok && (size < 1 || int64(size) > m.Contents.MaxBytes()) {
		f.Fail("size", validation.CodeMediaTooLarge, fmt.Sprintf("must be 1 byte to %d MB", m.Contents.MaxBytes()>>20))
	}
	u.Announced.Size = int64(size)
	u.Announced.SHA256 = readSum(f)
	f.Text("mimeType", body.MaxShort) // taken for those who send it: only the content counts
	if err := f.Finish(); err != nil {
		return err
	}
	reply, err := m.awaitUpload(c.Request.Context(), u)
	if err != nil {
		return err
	}
	reply.Warnings = f.Report.Warnings
	return answer.JSON(c, http.StatusCreated, reply)
}

// readSum reads the checksum of a file.
func readSum(f *body.Form) string {
	text, ok := f.Text("sha256", body.MaxShort)
	if sum, err := hex.DecodeString(text); ok && (err != nil || len(sum) != sha256.Size) {
		f.Fail("sha256", body.CodeInvalidValue, "must be a SHA-256 in hex, of 64 digits")
	}
	return strings.ToLower(text)
}

// awaitUpload notes an upload that is to come, and says where it is to be sent.
func (m *media) awaitUpload(ctx context.Context, u schema.Upload) (addressResponse, error) {
	var err error
	if u.Announced, err = m.Contents.Announce(ctx, u); err != nil {
		return addressResponse{}, err
	}
	life := schema.UploadAddressLife
	if u.Announced.Parts() > 0 {
		life = schema.UploadPartsLife
	}
	u.State, u.ExpiresAt = schema.UploadAwaited, u.CreatedAt.Add(life)
	address, err := m.Contents.UploadURL(ctx, u.ID, life)
	if err != nil {
		return addressResponse{}, err
	}
	if address == "" {
		address = m.address(u)
	}
	if err := m.Store.CreateMedia(ctx, u); err != nil {
		return addressResponse{}, err
	}
	reply := addressResponse{
		Success: true, UploadURL: address, Method: http.MethodPut, Headers: map[string]string{},
		MediaID: u.ID.String(), ExpiresAt: answer.Moment(u.ExpiresAt), PartSize: u.Announced.PartSize,
	}
	if u.Announced.Parts() > 0 {
		reply.Parts, err = m.partsOf(ctx, u, life)
	}
	return reply, err
}

// address is the gateway's own of an upload.
func (m *media) address(u schema.Upload) string { return m.Uploads + u.ID.String() + "/" + u.Secret }

// receive takes the content of an upload whose address was given out, or a part of it. What
// it says of its type counts for nothing. Of two at once the first to be whole is kept.
func (m *media) receive(c *gin.Context, id schema.MediaID) error {
	u, err := m.awaited(c.Request.Context(), id, c.Param("secret"))
	if err != nil {
		return err
	}
	if number, ok := c.GetQuery(partQuery); ok {
		return m.receivePart(c, u, number)
	}
	content := summed(newTransfer(c, m.Contents.MaxBytes(), uploadLimit), u.Announced.SHA256)
	facts, err := m.Contents.Keep(c.Request.Context(), u.ID, content, anyMedia)
	if err != nil {
		return refusedContent("body", err)
	}
	completed, err := m.Store.CompleteMedia(c.Request.Context(), u.ID, facts)
	if err != nil {
		return err
	}
	return m.Library.answer(c, http.StatusOK, completed, nil)
}

// awaited returns the upload of an address that takes it.
func (m *media) awaited(ctx context.Context, id schema.MediaID, secret string) (schema.Upload, error) {
	u, err := m.Store.PublicMedia(ctx, id, secret)
	switch {
	case err != nil:
		return u, err
	case u.State != schema.UploadAwaited:
		return u, &schema.Error{Kind: schema.InvalidState, Message: "this address has taken its upload; it takes one only"}
	case !m.Now().Before(u.ExpiresAt):
		return u, mediaNotFound(nil)
	}
	return u, nil
}

// serve answers with the content of an upload, or a part of it, to whoever knows its
// address. The type is what probing found, which is never one that a browser runs.
func (m *media) serve(c *gin.Context, id schema.MediaID) error {
	u, err := m.served(c.Request.Context(), id, c.Param("name"))
	if err != nil {
		return err
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

// served returns the upload whose content an address names; a copy of a url has no row.
func (m *media) served(ctx context.Context, id schema.MediaID, name string) (schema.Upload, error) {
	if of, ok := schema.ParseVariant(name); ok && of.Copy {
		return schema.Upload{ID: id}, nil
	}
	u, err := m.Store.PublicMedia(ctx, id, secretOf(name))
	if err == nil && u.State != schema.UploadStored {
		err = mediaNotFound(nil)
	}
	return u, err
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
	u, err := schema.ParseURL(address)
	if err != nil {
		return ""
	}
	_, file := path.Split(u.Path)
	return nameOf(file)
}
