package graphtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Caller calls a simulator by hand, on a clock that stands until it is moved.
type Caller struct {
	World *simulation.World
	Base  string
	Now   time.Time
}

// NewCaller serves a simulator.
func NewCaller(t *testing.T, p schema.Platform, simulator func(*simulation.World) http.Handler) *Caller {
	t.Helper()
	c := &Caller{Now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	c.World = simulation.NewWorld(simulation.Config{
		Platform: p, Now: func() time.Time { return c.Now }, BaseURL: func() string { return c.Base }, HTTP: http.DefaultClient,
	})
	server := httptest.NewServer(simulator(c.World))
	t.Cleanup(server.Close)
	c.Base = server.URL
	return c
}

// Ask calls the API with the token as a parameter, and returns what it answers.
func (c *Caller) Ask(t *testing.T, method, path string, params url.Values) (status int, body map[string]any) {
	t.Helper()
	values := url.Values{}
	maps.Copy(values, params)
	values.Set("access_token", "token")
	request, err := http.NewRequestWithContext(t.Context(), method, c.Base+path+"?"+values.Encode(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body
}

// CodeOf returns the code and the subcode of a refusal.
func CodeOf(body map[string]any) string {
	failure, ok := body["error"].(map[string]any)
	if !ok {
		return ""
	}
	return fmt.Sprint(failure["code"], "/", failure["error_subcode"])
}
