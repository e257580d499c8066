package media_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

func newMediaAPI(t testing.TB) (*gatewaytest.API, *gatewaytest.MediaFolder) {
	s, change := gatewaytest.WithMedia(t)
	a := gatewaytest.New(t, change)
	return a, s
}

func TestImageIsUploadedListedReadAndDeleted(t *testing.T) {
	a, s := newMediaAPI(t)
	dot := gatewaytest.PNG(t, 320, 200)
	media := a.Upload(dot, "alt_text", "a dot")
	for field, want := range map[string]any{
		"type": "image", "mimeType": "image/png", "size": float64(len(dot)), "width": 320.0, "height": 200.0,
		"altText": "a dot", "fileName": "dot.png",
	} {
		if got := media.At(field).Value; got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	expires, err := time.Parse(time.RFC3339, media.At("expiresAt").Text())
	if err != nil || expires.Sub(a.Now()).Round(time.Hour) != schema.UnusedUploadLife {
		t.Errorf("expiresAt = %v", expires)
	}
	list := a.Request(http.MethodGet, "/media", nil).Want(http.StatusOK)
	if list.At("media", 0, "id").Text() != media.At("id").Text() || list.At("pagination", "total").Value != 1.0 {
		t.Errorf("list = %v", list)
	}
	path := "/media/" + media.At("id").Text()
	if got := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("media", "url").Text(); got != media.At("url").Text() {
		t.Errorf("url = %q", got)
	}
	response := a.Fetch(http.MethodGet, media.At("url").Text())
	if response.Status != http.StatusOK || !bytes.Equal(response.Body, dot) {
		t.Errorf("content: %d, %d bytes", response.Status, len(response.Body))
	}
	a.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
	a.Request(http.MethodGet, path, nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodDelete, path, nil).WantError(http.StatusNotFound, "not_found")
	if response := a.Fetch(http.MethodGet, media.At("url").Text()); response.Status != http.StatusNotFound {
		t.Errorf("content of deleted media: %d", response.Status)
	}
	if left := s.Files(t); len(left) != 1 {
		t.Errorf("files: %v; the content goes later", left)
	}
}

func TestContentIsServedSafely(t *testing.T) {
	a, _ := newMediaAPI(t)
	dot := gatewaytest.PNG(t, 8, 8)
	url := a.Upload(dot).At("url").Text()
	response := a.Fetch(http.MethodGet, url, "Range", "bytes=1-3")
	if response.Status != http.StatusPartialContent || string(response.Body) != "PNG" {
		t.Errorf("range: %d %q", response.Status, response.Body)
	}
	head := a.Fetch(http.MethodHead, url)
	if head.Status != http.StatusOK || len(head.Body) != 0 || head.Header.Get("Content-Length") != strconv.Itoa(len(dot)) {
		t.Errorf("head: %d, %d bytes, length %s", head.Status, len(head.Body), head.Header.Get("Content-Length"))
	}
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if got := head.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	guessed := url[:strings.LastIndex(url, "/")] + "/00000000000000000000000000000000.png"
	if response := a.Fetch(http.MethodGet, guessed); response.Status != http.StatusNotFound {
		t.Errorf("a guessed address: %d", response.Status)
	}
}

func TestImageInBase64(t *testing.T) {
	a, _ := newMediaAPI(t)
	dot := base64.StdEncoding.EncodeToString(gatewaytest.PNG(t, 8, 8))
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
			a.Under(t)
			got := a.Request(http.MethodPost, "/media", tt.body, "Content-Type", "application/json").Want(tt.status)
			code := got.At("error", "details", 0, "code").Text()
			if code == "" {
				code = got.At("error", "code").Text()
			}
			if code != tt.code {
				t.Errorf("code = %q, want %q: %v", code, tt.code, got)
			}
		})
	}
	lying := a.Request(http.MethodPost, "/media", map[string]any{"data": dot, "mimeType": "image/jpeg"}).Want(http.StatusCreated)
	if lying.At("media", "mimeType").Text() != "image/png" || lying.At("warnings", 0, "code").Text() != "media_type_differs" {
		t.Errorf("a lie about the type: %v", lying)
	}
}

func TestAPictureWithoutAFormIsToldTheForm(t *testing.T) {
	a, _ := newMediaAPI(t)
	message := a.Request(http.MethodPost, "/media", "\xff\xd8\xff\xe0\x00\x10JFIF").WantError(http.StatusBadRequest, "validation_error").At("message").Text()
	if !strings.Contains(message, "field file") {
		t.Errorf("message = %q", message)
	}
}

func TestFormsThatAreRefused(t *testing.T) {
	a, s := newMediaAPI(t)
	dot := gatewaytest.PNG(t, 8, 8)
	film := append([]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov"), make([]byte, 8)...)
	whole, contentType := gatewaytest.MediaForm(t, dot)
	boundary := strings.TrimPrefix(contentType, "multipart/form-data; boundary=")
	form := func(file []byte, fields ...string) string {
		body, with := gatewaytest.MediaForm(t, file, fields...)
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
			a.Under(t)
			got := a.Request(http.MethodPost, "/media", tt.body, "Content-Type", contentType)
			if got.Status != tt.status {
				t.Fatalf("status %d, want %d: %s", got.Status, tt.status, got.Body)
			}
			message := got.WantError(tt.status, tt.code).At("details", 0, "message").Text()
			if named := strings.Contains(message, "/media/upload-url"); named != (name == "a video") {
				t.Errorf("it says %q", message)
			}
			if left := s.Files(t); len(left) != 0 {
				t.Errorf("files stay behind: %v", left)
			}
		})
	}
}

func TestUploadByAnAddressOfItsOwn(t *testing.T) {
	a, s := newMediaAPI(t)
	given := a.Request(http.MethodPost, "/media/upload-url", map[string]any{"fileName": "a.pdf", "altText": "a document"}).Want(http.StatusCreated)
	id, address := given.At("mediaId").Text(), given.At("uploadUrl").Text()
	if got := a.Request(http.MethodGet, "/media/"+id, nil).Want(http.StatusOK).At("media"); got.At("url").Value != nil || got.At("id").Text() != id {
		t.Errorf("awaited: %v", got)
	}
	document := "%PDF-1.7\n" + strings.Repeat("x", 5000) + "\n%%EOF"
	path := strings.TrimPrefix(address, "https://crier.example/api/v1")
	a.RequestWith("", http.MethodPut, path+"0", document).WantError(http.StatusNotFound, "not_found")
	a.RequestWith("", http.MethodPut, path, "<html>").WantError(http.StatusBadRequest, "validation_error")
	got := a.RequestWith("", http.MethodPut, path, document, "Content-Type", "text/html").Want(http.StatusOK).At("media")
	if got.At("type").Text() != "pdf" || got.At("mimeType").Text() != "application/pdf" || got.At("altText").Text() != "a document" {
		t.Errorf("media = %v", got)
	}
	a.RequestWith("", http.MethodPut, path, document).WantError(http.StatusBadRequest, "invalid_state")
	if left := s.Files(t); len(left) != 1 {
		t.Errorf("files: %v", left)
	}

	late := a.Request(http.MethodPost, "/media/upload-url", map[string]any{}).Want(http.StatusCreated).At("uploadUrl").Text()
	a.Ahead.Store(int64(time.Hour + time.Minute))
	a.RequestWith("", http.MethodPut, strings.TrimPrefix(late, "https://crier.example/api/v1"), document).WantError(http.StatusNotFound, "not_found")
}

func TestAnUploadIsAsLargeAsTheInstallationTakes(t *testing.T) {
	a, _ := newMediaAPI(t)
	if largest := catalog.LargestMedia(); largest != gatewaytest.LargestUpload {
		t.Errorf("the largest media of all platforms is of %d bytes", largest)
	}
	announce := func(size int64) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/media/upload-url", map[string]any{"size": size})
	}
	announce(gatewaytest.LargestUpload+1).WantError(http.StatusBadRequest, "validation_error")
	address := announce(gatewaytest.LargestUpload).Want(http.StatusCreated).At("uploadUrl").Text()
	status := sendRaw(a, fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: crier.example\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%%PDF", strings.TrimPrefix(address, "https://crier.example"), gatewaytest.LargestUpload+1), func(net.Conn) {})
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("sending more: %d", status)
	}
}

// sendRaw writes a request as it stands and returns the status of the answer, 0: none came.
func sendRaw(a *gatewaytest.API, raw string, then func(net.Conn)) int {
	a.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://"))
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
	address := a.Request(http.MethodPost, "/media/upload-url", map[string]any{}).Want(http.StatusCreated).At("uploadUrl").Text()
	path := strings.TrimPrefix(address, "https://crier.example")
	dot := gatewaytest.PNG(t, 8, 8)
	raw := fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: crier\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", path, len(dot)+100, dot)
	status := sendRaw(a, raw, func(conn net.Conn) { conn.(*net.TCPConn).CloseWrite() })
	if status != 0 && status != http.StatusBadRequest {
		t.Errorf("shorter than it says: %d", status)
	}
	if left := s.Files(t); len(left) != 0 {
		t.Errorf("files stay behind: %v", left)
	}
	raw = fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: crier\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", path, len(dot)-20, dot)
	if status := sendRaw(a, raw, func(net.Conn) {}); status != http.StatusBadRequest {
		t.Errorf("longer than it says: %d, want 400: what was announced is an image cut off", status)
	}
}

func TestMediaOfAURLIsFetchedAndKept(t *testing.T) {
	a, s := newMediaAPI(t)
	dot := gatewaytest.PNG(t, 64, 32)
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
	from := func(path string) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/media/from-url", map[string]any{"url": source.URL + path})
	}
	media := from("/a/dot.png").Want(http.StatusCreated).At("media")
	if media.At("width").Value != 64.0 || media.At("fileName").Text() != "dot.png" {
		t.Errorf("media = %v", media)
	}
	if response := a.Fetch(http.MethodGet, media.At("url").Text()); !bytes.Equal(response.Body, dot) {
		t.Error("what is served is not what was fetched")
	}
	files := len(s.Files(t))
	for path, want := range map[string]string{
		"/a/dot.png": "media_refused", "/private": "media_refused", "/missing": "media_refused", "/document": "media_refused",
	} {
		if got := from(path).WantError(http.StatusBadRequest, "validation_error").At("details", 0, "code").Text(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for _, address := range []string{"http://10.0.0.1/a.png", "file:///etc/passwd", "/a.png", "http://[::1]/a.png"} {
		got := a.Request(http.MethodPost, "/media/from-url", map[string]any{"url": address})
		if code := got.WantError(http.StatusBadRequest, "validation_error").At("details", 0, "code").Text(); code != "url_invalid" {
			t.Errorf("%s: %q", address, code)
		}
	}
	if left := s.Files(t); len(left) != files {
		t.Errorf("files stay behind: %v", left)
	}
}

func TestUploadsInPosts(t *testing.T) {
	a, _ := newMediaAPI(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "m")
	a.AddAccount(a.Workspace, schema.Instagram, "i")
	a.AddAccount(a.Workspace, schema.Threads, "t")
	small, wide := a.Upload(gatewaytest.PNG(t, 100, 100), "alt_text", "small"), a.Upload(gatewaytest.PNG(t, 1200, 300))
	post := func(platform string, item map[string]any) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/posts", map[string]any{
			"content": "x", "platforms": []string{platform}, "scheduledFor": a.In(time.Hour), "mediaItems": []any{item},
		})
	}
	byID := post("mastodon", map[string]any{"mediaId": small.At("id").Text()}).Want(http.StatusCreated).At("post")
	item := byID.At("mediaItems", 0)
	if item.At("type").Text() != "image" || item.At("url").Text() != small.At("url").Text() || item.At("altText").Text() != "small" {
		t.Errorf("item = %v", item)
	}
	byURL := post("mastodon", map[string]any{"type": "image", "url": small.At("url").Text()}).Want(http.StatusCreated).At("post")
	if got := byURL.At("mediaItems", 0, "mediaId").Text(); got != small.At("id").Text() {
		t.Errorf("our own url: mediaId = %q", got)
	}
	again := a.Request(http.MethodPatch, "/posts/"+byID.At("id").Text(), map[string]any{"mediaItems": byID.At("mediaItems").Value}).Want(http.StatusOK)
	if got, want := fmt.Sprint(again.At("post", "mediaItems")), fmt.Sprint(byID.At("mediaItems")); got != want {
		t.Errorf("an answer's media sent again = %s, want %s", got, want)
	}
	if got := a.Request(http.MethodGet, "/media/"+small.At("id").Text(), nil).Want(http.StatusOK); got.At("media", "expiresAt").Value != nil {
		t.Errorf("used media expires: %v", got)
	}
	_, otherKey := a.CreateWorkspace("other", "operator", schema.Admin)
	used := a.Request(http.MethodGet, "/media/"+small.At("id").Text(), nil).Want(http.StatusOK).At("media", "usedBy")
	if used.Len() != 2 || used.At(0).Text() != byURL.At("id").Text() || used.At(1).Text() != byID.At("id").Text() {
		t.Errorf("usedBy = %v, want the two posts, the newer first", used)
	}
	if unused := a.Request(http.MethodGet, "/media/"+wide.At("id").Text(), nil).Want(http.StatusOK).At("media", "usedBy"); unused.Len() != 0 {
		t.Errorf("usedBy of what no post uses = %v", unused)
	}
	for name, tt := range map[string]struct {
		got          *gatewaytest.Response
		field, code  string
		wantPlatform string
	}{
		"too small":       {post("threads", map[string]any{"mediaId": small.At("id").Text()}), "mediaItems[0]", "media_too_small", "threads"},
		"too wide":        {post("threads", map[string]any{"mediaId": wide.At("id").Text()}), "mediaItems[0]", "media_too_small", "threads"},
		"no video":        {post("mastodon", map[string]any{"type": "video", "mediaId": small.At("id").Text()}), "mediaItems[0].type", "media_type_mismatch", ""},
		"no such":         {post("mastodon", map[string]any{"mediaId": "media_01k9sr3q5wf2g8m7r4t0v1x2y3"}), "mediaItems[0].mediaId", "media_unknown", ""},
		"another's url":   {post("mastodon", map[string]any{"type": "image", "mediaId": small.At("id").Text(), "url": wide.At("url").Text()}), "mediaItems[0].mediaId", "conflict", ""},
		"a url elsewhere": {post("mastodon", map[string]any{"type": "image", "mediaId": small.At("id").Text(), "url": "https://media.example/a.png"}), "mediaItems[0].mediaId", "conflict", ""},
		"an empty id":     {post("instagram", map[string]any{"mediaId": ""}), "mediaItems[0].mediaId", "media_unknown", ""},
		"no id":           {post("mastodon", map[string]any{"mediaId": "x"}), "mediaItems[0].mediaId", "media_unknown", ""},
		"awaited": {post("mastodon", map[string]any{
			"mediaId": a.Request(http.MethodPost, "/media/upload-url", map[string]any{}).Want(http.StatusCreated).At("mediaId").Text(),
		}), "mediaItems[0].mediaId", "media_not_uploaded", ""},
		"our url with another secret": {post("mastodon", map[string]any{
			"type": "image", "url": strings.Replace(small.At("url").Text(), ".png", "0.png", 1),
		}), "mediaItems[0].url", "media_unknown", ""},
	} {
		details := tt.got.WantError(http.StatusBadRequest, "validation_error").At("details")
		if strings.HasSuffix(tt.field, ".mediaId") && details.Len() != 1 {
			t.Errorf("%s: %v; want one detail", name, details)
		}
		detail := details.At(0)
		if detail.At("field").Text() != tt.field || detail.At("code").Text() != tt.code || detail.At("platform").Text() != tt.wantPlatform {
			t.Errorf("%s: %v", name, detail)
		}
	}
	foreign := a.RequestWith(otherKey, http.MethodGet, "/media/"+small.At("id").Text(), nil)
	foreign.WantError(http.StatusNotFound, "not_found")
	a.RequestWith(otherKey, http.MethodDelete, "/media/"+small.At("id").Text(), nil).WantError(http.StatusNotFound, "not_found")

	path := "/media/" + small.At("id").Text()
	a.Request(http.MethodDelete, path, nil).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodPatch, "/posts/"+byURL.At("id").Text(), map[string]any{"mediaItems": []any{}}).Want(http.StatusOK)
	a.Request(http.MethodDelete, path, nil).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodDelete, "/posts/"+byID.At("id").Text(), nil).Want(http.StatusOK)
	a.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
}

func TestAnUploadIsDescribedLater(t *testing.T) {
	a, _ := newMediaAPI(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "m")
	path := "/media/" + a.Upload(gatewaytest.PNG(t, 100, 100), "alt_text", "before").At("id").Text()
	describe := func(key string, body any) *gatewaytest.Response {
		return a.RequestWith(key, http.MethodPatch, path, body)
	}
	post := a.Request(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"mastodon"}, "scheduledFor": a.In(time.Hour), "mediaItems": []any{map[string]any{"mediaId": strings.TrimPrefix(path, "/media/")}},
	}).Want(http.StatusCreated).At("post", "id").Text()

	describe(a.Key, map[string]any{"altText": "after"}).Want(http.StatusOK)
	if got := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("media", "altText").Text(); got != "after" {
		t.Errorf("altText = %q", got)
	}
	if got := a.Request(http.MethodGet, "/posts/"+post, nil).Want(http.StatusOK).At("post", "mediaItems", 0, "altText").Text(); got != "before" {
		t.Errorf("altText of a post made before = %q", got)
	}
	describe(a.Key, map[string]any{"altText": strings.Repeat("é", schema.MaxAltText+1)}).WantError(http.StatusBadRequest, "validation_error")
	describe(a.Key, map[string]any{}).WantError(http.StatusBadRequest, "validation_error")
	if got := describe(a.Key, map[string]any{"altText": ""}).Want(http.StatusOK).At("media"); got.At("altText").Value != nil {
		t.Errorf("altText taken back: %v", got)
	}
	_, otherKey := a.CreateWorkspace("other", "operator", schema.Admin)
	describe(otherKey, map[string]any{"altText": "theirs"}).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodPatch, "/media/x", map[string]any{"altText": "x"}).WantError(http.StatusNotFound, "not_found")
}

// TestAPictureIsMadeToFit has pictures that platforms do not take as they are: which are refused,
// and what is said of the others. The copy is served to the platforms that fetch it.
func TestAPictureIsMadeToFit(t *testing.T) {
	a, s := newMediaAPI(t)
	for _, p := range []schema.Platform{schema.Mastodon, schema.Instagram, schema.Telegram} {
		a.AddAccount(a.Workspace, p, p.String())
	}
	wide, small := a.Upload(gatewaytest.PNG(t, 1200, 400), "alt_text", "wide"), a.Upload(gatewaytest.PNG(t, 100, 100))
	square := a.Upload(gatewaytest.PNG(t, 400, 400))
	post := func(item map[string]any, platforms ...string) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/posts", map[string]any{
			"content": "x", "platforms": platforms, "scheduledFor": a.In(time.Hour), "mediaItems": []any{item},
		})
	}
	upload := func(m gatewaytest.JSON, fit string) map[string]any {
		return map[string]any{"mediaId": m.At("id").Text(), "fit": fit}
	}
	byURL := func(kind string) map[string]any {
		return map[string]any{"type": kind, "url": "https://media.example/a", "fit": "contain"}
	}
	for name, tt := range map[string]struct {
		got                   *gatewaytest.Response
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
			var found gatewaytest.JSON
			if tt.place == "details" {
				found = tt.got.WantError(http.StatusBadRequest, "validation_error").At("details")
			} else {
				found = tt.got.Want(http.StatusCreated).At("warnings")
			}
			d := found.At(0)
			if d.At("field").Text() != tt.field || d.At("code").Text() != tt.code || d.At("platform").Text() != tt.wantPlatform || !strings.Contains(d.At("message").Text(), tt.message) {
				t.Errorf("%s: %v", tt.place, found)
			}
		})
	}
	if got := post(upload(wide, "cover"), "mastodon").Want(http.StatusCreated); got.At("warnings").Value != nil || got.At("post", "mediaItems", 0, "fit").Text() != "cover" || got.At("post", "mediaItems", 0, "altText").Text() != "wide" {
		t.Errorf("taken as it is: %v", got)
	}
	address := wide.At("url").Text()
	of := func(p schema.Platform) string { return schema.Variant{Platform: p, Fit: schema.FitCover}.In(address) }
	for range 2 { // made, and as it was kept
		response := a.Fetch(http.MethodGet, of(schema.Instagram))
		picture, format, err := image.DecodeConfig(bytes.NewReader(response.Body))
		if err != nil || format != "jpeg" || picture.Width != 764 || picture.Height != 400 || response.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("the copy is %s of %d × %d, %v: %v", format, picture.Width, picture.Height, err, response.Header)
		}
	}
	for name, elsewhere := range map[string]string{
		"of a platform that does not fetch": of(schema.Telegram), "of another secret": strings.Replace(of(schema.Instagram), ".cover", "0.cover", 1),
	} {
		if response := a.Fetch(http.MethodGet, elsewhere); response.Status != http.StatusNotFound {
			t.Errorf("a copy %s: %d", name, response.Status)
		}
	}
	if got := len(s.Files(t)); got != 4 { // three uploads, one copy
		t.Errorf("%d files are kept", got)
	}
}

func TestUnusedMediaGoes(t *testing.T) {
	a, s := newMediaAPI(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "m")
	cleanup := s.Cleanup(a, func() time.Time { return time.Now().Add(25 * time.Hour) })
	used, unused, deleted := a.Upload(gatewaytest.PNG(t, 8, 8)), a.Upload(gatewaytest.PNG(t, 9, 9)), a.Upload(gatewaytest.PNG(t, 10, 10))
	a.Request(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"mastodon"}, "status": "draft", "mediaItems": []any{map[string]any{"mediaId": used.At("id").Text()}},
	}).Want(http.StatusCreated)
	stray := schema.NewID[schema.MediaID](time.Now())
	if _, err := s.Library.Keep(context.Background(), stray, bytes.NewReader(gatewaytest.PNG(t, 11, 11)), []schema.MediaKind{schema.Image}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Folder, "arriving", "media-1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Request(http.MethodDelete, "/media/"+deleted.At("id").Text(), nil).Want(http.StatusOK)
	a.Exec(`update media set expires_at = now() - interval '1 second', deleted_at = deleted_at - interval '1 hour'`)
	run := func() {
		t.Helper()
		for _, work := range []func(context.Context) error{cleanup.Remove, cleanup.Sweep} {
			if err := work(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	run()
	if got := s.Files(t); len(got) != 2 { // what a request may have read a moment ago stays a minute
		t.Errorf("after the first pass: %v", got)
	}
	a.Request(http.MethodGet, "/media/"+unused.At("id").Text(), nil).WantError(http.StatusNotFound, "not_found")
	a.Exec(`update media set deleted_at = deleted_at - interval '1 hour'`)
	run()
	if got := s.Files(t); len(got) != 1 || got[0] != used.At("id").Text() {
		t.Errorf("files: %v, want the used one alone", got)
	}
	a.Request(http.MethodGet, "/media/"+used.At("id").Text(), nil).Want(http.StatusOK)
}

// A delete and a post that uses the media may pass each other: the post was accepted, so
// its media comes back.
func TestMediaOfAnAcceptedPostComesBack(t *testing.T) {
	a, s := newMediaAPI(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "m")
	media := a.Upload(gatewaytest.PNG(t, 8, 8))
	a.Request(http.MethodPost, "/posts", map[string]any{
		"content": "x", "platforms": []string{"mastodon"}, "scheduledFor": a.In(time.Hour),
		"mediaItems": []any{map[string]any{"mediaId": media.At("id").Text()}},
	}).Want(http.StatusCreated)
	a.Exec(`update media set state = 2, deleted_at = now() - interval '1 hour'`)
	cleanup := s.Cleanup(a, time.Now)
	if err := cleanup.Remove(context.Background()); err != nil {
		t.Fatal(err)
	}
	a.Request(http.MethodGet, "/media/"+media.At("id").Text(), nil).Want(http.StatusOK)
	if got := s.Files(t); len(got) != 1 {
		t.Errorf("files: %v", got)
	}
}

func TestMediaListIsPaged(t *testing.T) {
	a, _ := newMediaAPI(t)
	for i := range 3 {
		a.Upload(gatewaytest.PNG(t, 1+i, 1))
	}
	first := a.Request(http.MethodGet, "/media?limit=2", nil).Want(http.StatusOK)
	if first.At("media").Len() != 2 || first.At("media", 0, "width").Value != 3.0 || first.At("pagination", "hasMore").Value != true {
		t.Errorf("first page: %v", first)
	}
	second := a.Request(http.MethodGet, "/media?limit=2&page=2", nil).Want(http.StatusOK)
	if second.At("media").Len() != 1 || second.At("pagination", "hasMore").Value != false {
		t.Errorf("second page: %v", second)
	}
	a.Upload(gatewaytest.PNG(t, 9, 1))
	next := a.Request(http.MethodGet, "/media?limit=2&cursor="+first.At("pagination", "nextCursor").Text(), nil).Want(http.StatusOK)
	if next.At("media").Len() != 1 || next.At("media", 0, "id") != second.At("media", 0, "id") || next.At("pagination").Has("nextCursor") {
		t.Errorf("second page by its cursor, after another upload: %v", next)
	}
}
