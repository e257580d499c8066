package gateway_test

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

	"crier/schema"
)

// dripLimit is when a body that drips must have been given up: 20 s, and what a loaded
// machine takes longer, or one that stands still for a minute and more.
const dripLimit = 3 * time.Minute

// drip sends a request up to somewhere in its body, and from there a byte now and then
// until the server has had enough. It returns what was answered, and after how long.
func (a *api) drip(ctx context.Context, raw string) (answer string, took time.Duration) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
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

// awaited makes an address that takes one upload and returns its path.
func (a *api) awaited() string {
	a.Helper()
	return strings.TrimPrefix(a.call(http.MethodPost, "/media/upload-url", map[string]any{}).want(http.StatusCreated).at("uploadUrl").text(), "https://crier.example")
}

// opening is the beginning of a request whose body is said to be long.
func (a *api) opening(method, path, contentType, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: crier\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 1000000\r\n\r\n%s",
		method, path, a.key, contentType, body)
}

// TestContentThatDripsIsGivenUp sends content a byte now and then, each way it can come,
// while other requests are made.
func TestContentThatDripsIsGivenUp(t *testing.T) {
	a, shelf := newMediaAPI(t)
	dot := string(pngOf(t, 8, 8))
	form, contentType := formOf(t, []byte(dot))
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, dot)
		for r.Context().Err() == nil {
			w.Write([]byte{'x'})
			http.NewResponseController(w).Flush()
			time.Sleep(250 * time.Millisecond)
		}
	}))
	t.Cleanup(source.Close)
	put := a.awaited()
	ctx, cancel := context.WithTimeout(t.Context(), dripLimit)
	defer cancel()
	var dripping sync.WaitGroup
	for name, raw := range map[string]string{
		"a form, in its file":       a.opening(http.MethodPost, "/api/v1/media", contentType, form[:len(form)-80]),
		"a form, before its file":   a.opening(http.MethodPost, "/api/v1/media", contentType, form[:40]),
		"an upload by its address":  a.opening(http.MethodPut, put, "image/png", dot[:50]),
		"another to the same":       a.opening(http.MethodPut, put, "image/png", dot[:50]),
		"one that sends no content": a.opening(http.MethodPut, a.awaited(), "image/png", ""),
	} {
		dripping.Go(func() {
			answer, took := a.drip(ctx, raw)
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
		got := a.call(http.MethodPost, "/media/from-url", map[string]any{"url": source.URL})
		if code := got.fails(http.StatusBadRequest, "validation_error").at("details", 0, "code").text(); code != "media_refused" || time.Since(began) > dripLimit {
			t.Errorf("a url: after %v %s", time.Since(began), got.body)
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
			a.call(http.MethodGet, "/media", nil).want(http.StatusOK)
			a.upload([]byte(dot))
			served++
		}
	}
	if served < 10 {
		t.Errorf("%d requests were served meanwhile", served)
	}
	if files := shelf.files(t); len(files) != served {
		t.Errorf("%d files, want those of the %d uploads that were whole: %v", len(files), served, files)
	}
	if status := a.callWith("", http.MethodPut, strings.TrimPrefix(put, "/api/v1"), dot).status; status != http.StatusOK {
		t.Errorf("an address whose upload was given up answers %d", status)
	}
}

// TestReaderThatStopsIsGivenUp takes content up to somewhere and then no more.
func TestReaderThatStopsIsGivenUp(t *testing.T) {
	a, _ := newMediaAPI(t)
	const size = 24 << 20 // more than the system keeps for a connection
	url := a.upload(append(pngOf(t, 8, 8), make([]byte, size)...)).at("url").text()
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
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
	const most = 128
	a, shelf := newMediaAPI(t)
	other, otherKey := a.tenant("other", "operator", schema.Admin)
	a.connect(other, schema.Mastodon, "m")
	dot := pngOf(t, 8, 8)
	form, contentType := formOf(t, dot)
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			conn.Close()
		}
	}()
	for range most {
		conn, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
		if _, err := io.WriteString(conn, a.opening(http.MethodPost, "/api/v1/media", contentType, form[:len(form)-80])); err != nil {
			t.Fatal(err)
		}
	}
	upload := func(key string) *answer {
		return a.callWith(key, http.MethodPost, "/media", form, "Content-Type", contentType)
	}
	a.eventually("all of them are arriving", func() bool { return len(shelf.files(t)) == most })
	got := upload(a.key)
	got.fails(http.StatusServiceUnavailable, "unavailable")
	if got.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %q", got.header.Get("Retry-After"))
	}
	a.call(http.MethodGet, "/media", nil).want(http.StatusOK)
	kept := upload(otherKey).want(http.StatusCreated).at("media", "url").text()
	if response, body := a.fetch(http.MethodGet, kept); response.StatusCode != http.StatusOK || !bytes.Equal(body, dot) {
		t.Errorf("content is served with %d", response.StatusCode)
	}
	for _, conn := range open {
		conn.Close()
	}
	a.eventually("uploads work again", func() bool { return upload(a.key).status == http.StatusCreated })
	a.eventually("nothing is left of what was cut off", func() bool {
		for _, name := range shelf.files(t) {
			if strings.HasPrefix(name, "media-") {
				return false
			}
		}
		return true
	})
}

// eventually waits for what takes a moment.
func (a *api) eventually(what string, there func() bool) {
	a.Helper()
	for deadline := time.Now().Add(patience); !there(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.Fatalf("not in time: %s", what)
		}
	}
}
