//go:build conformance

package jetstream

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"net/http/httptest"

	"github.com/coder/websocket"

	"crier/connectors"
	simulator "crier/connectors/simulators/bluesky"
	"crier/schema"
)

// TestGenuineEvents reads events as a host wrote them, and holds those of the simulator to their
// fields.
func TestGenuineEvents(t *testing.T) {
	docs := os.Getenv("CRIER_PLATFORM_DOCS")
	if docs == "" {
		t.Fatal("CRIER_PLATFORM_DOCS is not set")
	}
	content, err := os.ReadFile(filepath.Join(docs, "bluesky", "jetstream", "v1-events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	kinds := map[connectors.StreamKind]int{}
	for line := range strings.Lines(string(content)) {
		e := parse([]byte(line))
		kinds[e.Kind]++
		if e.At.Time.Year() != 2026 {
			t.Errorf("%s: time = %v", line, e.At.Time)
		}
		if e.Kind == connectors.StreamPost && (e.Item.Text != "sample text" || e.Item.Languages[0] != "en" || e.Item.WrittenAt.UnixMilli() != 1779719008757 ||
			e.Item.NativeID != "at://did:plc:example00000000000000002/app.bsky.feed.post/3mmoojp4cd223" || e.Item.Revision != "3mmoojpaqkn2z") {
			t.Errorf("%s was read as %+v", line, e.Item)
		}
		fields(t, []byte(line), "", known)
	}
	if kinds[connectors.StreamPost] != 1 || kinds[connectors.StreamOther] != 9 {
		t.Errorf("kinds = %v", kinds)
	}
	server := httptest.NewServer(simulator.NewStream(simulator.StreamConfig{Rate: 100, Words: []string{"tea"}, Now: time.Now}))
	defer server.Close()
	cursor := time.Now().Add(-3 * time.Second)
	conn, _, err := websocket.Dial(t.Context(), address(server.URL, schema.StreamPlace{Host: server.URL, Time: cursor}, 1<<20), &websocket.DialOptions{HTTPClient: http.DefaultClient})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for range 200 {
		_, message, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		written := map[string]bool{}
		fields(t, message, "", written)
		for field := range written {
			if !known[field] {
				t.Fatalf("no genuine event has %s: %s", field, message)
			}
		}
	}
}

// fields collects the fields of an event with the kinds of their values.
func fields(t *testing.T, data []byte, path string, into map[string]bool) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	for name, value := range object {
		kind := string(value[:1])
		if value[0] >= '0' && value[0] <= '9' {
			kind = "a number"
		}
		into[path+name+" "+kind] = true
		if kind == "{" {
			fields(t, value, path+name+".", into)
		}
	}
}
