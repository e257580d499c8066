package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Bluesky checks against the lexicons of AT Protocol and Bluesky.
func Bluesky(t testing.TB) *Checker {
	t.Helper()
	all, err := readLexicons(descriptionPath(t, "bluesky/lexicons"))
	if err != nil {
		t.Fatalf("reading description: %v", err)
	}
	all.correct()
	return &Checker{violations: all.violations}
}

// correct mends what the lexicon says of uploadVideo. The service wants to know whose
// video it is and what it is called, and answers with the bare status
// (github.com/bluesky-social/atproto/issues/3097).
func (l lexicons) correct() {
	const name = "app.bsky.video.uploadVideo#main"
	method, ok := l[name]
	if !ok {
		return
	}
	method.Parameters = &definition{
		Type:       "params",
		Properties: map[string]*definition{"did": {Type: "string", Format: "did"}, "name": {Type: "string"}},
		Required:   []string{"did", "name"},
	}
	method.Output = &payload{
		Encoding: "application/json",
		Schema:   &definition{Type: "ref", Ref: "app.bsky.video.defs#jobStatus"},
	}
	l[name] = method
}

func (l lexicons) violations(e Exchange) []string {
	name, ok := strings.CutPrefix(e.URL.Path, "/xrpc/")
	if !ok {
		return []string{"the path is no method's"}
	}
	method, ok := l[name+"#main"]
	verb, isMethod := map[string]string{"query": http.MethodGet, "procedure": http.MethodPost}[method.Type]
	if !ok || !isMethod {
		return []string{"the method is not described"}
	}
	if e.Method != verb {
		return []string{fmt.Sprintf("a %s is called by %s", method.Type, verb)}
	}
	if e.isRefused() {
		return errorViolations(method, e)
	}
	found := l.parameterViolations(method, e.URL.Query())
	found = append(found, l.requestViolations(method, e)...)
	return append(found, l.payload("output", method, method.Output, mediaType(e.Header), e.Body)...)
}

// parameterViolations checks the parameters as the JSON they stand for.
func (l lexicons) parameterViolations(method definition, query url.Values) []string {
	described := definition{Type: "params"}
	if method.Parameters != nil {
		described = *method.Parameters
	}
	values := map[string]any{}
	for name, texts := range query {
		values[name] = parameterValue(described.Properties[name], texts)
	}
	return l.value("parameters", method.ID, described, values)
}

func parameterValue(d *definition, texts []string) any {
	switch {
	case d == nil:
		return texts[0]
	case d.Type == "array":
		items := make([]any, len(texts))
		for i, text := range texts {
			items[i] = parameterValue(d.Items, []string{text})
		}
		return items
	case d.Type == "integer":
		return json.Number(texts[0])
	case d.Type == "boolean" && (texts[0] == "true" || texts[0] == "false"):
		return texts[0] == "true"
	default:
		return texts[0]
	}
}

func (l lexicons) requestViolations(method definition, e Exchange) []string {
	if method.Input == nil && len(e.RequestBody) > 0 {
		return []string{"the request has a body, none is described"}
	}
	return l.payload("input", method, method.Input, mediaType(e.RequestHeader), e.RequestBody)
}

func (l lexicons) payload(where string, method definition, described *payload, kind string, content []byte) []string {
	if described == nil {
		return nil
	}
	if !isAccepted(described.Encoding, kind) {
		return []string{fmt.Sprintf("%s is of type %q, described as %s", where, kind, described.Encoding)}
	}
	if described.Schema == nil {
		return nil
	}
	value, err := decode(content)
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be read: %v", where, err)}
	}
	return l.value(where, method.ID, *described.Schema, value)
}

// commonErrors are those that any method may answer with a 400 (the reference
// implementation of a PDS, github.com/bluesky-social/atproto).
var commonErrors = []string{"InvalidRequest", "ExpiredToken", "InvalidToken"}

// errorViolations checks the form of an error (atproto.com/specs/xrpc#error-responses).
func errorViolations(method definition, e Exchange) []string {
	var answer struct {
		Error   string  `json:"error"`
		Message *string `json:"message"`
	}
	if err := json.Unmarshal(e.Body, &answer); err != nil || answer.Error == "" {
		return []string{fmt.Sprintf("the error has no name: %s", e.Body)}
	}
	known := slices.Clone(commonErrors)
	for _, described := range method.Errors {
		known = append(known, described.Name)
	}
	if e.Status == http.StatusBadRequest && !slices.Contains(known, answer.Error) {
		return []string{fmt.Sprintf("error %s is none of %v", answer.Error, known)}
	}
	return nil
}
