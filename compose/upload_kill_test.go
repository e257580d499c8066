package compose_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/schema"
)

// film is an MP4 of so many bytes, made as it is read.
func film(size int64) io.Reader {
	box := func(size int64, kind string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(size)), kind...)
	}
	head := append(box(20, "ftyp"), "isom\x00\x00\x02\x00mp42"...)
	head = append(head, box(8, "moov")...)
	left := size - int64(len(head))
	return io.MultiReader(bytes.NewReader(append(head, box(left, "mdat")...)), io.LimitReader(zeros{}, left-8))
}

// reaper stands between crier and a platform. It kills crier once a call has had its effect
// and before it is answered.
type reaper struct {
	http.Handler
	kill func()

	mu   sync.Mutex
	call string // method and the end of its path; empty: none
	left int    // calls of it until then
	died chan struct{}
}

func newReaper(t *testing.T, platform string, kill func()) (*reaper, string) {
	t.Helper()
	to, err := url.Parse(platform)
	if err != nil {
		t.Fatal(err)
	}
	r := &reaper{Handler: httputil.NewSingleHostReverseProxy(to), kill: kill}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return r, server.URL
}

func (r *reaper) ServeHTTP(rw http.ResponseWriter, request *http.Request) {
	if !r.isDue(request) {
		r.Handler.ServeHTTP(rw, request)
		return
	}
	r.Handler.ServeHTTP(httptest.NewRecorder(), request)
	r.kill()
	close(r.died)
	panic(http.ErrAbortHandler)
}

func (r *reaper) isDue(request *http.Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.call == "" || !strings.HasSuffix(request.Method+" "+request.URL.Path, r.call) {
		return false
	}
	if r.left--; r.left > 0 {
		return false
	}
	r.call = ""
	return true
}

// at has crier killed at the n-th call that ends so.
func (r *reaper) at(call string, n int) (died <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.call, r.left, r.died = call, n, make(chan struct{})
	return r.died
}

// fetched are the files of media that are kept between steps.
func (w *world) fetched() []os.DirEntry {
	w.Helper()
	files, err := os.ReadDir(filepath.Join(w.config.Data, "media-fetching"))
	if err != nil {
		w.Fatal(err)
	}
	return files
}

// One video is uploaded by six processes, each of which dies at another step, and is one
// post; it is fetched once for all. Beside it a large one comes in parts, whose connections are
// cut off, and goes on to two platforms in the same way. The memory that they take is measured.
func TestAChunkedUploadSurvivesKills(t *testing.T) {
	t.Parallel()
	const maxMemory = 150 << 10 // KiB
	w := newWorldWith(t, childConfig{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	var victim atomic.Pointer[os.Process]
	reaper, address := newReaper(t, w.simulators+"/twitter", func() { _ = victim.Load().Kill() })
	var fetches atomic.Int32
	source := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		_, _ = io.Copy(rw, film(bySize[int64](10<<20, 300<<20))) // ends early with its reader
	}))
	t.Cleanup(source.Close)
	w.kill()
	w.config.Bases[schema.Twitter] = address
	networks := map[schema.Platform]*proxy{}
	for _, p := range []schema.Platform{schema.YouTube, schema.TikTok} {
		w.config.Bases[p], networks[p] = relay(t, w.config.Bases[p], false)
	}
	w.start()
	victim.Store(w.crier.Process)
	account := w.connectOne("/connect/twitter", map[string]any{"accessToken": "token-of-somebody"})
	large := w.sendInParts(bySize[int64](70<<20, 2<<30), bySize(1, 5))

	deaths := []struct {
		call string
		n    int
	}{
		{"/2/media/upload/initialize", 1},
		{"/append", bySize(2, 38)},
		{"/finalize", 1},
		{"GET /2/media/upload", 1},
		{"POST /2/tweets", 1},
	}
	died := reaper.at(deaths[0].call, deaths[0].n)
	var created postAnswer
	w.call(http.MethodPost, "/posts", map[string]any{
		"content": "a film", "publishNow": true, "platforms": []any{map[string]any{"platform": "twitter", "accountId": account}},
		"mediaItems": []any{map[string]any{"type": "video", "url": source.URL + "/film.mp4", "altText": "nothing moves"}},
	}, &created)
	id := created.Post.ID
	for i, death := range deaths {
		select {
		case <-died:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s was never called", death.call)
		}
		_ = w.crier.Wait() // it was killed
		if i+1 < len(deaths) {
			died = reaper.at(deaths[i+1].call, deaths[i+1].n)
		}
		w.crier = w.spawn(w.config) // which may make that call, and die, before it is seen to be ready
		victim.Store(w.crier.Process)
	}
	w.awaitReady(w.config)
	w.eventually(2*time.Minute, "the post is done", func() bool { return w.done([]string{id}) })
	var answer postAnswer
	w.call(http.MethodGet, "/posts/"+id, nil, &answer)
	if target := answer.Post.Platforms[0]; target.Status != "posted" {
		t.Errorf("the target is %+v", target)
	}
	if there := w.simulated(); len(there) != 1 || len(there[0].Media) != 1 {
		t.Errorf("X has %+v", there)
	}
	if n := fetches.Load(); n != 1 {
		t.Errorf("the video was fetched %d times", n)
	}
	w.eventually(10*time.Second, "nothing is kept of it", func() bool { return len(w.fetched()) == 0 })
	rest := w.kibibytes("VmRSS:")
	w.forgetPeak()
	w.call(http.MethodPost, "/posts", map[string]any{
		"content": "the film again", "publishNow": true, "platforms": []any{map[string]any{"platform": "twitter", "accountId": account}},
		"mediaItems": []any{map[string]any{"type": "video", "url": source.URL + "/film.mp4"}},
	}, &answer)
	w.eventually(2*time.Minute, "the second post is done", func() bool { return w.done([]string{answer.Post.ID}) })
	took := w.kibibytes("VmHWM:") - rest
	t.Logf("%d KiB above %d at rest", took, rest)
	if took > maxMemory || len(w.simulated()) != 2 {
		t.Errorf("an upload took %d KiB above rest; %d posts are there", took, len(w.simulated()))
	}
	film := large.publish(t, networks)
	t.Logf("%d MiB in parts: %d were sent, %d lost; on %d platforms over %v after %v; %d KiB above rest",
		large.size>>20, large.sent.Load(), large.lost.Load(), len(networks), interruptions, film.took.Round(time.Second), film.memory)
	if film.memory > maxMemory || large.lost.Load() == 0 {
		t.Errorf("a film in parts took %d KiB above rest", film.memory)
	}
	there := w.simulated()
	for p := range networks {
		if !slices.ContainsFunc(there, func(s simulated) bool {
			return s.Platform == p.String() && len(s.Media) == 1 && s.Media[0].Size == large.size
		}) {
			t.Errorf("%s has not the film", p)
		}
	}
	if len(there) != 2+len(networks) {
		t.Errorf("%d posts are there: %+v", len(there), there)
	}
}
