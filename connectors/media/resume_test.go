package media

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

// cutting is a server that ends each answer after some bytes.
type cutting struct {
	mu        sync.Mutex
	content   []byte
	tag       string
	after     int           // bytes of an answer
	pause     time.Duration // in the middle of one
	ranges    []string      // that were asked for
	sent      int
	forgetful bool // it does not know what ranges are
}

func (c *cutting) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.ranges = append(c.ranges, r.Header.Get("Range"))
	if c.tag != "" {
		rw.Header().Set("ETag", c.tag)
	}
	if c.forgetful {
		r.Header.Del("Range")
	}
	w, content := &cutWriter{rw, c, c.after, r.Context()}, c.content
	c.mu.Unlock()
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// change alters the server, or looks at what it was asked for.
func (c *cutting) change(how func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how()
}

// cutWriter is an answer of a cutting server.
type cutWriter struct {
	http.ResponseWriter
	*cutting
	left int // bytes until it is cut
	ctx  context.Context
}

func (w *cutWriter) Write(p []byte) (int, error) {
	isCut := len(p) > w.left
	n, _ := w.ResponseWriter.Write(p[:min(len(p), w.left)])
	w.left -= n
	w.change(func() { w.sent += n })
	if !isCut {
		return n, nil
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	select {
	case <-time.After(w.pause):
	case <-w.ctx.Done():
	}
	panic(http.ErrAbortHandler)
}

func TestAFetchGoesOnWhereItWasCutOff(t *testing.T) {
	content := append(picture320x200(t, png.Encode), make([]byte, 200_000)...)
	for name, tt := range map[string]struct {
		server *cutting
		want   string // ranges
		failed bool
	}{
		"over connections that are cut": {&cutting{tag: `"1"`, after: 90_000}, " bytes=90000- bytes=180000-", false},
		"no tag, nothing to go on with": {&cutting{after: 90_000}, "", true},
		"a weak tag is none":            {&cutting{tag: `W/"1"`, after: 90_000}, "", true},
		"a server without ranges":       {&cutting{tag: `"1"`, after: 90_000, forgetful: true}, " bytes=90000-", true},
		"in one":                        {&cutting{after: 1 << 30}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			folder, server := t.TempDir(), tt.server
			server.content = content
			source := httptest.NewServer(server)
			t.Cleanup(source.Close)
			quota := NewDiskQuota(folder, 10*mib)
			f := keepingFetcher(t, folder, quota, nil)
			item := schema.Media{URL: source.URL + "/film", Upload: "first"}
			if !tt.failed {
				wantOpened(t, f, item, int64(len(content)))
				wantOpened(t, f, item, int64(len(content))) // kept
			} else if _, err := f.Open(t.Context(), item); schema.KindOf(err) != schema.Retryable {
				t.Errorf("Open: %v", err)
			}
			server.change(func() {
				if got := strings.Join(server.ranges, " "); got != tt.want {
					t.Errorf("asked for %q, want %q", got, tt.want)
				}
				if !tt.failed && server.sent != len(content) {
					t.Errorf("%d bytes were sent", server.sent)
				}
			})
			if err := f.Forget("first"); err != nil || quota.Used() != 0 {
				t.Errorf("%d bytes are counted in the end, %v", quota.Used(), err)
			}
			wantFiles(t, folder, 0)
		})
	}
}

// What has come when the time of a step is over is continued in the next, unless what is at
// the url has changed.
func TestAFetchGoesOnInTheNextStep(t *testing.T) {
	content := append(picture320x200(t, png.Encode), make([]byte, 200_000)...)
	for name, changes := range map[string]bool{"the same": false, "another by then": true} {
		t.Run(name, func(t *testing.T) {
			folder, server := t.TempDir(), &cutting{content: content, tag: `"1"`, after: 90_000, pause: time.Minute}
			source := httptest.NewServer(server)
			t.Cleanup(source.Close)
			f := NewFetcher(Config{
				HTTP: http.DefaultClient, Dir: folder, Folder: folder, MinFetched: 100, Timeout: 200 * time.Millisecond, Limits: Limits{MaxBytes: mib},
			})
			item := schema.Media{URL: source.URL + "/film", Upload: "first"}
			_, err := f.Open(t.Context(), item)
			if e, ok := errors.AsType[*schema.Error](err); !ok || e.Kind != schema.Retryable || !e.Advanced {
				t.Fatalf("Open: %+v", err)
			}
			wantFiles(t, folder, 1)
			want, size := "bytes=90000-", len(content)
			server.change(func() {
				if server.after = 1 << 30; changes {
					server.tag, server.content = `"2"`, content[:len(content)-1]
					size--
				}
			})
			wantOpened(t, f, item, int64(size))
			server.change(func() {
				if got := server.ranges[1]; got != want {
					t.Errorf("asked for %q, want %q", got, want)
				}
			})
			wantFiles(t, folder, 1)
		})
	}
}
