package gatewaytest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Response is a response of the API, read to its end.
type Response struct {
	testing.TB
	Status int
	Header http.Header
	Body   []byte

	logs *LogBuffer // nil: of no one gateway
}

// Want fails the test unless the response has the status, and decodes it.
func (r *Response) Want(status int) JSON {
	r.Helper()
	if r.Status != status {
		r.Fatalf("status = %d, want %d: %s%s", r.Status, status, r.Body, r.cause())
	}
	var decoded map[string]any
	if err := json.Unmarshal(r.Body, &decoded); err != nil {
		r.Fatalf("decoding %s: %v", r.Body, err)
	}
	return JSON{decoded}
}

// cause is what the gateway logged last, where it failed inside: the response does not say why.
func (r *Response) cause() string {
	if r.Status != http.StatusInternalServerError || r.logs == nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(r.logs.String()), "\n")
	return "\n" + strings.Join(lines[max(len(lines)-3, 0):], "\n")
}

// WantError fails the test unless the response is that error, and returns it.
func (r *Response) WantError(status int, code string) JSON {
	r.Helper()
	decoded := r.Want(status)
	if got := decoded.At("error", "code").Value; got != code {
		r.Fatalf("code = %v, want %s: %s", got, code, r.Body)
	}
	return decoded.At("error")
}

// JSON is decoded JSON.
type JSON struct{ Value any }

// At follows names and indexes; what is not there is nil.
func (t JSON) At(path ...any) JSON {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := t.Value.(map[string]any)
			t = JSON{object[step]}
		case int:
			list, _ := t.Value.([]any)
			if step >= len(list) {
				return JSON{}
			}
			t = JSON{list[step]}
		}
	}
	return t
}

// Text is the value as a text; empty: it is none.
func (t JSON) Text() string {
	s, _ := t.Value.(string)
	return s
}

// Has reports whether an object has a member, be it null.
func (t JSON) Has(name string) bool {
	object, _ := t.Value.(map[string]any)
	_, there := object[name]
	return there
}

// Len is how many values a list has; zero: it is none.
func (t JSON) Len() int {
	list, _ := t.Value.([]any)
	return len(list)
}

// Dotted follows a path such as platforms.0.platform.
func (t JSON) Dotted(path string) any {
	for _, step := range strings.Split(path, ".") {
		if i, err := strconv.Atoi(step); err == nil {
			t = t.At(i)
		} else {
			t = t.At(step)
		}
	}
	return t.Value
}
