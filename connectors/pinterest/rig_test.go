package pinterest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/pinterest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const token = "token-of-a-person"

// The operations of the simulator that are made to fail.
const (
	callPin    = "POST /v5/pins"
	callMedia  = "POST /v5/media"
	callUpload = "POST /media-uploads/{media}"
	callStatus = "GET /v5/media/{media}"
	callPins   = "GET /v5/boards/{board}/pins"
	callBoards = "GET /v5/boards"
	callToken  = "POST /v5/oauth/token"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
	files folder

	mu   sync.Mutex
	sent map[string]any // the last JSON that the simulator was sent
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{files: folder(t.TempDir())}
	r.Rig = connectortest.NewRig(t, connectortest.RigConfig{
		Platform: schema.Pinterest, Puller: &http.Client{Transport: pictures{}},
		Simulator: func(w *simulation.World) http.Handler { return r.keeping(simulator.New(w)) },
	})
	r.restart(t)
	return r
}

// keeping keeps what a handler is sent.
func (r *rig) keeping(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Content-Type") == "application/json" {
			content, err := io.ReadAll(request.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			request.Body = io.NopCloser(strings.NewReader(string(content)))
			r.keep(content)
		}
		h.ServeHTTP(rw, request)
	})
}

func (r *rig) keep(content []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = nil
	_ = json.Unmarshal(content, &r.sent) // what is none is looked at by nobody
}

func (r *rig) lastSent() map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent
}

// restart makes the connector again.
func (r *rig) restart(t *testing.T) {
	t.Helper()
	r.Connector = New(connectors.Parts{
		Base: r.Base, Media: r.files, Now: r.Clock, App: connectortest.App(),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls, Limits: Limits()}),
	})
}

// own are credentials of a person's n-th board.
func own(n int) schema.Credentials {
	return schema.Credentials{AccessToken: token, RefreshToken: "refresh-of-" + token, EntityID: simulator.Boards(token)[n]}
}

// breadSection is a section of the second board.
func breadSection() (board, section string) {
	board = simulator.Boards(token)[1]
	return board, "21" + board[1:]
}

// delivery is a pin for the first board, claimed now.
func (r *rig) delivery(settings, text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewID[schema.AccountID](r.Clock()), Platform: schema.Pinterest},
		Credentials: own(0), Entries: 1, Text: text, Media: items, Settings: json.RawMessage(settings), Since: r.Clock(),
	}
}

// prepare makes a delivery ready, through errors that pass, on a connector that is made again
// each time.
func (r *rig) prepare(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	return connectortest.Prepared(t, d, func() connectors.Connector { r.restart(t); return r.Connector }, r.Pass)
}

func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	return connectortest.Published(t, r.Connector, r.prepare(t, d))
}

// pictures is the server of the pictures that Pinterest fetches.
type pictures struct{}

func (pictures) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "gone") {
		return nil, errors.New("it is gone")
	}
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("\x89PNG\x0D\x0A\x1A\x0A")), Request: request,
	}, nil
}

// The items there are.
var (
	picture = schema.Media{Kind: schema.Image, URL: "https://example.com/picture", AltText: "a garden"}
	another = schema.Media{Kind: schema.Image, URL: "https://example.com/another", AltText: "a pond"}
	film    = schema.Media{Kind: schema.Video, URL: "https://example.com/film", AltText: "a train arrives"}
	hidden  = schema.Media{Kind: schema.Image, URL: "https://example.com/film"} // a video that is declared as a picture
	still   = schema.Media{Kind: schema.Video, URL: "https://example.com/picture"}
	square  = schema.Media{Kind: schema.Image, URL: "https://example.com/square"}
)

// folder is a media source whose items name what they hold.
type folder string

func (dir folder) Open(_ context.Context, m schema.Media) (*media.File, error) {
	facts := schema.MediaFacts{Kind: schema.Image, Type: "image/png", Width: 600, Height: 900}
	switch {
	case strings.HasSuffix(m.URL, "film"):
		facts = schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 1080, Height: 1920, Duration: 5 * time.Second}
	case strings.HasSuffix(m.URL, "square"):
		facts.Height = 600
	}
	return connectortest.Fetched(string(dir), facts)
}
