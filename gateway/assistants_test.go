package gateway_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"crier/schema"
)

// TestAnAssistantIsCountedLikeAnybody has a tool call the API once: that are two requests, the message and
// the call.
func TestAnAssistantIsCountedLikeAnybody(t *testing.T) {
	const limit = 120
	a := newAPI(t)
	a.freeze()
	_, key := a.tenant("team", "team", schema.Read)
	const message = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_posts", "arguments": {}}}`
	call := func() (status int, text string) {
		request, err := http.NewRequest(http.MethodPost, a.url+"/mcp", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	if status, text := call(); status != http.StatusOK || !strings.Contains(text, `"structuredContent":{"posts":[]}`) {
		t.Fatalf("%d %s", status, text)
	}
	got := a.callWith(key, http.MethodGet, "/usage", nil)
	if remaining := got.header.Get("X-RateLimit-Remaining"); remaining != strconv.Itoa(limit-3) {
		t.Errorf("%s remaining, want %d", remaining, limit-3)
	}
	for range limit - 4 {
		a.callWith(key, http.MethodGet, "/usage", nil)
	}
	if status, text := call(); status != http.StatusOK || !strings.Contains(text, "rate_limit_exceeded (429)") {
		t.Errorf("with one request left: %d %s", status, text)
	}
	if status, text := call(); status != http.StatusTooManyRequests {
		t.Errorf("with none left: %d %s", status, text)
	}
}
