package media_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	keeping "crier/connectors/media"
	"crier/gateway"
	"crier/gateway/gatewaytest"
)

// withBucket gives a gateway a library in a bucket, which takes uploads by itself.
func withBucket(t testing.TB) func(*gateway.Config) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(t.Context(), "media"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	c, err := keeping.ParseS3("s3://key:secret@" + strings.TrimPrefix(server.URL, "http://") + "/media?tls=false")
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := keeping.NewS3(c, &http.Transport{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := keeping.NewLibrary(keeping.LibraryConfig{Blobs: bucket, Arriving: filepath.Join(t.TempDir(), "arriving"), MaxBytes: gatewaytest.LargestUpload, PartBytes: testPart})
	if err != nil {
		t.Fatal(err)
	}
	return func(c *gateway.Config) { c.Media = library }
}

func TestAnUploadToABucketThatIsNoMediaIsToldAsAWarning(t *testing.T) {
	a := gatewaytest.New(t, withBucket(t))
	given := a.Request(http.MethodPost, "/media/upload-url", map[string]any{}).Want(http.StatusCreated)
	put := func(content string) {
		t.Helper()
		if response := a.Send(http.MethodPut, given.At("uploadUrl").Text(), strings.NewReader(content)); response.Status != http.StatusOK {
			t.Fatalf("PUT: %d", response.Status)
		}
	}
	path := "/media/" + given.At("mediaId").Text()
	put("<html>")
	refused := a.Request(http.MethodGet, path, nil).Want(http.StatusOK)
	if refused.At("media", "url").Value != nil || refused.At("warnings", 0, "code").Text() != "media_refused" {
		t.Errorf("no media: %v", refused)
	}
	put(string(gatewaytest.PNG(t, 8, 8)))
	taken := a.Request(http.MethodGet, path, nil).Want(http.StatusOK)
	if taken.At("media", "type").Text() != "image" || taken.At("warnings").Value != nil {
		t.Errorf("an image after it: %v", taken)
	}
}
