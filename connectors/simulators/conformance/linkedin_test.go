package conformance_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"crier/connectors/simulators/conformance"
)

// describeLinkedIn writes the samples, each JSON in a text.
func describeLinkedIn(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "linkedin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, sample := range map[string][2]string{
		"document": {"CreateDocumentContentRequest", `{"author": "a", "distribution": {"targetEntities": []}, "content": {"media": {"title": "t", "id": "urn:li:document:1"}}}`},
		"image":    {"InitializeImageUploadRequest", `{"initializeUploadRequest": {"owner": "a"}}`},
		"video":    {"InitializeVideoUploadRequest", "{\"initializeUploadRequest\": {\"owner\": \"a\", \"fileSizeBytes\": 1, // in bytes\n \"uploadCaptions\": false}}"},
	} {
		text := "components:\n  schemas:\n    " + sample[0] + ":\n      example: " + strconv.Quote(strconv.Quote(sample[1])) + "\n"
		if err := os.WriteFile(filepath.Join(folder, "linkedin", "linkedin-use-cases-"+file+"-ad-api-openapi.yml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CRIER_PLATFORM_DOCS", folder)
}

func TestLinkedIn(t *testing.T) {
	describeLinkedIn(t)
	c := conformance.LinkedIn(t)
	const images, videos = "/rest/images?action=initializeUpload", "/rest/videos?action=initializeUpload"
	for name, tt := range map[string]struct {
		address, request, version string
		status                    int
		want                      string
	}{
		"a post":                  {"/rest/posts", `{"author": "b", "distribution": {"targetEntities": []}}`, "202609", 201, ""},
		"a post with a document":  {"/rest/posts", `{"author": "b", "distribution": {"targetEntities": []}, "content": {"media": {"title": "t", "id": "urn:li:document:2"}}}`, "202609", 201, ""},
		"a document with no name": {"/rest/posts", `{"author": "b", "distribution": {"targetEntities": []}, "content": {"media": {"id": "urn:li:document:2"}}}`, "202609", 201, "request.content.media.title is missing"},
		"a missing field":         {"/rest/posts", `{"author": "b"}`, "202609", 201, "request.distribution is missing"},
		"a field of another form": {"/rest/posts", `{"author": 1, "distribution": {"targetEntities": []}}`, "202609", 201, "request.author is a number"},
		"a field too many":        {"/rest/posts", `{"author": "b", "distribution": {"targetEntities": [], "x": 1}}`, "202609", 201, "request.distribution.x is not in the sample"},
		"an upload":               {videos, `{"initializeUploadRequest": {"owner": "b", "fileSizeBytes": 2, "uploadCaptions": true}}`, "202609", 200, ""},
		"an upload of no owner":   {images, `{"initializeUploadRequest": {}}`, "202609", 200, "owner is missing"},
		"no JSON":                 {images, `<html>`, "202609", 200, "the request is no object"},
		"no version":              {images, `{"initializeUploadRequest": {"owner": "b"}}`, "", 200, "header LinkedIn-Version"},
		"what was refused":        {images, `{}`, "", 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := exchange(t, http.MethodPost, tt.address, tt.request, tt.status, `{}`)
			e.RequestHeader.Set("LinkedIn-Version", tt.version)
			e.RequestHeader.Set("X-Restli-Protocol-Version", "2.0.0")
			wantReport(t, c, e, tt.want)
		})
	}
}
