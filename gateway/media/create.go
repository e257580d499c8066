package media

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"crier/gateway/body"
	"crier/schema"
	"crier/schema/validation"
)

// Bounds of images that come in a request of their own.
const (
	maxImage     = 32 << 20 // bytes: the most any platform takes
	maxBase64    = 3 << 20  // bytes, decoded
	maxMediaBody = 5 << 20  // bytes of JSON with an image in it
	maxFileName  = 255
)

// create stores an image: a form with a file, or JSON with base64.
func (m *media) create(c *gin.Context) error {
	u, err := m.newUpload(c)
	if err != nil {
		return err
	}
	if isMultipart(c.ContentType()) {
		return m.createFromForm(c, u)
	}
	return m.createFromJSON(c, u)
}

// createFromJSON stores the image in the field data.
func (m *media) createFromJSON(c *gin.Context, u schema.Upload) error {
	raw, err := body.ReadBodyOf(c, maxMediaBody)
	if err != nil {
		return err
	}
	f, err := body.ParseForm(raw)
	if err != nil && strings.HasPrefix(http.DetectContentType(raw), "image/") {
		return schema.InvalidField("body", "malformed_json",
			"the body is a picture: send a multipart form with it as the field file, or JSON with it in base64 as data")
	}
	if err != nil {
		return err
	}
	data, _ := f.Text("data", maxMediaBody)
	declared, _ := f.Text("mimeType", body.MaxShort)
	f.Require("data")
	f.Require("mimeType")
	readDescriptive(f, &u)
	f.NoteUnread()
	content, err := decodeBase64(data, f)
	if err != nil {
		return err
	}
	if err := f.Report.Err(); err != nil {
		return err
	}
	u.Facts, err = m.Contents.Keep(c.Request.Context(), u.ID, bytes.NewReader(content), imagesOnly)
	if err != nil {
		return refusedContent("data", namePlace(u.Facts, err))
	}
	if declared != u.Facts.Type {
		f.Report.Warn("mimeType", "media_type_differs", fmt.Sprintf("the content is %s, and was stored as that", u.Facts.Type))
	}
	return m.stored(c, u, f.Report)
}

// readDescriptive reads what is said about a file.
func readDescriptive(f *body.Form, u *schema.Upload) {
	u.FileName, _ = f.Text("fileName", maxFileName)
	u.AltText = readAltText(f)
}

func readAltText(f *body.Form) string {
	text, _ := f.Text("altText", body.MaxAltText)
	checkAltText(f.Report, "altText", text)
	return text
}

func checkAltText(r *body.Report, field, text string) {
	if n := utf8.RuneCountInString(text); n > schema.MaxAltText {
		r.Fail(field, validation.CodeAltTextTooLong, fmt.Sprintf("at most %d characters are allowed, these are %d", schema.MaxAltText, n))
	}
}

// decodeBase64 reads base64, bare or as a data: URI, with or without padding and line
// breaks.
func decodeBase64(text string, f *body.Form) ([]byte, error) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		head, data, found := strings.Cut(rest, ",")
		if !found || !strings.HasSuffix(head, ";base64") {
			f.Fail("data", body.CodeInvalidValue, "a data: URI must be of the form data:<type>;base64,<data>")
			return nil, nil
		}
		text = data
	}
	text = strings.TrimRight(dropSpace(text), "=")
	if base64.RawStdEncoding.DecodedLen(len(text)) > maxBase64 {
		return nil, &schema.Error{Kind: schema.PayloadTooLarge, Message: "an image in base64 must not be larger than 3 MB; send it as multipart/form-data"}
	}
	content, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil && !f.Report.About("data") {
		f.Fail("data", body.CodeInvalidValue, "must be base64: "+err.Error())
	}
	return content, nil
}

func dropSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, text)
}

// stored notes what was kept and answers with it.
func (m *media) stored(c *gin.Context, u schema.Upload, r *body.Report) error {
	if err := m.Store.CreateMedia(c.Request.Context(), u); err != nil {
		return err
	}
	return m.Library.answer(c, http.StatusCreated, u, r.Warnings)
}

// isMultipart reports whether a content type is that of a form with files.
func isMultipart(contentType string) bool {
	name, _, err := mime.ParseMediaType(contentType)
	return err == nil && name == "multipart/form-data"
}
