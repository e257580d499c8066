package bluesky

import (
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/egress"
	"crier/connectors/media"
	"crier/connectors/page"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// cardStage is a stage whose connector reads pages, and a site of them.
type cardStage struct {
	*stage
	site     string
	requests atomic.Int32 // pages
}

func newCardStage(t *testing.T) *cardStage {
	t.Helper()
	s := &cardStage{stage: newStage(t)}
	site := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(site.Close)
	s.site = site.URL
	s.restart(t)
	return s
}

func (s *cardStage) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/post", "/other":
		n := s.requests.Add(1)
		fmt.Fprintf(w, `<title>Version %d of %s</title><meta property="og:description" content="What it says">`, n, r.URL.Path)
		fmt.Fprint(w, `<meta property="og:image" content="/one.png">`)
	case "/one.png", "/other.png":
		w.Write(testFile(r.URL.Path[1:]))
	case "/large.png":
		canvas := image.NewGray(image.Rect(0, 0, 1100, 1000))
		_, _ = rand.NewChaCha8([32]byte{}).Read(canvas.Pix) // which never fails
		_ = png.Encode(w, canvas)
	case "/mute":
		fmt.Fprint(w, "<p>hello")
	default:
		http.NotFound(w, r)
	}
}

// restart makes a connector that has kept nothing.
func (s *cardStage) restart(t *testing.T) {
	t.Helper()
	guard := egress.New(egress.Config{Resolver: net.DefaultResolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	t.Cleanup(guard.CloseIdle)
	pictures := media.NewFetcher(media.Config{HTTP: guard.Client(), Dir: t.TempDir(), Timeout: page.ReadLimit, Limits: page.PictureLimits(nil)})
	pages := page.NewReader(page.Config{HTTP: guard.Client(), Pictures: pictures, Metrics: page.NewMetrics(prometheus.NewRegistry()), Now: s.now})
	s.connector = New(connectors.Parts{Client: s.client, Base: s.base, Media: pictures, Pages: pages, Now: s.now})
}

// prepare makes an entry ready.
func (s *cardStage) prepare(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	p, err := s.connector.Prepare(t.Context(), d)
	if err != nil || !p.Ready {
		t.Fatalf("Prepare = %+v, %v", p, err)
	}
	d.Progress = p.State
	return d
}

func sizeOf(b blob) (ref struct{ Size int }) {
	_ = json.Unmarshal(b, &ref) // of none it is zero
	return ref
}

func TestCards(t *testing.T) {
	s := newCardStage(t)
	size := len(testFile("one.png"))
	for name, tt := range map[string]struct {
		text, settings string
		want           *card // its title and description; nil: there is none
		uri            string
		thumb          int // bytes
	}{
		// trypost #177, pipedream #17545, social-app #7621
		"the first link of a text": {"New: " + s.site + "/post and " + s.site + "/other", "", &card{Title: "Version 1 of /post", Description: "What it says"}, s.site + "/post", size},
		"none is wanted":           {s.site + "/post", `{"card": false}`, nil, "", 0},
		"true is as nothing":       {s.site + "/post", `{"card": true}`, &card{Title: "Version 1 of /post", Description: "What it says"}, s.site + "/post", size},
		"a text without a link":    {"hello", "", nil, "", 0},
		"a page that says nothing": {s.site + "/mute", "", nil, "", 0},
		"a page that is not there": {s.site + "/no", "", nil, "", 0},
		"a private address":        {"http://10.0.0.1/ http://169.254.169.254/latest", "", nil, "", 0},
		"all of it is given": {
			"hello", `{"card": {"url": "https://example.com/ü", "title": "T", "description": "D", "thumbnailUrl": "` + s.site + `/other.png"}}`,
			&card{Title: "T", Description: "D"}, "https://example.com/%C3%BC", len(testFile("other.png")),
		},
		"a title alone": {s.site + "/post", `{"card": {"title": "T"}}`, &card{Title: "T"}, s.site + "/post", 0},
		"another page":  {"hello", `{"card": {"url": "` + s.site + `/post"}}`, &card{Title: "Version 1 of /post", Description: "What it says"}, s.site + "/post", size},
		"a picture for what the page says": {
			s.site + "/post", `{"card": {"thumbnailUrl": "` + s.site + `/other.png"}}`,
			&card{Title: "Version 1 of /post", Description: "What it says"}, s.site + "/post", len(testFile("other.png")),
		},
		"a description of a page that is not there": {
			s.site + "/no", `{"card": {"description": "D"}}`, &card{Title: "127.0.0.1", Description: "D"}, s.site + "/no", 0,
		},
		"a given picture that is not there": {s.site + "/post", `{"card": {"title": "T", "thumbnailUrl": "` + s.site + `/no.png"}}`, &card{Title: "T"}, s.site + "/post", 0},
		"a given picture that is too large": {s.site + "/post", `{"card": {"title": "T", "thumbnailUrl": "` + s.site + `/large.png"}}`, &card{Title: "T"}, s.site + "/post", 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := s.delivery(tt.text)
			d.Settings, d.Tries = []byte(tt.settings), schema.DefaultTries
			s.requests.Store(0)
			s.restart(t)
			receipt := s.publish(t, s.prepare(t, d))
			post, ok := s.world.Post(s.didOf(t, password.Identifier), receipt.NativeID)
			if !ok {
				t.Fatal("the post is not there")
			}
			embed := record(t, post).Embed
			if tt.want == nil {
				if embed != nil {
					t.Errorf("the post embeds %+v", embed)
				}
				return
			}
			if embed == nil || embed.Type != cardEmbed || embed.Card == nil {
				t.Fatalf("the post embeds %+v", embed)
			}
			got := *embed.Card
			if got.URI != tt.uri || got.Title != tt.want.Title || got.Description != tt.want.Description || sizeOf(got.Thumb).Size != tt.thumb {
				t.Errorf("the card is %+v, want %+v at %s with %d bytes", got, *tt.want, tt.uri, tt.thumb)
			}
		})
	}
}

// Each entry of a thread has a card of its own; what is given is of the first.
func TestCardsOfAThread(t *testing.T) {
	s := newCardStage(t)
	var receipts []schema.Receipt
	for i, text := range []string{"one", s.site + "/post", "none"} {
		d := s.delivery(text)
		d.Entry, d.Entries, d.Receipts = i, 3, receipts
		d.Settings = []byte(`{"card": {"url": "https://example.com/", "title": "Given"}}`)
		receipts = append(receipts, s.publish(t, s.prepare(t, d)))
	}
	posts := s.wantPosts(t, 3)
	for i, want := range []string{"Given", "Version 1 of /post", ""} {
		got := ""
		if embed := record(t, posts[i]).Embed; embed != nil {
			got = embed.Card.Title
		}
		if got != want {
			t.Errorf("the card of entry %d is %q, want %q", i, got, want)
		}
	}
}

// A page that has changed makes no second post: the look and the repeated call find the first.
func TestAPageChangesBetweenTwoTries(t *testing.T) {
	s := newCardStage(t)
	d := s.delivery(s.site + "/post")
	s.inject(t, simulation.Fault{Operation: putRecord, Lose: true})
	_, err := s.connector.Publish(t.Context(), s.prepare(t, d))
	connectortest.WantKind(t, err, schema.Unknown)
	first := s.wantPosts(t, 1)[0]

	s.restart(t)
	again := s.prepare(t, d)
	if s.requests.Load() != 2 {
		t.Fatalf("the page was read %d times", s.requests.Load())
	}
	_, err = s.connector.Publish(t.Context(), again)
	connectortest.WantKind(t, err, schema.Duplicate)
	found, verdict, err := s.connector.Find(t.Context(), again)
	if err != nil || verdict != schema.Found || found.NativeID != first.ID {
		t.Errorf("Find = %+v, %v, %v", found, verdict, err)
	}
	s.wantPosts(t, 1)
}

// No post fails, or waits long, because the picture of its card is not taken.
func TestAPictureThatIsNotTaken(t *testing.T) {
	for name, tt := range map[string]struct {
		fault    simulation.Fault
		attempts int
		want     schema.ErrorKind // 0: the card goes without it
	}{
		"refused":                  {simulation.Fault{Status: http.StatusBadRequest, Body: `{"error": "InvalidMimeType", "message": "no"}`}, 0, 0},
		"too many uploads":         {simulation.Fault{Status: http.StatusTooManyRequests, Body: `{"error": "RateLimitExceeded", "message": "no"}`}, 0, 0},
		"the server fails":         {simulation.Fault{Status: http.StatusBadGateway}, 0, schema.Retryable},
		"it fails at the last try": {simulation.Fault{Status: http.StatusBadGateway}, schema.DefaultTries - 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCardStage(t)
			tt.fault.Operation = uploadBlob
			s.inject(t, tt.fault)
			d := s.delivery(s.site + "/post")
			d.Tries, d.Attempts = schema.DefaultTries, tt.attempts
			if tt.want != 0 {
				_, err := s.connector.Prepare(t.Context(), d)
				connectortest.WantKind(t, err, tt.want)
				return
			}
			s.publish(t, s.prepare(t, d))
			if card := record(t, s.wantPosts(t, 1)[0]).Embed.Card; card.Title != "Version 1 of /post" || len(card.Thumb) > 0 {
				t.Errorf("the card is %+v", card)
			}
		})
	}
}

// A PDS forgets uploads that no record names: the card's picture is quickly there again.
func TestAForgottenPicture(t *testing.T) {
	s := newCardStage(t)
	d := s.prepare(t, s.delivery(s.site+"/post"))
	s.inject(t, simulation.Fault{Operation: putRecord, Status: http.StatusBadRequest, Body: `{"error": "BlobNotFound", "message": "Could not find blob"}`})
	s.publish(t, d)
	if card := record(t, s.wantPosts(t, 1)[0]).Embed.Card; len(card.Thumb) == 0 {
		t.Errorf("the card is %+v", card)
	}
	s.wantCalls(t, uploadBlob, 2)
}

func TestCardSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		want     []string // fields that are refused
	}{
		"off":                     {`{"card": false}`, nil},
		"all of it":               {`{"card": {"url": "https://a.example/", "title": "T", "description": "D", "thumbnailUrl": "https://a.example/1"}}`, nil},
		"a text":                  {`{"card": "no"}`, []string{"card"}},
		"null":                    {`{"card": null}`, []string{"card"}},
		"no page":                 {`{"card": {"url": "at://a/b"}}`, []string{"card.url"}},
		"a page with a user part": {`{"card": {"url": "https://a@b.example/"}}`, []string{"card.url"}},
		"no picture":              {`{"card": {"thumbnailUrl": "a.png"}}`, []string{"card.thumbnailUrl"}},
	} {
		t.Run(name, func(t *testing.T) {
			details := Constraints().Settings([]byte(tt.settings))
			if len(details) != len(tt.want) || len(details) > 0 && details[0].Field != tt.want[0] {
				t.Errorf("%s: %+v, want %q", tt.settings, details, tt.want)
			}
		})
	}
	illustrated := schema.Entry{Media: []schema.Media{{Kind: schema.Image}}}
	for settings, want := range map[string]int{`{"card": {"title": "T"}}`: 1, `{"card": false}`: 0, `{"card": true}`: 0, ``: 0} {
		if got := Constraints().Together(illustrated, []byte(settings)); len(got) != want {
			t.Errorf("%s beside media: %+v", settings, got)
		}
	}
}
