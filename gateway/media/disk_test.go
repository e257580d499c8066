package media_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crier/compose/embedded/embeddedtest"
	"crier/connectors/egress"
	"crier/gateway/gatewaytest"
)

// TestUploadsToAFullDiskAreTurnedAway uploads each way while the disk that media is kept on
// is full, and once it has space again.
func TestUploadsToAFullDiskAreTurnedAway(t *testing.T) {
	const diskBytes = 16 << 20
	disk := filepath.Join(t.TempDir(), "disk")
	embeddedtest.SmallDisk(t, disk, "16m")
	shelf, change := gatewaytest.WithMediaIn(t, filepath.Join(disk, "media"), egress.Config{
		Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	})
	a := gatewaytest.New(t, change)
	picture := append(gatewaytest.PNG(t, 8, 8), make([]byte, 2<<20)...)
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(picture) }))
	t.Cleanup(source.Close)
	form, contentType := gatewaytest.MediaForm(t, picture)
	awaited := strings.TrimPrefix(awaitUpload(a), "/api/v1")
	ways := map[string]func() *gatewaytest.Response{
		"a form": func() *gatewaytest.Response {
			return a.Request(http.MethodPost, "/media", form, "Content-Type", contentType)
		},
		"base64": func() *gatewaytest.Response {
			return a.Request(http.MethodPost, "/media", map[string]any{"data": picture, "mimeType": "image/png"})
		},
		"a url": func() *gatewaytest.Response {
			return a.Request(http.MethodPost, "/media/from-url", map[string]any{"url": source.URL})
		},
		"an address": func() *gatewaytest.Response { return a.RequestWith("", http.MethodPut, awaited, string(picture)) },
	}
	filler := filepath.Join(disk, "filler")
	for state, free := range map[string]int{"full": 0, "with less space than it takes": 1 << 20} {
		if err := os.WriteFile(filler, make([]byte, diskBytes-free), 0o600); err != nil && free != 0 {
			t.Fatal(err) // without any space left for folders the last bytes have none, either
		}
		for way, upload := range ways {
			t.Run(way+" to a disk "+state, func(t *testing.T) {
				a.Under(t)
				got := upload()
				got.WantError(http.StatusServiceUnavailable, "unavailable")
				if got.Header.Get("Retry-After") == "" || strings.Contains(string(got.Body), disk) {
					t.Errorf("Retry-After %q, %s", got.Header.Get("Retry-After"), got.Body)
				}
				if files := shelf.Files(t); len(files) != 0 {
					t.Errorf("files stay behind: %v", files)
				}
				a.Request(http.MethodGet, "/media", nil).Want(http.StatusOK)
			})
		}
	}
	if total := a.Request(http.MethodGet, "/media", nil).Want(http.StatusOK).At("pagination", "total").Value; total != 0.0 {
		t.Errorf("%v uploads are listed", total)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for way, upload := range ways {
		if got := upload(); got.Status/100 != 2 {
			t.Errorf("%s once there is space: %d %s", way, got.Status, got.Body)
		}
	}
	if files := shelf.Files(t); len(files) != len(ways) {
		t.Errorf("files: %v", files)
	}
}

// A disk that fails in another way than being full is our fault: nobody is told that their
// file was damaged.
func TestUploadsThatCannotBeKeptAreAFault(t *testing.T) {
	a, shelf := newMediaAPI(t)
	picture := gatewaytest.PNG(t, 8, 8)
	form, contentType := gatewaytest.MediaForm(t, picture)
	awaited := strings.TrimPrefix(awaitUpload(a), "/api/v1")
	if err := os.RemoveAll(filepath.Join(shelf.Folder, "arriving")); err != nil {
		t.Fatal(err)
	}
	for way, got := range map[string]*gatewaytest.Response{
		"a form":     a.Request(http.MethodPost, "/media", form, "Content-Type", contentType),
		"base64":     a.Request(http.MethodPost, "/media", map[string]any{"data": picture, "mimeType": "image/png"}),
		"an address": a.RequestWith("", http.MethodPut, awaited, string(picture)),
	} {
		got.WantError(http.StatusInternalServerError, "internal_error")
		if strings.Contains(string(got.Body), shelf.Folder) {
			t.Errorf("%s: the answer names the folder: %s", way, got.Body)
		}
	}
	if n := strings.Count(a.Logs.String(), "request failed"); n != 3 {
		t.Errorf("%d faults are logged, want 3", n)
	}
}
