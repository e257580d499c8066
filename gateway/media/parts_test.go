package media_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"crier/connectors/egress"
	keeping "crier/connectors/media"
	"crier/gateway"
	"crier/gateway/gatewaytest"
)

// testPart is the size of a part in these tests.
const testPart = 64 << 10

// withParts gives a gateway a library whose parts are small, in a folder.
func withParts(t *testing.T) (*gatewaytest.MediaFolder, func(*gateway.Config)) {
	t.Helper()
	s, change := gatewaytest.WithMediaIn(t, t.TempDir(), egress.Config{Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	folder, err := keeping.NewFolder(filepath.Join(s.Folder, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	s.Library, err = keeping.NewLibrary(keeping.LibraryConfig{
		Blobs: folder, Arriving: filepath.Join(s.Folder, "arriving"), MaxBytes: gatewaytest.LargestUpload, PartBytes: testPart,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, func(c *gateway.Config) {
		change(c)
		c.Media = s.Library
	}
}

// sendPart sends a part to its address.
func sendPart(a *gatewaytest.API, part gatewaytest.JSON, film []byte, headers ...string) *gatewaytest.Response {
	a.Helper()
	offset, size := int(part.At("offset").Value.(float64)), int(part.At("size").Value.(float64))
	path := strings.TrimPrefix(part.At("uploadUrl").Text(), "https://crier.example/api/v1")
	return a.RequestWith("", http.MethodPut, path, string(film[offset:offset+size]), headers...)
}

func TestAFileComesInParts(t *testing.T) {
	s, change := withParts(t)
	a := gatewaytest.New(t, change)
	film := filmOf(boxOf("ftyp", []byte("isom\x00\x00\x02\x00")), boxOf("moov"), boxOf("mdat", bytes.Repeat([]byte("crier"), 2*testPart/5)))
	sum := sha256.Sum256(film)
	given := a.Request(http.MethodPost, "/media/upload-url", map[string]any{"size": len(film), "sha256": hex.EncodeToString(sum[:])}).Want(http.StatusCreated)
	id := given.At("mediaId").Text()
	if n := given.At("parts").Len(); n != 3 || given.At("partSize").Value != float64(testPart) {
		t.Fatalf("%d parts: %v", n, given)
	}
	part := func(i int) gatewaytest.JSON { return given.At("parts", i) }
	wrong := md5.Sum([]byte("another"))
	sendPart(a, part(0), film, "Content-MD5", base64.StdEncoding.EncodeToString(wrong[:])).WantError(http.StatusBadRequest, "validation_error")
	sendPart(a, part(0), film, "Content-MD5", "x").WantError(http.StatusBadRequest, "validation_error")
	right := md5.Sum(film[:testPart])
	first := sendPart(a, part(0), film, "Content-MD5", base64.StdEncoding.EncodeToString(right[:]))
	if got := first.Want(http.StatusOK).At("part"); got.At("number").Value != 1.0 || got.At("md5").Text() != hex.EncodeToString(right[:]) {
		t.Errorf("a part: %v", got)
	}
	if tag := first.Header.Get("ETag"); tag != `"`+hex.EncodeToString(right[:])+`"` {
		t.Errorf("ETag %s", tag)
	}
	sendPart(a, part(2), film).Want(http.StatusOK)
	address := strings.TrimPrefix(part(1).At("uploadUrl").Text(), "https://crier.example/api/v1")
	a.RequestWith("", http.MethodPut, address, "short").WantError(http.StatusBadRequest, "validation_error")
	for _, number := range []string{"0", "4", "x", "-1", "1e3"} {
		a.RequestWith("", http.MethodPut, strings.Replace(address, "part=2", "part="+number, 1), "x").WantError(http.StatusNotFound, "not_found")
	}
	a.RequestWith("", http.MethodPut, strings.Replace(address, "?", "0?", 1), "x").WantError(http.StatusNotFound, "not_found")

	early := a.Request(http.MethodPost, "/media/"+id+"/complete", nil)
	if early.WantError(http.StatusBadRequest, "invalid_state"); !strings.Contains(string(early.Body), "1 of 3 parts have not come: 2") {
		t.Errorf("complete without a part: %s", early.Body)
	}
	if got := a.Request(http.MethodGet, "/media/"+id, nil).Want(http.StatusOK); got.At("media", "url").Value != nil || got.At("warnings").Value != nil {
		t.Errorf("awaited: %v", got)
	}
	here := a.Request(http.MethodGet, "/media/"+id+"/parts", nil).Want(http.StatusOK)
	for i, want := range []bool{true, false, true} {
		if got := here.At("parts", i); got.At("received").Value != want || got.At("uploadUrl").Text() != part(i).At("uploadUrl").Text() {
			t.Errorf("part %d: %v", i+1, got)
		}
	}
	sendPart(a, here.At("parts", 1), film).Want(http.StatusOK)
	for range 2 { // the first answer was lost
		if got := a.Request(http.MethodPost, "/media/"+id+"/complete", nil).Want(http.StatusOK).At("media"); got.At("type").Text() != "video" || got.At("size").Value != float64(len(film)) {
			t.Errorf("complete: %v", got)
		}
	}
	url := a.Request(http.MethodGet, "/media/"+id, nil).Want(http.StatusOK).At("media", "url").Text()
	if response := a.Fetch(http.MethodGet, url); response.Status != http.StatusOK || !bytes.Equal(response.Body, film) {
		t.Errorf("%d, %d bytes", response.Status, len(response.Body))
	}
	sendPart(a, part(1), film).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodGet, "/media/"+id+"/parts", nil).WantError(http.StatusBadRequest, "invalid_state")
	if files := s.Files(t); len(files) != 1 {
		t.Errorf("files: %v", files)
	}
}

func TestPartsThatMakeNoMediaAreRefused(t *testing.T) {
	s, change := withParts(t)
	a := gatewaytest.New(t, change)
	film := filmOf(boxOf("ftyp", []byte("isom\x00\x00\x02\x00")), boxOf("moov"), boxOf("mdat", make([]byte, testPart)))
	for name, body := range map[string]map[string]any{
		"another content": {"size": len(film), "sha256": strings.Repeat("ab", 32)},
		"half a film":     {"size": len(film) - 1},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			given := a.Request(http.MethodPost, "/media/upload-url", body).Want(http.StatusCreated)
			path := "/media/" + given.At("mediaId").Text()
			for i := range given.At("parts").Len() {
				sendPart(a, given.At("parts", i), film).Want(http.StatusOK)
			}
			a.Request(http.MethodPost, path+"/complete", nil).WantError(http.StatusBadRequest, "validation_error")
			a.Request(http.MethodGet, path, nil).WantError(http.StatusNotFound, "not_found")
			if files := s.Files(t); len(files) != 0 {
				t.Errorf("files: %v", files)
			}
		})
	}
	a.Request(http.MethodPost, "/media/upload-url", map[string]any{"sha256": "ab"}).WantError(http.StatusBadRequest, "validation_error")
	small := a.Request(http.MethodPost, "/media/upload-url", map[string]any{"size": 5, "sha256": strings.Repeat("ab", 32)}).Want(http.StatusCreated)
	if small.At("parts").Value != nil || small.At("partSize").Value != nil {
		t.Errorf("a small file: %v", small)
	}
	path := "/media/" + small.At("mediaId").Text()
	a.Request(http.MethodGet, path+"/parts", nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodPost, path+"/complete", nil).WantError(http.StatusBadRequest, "invalid_state")
	a.RequestWith("", http.MethodPut, strings.TrimPrefix(small.At("uploadUrl").Text(), "https://crier.example/api/v1"), string(gatewaytest.PNG(t, 8, 8))).WantError(http.StatusBadRequest, "validation_error")
}

// With a bucket the parts never pass through the gateway.
func TestPartsGoToTheBucket(t *testing.T) {
	a := gatewaytest.New(t, withBucket(t))
	picture := append(gatewaytest.PNG(t, 8, 8), make([]byte, testPart)...)
	given := a.Request(http.MethodPost, "/media/upload-url", map[string]any{"size": len(picture)}).Want(http.StatusCreated)
	path := "/media/" + given.At("mediaId").Text()
	for i := range given.At("parts").Len() {
		part := a.Request(http.MethodGet, path+"/parts", nil).Want(http.StatusOK).At("parts", i)
		if part.At("received").Value != false {
			t.Errorf("part %d: %v", i, part)
		}
		offset, size := int(part.At("offset").Value.(float64)), int(part.At("size").Value.(float64))
		if response := a.Send(http.MethodPut, part.At("uploadUrl").Text(), bytes.NewReader(picture[offset:offset+size])); response.Status != http.StatusOK {
			t.Fatalf("part %d: %d", i, response.Status)
		}
	}
	if got := a.Request(http.MethodPost, path+"/complete", nil).Want(http.StatusOK).At("media"); got.At("type").Text() != "image" {
		t.Errorf("complete: %v", got)
	}
	if got := fmt.Sprint(a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("media", "size").Value); got != fmt.Sprint(float64(len(picture))) {
		t.Errorf("size %s", got)
	}
}
