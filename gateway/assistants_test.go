package gateway_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// TestAnAssistantIsCountedLikeAnybody has a tool call the API once: that are two requests, the message and
// the call.
func TestAnAssistantIsCountedLikeAnybody(t *testing.T) {
	const limit = 120
	a := gatewaytest.New(t)
	a.Freeze()
	_, key := a.CreateWorkspace("team", "team", schema.Read)
	const message = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_posts", "arguments": {}}}`
	call := func() (status int, text string) { return assistant(a, key, message) }
	if status, text := call(); status != http.StatusOK || !strings.Contains(text, `"structuredContent":{"posts":[]}`) {
		t.Fatalf("%d %s", status, text)
	}
	got := a.RequestWith(key, http.MethodGet, "/usage", nil)
	if remaining := got.Header.Get("X-RateLimit-Remaining"); remaining != strconv.Itoa(limit-3) {
		t.Errorf("%s remaining, want %d", remaining, limit-3)
	}
	for range limit - 4 {
		a.RequestWith(key, http.MethodGet, "/usage", nil)
	}
	if status, text := call(); status != http.StatusOK || !strings.Contains(text, "rate_limit_exceeded (429)") {
		t.Errorf("with one request left: %d %s", status, text)
	}
	if status, text := call(); status != http.StatusTooManyRequests {
		t.Errorf("with none left: %d %s", status, text)
	}
}

// assistant sends a message of an assistant's.
func assistant(a *gatewaytest.API, key, message string) (status int, text string) {
	a.Helper()
	response := a.Send(http.MethodPost, a.URL+"/mcp", strings.NewReader(message),
		"Authorization", "Bearer "+key, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	return response.Status, string(response.Body)
}

// TestAnAssistantComesFromItsCallersNetwork has a key that works from the network of these tests alone.
func TestAnAssistantComesFromItsCallersNetwork(t *testing.T) {
	a := gatewaytest.New(t)
	_, key := a.CreateKey(a.Key, `{"name": "x", "permissions": ["read"], "networks": ["127.0.0.1", "::1/64"]}`)
	const message = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_posts", "arguments": {}}}`
	if status, text := assistant(a, key, message); status != http.StatusOK || !strings.Contains(text, `"structuredContent":{"posts":[]}`) {
		t.Errorf("%d %s", status, text)
	}
}
