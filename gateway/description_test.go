package gateway_test

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"crier/schema/openapi"
)

// description is schema/openapi/openapi.yaml, to hold requests and answers against.
type description struct {
	document map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler // not safe for concurrent use
}

func (d *description) compile(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compiler.Compile("openapi.json#/" + pointer)
}

// readDescription returns the one description of all tests: reading it takes a while.
func readDescription(t testing.TB) *description {
	t.Helper()
	d, err := sharedDescription()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var sharedDescription = sync.OnceValues(func() (*description, error) {
	converted, err := yaml.YAMLToJSON(openapi.Description())
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(converted))
	if err != nil {
		return nil, err
	}
	d := &description{document: document.(map[string]any), compiler: jsonschema.NewCompiler()}
	d.compiler.AssertFormat()
	return d, d.compiler.AddResource("openapi.json", document)
})

// check holds an answer against the response its operation describes.
func (d *description) check(t testing.TB, method, path string, got *answer) {
	t.Helper()
	pointer, operation := d.operation(method, path)
	if operation == nil {
		pointer = "components/responses/NotFound"
	} else if pointer = d.response(pointer, operation, got.status); pointer == "" {
		t.Errorf("%s %s: status %d is not described", method, path, got.status)
		return
	}
	if method == http.MethodHead {
		return // its answer has no body
	}
	if mediaType, _, _ := strings.Cut(got.header.Get("Content-Type"), ";"); mediaType == "text/html" {
		if _, err := d.compile(pointer + "/content/text~1html"); err != nil {
			t.Errorf("%s %s: no page is described with status %d", method, path, got.status)
		}
		return
	}
	if mediaType, _, _ := strings.Cut(got.header.Get("Content-Type"), ";"); mediaType == "text/csv" {
		if _, err := d.compile(pointer + "/content/text~1csv"); err != nil {
			t.Errorf("%s %s: no CSV is described with status %d", method, path, got.status)
		}
		return
	}
	if got.header.Get("Content-Type") == "application/x-ndjson" {
		if _, err := d.compile(pointer + "/content/application~1x-ndjson"); err != nil {
			t.Errorf("%s %s: no lines are described with status %d", method, path, got.status)
		}
		return
	}
	d.validate(t, pointer+"/content/application~1json/schema", got.body)
}

// validate holds JSON against the schema at a pointer.
func (d *description) validate(t testing.TB, pointer string, body []byte) {
	t.Helper()
	compiled, err := d.compile(pointer)
	if err != nil {
		t.Fatalf("compiling %s: %v", pointer, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("decoding %s: %v", body, err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s is not as %s describes: %v", body, pointer, err)
	}
}

// operation finds what answers a request, preferring paths without parameters.
func (d *description) operation(method, path string) (pointer string, operation map[string]any) {
	path, _, _ = strings.Cut(path, "?")
	paths, _ := d.document["paths"].(map[string]any)
	for template, item := range paths {
		found, ok := item.(map[string]any)[strings.ToLower(method)].(map[string]any)
		if !ok || (template != path && (operation != nil || !matches(template, path))) {
			continue
		}
		escaped := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(template)
		pointer, operation = "paths/"+escaped+"/"+strings.ToLower(method), found
		if template == path {
			return pointer, operation
		}
	}
	return pointer, operation
}

func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return len(want) == len(got) && !slices.ContainsFunc(want, func(s string) bool {
		i := slices.Index(want, s)
		return !strings.HasPrefix(s, "{") && s != got[i]
	})
}

func (d *description) response(pointer string, operation map[string]any, status int) string {
	responses, _ := operation["responses"].(map[string]any)
	response, ok := responses[strconv.Itoa(status)].(map[string]any)
	if !ok {
		return ""
	}
	if ref, ok := response["$ref"].(string); ok {
		return strings.TrimPrefix(ref, "#/")
	}
	return pointer + "/responses/" + strconv.Itoa(status)
}

func TestDescriptionAndRoutesAreTheSame(t *testing.T) {
	a := newAPI(t)
	var described, routed []string
	paths, _ := a.description.document["paths"].(map[string]any)
	for path, item := range paths {
		for method := range item.(map[string]any) {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, r := range a.engine.Handler().(*gin.Engine).Routes() {
		path, ok := strings.CutPrefix(r.Path, "/api/v1")
		if !ok {
			continue // a page for people
		}
		segments := strings.Split(path, "/")
		for i, s := range segments {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				segments[i] = "{" + name + "}"
			}
		}
		routed = append(routed, r.Method+" "+strings.Join(segments, "/"))
	}
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("described:\n%s\nrouted:\n%s", strings.Join(described, "\n"), strings.Join(routed, "\n"))
	}
}

func TestDescriptionsSchemasAndExamplesHold(t *testing.T) {
	d := readDescription(t)
	components, _ := d.document["components"].(map[string]any)
	for name := range components["schemas"].(map[string]any) {
		if _, err := d.compile("components/schemas/" + name); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
	for name, response := range components["responses"].(map[string]any) {
		content, _ := response.(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)
		examples, _ := content["examples"].(map[string]any)
		for code, example := range examples {
			d.validateValue(t, "components/schemas/Failure", example.(map[string]any)["value"], name+" "+code)
		}
	}
	for _, part := range []string{"paths", "webhooks"} {
		items, _ := d.document[part].(map[string]any)
		for path, item := range items {
			for method, operation := range item.(map[string]any) {
				d.checkExamples(t, method+" "+path, operation.(map[string]any))
			}
		}
	}
}

// checkExamples holds the examples of an operation's bodies against their schemas: of
// what it takes, and of each answer of success.
func (d *description) checkExamples(t *testing.T, name string, operation map[string]any) {
	t.Helper()
	request, _ := operation["requestBody"].(map[string]any)
	d.checkBodies(t, name, request)
	responses, _ := operation["responses"].(map[string]any)
	for status, response := range responses {
		if strings.HasPrefix(status, "2") {
			d.checkBodies(t, name+" "+status, response.(map[string]any))
		}
	}
}

// checkBodies passes over bodies without a schema: they are files, which an example
// cannot show.
func (d *description) checkBodies(t *testing.T, name string, of map[string]any) {
	t.Helper()
	contents, _ := of["content"].(map[string]any)
	for mediaType, content := range contents {
		content := content.(map[string]any)
		described, ok := content["schema"].(map[string]any)
		if !ok {
			continue
		}
		examples := d.examples(content)
		if len(examples) == 0 {
			t.Errorf("%s has no example in %s", name, mediaType)
		}
		for example, value := range examples {
			d.validateValue(t, strings.TrimPrefix(described["$ref"].(string), "#/"), value, name+" "+example)
		}
	}
}

// examples are the values that a body is shown with, by name.
func (d *description) examples(content map[string]any) map[string]any {
	values := map[string]any{}
	if value, ok := content["example"]; ok {
		values["example"] = value
	}
	examples, _ := content["examples"].(map[string]any)
	for name, example := range examples {
		example := tree{example}
		if ref, shared := strings.CutPrefix(example.at("$ref").text(), "#/components/examples/"); shared {
			example = tree{d.document}.at("components", "examples", ref)
		}
		values[name] = example.at("value").value
	}
	return values
}

func (d *description) validateValue(t *testing.T, pointer string, value any, name string) {
	t.Helper()
	compiled, err := d.compile(pointer)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("example %s: %v", name, err)
	}
}

// A text without quotes in a flow mapping ends at its first comma, and what follows is a
// member without a value.
func TestDescriptionsTextsAreWhole(t *testing.T) {
	wantWhole(t, "", readDescription(t).document)
}

func wantWhole(t *testing.T, path string, part any) {
	t.Helper()
	switch part := part.(type) {
	case map[string]any:
		for name, value := range part {
			switch {
			case name == "example" || name == "value":
			case value == nil:
				t.Errorf("%s: the text before %q has lost it", path, name)
			default:
				wantWhole(t, path+"/"+name, value)
			}
		}
	case []any:
		for _, value := range part {
			wantWhole(t, path, value)
		}
	}
}

func TestDescriptionIsServedToAnybody(t *testing.T) {
	a := newAPI(t)
	document := a.callWith("", http.MethodGet, "/openapi.json", nil).want(http.StatusOK)
	if got := document.at("servers", 0, "url").text(); got != "https://crier.example/api/v1" {
		t.Errorf("server = %q", got)
	}
	if got := document.at("openapi").text(); got != "3.1.0" {
		t.Errorf("openapi = %q", got)
	}
}
