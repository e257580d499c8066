package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Twitter checks against X's own OpenAPI description. It describes few of the problems that
// X refuses with: of the others only their form is checked.
func Twitter(t testing.TB) *Checker {
	t.Helper()
	api := readOpenAPI(t, "twitter/openapi.json")
	return &Checker{violations: serialized(func(e Exchange) []string { return append(api.xViolations(e), undescribed(e)...) })}
}

// readOpenAPI reads a document of OpenAPI 3.0, whose words that JSON Schema does not have are
// put into those of its own.
func readOpenAPI(t testing.TB, path string) *openAPI {
	t.Helper()
	var document map[string]any
	readDescription(t, path, &document)
	document = alternatives(nullable(inlined(document, document))).(map[string]any)
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatalf("encoding description %s: %v", path, err)
	}
	var api openAPI
	if err := json.Unmarshal(encoded, &api); err != nil {
		t.Fatalf("reading description %s: %v", path, err)
	}
	api.compiler = jsonschema.NewCompiler()
	api.compiler.AssertFormat()
	if err := api.compiler.AddResource(documentURL, document); err != nil {
		t.Fatalf("adding description %s: %v", path, err)
	}
	api.compiled = map[string]*jsonschema.Schema{}
	return &api
}

// inlined puts the parameters of operations in the places where they are referred to.
func inlined(value any, document map[string]any) any {
	const shared = "#/components/parameters/"
	switch value := value.(type) {
	case map[string]any:
		if name, ok := strings.CutPrefix(fmt.Sprint(value["$ref"]), shared); ok {
			return document["components"].(map[string]any)["parameters"].(map[string]any)[name]
		}
		for key, inner := range value {
			value[key] = inlined(inner, document)
		}
	case []any:
		for i := range value {
			value[i] = inlined(value[i], document)
		}
	}
	return value
}

// nullable says in the words of JSON Schema what OpenAPI 3.0 has a word of its own for.
func nullable(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = nullable(inner)
		}
		if kind, ok := value["type"].(string); ok && value["nullable"] == true {
			value["type"] = []any{kind, "null"}
		}
	case []any:
		for i := range value {
			value[i] = nullable(value[i])
		}
	}
	return value
}

// xViolations checks an exchange; refusals of a type that the description does not know are
// left to undescribed.
func (a *openAPI) xViolations(e Exchange) []string {
	template, ok := a.template(e.URL.Path)
	method := strings.ToLower(e.Method)
	described, has := a.Paths[template][method]
	if !ok || !has {
		return []string{"the call is not described"}
	}
	pointer := pointerOf("paths", template, method)
	if e.isRefused() {
		if !isDescribedProblem(e) {
			return nil
		}
		return a.answerViolations(pointer, described, e)
	}
	found := a.answerViolations(pointer, described, e)
	found = append(found, queryViolations(described.Parameters, e.URL.Query())...)
	found = append(found, a.parameterViolations(pointer, described, e)...)
	return append(found, a.requestViolations(pointer, described, e)...)
}

// parameterViolations holds the parameters of a query against their schemas: their bounds
// and the values they may have.
func (a *openAPI) parameterViolations(pointer string, described operation, e Exchange) []string {
	var found []string
	for i, p := range described.Parameters {
		text := e.URL.Query().Get(p.Name)
		if p.In != "query" || text == "" {
			continue
		}
		var value any = text
		switch p.Schema.Type {
		case "integer":
			value = json.Number(text)
		case "boolean":
			if is, err := strconv.ParseBool(text); err == nil {
				value = is
			}
		case "array":
			var items []any
			for item := range strings.SplitSeq(text, ",") {
				items = append(items, item)
			}
			value = items
		}
		found = append(found, a.validate("parameter "+p.Name, pointer+pointerOf("parameters", strconv.Itoa(i), "schema"), value, false)...)
	}
	return found
}

// xProblem is what all of X's problems have.
type xProblem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Status int    `json:"status"`
}

// Types of problems that X uses and its OpenAPI description does not name
// (docs.x.com/x-api/fundamentals/response-codes-and-errors).
var undescribedTypes = []string{"about:blank", "https://api.twitter.com/2/problems/user-suspended"}

func isDescribedProblem(e Exchange) bool {
	var p xProblem
	return json.Unmarshal(e.Body, &p) != nil || !slices.Contains(undescribedTypes, p.Type)
}

// undescribed holds a refusal of a type that is not described against the form of all.
func undescribed(e Exchange) []string {
	if !e.isRefused() || isDescribedProblem(e) {
		return nil
	}
	var p xProblem
	if json.Unmarshal(e.Body, &p) != nil || p.Title == "" || p.Detail == "" || p.Status != e.Status {
		return []string{"the problem is not of the form that all have"}
	}
	if kind := mediaType(e.Header); kind != "application/problem+json" && kind != "application/json" {
		return []string{"a problem is of type " + kind}
	}
	if e.Status == http.StatusTooManyRequests && e.Header.Get("X-Rate-Limit-Reset") == "" {
		return []string{"a rate limit does not say when it ends"}
	}
	return nil
}
