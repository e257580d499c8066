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
	recorded := &recorder{header: http.Header{}, status: http.StatusOK}
	p.api.ServeHTTP(recorded, received)
	return &http.Response{
		StatusCode: recorded.status, Header: recorded.header, Body: io.NopCloser(&recorded.body), ContentLength: int64(recorded.body.Len()), Request: request,
	}, nil
}

// recorder has what a handler writes. Those of the API are bounded: no tool reads a file.
type recorder struct {
	header  http.Header
	status  int
	written bool
	body    bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if !r.written {
		r.status, r.written = status, true
	}
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	r.written = true
	return r.body.Write(b)
}
