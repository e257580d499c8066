package compose_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/schema"
)

// noisy is a picture of more bytes than a card takes.
func noisy(t *testing.T) []byte {
	t.Helper()
	canvas := image.NewRGBA(image.Rect(0, 0, 800, 600))
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(canvas.Pix) // which never fails
	var content bytes.Buffer
	if err := png.Encode(&content, canvas); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// A post with a link gets a card of the page, over the API and through all stages, with live and test keys
// alike; a page that hangs, or is inside, costs the card and not the post.
func TestLinkCards(t *testing.T) {
	t.Parallel()
	picture, over := noisy(t), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/post":
			fmt.Fprint(rw, `<!doctype html><meta property="og:title" content="A page"><meta property="og:description" content="About it"><meta property="og:image" content="a.png">`)
		case "/a.png":
			rw.Write(picture)
		case "/hangs":
			select {
			case <-over:
			case <-r.Context().Done():
			}
		}
	}))
	t.Cleanup(site.Close)
	t.Cleanup(func() { close(over) })
	live := newWorldWith(t, childConfig{
		Role: "gateway,delay,publish,comment,notify,analytics", OwnSandbox: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	})
	test := *live
	test.key = live.createKey(true)
	type linking struct {
		*world
		text string
		card *externalCard
		id   string
	}
	there := &externalCard{URI: site.URL + "/post", Title: "A page", Description: "About it"}
	posts := []*linking{
		{world: live, text: "New: " + site.URL + "/post", card: there},
		{world: &test, text: "Tested: " + site.URL + "/post", card: there},
		{world: live, text: "Slow: " + site.URL + "/hangs"},
		{world: live, text: "Inside: http://10.0.0.1/post"},
		{world: live, text: "No link"},
	}
	accounts := map[*world]schema.AccountID{live: live.connect(schema.Bluesky, 1)[0], &test: test.connect(schema.Bluesky, 1)[0]}
	for _, p := range posts {
		var answer postAnswer
		target := map[string]any{"platform": "bluesky", "accountId": accounts[p.world].String()}
		status := p.call(http.MethodPost, "/posts", map[string]any{"content": p.text, "platforms": []any{target}, "publishNow": true}, &answer)
		if status != http.StatusCreated {
			t.Fatalf("creating %q: %d %+v", p.text, status, answer.Error)
		}
		p.id = answer.Post.ID
	}
	for _, p := range posts {
		p.eventually(time.Minute, p.text+" is done", func() bool { return p.done([]string{p.id}) })
		got := p.cardOf(t, p.posted(p.id))
		if (got == nil) != (p.card == nil) || got != nil && (got.URI != p.card.URI || got.Title != p.card.Title || got.Description != p.card.Description) {
			t.Errorf("the card of %q is %+v, want %+v", p.text, got, p.card)
		}
		if got != nil && (got.Thumb.MIMEType != "image/jpeg" || got.Thumb.Size == 0 || got.Thumb.Size > 1_000_000) {
			t.Errorf("the picture of %q is %+v", p.text, got.Thumb)
		}
	}
}

// externalCard is app.bsky.embed.external#external.
type externalCard struct {
	URI, Title, Description string
	Thumb                   struct {
		MIMEType string `json:"mimeType"`
		Size     int64
	}
}

// cardOf reads the card of a record; nil: it has none.
func (w *world) cardOf(t *testing.T, uri string) *externalCard {
	t.Helper()
	parts := strings.Split(strings.TrimPrefix(uri, "at://"), "/")
	if len(parts) != 3 {
		t.Fatalf("%q is no record", uri)
	}
	query := url.Values{"repo": {parts[0]}, "collection": {parts[1]}, "rkey": {parts[2]}}
	response, err := http.Get(w.simulators + "/bluesky/xrpc/com.atproto.repo.getRecord?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Value struct {
			Embed *struct {
				Type     string `json:"$type"`
				External externalCard
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("reading %s: %d, %v", uri, response.StatusCode, err)
	}
	if answer.Value.Embed == nil || answer.Value.Embed.Type != "app.bsky.embed.external" {
		return nil
	}
	return &answer.Value.Embed.External
}
