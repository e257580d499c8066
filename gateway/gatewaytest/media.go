package gatewaytest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/connectors/media/mediatest"
	"crier/gateway"
	"crier/pipeline"
	"crier/schema/postgres"
)

// MediaFolder is where the uploads of a test are kept.
type MediaFolder struct {
	Folder  string
	Library *media.Library
}

// WithMedia gives a gateway a library in a folder, which may fetch from this machine.
func WithMedia(t testing.TB) (*MediaFolder, func(*gateway.Config)) {
	t.Helper()
	return WithMediaIn(t, t.TempDir(), egress.Config{Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
}

// WithMediaIn gives a gateway a library in the given folder, which fetches as out lets it.
func WithMediaIn(t testing.TB, dir string, out egress.Config) (*MediaFolder, func(*gateway.Config)) {
	t.Helper()
	f := &MediaFolder{Folder: dir}
	guard := egress.New(out)
	t.Cleanup(guard.CloseIdle)
	folder, err := media.NewFolder(filepath.Join(f.Folder, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	f.Library, err = media.NewLibrary(media.LibraryConfig{
		Blobs: folder, Arriving: filepath.Join(f.Folder, "arriving"),
		Fetcher: media.NewFetcher(media.Config{HTTP: guard.Client(), Timeout: time.Minute}), MaxBytes: LargestUpload,
		Constraints: catalog.Constraints, Decoder: mediatest.Decoder(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, func(c *gateway.Config) {
		c.Media, c.Addresses.Check = f.Library, guard.CheckURL
	}
}

// LargestUpload is what the library of these tests takes: as much as facebook does.
const LargestUpload = 4 << 30

// Files returns the names of what is kept or arriving.
func (f *MediaFolder) Files(t testing.TB) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(f.Folder, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Cleanup removes media that no post of the gateway needs.
func (f *MediaFolder) Cleanup(a *API, now func() time.Time) *pipeline.MediaCleanup {
	return pipeline.NewMediaCleanup(pipeline.MediaCleanupConfig{
		Shared: pipeline.Shared{Logger: slog.New(slog.DiscardHandler)}, Rows: postgres.NewMedia(a.Store), Content: f.Library, Now: now,
	})
}

// PNG is a picture of one color.
func PNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black})); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

// MediaForm is a multipart body: a file, and fields in pairs.
func MediaForm(t testing.TB, file []byte, fields ...string) (body, contentType string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if file != nil {
		part, err := w.CreateFormFile("file", "dot.png")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(file); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return form.String(), w.FormDataContentType()
}

// Upload stores a file and returns it as the API shows it. Fields are given in pairs.
func (a *API) Upload(file []byte, fields ...string) JSON {
	a.Helper()
	body, contentType := MediaForm(a, file, fields...)
	return a.Request(http.MethodPost, "/media", body, "Content-Type", contentType).Want(http.StatusCreated).At("media")
}

// Local makes an address of the gateway's public URL one of the test's server.
func (a *API) Local(address string) string {
	return strings.Replace(address, "https://crier.example", a.URL, 1)
}

// Fetch makes a request of a file's address and reads the response. Headers are given in pairs.
func (a *API) Fetch(method, address string, headers ...string) *Response {
	a.Helper()
	return a.Send(method, a.Local(address), nil, headers...)
}
