package gatewaytest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"crier/schema"
	"crier/schema/openapi"
)

// Description is schema/openapi/openapi.yaml, to hold requests and answers against.
type Description struct {
	Document map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler // not safe for concurrent use
}

// Compile returns the schema at a pointer.
func (d *Description) Compile(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compiler.Compile("openapi.json#/" + pointer)
}

// ReadDescription returns the one description of all tests: reading it takes a while.
func ReadDescription(t testing.TB) *Description {
	t.Helper()
	d, err := sharedDescription()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var sharedDescription = sync.OnceValues(func() (*Description, error) {
	converted, err := yaml.YAMLToJSON(openapi.Description())
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(converted))
	if err != nil {
		return nil, err
	}
	d := &Description{Document: document.(map[string]any), compiler: jsonschema.NewCompiler()}
	d.compiler.AssertFormat()
	return d, d.compiler.AddResource("openapi.json", document)
})

// CheckResponse holds an answer against the response its operation describes.
func (d *Description) CheckResponse(t testing.TB, method, path string, got *Response) {
	t.Helper()
	pointer, operation := d.Operation(method, path)
	if operation == nil {
		pointer = "components/responses/NotFound"
	} else if pointer = d.response(pointer, operation, got.Status); pointer == "" {
		t.Errorf("%s %s: status %d is not described", method, path, got.Status)
		return
	}
	if method == http.MethodHead {
		return // its answer has no body
	}
	mediaType, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";")
	switch mediaType {
	case "text/html", "text/csv", "application/x-ndjson":
		if _, err := d.Compile(pointer + "/content/" + strings.ReplaceAll(mediaType, "/", "~1")); err != nil {
			t.Errorf("%s %s: no %s is described with status %d", method, path, mediaType, got.Status)
		}
		return
	}
	d.Validate(t, pointer+"/content/application~1json/schema", got.Body)
}

// Validate holds JSON against the schema at a pointer.
func (d *Description) Validate(t testing.TB, pointer string, body []byte) {
	t.Helper()
	compiled, err := d.Compile(pointer)
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

// CheckEvent holds an event, as a receiver gets it, against its description.
func (d *Description) CheckEvent(t testing.TB, e schema.WebhookPayload) {
	t.Helper()
	body, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	d.Validate(t, "webhooks/"+string(e.Event)+"/post/requestBody/content/application~1json/schema", body)
}

// Operation finds what answers a request, preferring paths without parameters.
func (d *Description) Operation(method, path string) (pointer string, operation map[string]any) {
	path, _, _ = strings.Cut(path, "?")
	paths, _ := d.Document["paths"].(map[string]any)
	for template, item := range paths {
		found, ok := item.(map[string]any)[strings.ToLower(method)].(map[string]any)
		if !ok || (template != path && (operation != nil || !MatchesPath(template, path))) {
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

// MatchesPath reports whether a path is one of a template such as /posts/{postId}.
func MatchesPath(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return len(want) == len(got) && !slices.ContainsFunc(want, func(s string) bool {
		i := slices.Index(want, s)
		return !strings.HasPrefix(s, "{") && s != got[i]
	})
}

func (d *Description) response(pointer string, operation map[string]any, status int) string {
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
