// Package simulationtest is what the tests of simulators stand on: a world whose clock stands, and calls by
// hand.
package simulationtest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Base is the address of simulators in such a world.
const Base = "http://sim"

// NewWorld makes one. puller fetches media for it; nil: it fetches none.
func NewWorld(p schema.Platform, puller *http.Client) *simulation.World {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return simulation.NewWorld(simulation.Config{
		Platform: p, Now: func() time.Time { return now }, BaseURL: func() string { return Base }, HTTP: puller,
	})
}

// Request is a call of a simulator.
type Request struct {
	Method string
	Path   string            // a whole address at Base is one as well
	Token  string            // empty: none
	Body   string            // of JSON, unless the header says otherwise
	Header map[string]string // further ones
}

// Ask makes a call as any client would, and decodes the response where it is JSON.
func Ask(h http.Handler, r Request) (*httptest.ResponseRecorder, map[string]any) {
	request := httptest.NewRequestWithContext(context.Background(), r.Method, strings.TrimPrefix(r.Path, Base), strings.NewReader(r.Body))
	if r.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	response := httptest.NewRecorder()
	h.ServeHTTP(response, request)
	var decoded map[string]any
	_ = json.Unmarshal(response.Body.Bytes(), &decoded) // pages are none
	return response, decoded
}
