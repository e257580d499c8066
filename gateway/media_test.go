package gateway_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/egress"
	keeping "crier/connectors/media"
	"crier/gateway"
	"crier/pipeline"
	"crier/schema"
	"crier/schema/postgres"
)

// shelf is where the uploads of a test are kept.
type shelf struct {
	folder  string
	library *keeping.Library
}

// withMedia gives a gateway a library in a folder, which may fetch from this machine.
func withMedia(t testing.TB) (*shelf, func(*gateway.Config)) {
	t.Helper()
	return withMediaIn(t, t.TempDir(), egress.Config{Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
}

// withMediaIn gives a gateway a library in the given folder, which fetches as out lets it.
func withMediaIn(t testing.TB, dir string, out egress.Config) (*shelf, func(*gateway.Config)) {
	t.Helper()
	s := &shelf{folder: dir}
	guard := egress.New(out)
	t.Cleanup(guard.CloseIdle)
	folder, err := keeping.NewFolder(filepath.Join(s.folder, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	s.library, err = keeping.NewLibrary(keeping.LibraryConfig{
		Blobs: folder, Arriving: filepath.Join(s.folder, "arriving"),
		Fetcher: keeping.NewFetcher(keeping.Config{HTTP: guard.Client(), Timeout: time.Minute}), MaxBytes: largestUpload,
		Constraints: catalog.Constraints,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, func(c *gateway.Config) {
		c.Media, c.Addresses.Check = s.library, guard.CheckURL
	}
}

// files returns the names of what is kept or arriving.
func (s *shelf) files(t testing.TB) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(s.folder, func(_ string, entry os.DirEntry, err error) error {
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

func newMediaAPI(t testing.TB) (*api, *shelf) {
	s, change := withMedia(t)
	a := newAPI(t, change)
	return a, s
}

// cleanup removes media that no post of the gateway needs.
func (s *shelf) cleanup(a *api, now func() time.Time) *pipeline.MediaCleanup {
	return pipeline.NewMediaCleanup(pipeline.MediaCleanupConfig{
		Shared: pipeline.Shared{Logger: slog.New(slog.DiscardHandler)}, Rows: postgres.NewMedia(a.store), Content: s.library, Now: now,
	})
}

func pngOf(t testing.TB, width, height int) []byte {
	t.Helper()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black})); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

// formOf is a multipart body: a file, and fields in pairs.
func formOf(t testing.TB, file []byte, fields ...string) (body, contentType string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if file != nil {
		part, err := w.CreateFormFile("file", "dot.png")
		if err != nil {
			t.Fatal(err)
		}
		part.Write(file)
	}
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return form.String(), w.FormDataContentType()
}

func (a *api) upload(file []byte, fields ...string) tree {
	a.Helper()
	body, contentType := formOf(a, file, fields...)
	return a.call(http.MethodPost, "/media", body, "Content-Type", contentType).want(http.StatusCreated).at("media")
}

// local makes an address of the gateway's public URL one of the test's server.
func (a *api) local(address string) string {
	return strings.Replace(address, "https://crier.example", a.url, 1)
}

func (a *api) fetch(method, address string, headers ...string) (*http.Response, []byte) {
	a.Helper()
	request, err := http.NewRequest(method, a.local(address), nil)
	if err != nil {
		a.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}
	return response, body
}

func TestImageIsUploadedListedReadAndDeleted(t *testing.T) {
	a, s := newMediaAPI(t)
	dot := pngOf(t, 320, 200)
	media := a.upload(dot, "alt_text", "a dot")
	for field, want := range map[string]any{
		"type": "image", "mimeType": "image/png", "size": float64(len(dot)), "width": 320.0, "height": 200.0,
		"altText": "a dot", "fileName": "dot.png",
	} {
		if got := media.at(field).value; got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	expires, err := time.Parse(time.RFC3339, media.at("expiresAt").text())
	if err != nil || expires.Sub(a.now()).Round(time.Hour) != schema.UnusedUploadLife {
		t.Errorf("expiresAt = %v", expires)
	}
	list := a.call(http.MethodGet, "/media", nil).want(http.StatusOK)
	if list.at("media", 0, "id").text() != media.at("id").text() || list.at("pagination", "total").value != 1.0 {
		t.Errorf("list = %v", list)
	}
	path := "/media/" + media.at("id").text()
	if got := a.call(http.MethodGet, path, nil).want(http.StatusOK).at("media", "url").text(); got != media.at("url").text() {
		t.Errorf("url = %q", got)
	}
	response, body := a.fetch(http.MethodGet, media.at("url").text())
	if response.StatusCode != http.StatusOK || !bytes.Equal(body, dot) {
		t.Errorf("content: %d, %d bytes", response.StatusCode, len(body))
	}
	a.call(http.MethodDelete, path, nil).want(http.StatusOK)
	a.call(http.MethodGet, path, nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodDelete, path, nil).fails(http.StatusNotFound, "not_found")
	if response, _ := a.fetch(http.MethodGet, media.at("url").text()); response.StatusCode != http.StatusNotFound {
		t.Errorf("content of deleted media: %d", response.StatusCode)
	}
	if left := s.files(t); len(left) != 1 {
		t.Errorf("files: %v; the content goes later", left)
	}
}

func TestContentIsServedSafely(t *testing.T) {
	a, _ := newMediaAPI(t)
	dot := pngOf(t, 8, 8)
	url := a.upload(dot).at("url").text()
	response, part := a.fetch(http.MethodGet, url, "Range", "bytes=1-3")
	if response.StatusCode != http.StatusPartialContent || string(part) != "PNG" {
		t.Errorf("range: %d %q", response.StatusCode, part)
	}
	head, body := a.fetch(http.MethodHead, url)
	if head.StatusCode != http.StatusOK || len(body) != 0 || head.ContentLength != int64(len(dot)) {
		t.Errorf("head: %d, %d bytes, length %d", head.StatusCode, len(body), head.ContentLength)
	}
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if got := head.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	guessed := url[:strings.LastIndex(url, "/")] + "/00000000000000000000000000000000.png"
	if response, _ := a.fetch(http.MethodGet, guessed); response.StatusCode != http.StatusNotFound {
		t.Errorf("a guessed address: %d", response.StatusCode)
	}
}

func TestImageInBase64(t *testing.T) {
	a, _ := newMediaAPI(t)
	dot := base64.StdEncoding.EncodeToString(pngOf(t, 8, 8))
	big := base64.StdEncoding.EncodeToString(make([]byte, 3<<20+1))
	for name, tt := range map[string]struct {
		body   map[string]any
		status int
		code   string // of the error, or of its first detail
	}{
		"bare":                      {map[string]any{"data": dot, "mimeType": "image/png", "altText": "a dot"}, 201, ""},
		"a data: URI":               {map[string]any{"data": "data:image/png;base64," + dot, "mimeType": "image/png"}, 201, ""},
		"with line breaks":          {map[string]any{"data": dot[:20] + "\r\n " + dot[20:] + "\n", "mimeType": "image/png"}, 201, ""},
		"without padding":           {map[string]any{"data": strings.TrimRight(dot, "="), "mimeType": "image/png"}, 201, ""},
		"no base64":                 {map[string]any{"data": "*" + dot, "mimeType": "image/png"}, 400, "invalid_value"},
		"a data: URI of no base64":  {map[string]any{"data": "data:image/png,abc", "mimeType": "image/png"}, 400, "invalid_value"},
		"nothing":                   {map[string]any{"data": "", "mimeType": "image/png"}, 400, "media_refused"},
		"no data":                   {map[string]any{"mimeType": "image/png"}, 400, "required"},
		"no type":                   {map[string]any{"data": dot}, 400, "required"},
		"SVG":                       {map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)), "mimeType": "image/png"}, 400, "media_refused"},
		"an image cut off":          {map[string]any{"data": dot[:60], "mimeType": "image/png"}, 400, "media_refused"},
		"over 3 MB":                 {map[string]any{"data": big, "mimeType": "image/png"}, 413, "payload_too_large"},
		"over 5 MiB of JSON":        {map[string]any{"data": big + big, "mimeType": "image/png"}, 413, "payload_too_large"},
		"an alt text that is long":  {map[string]any{"data": dot, "mimeType": "image/png", "altText": strings.Repeat("é", 1001)}, 400, "alt_text_too_long"},
		"an alt text at its length": {map[string]any{"data": dot, "mimeType": "image/png", "altText": strings.Repeat("é", 1000)}, 201, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			got := a.call(http.MethodPost, "/media", tt.body, "Content-Type", "application/json").want(tt.status)
			code := got.at("error", "details", 0, "code").text()
			if code == "" {
				code = got.at("error", "code").text()
			}
			if code != tt.code {
				t.Errorf("code = %q, want %q: %v", code, tt.code, got)
			}
		})
	}
	lying := a.call(http.MethodPost, "/media", map[string]any{"data": dot, "mimeType": "image/jpeg"}).want(http.StatusCreated)
	if lying.at("media", "mimeType").text() != "image/png" || lying.at("warnings", 0, "code").text() != "media_type_differs" {
		t.Errorf("a lie about the type: %v", lying)
	}
}

func TestAPictureWithoutAFormIsToldTheForm(t *testing.T) {
	a, _ := newMediaAPI(t)
	message := a.call(http.MethodPost, "/media", "\xff\xd8\xff\xe0\x00\x10JFIF").fails(http.StatusBadRequest, "validation_error").at("message").text()
	if !strings.Contains(message, "field file") {
		t.Errorf("message = %q", message)
	}
}

func TestFormsThatAreRefused(t *testing.T) {
	a, s := newMediaAPI(t)
	dot := pngOf(t, 8, 8)
	film := append([]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov"), make([]byte, 8)...)
	whole, contentType := formOf(t, dot)
	boundary := strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	form := func(file []byte, fields ...string) string {
		body, with := formOf(t, file, fields...)
		return strings.ReplaceAll(body, strings.TrimPrefix(with, "multipart/form-data; boundary="), boundary)
	}
	var many []string
	for range 30 {
		many = append(many, "alt_text", "x")
	}
	headers := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n" +
		strings.Repeat("X-A: "+strings.Repeat("b", 60)+"\r\n", 10_000) + "\r\nx\r\n--" + boundary + "--\r\n"
	for name, tt := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"no file":            {form(nil, "alt_text", "x"), 400, "validation_error"},
		"a video":            {form(film), 400, "validation_error"},
		"a page":             {form([]byte("<!DOCTYPE html><script>alert(1)</script>")), 400, "validation_error"},
		"many parts":         {form(nil, many...), 400, "validation_error"},
		"cut off":            {whole[:len(whole)-40], 400, "validation_error"},
		"no form":            {"hello", 400, "validation_error"},
		"huge headers":       {headers, 413, "payload_too_large"},
		"over 32 MB":         {form(append(bytes.Clone(dot), make([]byte, 33<<20)...)), 413, "payload_too_large"},
		"a long alternative": {form(nil, "alt_text", strings.Repeat("x", 5000)), 400, "validation_error"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			got := a.call(http.MethodPost, "/media", tt.body, "Content-Type", contentType)
			if got.status != tt.status {
				t.Fatalf("status %d, want %d: %s", got.status, tt.status, got.body)
			}
			said := got.fails(tt.status, tt.code).at("details", 0, "message").text()
			if named := strings.Contains(said, "/media/upload-url"); named != (name == "a video") {
				t.Errorf("it says %q", said)
			}
			if left := s.files(t); len(left) != 0 {
				t.Errorf("files stay behind: %v", left)
			}
		})
	}
}

func TestUploadByAnAddressOfItsOwn(t *testing.T) {
	a, s := newMediaAPI(t)
	given := a.call(http.MethodPost, "/media/upload-url", map[string]any{"fileName": "a.pdf", "altText": "a document"}).want(http.StatusCreated)
	id, address := given.at("mediaId").text(), given.at("uploadUrl").text()
	if got := a.call(http.MethodGet, "/media/"+id, nil).want(http.StatusOK).at("media"); got.at("url").value != nil || got.at("id").text() != id {
		t.Errorf("awaited: %v", got)
	}
	document := "%PDF-1.7\n" + strings.Repeat("x", 5000) + "\n%%EOF"
	path := strings.TrimPrefix(address, "https://crier.example/api/v1")
	a.callWith("", http.MethodPut, path+"0", document).fails(http.StatusNotFound, "not_found")
	a.callWith("", http.MethodPut, path, "<html>").fails(http.StatusBadRequest, "validation_error")
	got := a.callWith("", http.MethodPut, path, document, "Content-Type", "text/html").want(http.StatusOK).at("media")
	if got.at("type").text() != "pdf" || got.at("mimeType").text() != "application/pdf" || got.at("altText").text() != "a document" {
		t.Errorf("media = %v", got)
	}
	a.callWith("", http.MethodPut, path, document).fails(http.StatusBadRequest, "invalid_state")
	if left := s.files(t); len(left) != 1 {
		t.Errorf("files: %v", left)
	}

	late := a.call(http.MethodPost, "/media/upload-url", map[string]any{}).want(http.StatusCreated).at("uploadUrl").text()
	a.ahead.Store(int64(time.Hour + time.Minute))
	a.callWith("", http.MethodPut, strings.TrimPrefix(late, "https://crier.example/api/v1"), document).fails(http.StatusNotFound, "not_found")
}

// largestUpload is what the library of these tests takes: as much as facebook does.
const largestUpload = 4 << 30

func TestAnUploadIsAsLargeAsTheInstallationTakes(t *testing.T) {
	a, _ := newMediaAPI(t)
	if largest := catalog.LargestMedia(); largest != largestUpload {
		t.Errorf("the largest media of all platforms is of %d bytes", largest)
	}
	announce := func(size int64) *answer {
		return a.call(http.MethodPost, "/media/upload-url", map[string]any{"size": size})
	}
	announce(largestUpload+1).fails(http.StatusBadRequest, "validation_error")
	address := announce(largestUpload).want(http.StatusCreated).at("uploadUrl").text()
	status := a.send(fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: crier.example\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%%PDF", strings.TrimPrefix(address, "https://crier.example"), largestUpload+1), func(net.Conn) {})
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("sending more: %d", status)
	}
}

// send writes a request as it stands and returns the status of the answer, 0: none came.
func (a *api) send(raw string, then func(net.Conn)) int {
	a.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
	if err != nil {
		a.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		a.Fatal(err)
	}
	then(conn)
	answer, _ := io.ReadAll(conn)
	var status int
	fmt.Sscanf(string(answer), "HTTP/1.1 %d", &status)
	return status
}

func TestUploadOfAnotherLengthThanItSays(t *testing.T) {
	a, s := newMediaAPI(t)
	address := a.call(http.MethodPost, "/media/upload-url", map[string]any{}).want(http.StatusCreated).at("uploadUrl").text()
	path := strings.TrimPrefix(address, "https://crier.example")
	dot := pngOf(t, 8, 8)
	raw := fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: crier\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", path, len(dot)+100, dot)
	status := a.send(raw, func(conn net.Conn) { conn.(*net.TCPConn).CloseWrite() })
	if status != 0 && status != http.StatusBadRequest {
		t.Errorf("shorter than it says: %d", status)
	}
	if left := s.files(t); len(left) != 0 {
		t.Errorf("files stay behind: %v", left)
	}
	raw = fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: crier\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", path, len(dot)-20, dot)
	if status := a.send(raw, func(net.Conn) {}); status != http.StatusBadRequest {
		t.Errorf("longer than it says: %d, want 400: what was announced is an image cut off", status)
	}
}

func TestMediaOfAURLIsFetchedAndKept(t *testing.T) {
	a, s := newMediaAPI(t)
	dot := pngOf(t, 64, 32)
	fetched := 0
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a/dot.png":
			if fetched++; fetched == 1 {
				w.Write(dot)
				return
			}
			w.Write([]byte("<html>something else</html>"))
		case "/private":
			http.Redirect(w, r, "http://10.0.0.1/secret.png", http.StatusFound)
		case "/document":
			w.Write([]byte("%PDF-1.7\n%%EOF"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(source.Close)
	from := func(path string) *answer {
		return a.call(http.MethodPost, "/media/from-url", map[string]any{"url": source.URL + path})
	}
	media := from("/a/dot.png").want(http.StatusCreated).at("media")
	if media.at("width").value != 64.0 || media.at("fileName").text() != "dot.png" {
		t.Errorf("media = %v", media)
	}
	if _, body := a.fetch(http.MethodGet, media.at("url").text()); !bytes.Equal(body, dot) {
		t.Error("what is served is not what was fetched")
	}
	kept := len(s.files(t))
	for path, want := range map[string]string{
		"/a/dot.png": "media_refused", "/private": "media_refused", "/missing": "media_refused", "/document": "media_refused",
	} {
		if got := from(path).fails(http.StatusBadRequest, "validation_error").at("details", 0, "code").text(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for _, address := range []string{"http://10.0.0.1/a.png", "file:///etc/passwd", "/a.png", "http://[::1]/a.png"} {
		got := a.call(http.MethodPost, "/media/from-url", map[string]any{"url": address})
		if code := got.fails(http.StatusBadRequest, "validation_error").at("details", 0, "code").text(); code != "url_invalid" {
			t.Errorf("%s: %q", address, code)
		}
	}
	if left := s.files(t); len(left) != kept {
		t.Errorf("files stay behind: %v", left)
	}
}

func TestUploadsInPosts(t *testing.T) {
	a, _ := newMediaAPI(t)
	a.connect(a.workspace, schema.Mastodon, "m")
	a.connect(a.workspace, schema.Instagram, "i")
	a.connect(a.workspace, schema.Threads, "t")
	small, wide := a.upload(pngOf(t, 100, 100), "alt_text", "small"), a.upload(pngOf(t, 1200, 300))
	post := func(platform string, item map[string]any) *answer {
		return a.call(http.MethodPost, "/posts", map[string]any{
			"content": "x", "platforms": []string{platform}, "scheduledFor": a.in(time.Hour), "mediaItems": []any{item},
		})
	}
	byID := post("mastodon", map[string]any{"mediaId": small.at("id").text()}).want(http.StatusCreated).at("post")
	item := byID.at("mediaItems", 0)
	if item.at("type").text() != "image" || item.at("url").text() != small.at("url").text() || item.at("altText").text() != "small" {
		t.Errorf("item = %v", item)
	}
	byURL := post("mastodon", map[string]any{"type": "image", "url": small.at("url").text()}).want(http.StatusCreated).at("post")
	if got := byURL.at("mediaItems", 0, "mediaId").text(); got != small.at("id").text() {
		t.Errorf("our own url: mediaId = %q", got)
	}
	again := a.call(http.MethodPatch, "/posts/"+byID.at("id").text(), map[string]any{"mediaItems": byID.at("mediaItems").value}).want(http.StatusOK)
	if got, want := fmt.Sprint(again.at("post", "mediaItems")), fmt.Sprint(byID.at("mediaItems")); got != want {
		t.Errorf("an answer's media sent again = %s, want %s", got, want)
	}
	if got := a.call(http.MethodGet, "/media/"+small.at("id").text(), nil).want(http.StatusOK); got.at("media", "expiresAt").value != nil {
		t.Errorf("used media expires: %v", got)
	}
	_, otherKey := a.tenant("other", "operator", schema.Admin)
	for name, tt := range map[string]struct {
		got          *answer
		field, code  string
		wantPlatform string
	}{
		"too small":       {post("threads", map[string]any{"mediaId": small.at("id").text()}), "mediaItems[0]", "media_too_small", "threads"},
		"too wide":        {post("threads", map[string]any{"mediaId": wide.at("id").text()}), "mediaItems[0]", "media_too_small", "threads"},
		"no video":        {post("mastodon", map[string]any{"type": "video", "mediaId": small.at("id").text()}), "mediaItems[0].type", "media_type_mismatch", ""},
		"no such":         {post("mastodon", map[string]any{"mediaId": "media_01k9sr3q5wf2g8m7r4t0v1x2y3"}), "mediaItems[0].mediaId", "media_unknown", ""},
		"another's url":   {post("mastodon", map[string]any{"type": "image", "mediaId": small.at("id").text(), "url": wide.at("url").text()}), "mediaItems[0].mediaId", "conflict", ""},
		"a url elsewhere": {post("mastodon", map[string]any{"type": "image", "mediaId": small.at("id").text(), "url": "https://media.example/a.png"}), "mediaItems[0].mediaId", "conflict", ""},
		"an empty id":     {post("instagram", map[string]any{"mediaId": ""}), "mediaItems[0].mediaId", "media_unknown", ""},
		"no id":           {post("mastodon", map[string]any{"mediaId": "x"}), "mediaItems[0].mediaId", "media_unknown", ""},
		"awaited": {post("mastodon", map[string]any{
			"mediaId": a.call(http.MethodPost, "/media/upload-url", map[string]any{}).want(http.StatusCreated).at("mediaId").text(),
		}), "mediaItems[0].mediaId", "media_not_uploaded", ""},
		"our url with another secret": {post("mastodon", map[string]any{
			"type": "image", "url": strings.Replace(small.at("url").text(), ".png", "0.png", 1),
		}), "mediaItems[0].url", "media_unknown", ""},
	} {
		details := tt.got.fails(http.StatusBadRequest, "validation_error").at("details")
		if strings.HasSuffix(tt.field, ".mediaId") && details.size() != 1 {
			t.Errorf("%s: %v; want one detail", name, details)
		}
		detail := details.at(0)
		if detail.at("field").text() != tt.field || detail.at("code").text() != tt.code || detail.at("platform").text() != tt.wantPlatform {
			t.Errorf("%s: %v", name, detail)
		}
	}
	foreign := a.callWith(otherKey, http.MethodGet, "/media/"+small.at("id").text(), nil)
	foreign.fails(http.StatusNotFound, "not_found")
	a.callWith(otherKey, http.MethodDelete, "/media/"+small.at("id").text(), nil).fails(http.StatusNotFound, "not_found")

	path := "/media/" + small.at("id").text()
	a.call(http.MethodDelete, path, nil).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodPatch, "/posts/"+byURL.at("id").text(), map[string]any{"mediaItems": []any{}}).want(http.StatusOK)
	a.call(http.MethodDelete, path, nil).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodDelete, "/posts/"+byID.at("id").text(), nil).want(http.StatusOK)
	a.call(http.MethodDelete, path, nil).want(http.StatusOK)
}

// TestAPictureIsMadeToFit has pictures that platforms do not take as they are: which are refused,
// and what is said of the others. The copy is served to the platforms that fetch it.
func TestAPictureIsMadeToFit(t *testing.T) {
	a, s := newMediaAPI(t)
	for _, p := range []schema.Platform{schema.Mastodon, schema.Instagram, schema.Telegram} {
		a.connect(a.workspace, p, p.String())
	}
	wide, small := a.upload(pngOf(t, 1200, 400), "alt_text", "wide"), a.upload(pngOf(t, 100, 100))
	square := a.upload(pngOf(t, 400, 400))
	post := func(item map[string]any, platforms ...string) *answer {
		return a.call(http.MethodPost, "/posts", map[string]any{
			"content": "x", "platforms": platforms, "scheduledFor": a.in(time.Hour), "mediaItems": []any{item},
		})
	}
	upload := func(m tree, fit string) map[string]any {
		return map[string]any{"mediaId": m.at("id").text(), "fit": fit}
	}
	byURL := func(kind string) map[string]any {
		return map[string]any{"type": kind, "url": "https://media.example/a", "fit": "contain"}
	}
	for name, tt := range map[string]struct {
		got                   *answer
		place, field, code    string
		wantPlatform, message string
	}{
		"cropped":         {post(upload(wide, "cover"), "instagram", "mastodon"), "warnings", "mediaItems[0]", "media_resized", "instagram", "instagram gets a copy of 764 × 400 pixels, cropped: "},
		"with bars":       {post(upload(wide, "contain"), "instagram"), "warnings", "mediaItems[0]", "media_resized", "instagram", "1200 × 628 pixels, with bars"},
		"not asked to":    {post(upload(wide, "none"), "instagram"), "details", "mediaItems[0]", "media_type_unsupported", "instagram", "image/png"},
		"a format alone":  {post(upload(square, "none"), "instagram"), "warnings", "mediaItems[0]", "media_resized", "instagram", "instagram gets a copy of 400 × 400 pixels: "},
		"too small":       {post(upload(small, "cover"), "instagram"), "details", "mediaItems[0]", "media_type_unsupported", "instagram", ""},
		"by url":          {post(byURL("image"), "telegram"), "warnings", "mediaItems[0].fit", "media_resized", "", "once it is fetched"},
		"by url, fetched": {post(byURL("image"), "instagram"), "details", "mediaItems[0].fit", "media_fit_needs_upload", "instagram", "from-url"},
		"a film":          {post(byURL("video"), "telegram"), "warnings", "mediaItems[0].fit", "media_fit_ignored", "", "as it is, or refused"},
		"another way":     {post(upload(wide, "stretch"), "instagram"), "details", "mediaItems[0].fit", "invalid_value", "", "none, contain or cover"},
	} {
		t.Run(name, func(t *testing.T) {
			var found tree
			if tt.place == "details" {
				found = tt.got.fails(http.StatusBadRequest, "validation_error").at("details")
			} else {
				found = tt.got.want(http.StatusCreated).at("warnings")
			}
			d := found.at(0)
			if d.at("field").text() != tt.field || d.at("code").text() != tt.code || d.at("platform").text() != tt.wantPlatform || !strings.Contains(d.at("message").text(), tt.message) {
				t.Errorf("%s: %v", tt.place, found)
			}
		})
	}
	if got := post(upload(wide, "cover"), "mastodon").want(http.StatusCreated); got.at("warnings").value != nil || got.at("post", "mediaItems", 0, "fit").text() != "cover" || got.at("post", "mediaItems", 0, "altText").text() != "wide" {
		t.Errorf("taken as it is: %v", got)
	}
	address := wide.at("url").text()
	of := func(p schema.Platform) string { return schema.Variant{Platform: p, Fit: schema.FitCover}.In(address) }
	for range 2 { // made, and as it was kept
		response, content := a.fetch(http.MethodGet, of(schema.Instagram))
		shown, format, err := image.DecodeConfig(bytes.NewReader(content))
		if err != nil || format != "jpeg" || shown.Width != 764 || shown.Height != 400 || response.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("the copy is %s of %d × %d, %v: %v", format, shown.Width, shown.Height, err, response.Header)
		}
	}
	for name, elsewhere := range map[string]string{
		"of a platform that does not fetch": of(schema.Telegram), "of another secret": strings.Replace(of(schema.Instagram), ".cover", "0.cover", 1),
	} {
		if response, _ := a.fetch(http.MethodGet, elsewhere); response.StatusCode != http.StatusNotFound {
			t.Errorf("a copy %s: %d", name, response.StatusCode)
		}
	}
	if got := len(s.files(t)); got != 4 { // three uploads, one copy
		t.Errorf("%d files are kept", got)
	}
}

func TestUnusedMediaGoes(t *testing.T) {
	a, s := newMediaAPI(t)
	a.connect(a.workspace, schema.Mastodon, "m")
	cleanup := s.cleanup(a, func() time.Time { return time.Now().Add(25 * time.Hour) })
	used, unused, deleted := a.upload(pngOf(t, 8, 8)), a.upload(pngOf(t, 9, 9)), a.upload(pngOf(t, 10, 10))
	a.call(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"mastodon"}, "status": "draft", "mediaItems": []any{map[string]any{"mediaId": used.at("id").text()}},
	}).want(http.StatusCreated)
	stray := schema.NewMediaID(time.Now())
	if _, err := s.library.Keep(context.Background(), stray, bytes.NewReader(pngOf(t, 11, 11)), []schema.MediaKind{schema.Image}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.folder, "arriving", "media-1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.call(http.MethodDelete, "/media/"+deleted.at("id").text(), nil).want(http.StatusOK)
	a.exec(`update media set expires_at = now() - interval '1 second', deleted_at = deleted_at - interval '1 hour'`)
	run := func() {
		t.Helper()
		for _, work := range []func(context.Context) error{cleanup.Remove, cleanup.Sweep} {
			if err := work(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	run()
	if got := s.files(t); len(got) != 2 { // what a request may have read a moment ago stays a minute
		t.Errorf("after the first pass: %v", got)
	}
	a.call(http.MethodGet, "/media/"+unused.at("id").text(), nil).fails(http.StatusNotFound, "not_found")
	a.exec(`update media set deleted_at = deleted_at - interval '1 hour'`)
	run()
	if got := s.files(t); len(got) != 1 || got[0] != used.at("id").text() {
		t.Errorf("files: %v, want the used one alone", got)
	}
	a.call(http.MethodGet, "/media/"+used.at("id").text(), nil).want(http.StatusOK)
}

// A delete and a post that uses the media may pass each other: the post was accepted, so
// its media comes back.
func TestMediaOfAnAcceptedPostComesBack(t *testing.T) {
	a, s := newMediaAPI(t)
	a.connect(a.workspace, schema.Mastodon, "m")
	media := a.upload(pngOf(t, 8, 8))
	a.call(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"mastodon"}, "scheduledFor": a.in(time.Hour),
		"mediaItems": []any{map[string]any{"mediaId": media.at("id").text()}},
	}).want(http.StatusCreated)
	a.exec(`update media set state = 2, deleted_at = now() - interval '1 hour'`)
	cleanup := s.cleanup(a, time.Now)
	if err := cleanup.Remove(context.Background()); err != nil {
		t.Fatal(err)
	}
	a.call(http.MethodGet, "/media/"+media.at("id").text(), nil).want(http.StatusOK)
	if got := s.files(t); len(got) != 1 {
		t.Errorf("files: %v", got)
	}
}

func TestMediaListIsPaged(t *testing.T) {
	a, _ := newMediaAPI(t)
	for i := range 3 {
		a.upload(pngOf(t, 1+i, 1))
	}
	first := a.call(http.MethodGet, "/media?limit=2", nil).want(http.StatusOK)
	if first.at("media").size() != 2 || first.at("media", 0, "width").value != 3.0 || first.at("pagination", "hasMore").value != true {
		t.Errorf("first page: %v", first)
	}
	second := a.call(http.MethodGet, "/media?limit=2&page=2", nil).want(http.StatusOK)
	if second.at("media").size() != 1 || second.at("pagination", "hasMore").value != false {
		t.Errorf("second page: %v", second)
	}
	a.upload(pngOf(t, 9, 1))
	next := a.call(http.MethodGet, "/media?limit=2&cursor="+first.at("pagination", "nextCursor").text(), nil).want(http.StatusOK)
	if next.at("media").size() != 1 || next.at("media", 0, "id") != second.at("media", 0, "id") || next.at("pagination").has("nextCursor") {
		t.Errorf("second page by its cursor, after another upload: %v", next)
	}
}
