package connectors

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"testing"
)

func TestMultipartStreamsFiles(t *testing.T) {
	photo := make([]byte, 300_000)
	rand.Read(photo)
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		length := r.ContentLength
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Errorf("parsing: %v", err)
			return
		}
		if length < 300_000 {
			t.Errorf("Content-Length = %d", length)
		}
		if got := r.FormValue("description"); got != "a \"quoted\" é" {
			t.Errorf("field = %q", got)
		}
		file, header, err := r.FormFile("file")
		if err != nil {
			t.Errorf("file: %v", err)
			return
		}
		got, err := io.ReadAll(file)
		if err != nil || !bytes.Equal(got, photo) {
			t.Errorf("file of %d bytes, %v", len(got), err)
		}
		if header.Filename != "photo.jpg" || header.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("header = %+v", header)
		}
	})
	_, err := NewClient(testConfig(t)).Do(t.Context(), Call{
		Operation: "upload", Method: http.MethodPost, URL: server, Form: url.Values{"description": {"a \"quoted\" é"}},
		Files: []FilePart{{Field: "file", Name: "photo.jpg", Type: "image/jpeg", Size: int64(len(photo)), Content: bytes.NewReader(photo)}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}
