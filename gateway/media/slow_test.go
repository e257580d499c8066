package media_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// dripLimit is when a body that drips must have been given up: 20 s, and what a loaded
// machine takes longer, or one that stands still for a minute and more.
const dripLimit = 3 * time.Minute

// drip sends a request up to somewhere in its body, and from there a byte now and then
// until the server has had enough. It returns what was answered, and after how long.
func drip(ctx context.Context, a *gatewaytest.API, raw string) (answer string, took time.Duration) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://"))
	if err != nil {
		return err.Error(), 0
	}
	defer conn.Close()
	began := time.Now()
	answered := make(chan string, 1)
	go func() {
		got, _ := io.ReadAll(conn)
		answered <- string(got)
	}()
	defer func() { took = time.Since(began) }()
	if _, err := io.WriteString(conn, raw); err != nil {
		return <-answered, 0
	}
	for {
		select {
		case answer := <-answered:
			return answer, 0
		case <-ctx.Done():
			return "still taken", 0
		case <-time.After(250 * time.Millisecond):
			_, _ = conn.Write([]byte{'x'}) // an error shows in what is read
		}
	}
}

// awaitUpload makes an address that takes one upload and returns its path.
func awaitUpload(a *gatewaytest.API) string {
	a.Helper()
	return strings.TrimPrefix(a.Request(http.MethodPost, "/media/upload-url", map[string]any{}).Want(http.StatusCreated).At("uploadUrl").Text(), "https://crier.example")
}

// requestHead is the beginning of a request whose body is said to be long.
func requestHead(a *gatewaytest.API, method, path, contentType, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: crier\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 1000000\r\n\r\n%s",
		method, path, a.Key, contentType, body)
}

// TestContentThatDripsIsGivenUp sends content a byte now and then, each way it can come,
// while other requests are made.
func TestContentThatDripsIsGivenUp(t *testing.T) {
	a, shelf := newMediaAPI(t)
	dot := string(gatewaytest.PNG(t, 8, 8))
	form, contentType := gatewaytest.MediaForm(t, []byte(dot))
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, dot)
		for r.Context().Err() == nil {
			w.Write([]byte{'x'})
			http.NewResponseController(w).Flush()
			time.Sleep(250 * time.Millisecond)
		}
	}))
	t.Cleanup(source.Close)
	put := awaitUpload(a)
	ctx, cancel := context.WithTimeout(t.Context(), dripLimit)
	defer cancel()
	var dripping sync.WaitGroup
	for name, raw := range map[string]string{
		"a form, in its file":       requestHead(a, http.MethodPost, "/api/v1/media", contentType, form[:len(form)-80]),
		"a form, before its file":   requestHead(a, http.MethodPost, "/api/v1/media", contentType, form[:40]),
		"an upload by its address":  requestHead(a, http.MethodPut, put, "image/png", dot[:50]),
		"another to the same":       requestHead(a, http.MethodPut, put, "image/png", dot[:50]),
		"one that sends no content": requestHead(a, http.MethodPut, awaitUpload(a), "image/png", ""),
	} {
		dripping.Go(func() {
			answer, took := drip(ctx, a, raw)
			if !strings.HasPrefix(answer, "HTTP/1.1 400 ") || !strings.Contains(answer, "validation_error") {
				t.Errorf("%s: after %v %q, want 400", name, took, answer)
			}
			if took < 10*time.Second {
				t.Errorf("%s: it was given up after %v: %q", name, took, answer)
			}
		})
	}
	dripping.Go(func() {
		began := time.Now()
		got := a.Request(http.MethodPost, "/media/from-url", map[string]any{"url": source.URL})
		if code := got.WantError(http.StatusBadRequest, "validation_error").At("details", 0, "code").Text(); code != "media_refused" || time.Since(began) > dripLimit {
			t.Errorf("a url: after %v %s", time.Since(began), got.Body)
		}
	})
	ended := make(chan struct{})
	go func() { dripping.Wait(); close(ended) }()
	served := 0
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-time.After(500 * time.Millisecond):
			a.Request(http.MethodGet, "/media", nil).Want(http.StatusOK)
			a.Upload([]byte(dot))
			served++
		}
	}
	if served < 10 {
		t.Errorf("%d requests were served meanwhile", served)
	}
	if files := shelf.Files(t); len(files) != served {
		t.Errorf("%d files, want those of the %d uploads that were whole: %v", len(files), served, files)
	}
	if status := a.RequestWith("", http.MethodPut, strings.TrimPrefix(put, "/api/v1"), dot).Status; status != http.StatusOK {
		t.Errorf("an address whose upload was given up answers %d", status)
	}
}

// TestReaderThatStopsIsGivenUp takes content up to somewhere and then no more.
func TestReaderThatStopsIsGivenUp(t *testing.T) {
	a, _ := newMediaAPI(t)
	const size = 24 << 20 // more than the system keeps for a connection
	url := a.Upload(append(gatewaytest.PNG(t, 8, 8), make([]byte, size)...)).At("url").Text()
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: crier\r\nConnection: close\r\n\r\n", strings.TrimPrefix(url, "https://crier.example")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(35 * time.Second) // the bound is 20
	if taken, err := io.Copy(io.Discard, conn); taken >= size {
		t.Errorf("%d bytes, %v: all of it was still sent", taken, err)
	}
}

// TestTransfersLeaveRoomForOthers opens as many uploads as one workspace may have at a time.
func TestTransfersLeaveRoomForOthers(t *testing.T) {
	const maximum = 128
	a, shelf := newMediaAPI(t)
	other, otherKey := a.CreateWorkspace("other", "operator", schema.Admin)
	a.AddAccount(other, schema.Mastodon, "m")
	dot := gatewaytest.PNG(t, 8, 8)
	form, contentType := gatewaytest.MediaForm(t, dot)
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			conn.Close()
		}
	}()
	for range maximum {
		conn, err := net.Dial("tcp", strings.TrimPrefix(a.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
		if _, err := io.WriteString(conn, requestHead(a, http.MethodPost, "/api/v1/media", contentType, form[:len(form)-80])); err != nil {
			t.Fatal(err)
		}
	}
	upload := func(key string) *gatewaytest.Response {
		return a.RequestWith(key, http.MethodPost, "/media", form, "Content-Type", contentType)
	}
	a.Eventually("all of them are arriving", func() bool { return len(shelf.Files(t)) == maximum })
	got := upload(a.Key)
	got.WantError(http.StatusServiceUnavailable, "unavailable")
	if got.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %q", got.Header.Get("Retry-After"))
	}
	a.Request(http.MethodGet, "/media", nil).Want(http.StatusOK)
	address := upload(otherKey).Want(http.StatusCreated).At("media", "url").Text()
	if response := a.Fetch(http.MethodGet, address); response.Status != http.StatusOK || !bytes.Equal(response.Body, dot) {
		t.Errorf("content is served with %d", response.Status)
	}
	for _, conn := range open {
		conn.Close()
	}
	a.Eventually("uploads work again", func() bool { return upload(a.Key).Status == http.StatusCreated })
	a.Eventually("nothing is left of what was cut off", func() bool {
		for _, name := range shelf.Files(t) {
			if strings.HasPrefix(name, "media-") {
				return false
			}
		}
		return true
	})
}
