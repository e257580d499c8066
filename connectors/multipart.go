package connectors

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"

	"crier/schema/validation"
)

// FilePart is one file of a multipart body.
type FilePart struct {
	Field   string // name of the form field
	Name    string // file name the platform sees
	Type    string // media type, such as image/jpeg
	Size    int64  // bytes of Content
	Content io.Reader
}

// multipartOf makes a multipart/form-data body that streams its files: none is held in memory.
func multipartOf(fields url.Values, files []FilePart) (body io.Reader, contentType string, length int64, err error) {
	var frame bytes.Buffer
	writer := multipart.NewWriter(&frame)
	for name, values := range fields {
		for _, value := range values {
			if err := writer.WriteField(name, value); err != nil {
				return nil, "", 0, fmt.Errorf("writing field %s: %w", name, err)
			}
		}
	}
	var parts []io.Reader
	flush := func() {
		head := bytes.Clone(frame.Bytes())
		frame.Reset()
		length += int64(len(head))
		parts = append(parts, bytes.NewReader(head))
	}
	for _, file := range files {
		if _, err := writer.CreatePart(file.header()); err != nil {
			return nil, "", 0, fmt.Errorf("writing part %s: %w", file.Field, err)
		}
		flush()
		length += file.Size
		parts = append(parts, file.Content)
	}
	if err := writer.Close(); err != nil {
		return nil, "", 0, fmt.Errorf("closing multipart body: %w", err)
	}
	flush()
	return io.MultiReader(parts...), writer.FormDataContentType(), length, nil
}

func (f FilePart) header() textproto.MIMEHeader {
	header := make(textproto.MIMEHeader)
	header.Set("Content-Disposition", mime.FormatMediaType("form-data",
		map[string]string{"name": f.Field, "filename": f.Name}))
	header.Set("Content-Type", f.Type)
	return header
}

// WebURL returns an address that a platform has sent if a browser can open it, else an empty one.
func WebURL(address string) string {
	if !validation.IsWebAddress(address) {
		return ""
	}
	return address
}

// SetField sets a field of a query or a form, unless there is nothing to set.
func SetField(fields url.Values, name, value string) {
	if value != "" {
		fields.Set(name, value)
	}
}
