package conformance

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Mastodon checks against the OpenAPI description of Mastodon, which is generated from
// docs.joinmastodon.org.
func Mastodon(t testing.TB) *Checker {
	t.Helper()
	const path = "mastodon/openapi.json"
	var document map[string]any
	readDescription(t, path, &document)
	var api openAPI
	readDescription(t, path, &api)
	api.compiler = jsonschema.NewCompiler()
	api.compiler.AssertFormat()
	if err := api.compiler.AddResource(documentURL, alternatives(document)); err != nil {
		t.Fatalf("adding description %s: %v", path, err)
	}
	api.compiled = map[string]*jsonschema.Schema{}
	return &Checker{violations: serialized(api.violations)}
}

// documentURL is what the schemas of the description are found under.
const documentURL = "openapi.json"

// openAPI is what is read of an OpenAPI 3.1 document.
type openAPI struct {
	Paths map[string]map[string]operation `json:"paths"`

	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by pointer
}

type operation struct {
	Parameters  []parameter     `json:"parameters"`
	RequestBody *body           `json:"requestBody"`
	Responses   map[string]body `json:"responses"`
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
	Schema   struct {
		Type any `json:"type"`
	} `json:"schema"`
}

type body struct {
	Required bool                       `json:"required"`
	Content  map[string]json.RawMessage `json:"content"`
}

// alternatives makes any of several where the description says one of several: its
// alternatives overlap, and a status with text and media would be two of them.
func alternatives(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = alternatives(inner)
		}
		if alternatives, ok := value["oneOf"]; ok {
			delete(value, "oneOf")
			value["anyOf"] = alternatives
		}
	case []any:
		for i := range value {
			value[i] = alternatives(value[i])
		}
	}
	return value
}

func (a *openAPI) violations(e Exchange) []string {
	template, ok := a.template(e.URL.Path)
	if !ok {
		return []string{"the path is not described"}
	}
	method := strings.ToLower(e.Method)
	described, ok := a.Paths[template][method]
	if !ok {
		return []string{"the method is not described for " + template}
	}
	pointer := pointerOf("paths", template, method)
	found := a.answerViolations(pointer, described, e)
	if e.isRefused() {
		return found
	}
	found = append(found, queryViolations(described.Parameters, e.URL.Query())...)
	return append(found, a.requestViolations(pointer, described, e)...)
}

// template returns the path of the description that covers a path; the one with the
// fewest parameters wins.
func (a *openAPI) template(path string) (string, bool) {
	best, fewest := "", -1
	for template := range a.Paths {
		parameters := strings.Count(template, "{")
		if covers(template, path) && (fewest < 0 || parameters < fewest) {
			best, fewest = template, parameters
		}
	}
	return best, fewest >= 0
}

func covers(template, path string) bool {
	wanted, given := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(wanted, given, func(want, got string) bool {
		return want == got || (strings.HasPrefix(want, "{") && got != "")
	})
}

func queryViolations(described []parameter, query url.Values) []string {
	var found []string
	known := map[string]parameter{}
	for _, p := range described {
		if p.In != "query" {
			continue
		}
		known[p.Name] = p
		if p.Required && !query.Has(p.Name) {
			found = append(found, fmt.Sprintf("parameter %s is missing", p.Name))
		}
	}
	for name, values := range query {
		p, ok := known[strings.TrimSuffix(name, "[]")] // how Rails writes a list
		if !ok {
			found = append(found, fmt.Sprintf("parameter %s is not described", name))
			continue
		}
		if !isOfType(values[0], p.Schema.Type) {
			found = append(found, fmt.Sprintf("parameter %s is %q, described as %v", name, values[0], p.Schema.Type))
		}
	}
	return found
}

// isOfType reports whether the text of a parameter can be read as a type of JSON.
func isOfType(text string, kind any) bool {
	var err error
	switch kind {
	case "integer":
		_, err = strconv.ParseInt(text, 10, 64)
	case "number":
		_, err = strconv.ParseFloat(text, 64)
	case "boolean":
		_, err = strconv.ParseBool(text)
	}
	return err == nil
}

func (a *openAPI) requestViolations(pointer string, described operation, e Exchange) []string {
	if described.RequestBody == nil {
		if len(e.RequestBody) > 0 {
			return []string{"the request has a body, none is described"}
		}
		return nil
	}
	kind := mediaType(e.RequestHeader)
	if _, ok := described.RequestBody.Content[kind]; !ok {
		return []string{fmt.Sprintf("a request of type %q is not described", kind)}
	}
	value, err := requestValue(kind, e)
	if err != nil {
		return []string{fmt.Sprintf("the request cannot be read: %v", err)}
	}
	pointer += pointerOf("requestBody", "content", kind, "schema")
	if kind == "multipart/form-data" {
		a.readNumbers(pointer, value)
	}
	return a.validate("request", pointer, value, true)
}

// readNumbers makes numbers of a form's fields that are described as such: on their way they
// are texts.
func (a *openAPI) readNumbers(pointer string, form any) {
	schema, err := a.schema(pointer)
	if err != nil {
		return // which validate reports
	}
	for schema.Ref != nil {
		schema = schema.Ref
	}
	fields, _ := form.(map[string]any)
	for name, value := range fields {
		text, isText := value.(string)
		of, known := schema.Properties[name]
		if isText && known && of.Types != nil && slices.Contains(of.Types.ToStrings(), "integer") {
			fields[name] = json.Number(text)
		}
	}
}

// requestValue returns what a request's body says, as JSON would say it.
func requestValue(kind string, e Exchange) (any, error) {
	if kind == "application/json" {
		return decode(e.RequestBody)
	}
	read, err := e.readForm()
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	for name, values := range read.values {
		fields[name] = values[0]
	}
	for name, file := range read.files {
		fields[name] = file
	}
	return fields, nil
}

func (a *openAPI) answerViolations(pointer string, described operation, e Exchange) []string {
	status := strconv.Itoa(e.Status)
	answer, ok := described.Responses[status]
	if !ok && e.isRefused() {
		status = "default"
		answer, ok = described.Responses[status]
	}
	if !ok {
		return []string{"the status is not described"}
	}
	if len(answer.Content) == 0 {
		return nil
	}
	kind := mediaType(e.Header)
	if _, ok := answer.Content[kind]; !ok {
		return []string{fmt.Sprintf("an answer of type %q is not described", kind)}
	}
	value, err := decode(e.Body)
	if err != nil {
		return []string{fmt.Sprintf("the answer cannot be read: %v", err)}
	}
	return a.validate("answer", pointer+pointerOf("responses", status, "content", kind, "schema"), value, false)
}

// validate holds a value against the schema at a pointer; closed: its fields must all
// be described, since a server ignores what it does not know.
func (a *openAPI) validate(what, pointer string, value any, closed bool) []string {
	schema, err := a.schema(pointer)
	if err != nil {
		return []string{fmt.Sprintf("the description of the %s cannot be used: %v", what, err)}
	}
	var found []string
	if err := schema.Validate(value); err != nil {
		found = append(found, fmt.Sprintf("the %s is not as described: %v", what, err))
	}
	fields, isObject := value.(map[string]any)
	if !closed || !isObject {
		return found
	}
	known := map[string]bool{}
	collectFields(schema, known)
	for name := range fields {
		if !known[name] {
			found = append(found, fmt.Sprintf("field %s of the %s is not described", name, what))
		}
	}
	return found
}

func (a *openAPI) schema(pointer string) (*jsonschema.Schema, error) {
	if schema, ok := a.compiled[pointer]; ok {
		return schema, nil
	}
	schema, err := a.compiler.Compile(documentURL + "#" + pointer)
	if err != nil {
		return nil, err
	}
	a.compiled[pointer] = schema
	return schema, nil
}

// collectFields gathers the fields that any part of a schema names.
func collectFields(schema *jsonschema.Schema, into map[string]bool) {
	for name := range schema.Properties {
		into[name] = true
	}
	if schema.Ref != nil {
		collectFields(schema.Ref, into)
	}
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf) {
		collectFields(part, into)
	}
}

// pointerOf makes a JSON pointer (RFC 6901) as part of a URL.
func pointerOf(parts ...string) string {
	var pointer strings.Builder
	for _, part := range parts {
		escaped := strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
		pointer.WriteString("/" + url.PathEscape(escaped))
	}
	return pointer.String()
}
