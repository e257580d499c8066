package gateway_test

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
)

// testPart is the size of a part in these tests.
const testPart = 64 << 10

// withParts gives a gateway a library whose parts are small, in a folder.
func withParts(t *testing.T) (*shelf, func(*gateway.Config)) {
	t.Helper()
	s, change := withMediaIn(t, t.TempDir(), egress.Config{Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	folder, err := keeping.NewFolder(filepath.Join(s.folder, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	s.library, err = keeping.NewLibrary(keeping.LibraryConfig{
		Blobs: folder, Arriving: filepath.Join(s.folder, "arriving"), MaxBytes: largestUpload, PartBytes: testPart,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, func(c *gateway.Config) {
		change(c)
		c.Media = s.library
	}
}

// sendPart sends a part to its address.
func (a *api) sendPart(part tree, film []byte, headers ...string) *answer {
	a.Helper()
	offset, size := int(part.at("offset").value.(float64)), int(part.at("size").value.(float64))
	path := strings.TrimPrefix(part.at("uploadUrl").text(), "https://crier.example/api/v1")
	return a.callWith("", http.MethodPut, path, string(film[offset:offset+size]), headers...)
}

func TestAFileComesInParts(t *testing.T) {
	s, change := withParts(t)
	a := newAPI(t, change)
	film := filmOf(boxOf("ftyp", []byte("isom\x00\x00\x02\x00")), boxOf("moov"), boxOf("mdat", bytes.Repeat([]byte("crier"), 2*testPart/5)))
	sum := sha256.Sum256(film)
	given := a.call(http.MethodPost, "/media/upload-url", map[string]any{"size": len(film), "sha256": hex.EncodeToString(sum[:])}).want(http.StatusCreated)
	id := given.at("mediaId").text()
	if n := given.at("parts").size(); n != 3 || given.at("partSize").value != float64(testPart) {
		t.Fatalf("%d parts: %v", n, given)
	}
	part := func(i int) tree { return given.at("parts", i) }
	wrong := md5.Sum([]byte("another"))
	a.sendPart(part(0), film, "Content-MD5", base64.StdEncoding.EncodeToString(wrong[:])).fails(http.StatusBadRequest, "validation_error")
	a.sendPart(part(0), film, "Content-MD5", "x").fails(http.StatusBadRequest, "validation_error")
	right := md5.Sum(film[:testPart])
	first := a.sendPart(part(0), film, "Content-MD5", base64.StdEncoding.EncodeToString(right[:]))
	if got := first.want(http.StatusOK).at("part"); got.at("number").value != 1.0 || got.at("md5").text() != hex.EncodeToString(right[:]) {
		t.Errorf("a part: %v", got)
	}
	if tag := first.header.Get("ETag"); tag != `"`+hex.EncodeToString(right[:])+`"` {
		t.Errorf("ETag %s", tag)
	}
	a.sendPart(part(2), film).want(http.StatusOK)
	address := strings.TrimPrefix(part(1).at("uploadUrl").text(), "https://crier.example/api/v1")
	a.callWith("", http.MethodPut, address, "short").fails(http.StatusBadRequest, "validation_error")
	for _, number := range []string{"0", "4", "x", "-1", "1e3"} {
		a.callWith("", http.MethodPut, strings.Replace(address, "part=2", "part="+number, 1), "x").fails(http.StatusNotFound, "not_found")
	}
	a.callWith("", http.MethodPut, strings.Replace(address, "?", "0?", 1), "x").fails(http.StatusNotFound, "not_found")

	early := a.call(http.MethodPost, "/media/"+id+"/complete", nil)
	if early.fails(http.StatusBadRequest, "invalid_state"); !strings.Contains(string(early.body), "1 of 3 parts have not come: 2") {
		t.Errorf("complete without a part: %s", early.body)
	}
	if got := a.call(http.MethodGet, "/media/"+id, nil).want(http.StatusOK); got.at("media", "url").value != nil || got.at("warnings").value != nil {
		t.Errorf("awaited: %v", got)
	}
	here := a.call(http.MethodGet, "/media/"+id+"/parts", nil).want(http.StatusOK)
	for i, want := range []bool{true, false, true} {
		if got := here.at("parts", i); got.at("received").value != want || got.at("uploadUrl").text() != part(i).at("uploadUrl").text() {
			t.Errorf("part %d: %v", i+1, got)
		}
	}
	a.sendPart(here.at("parts", 1), film).want(http.StatusOK)
	for range 2 { // the first answer was lost
		if got := a.call(http.MethodPost, "/media/"+id+"/complete", nil).want(http.StatusOK).at("media"); got.at("type").text() != "video" || got.at("size").value != float64(len(film)) {
			t.Errorf("complete: %v", got)
		}
	}
	url := a.call(http.MethodGet, "/media/"+id, nil).want(http.StatusOK).at("media", "url").text()
	if response, content := a.fetch(http.MethodGet, url); response.StatusCode != http.StatusOK || !bytes.Equal(content, film) {
		t.Errorf("%d, %d bytes", response.StatusCode, len(content))
	}
	a.sendPart(part(1), film).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodGet, "/media/"+id+"/parts", nil).fails(http.StatusBadRequest, "invalid_state")
	if files := s.files(t); len(files) != 1 {
		t.Errorf("files: %v", files)
	}
}

func TestPartsThatMakeNoMediaAreRefused(t *testing.T) {
	s, change := withParts(t)
	a := newAPI(t, change)
	film := filmOf(boxOf("ftyp", []byte("isom\x00\x00\x02\x00")), boxOf("moov"), boxOf("mdat", make([]byte, testPart)))
	for name, body := range map[string]map[string]any{
		"another content": {"size": len(film), "sha256": strings.Repeat("ab", 32)},
		"half a film":     {"size": len(film) - 1},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			given := a.call(http.MethodPost, "/media/upload-url", body).want(http.StatusCreated)
			path := "/media/" + given.at("mediaId").text()
			for i := range given.at("parts").size() {
				a.sendPart(given.at("parts", i), film).want(http.StatusOK)
			}
			a.call(http.MethodPost, path+"/complete", nil).fails(http.StatusBadRequest, "validation_error")
			a.call(http.MethodGet, path, nil).fails(http.StatusNotFound, "not_found")
			if files := s.files(t); len(files) != 0 {
				t.Errorf("files: %v", files)
			}
		})
	}
	a.call(http.MethodPost, "/media/upload-url", map[string]any{"sha256": "ab"}).fails(http.StatusBadRequest, "validation_error")
	small := a.call(http.MethodPost, "/media/upload-url", map[string]any{"size": 5, "sha256": strings.Repeat("ab", 32)}).want(http.StatusCreated)
	if small.at("parts").value != nil || small.at("partSize").value != nil {
		t.Errorf("a small file: %v", small)
	}
	path := "/media/" + small.at("mediaId").text()
	a.call(http.MethodGet, path+"/parts", nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodPost, path+"/complete", nil).fails(http.StatusBadRequest, "invalid_state")
	a.callWith("", http.MethodPut, strings.TrimPrefix(small.at("uploadUrl").text(), "https://crier.example/api/v1"), string(pngOf(t, 8, 8))).fails(http.StatusBadRequest, "validation_error")
}

// With a bucket the parts never pass through the gateway.
func TestPartsGoToTheBucket(t *testing.T) {
	a := newAPI(t, withBucket(t))
	picture := append(pngOf(t, 8, 8), make([]byte, testPart)...)
	given := a.call(http.MethodPost, "/media/upload-url", map[string]any{"size": len(picture)}).want(http.StatusCreated)
	path := "/media/" + given.at("mediaId").text()
	for i := range given.at("parts").size() {
		part := a.call(http.MethodGet, path+"/parts", nil).want(http.StatusOK).at("parts", i)
		if part.at("received").value != false {
			t.Errorf("part %d: %v", i, part)
		}
		offset, size := int(part.at("offset").value.(float64)), int(part.at("size").value.(float64))
		request, err := http.NewRequest(http.MethodPut, part.at("uploadUrl").text(), bytes.NewReader(picture[offset:offset+size]))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("part %d: %d", i, response.StatusCode)
		}
	}
	if got := a.call(http.MethodPost, path+"/complete", nil).want(http.StatusOK).at("media"); got.at("type").text() != "image" {
		t.Errorf("complete: %v", got)
	}
	if got := fmt.Sprint(a.call(http.MethodGet, path, nil).want(http.StatusOK).at("media", "size").value); got != fmt.Sprint(float64(len(picture))) {
		t.Errorf("size %s", got)
	}
}
