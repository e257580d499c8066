package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/schema"
)

// site is a server of pages, and a reader of it.
type site struct {
	*Reader
	address  string
	requests atomic.Int32
	ahead    atomic.Int64 // of the system's clock
}

func newSite(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL
	guard := egress.New(egress.Config{Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	t.Cleanup(guard.CloseIdle)
	s.Reader = NewReader(Config{
		HTTP:     guard.Client(),
		Pictures: media.NewFetcher(media.Config{HTTP: guard.Client(), Dir: t.TempDir(), Timeout: ReadLimit, Limits: PictureLimits(nil)}),
		Metrics:  NewMetrics(prometheus.NewRegistry()),
		Now:      func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) },
	})
	return s
}

func (s *site) want(t *testing.T, address string, want Page, o outcome) {
	t.Helper()
	before := s.counted(t, o)
	page, err := s.Read(t.Context(), address)
	if err != nil || page.Title != want.Title || page.Description != want.Description || !bytes.Equal(page.Picture.Content, want.Picture.Content) || page.Picture.Type != want.Picture.Type {
		t.Errorf("Read(%s) = %+v, %v, want %+v", address, page, err, want)
	}
	if s.counted(t, o) != before+1 {
		t.Errorf("%s did not count as %s", address, o)
	}
}

func (s *site) counted(t *testing.T, o outcome) float64 {
	t.Helper()
	var metric dto.Metric
	if err := s.Metrics.pages.WithLabelValues(string(o)).Write(&metric); err != nil {
		t.Fatal(err)
	}
	return metric.GetCounter().GetValue()
}

func drawing(t *testing.T) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 4, 2))); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

const open = `<title>T</title><meta property="og:description" content="D">`

func TestRead(t *testing.T) {
	picture := drawing(t)
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/deep/page", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		case "/deep/page":
			fmt.Fprint(w, open, `<meta property="og:image" content="a.png">`)
		case "/deep/a.png":
			w.Write(picture)
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			packed := gzip.NewWriter(w)
			fmt.Fprint(packed, open)
			packed.Close()
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			packed := gzip.NewWriter(w)
			fmt.Fprint(packed, open, "<!--", strings.Repeat(" ", 2*maxPage), `--><meta property="og:title" content="behind">`)
			packed.Close()
		case "/pictures/missing":
			fmt.Fprint(w, open, `<meta property="og:image" content="/gone.png">`)
		case "/pictures/text":
			fmt.Fprint(w, open, `<meta property="og:image" content="/packed">`)
		case "/pictures/inside":
			fmt.Fprint(w, open, `<meta property="og:image" content="http://169.254.169.254/latest">`)
		case "/pictures/huge":
			fmt.Fprint(w, open, `<meta property="og:image" content="/huge.png">`)
		case "/huge.png":
			w.Write(picture)
			w.Write(make([]byte, largestFile))
		case "/paper":
			fmt.Fprint(w, "%PDF-1.7")
		case "/drawing":
			w.Write(picture)
		case "/mute":
			fmt.Fprint(w, "<!doctype html><p>hello")
		default:
			http.NotFound(w, r)
		}
	})
	texts := Page{Title: "T", Description: "D"}
	illustrated := texts
	illustrated.Picture = Picture{"image/png", picture}
	for name, tt := range map[string]struct {
		path string
		want Page
		as   outcome
	}{
		"a redirect, and a picture beside its target": {"/moved", illustrated, wasRead},
		"packed":                        {"/packed", texts, wasRead},
		"a page without end":            {"/bomb", texts, wasRead},
		"a picture that is not there":   {"/pictures/missing", texts, wasRead},
		"a picture that is none":        {"/pictures/text", texts, wasRead},
		"a picture of a private server": {"/pictures/inside", texts, wasRead},
		"a picture that is too large":   {"/pictures/huge", texts, wasRead},
		"a PDF":                         {"/paper", Page{}, saysNothing},
		"a picture itself":              {"/drawing", Page{}, saysNothing},
		"a page that says nothing":      {"/mute", Page{}, saysNothing},
		"not there":                     {"/no", Page{}, notAnswered},
		"a redirect to a private one":   {"/inside", Page{}, saysNothing},
	} {
		t.Run(name, func(t *testing.T) { s.want(t, s.address+tt.path, tt.want, tt.as) })
	}
	for _, address := range []string{"http://10.0.0.1/", "http://[::1]:1/", "http://0x7f.1/"} {
		s.want(t, address, Page{}, saysNothing)
	}
}

func TestPagesAreKept(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, open)
	})
	there, down := Page{Title: "T", Description: "D"}, Page{}
	s.want(t, s.address, there, wasRead)
	s.want(t, s.address, there, wasCached)
	s.want(t, s.address+"/down", down, notAnswered)
	s.want(t, s.address+"/down", down, wasCached)
	s.ahead.Store(int64(missingFor + time.Minute))
	s.want(t, s.address, there, wasCached)
	s.want(t, s.address+"/down", down, notAnswered)
	s.ahead.Store(int64(cacheTime + time.Minute))
	s.want(t, s.address, there, wasRead)
}

func TestKeptPagesAreBounded(t *testing.T) {
	now, k := time.Now(), newCache()
	for i := range maxPages + 10 {
		k.keep(fmt.Sprint(i), Page{Title: "T"}, now.Add(time.Hour))
	}
	if len(k.pages) != maxPages || k.order.Len() != maxPages {
		t.Errorf("%d pages are kept", len(k.pages))
	}
	large := Page{Picture: Picture{Content: make([]byte, maxContent/2)}}
	for i := range 5 {
		k.keep(fmt.Sprint("large ", i%4), large, now.Add(time.Hour))
	}
	if _, ok := k.find("large 0", now); !ok || len(k.pages) != 2 || k.content != maxContent {
		t.Errorf("%d pages with %d bytes are kept", len(k.pages), k.content)
	}
	if _, ok := k.find("large 0", now.Add(2*time.Hour)); ok || k.content != maxContent/2 {
		t.Error("a page is kept after its time")
	}
}

// Many posts of one page ask for it once, and one that is stopped takes nothing from the others.
func TestPostsShareARead(t *testing.T) {
	called, goOn := make(chan struct{}), make(chan struct{})
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		close(called)
		<-goOn
		fmt.Fprint(w, open)
	})
	stopped, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := s.Read(stopped, s.address); schema.KindOf(err) != schema.Retryable {
			t.Errorf("a read that was stopped: %v", err)
		}
	})
	<-called
	for range 5 {
		all.Go(func() {
			if page, err := s.Read(t.Context(), s.address); err != nil || page.Title != "T" {
				t.Errorf("Read = %+v, %v", page, err)
			}
		})
	}
	stop()
	close(goOn)
	all.Wait()
	if n := s.requests.Load(); n != 1 {
		t.Errorf("the page was asked for %d times", n)
	}
}

// A page that is slow costs its posts a bounded time, and what has come of it by then is used.
func TestSlowPages(t *testing.T) {
	for name, tt := range map[string]struct {
		begins string
		want   Page
	}{
		"nothing comes":       {"", Page{}},
		"its head has come":   {open + "<meta property=og:title content=T>", Page{Title: "T", Description: "D"}},
		"its picture is late": {open + `<meta property="og:title" content="T"><meta property="og:image" content="/late"><body>`, Page{Title: "T", Description: "D"}},
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/late" && tt.begins != "" {
					fmt.Fprint(w, tt.begins)
					w.(http.Flusher).Flush()
				}
				select {
				case <-over:
				case <-r.Context().Done():
				}
			})
			t.Cleanup(func() { close(over) })
			s.limit = 300 * time.Millisecond
			s.want(t, s.address, tt.want, notAnswered)
		})
	}
}
