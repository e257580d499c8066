package media

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"crier/gateway/body"
	"crier/schema"
	"crier/schema/spelling"
)

const (
	maxParts    = 20       // of a form
	maxFormMore = 64 << 10 // bytes of a form apart from its file
)

// createFromForm stores the file of a form as it arrives: it is never whole in memory.
func (m *media) createFromForm(c *gin.Context, u schema.Upload) error {
	raw := newTransfer(c, maxImage+maxFormMore, transferLimit)
	c.Request.Body = io.NopCloser(raw)
	parts, err := c.Request.MultipartReader()
	if err != nil {
		return schema.InvalidField("body", body.CodeInvalidValue, "the form cannot be read: "+err.Error())
	}
	r := new(body.Report)
	if err := m.readParts(c, parts, &u, r); err != nil {
		return err
	}
	if u.Facts.Kind == "" {
		r.Fail("file", body.CodeRequired, "this field is required")
	}
	if err := r.Err(); err != nil {
		return err // what was kept has no row and is swept
	}
	return m.stored(c, u, r)
}

func (m *media) readParts(c *gin.Context, parts *multipart.Reader, u *schema.Upload, r *body.Report) error {
	for range maxParts {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return badForm(err)
		}
		if err := m.readPart(c, part, u, r); err != nil {
			return err
		}
	}
	return schema.InvalidField("body", body.CodeTooMany, fmt.Sprintf("a form must have at most %d parts", maxParts))
}

func (m *media) readPart(c *gin.Context, part *multipart.Part, u *schema.Upload, r *body.Report) (err error) {
	switch name := part.FormName(); {
	case name == "file" && u.Facts.Kind != "":
		r.Fail("file", body.CodeTooMany, "must be there once")
	case name == "file":
		u.FileName = nameOf(part.FileName())
		u.Facts, err = m.Contents.Keep(c.Request.Context(), u.ID, formFile{part}, imagesOnly)
		return refusedContent("file", namePlace(u.Facts, err))
	case name == "alt_text", name == "altText":
		text, err := io.ReadAll(io.LimitReader(part, body.MaxAltText+1))
		if err != nil {
			return badForm(err)
		}
		if u.AltText = string(text); !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			r.Fail(name, body.CodeInvalidValue, "must be UTF-8 without U+0000")
		}
		checkAltText(r, name, u.AltText)
	default:
		r.WarnUnknown(body.Clip(name), "field", spelling.DidYouMean(name, []string{"file", "alt_text"}))
	}
	return nil
}

// formFile is the file of a form. What keeps it from being read is the form's fault; what
// keeps it from being kept is ours.
type formFile struct{ part *multipart.Part }

func (f formFile) Read(p []byte) (int, error) {
	n, err := f.part.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = badForm(err)
	}
	return n, err
}

// badForm tells a form that is none from what happened to it on its way, which has its
// error already.
func badForm(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*schema.Error](err); ok {
		return err
	}
	if errors.Is(err, multipart.ErrMessageTooLarge) {
		return &schema.Error{Kind: schema.PayloadTooLarge, Message: "the form has too large headers", Err: err}
	}
	return &schema.Error{Kind: schema.Invalid, Message: "the form is damaged or did not arrive whole", Err: err}
}

// nameOf returns a file's name as it can be stored and shown, which is all it is for:
// bytes of a sender's own choosing become text of at most maxFileName bytes.
func nameOf(raw string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(raw, ""))
	if len(name) <= maxFileName {
		return name
	}
	end := maxFileName
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}
