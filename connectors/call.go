package connectors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"crier/schema"
)

// Call is one call to a platform. At most one of JSON, Form and Body is set, and Files with a Form alone.
type Call struct {
	// Operation names the call in metrics and logs; there are few of them.
	Operation string
	Method    string
	URL       string // absolute
	Query     url.Values
	Header    http.Header
	Token     string // sent as a bearer token
	Key       string // sent as Idempotency-Key, when set
	// Secrets are further parts of the call (of its URL, its body) that no error
	// may show. Token is one by itself.
	Secrets     []string
	Kind        Kind               // what it is for
	Reservation schema.Reservation // that was reserved for it; nil: it takes one by itself
	Account     schema.AccountID   // whose turn it is
	App         string             // whose limit it counts in; empty where the platform has one app for all

	JSON any
	Form url.Values
	// Files make multipart/form-data of it and of Form. They are streamed.
	Files []FilePart
	// Body is streamed; ContentLength is -1 when it is not known.
	Body          io.Reader
	ContentType   string
	ContentLength int64

	// Accepts is a status that is an answer as well, beside 2xx; 0: there is none. Its body is
	// not decoded.
	Accepts int

	// Visible marks the one call that makes an entry visible: it is sent at most
	// once, and its lost answer is Unknown.
	Visible bool
}

const idempotencyKey = "Idempotency-Key"

// request makes the call's request.
func (c Call) request(ctx context.Context) (*http.Request, error) {
	body, contentType, length, err := c.content()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, c.Method, c.URL, body)
	if err != nil {
		return nil, fmt.Errorf("making request: %w", c.secrets().scrubError(err))
	}
	if body != nil {
		request.ContentLength = length
	}
	if len(c.Query) > 0 {
		request.URL.RawQuery = joinQuery(request.URL.RawQuery, c.Query)
	}
	for name, values := range c.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	setHeader(request.Header, "Content-Type", contentType)
	setHeader(request.Header, idempotencyKey, c.Key)
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Visible {
		forbidRepeat(request)
	}
	return request, nil
}

// content returns the body, its type and its length; a nil body when there is none.
func (c Call) content() (body io.Reader, contentType string, length int64, err error) {
	switch {
	case c.Body != nil:
		return c.Body, c.ContentType, c.ContentLength, nil
	case c.JSON != nil:
		encoded, err := json.Marshal(c.JSON)
		if err != nil {
			return nil, "", 0, fmt.Errorf("encoding body: %w", err)
		}
		return bytes.NewReader(encoded), "application/json", int64(len(encoded)), nil
	case c.Files != nil:
		return multipartOf(c.Form, c.Files)
	case c.Form != nil:
		encoded := c.Form.Encode()
		return strings.NewReader(encoded), "application/x-www-form-urlencoded", int64(len(encoded)), nil
	default:
		return nil, "", 0, nil
	}
}

// isStreamed reports whether the body is sent as it is read, however long that takes.
func (c Call) isStreamed() bool { return c.Body != nil || c.Files != nil }

// Reading makes it a call that reads on somebody's behalf, with the turn that was reserved for that.
func (c Call) Reading(r Reading) Call {
	c.Kind, c.Reservation = Read, r.Reservation
	return c
}

// Publishing makes it the one visible call of a delivery.
func (c Call) Publishing(d schema.Delivery) Call {
	c.Visible, c.Kind, c.Reservation = true, Post, d.Reservation
	return c
}

// forbidRepeat keeps net/http from sending a request again by itself. It does so on a
// reused connection that breaks, when the header map has an Idempotency-Key under its
// canonical name and the body can be had twice (net/http.Transport): so it has
// neither. On the wire the case of a name means nothing.
func forbidRepeat(request *http.Request) {
	request.GetBody = nil
	if key, ok := request.Header[idempotencyKey]; ok {
		delete(request.Header, idempotencyKey)
		request.Header[strings.ToLower(idempotencyKey)] = key
	}
}

func joinQuery(own string, further url.Values) string {
	if own == "" {
		return further.Encode()
	}
	return own + "&" + further.Encode()
}

func setHeader(header http.Header, name, value string) {
	if value != "" {
		header.Set(name, value)
	}
}

// secrets are the parts of the call that no error may show.
func (c Call) secrets() secrets {
	return append(secrets{c.Token}, c.Secrets...)
}

// ServerOf returns the address an account lives at, without a slash at its end: the one it
// names, else the connector's. An account of the sandbox lives at the simulator, whatever
// server it names.
func ServerOf(a schema.Account, base string) string {
	if a.Server != "" && !a.Sandbox {
		base = a.Server
	}
	return strings.TrimRight(base, "/")
}

// IsOwn reports whether an address may be told what only its platform may know: it is on the host that the
// connector calls or, where that is the platform's own, on any of its domain over TLS.
func IsOwn(address, base, own, domain string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	if called, err := url.Parse(base); err == nil && u.Scheme == called.Scheme && u.Host == called.Host {
		return true
	}
	return base == own && u.Scheme == "https" && strings.HasSuffix(u.Hostname(), domain)
}
