package mcp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// inProcess answers requests by a handler of this process, as if they had come over the network:
// they are authenticated and counted like any other.
type inProcess struct{ api http.Handler }

// RoundTrip implements http.RoundTripper.
func (p inProcess) RoundTrip(request *http.Request) (response *http.Response, err error) {
	defer func() { // a connection that the API cuts; all else it has answered and logged itself
		if recover() != nil {
			response, err = nil, errors.New("the request was cut off")
		}
	}()
	received := request.Clone(request.Context())
	if received.Body == nil {
		received.Body = http.NoBody
	}
	received.RequestURI = request.URL.RequestURI()
	written := &answer{header: http.Header{}, status: http.StatusOK}
	p.api.ServeHTTP(written, received)
	return &http.Response{
		StatusCode: written.status, Header: written.header, Body: io.NopCloser(&written.body), ContentLength: int64(written.body.Len()), Request: request,
	}, nil
}

// answer is what a handler writes. Those of the API are bounded: no tool reads a file.
type answer struct {
	header  http.Header
	status  int
	written bool
	body    bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if !a.written {
		a.status, a.written = status, true
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.written = true
	return a.body.Write(b)
}
