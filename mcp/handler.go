package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"crier/client"
)

// Longest is how long a message to the handler may take: a tool may have a file fetched.
const Longest = callLimit + 5*time.Second

// NewHandler serves assistants by streamable HTTP from within the server whose API is given. It
// keeps no sessions: each message is a POST of its own, with its key, and has its answer as JSON.
// Whoever serves it has let in nobody without a valid key.
func NewHandler(api http.Handler, publicURL, version string, logger *slog.Logger) http.Handler {
	server := New(Config{
		URL: "http://crier", Key: bearer, Transport: inProcess{api}, Version: version, Logger: logger,
		Retry: client.Retry{Tries: 1}, // what is refused for now is refused within the assistant's own request
	})
	stream := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		// It refuses what a proxy on the same machine passes on under the server's public name. What it
		// guards against, a page in a browser, has an Origin and no key.
		DisableLocalhostProtection: true,
	})
	return &handler{stream: stream, origin: originOf(publicURL)}
}

type handler struct {
	stream http.Handler
	origin string // that pages of the server itself have
}

// ServeHTTP passes on one message. Pages of other servers are refused, also those that reach this
// one under a name of their own (DNS rebinding), and so are batches, each of which would be many calls.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, h.origin) {
		http.Error(w, "pages of other servers may not call this one", http.StatusForbidden)
		return
	}
	message, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, fmt.Sprintf("a message has at most %d bytes", maxMessage), http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "the message could not be read", http.StatusBadRequest)
		return
	}
	if bytes.HasPrefix(bytes.TrimLeft(message, " \t\r\n"), []byte("[")) {
		http.Error(w, "a request has one message, not a batch", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(message))
	h.stream.ServeHTTP(w, r)
}

// bearer is the key of a request.
func bearer(header http.Header) string {
	_, key, _ := strings.Cut(header.Get("Authorization"), " ")
	return strings.TrimSpace(key)
}

// originOf is the Origin of pages at an address; empty where it is none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
