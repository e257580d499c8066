package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"crier/gateway/gatewaytest"
)

func TestDescriptionAndRoutesAreTheSame(t *testing.T) {
	a := gatewaytest.New(t)
	var described, routed []string
	paths, _ := a.Description.Document["paths"].(map[string]any)
	for path, item := range paths {
		for method := range item.(map[string]any) {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, r := range a.Gateway.Handler().(*gin.Engine).Routes() {
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
	d := gatewaytest.ReadDescription(t)
	components, _ := d.Document["components"].(map[string]any)
	for name := range components["schemas"].(map[string]any) {
		if _, err := d.Compile("components/schemas/" + name); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
	for name, response := range components["responses"].(map[string]any) {
		contents, _ := response.(map[string]any)["content"].(map[string]any)
		content, _ := contents["application/json"].(map[string]any)
		examples, _ := content["examples"].(map[string]any)
		for code, example := range examples {
			validateValue(d, t, "components/schemas/Failure", example.(map[string]any)["value"], name+" "+code)
		}
	}
	for _, part := range []string{"paths", "webhooks"} {
		items, _ := d.Document[part].(map[string]any)
		for path, item := range items {
			for method, operation := range item.(map[string]any) {
				checkExamples(d, t, method+" "+path, operation.(map[string]any))
			}
		}
	}
}

// checkExamples holds the examples of an operation's bodies against their schemas: of
// what it takes, and of each answer of success.
func checkExamples(d *gatewaytest.Description, t *testing.T, name string, operation map[string]any) {
	t.Helper()
	request, _ := operation["requestBody"].(map[string]any)
	checkBodies(d, t, name, request)
	responses, _ := operation["responses"].(map[string]any)
	for status, response := range responses {
		if strings.HasPrefix(status, "2") {
			checkBodies(d, t, name+" "+status, response.(map[string]any))
		}
	}
}

// checkBodies passes over bodies without a schema: they are files, which an example
// cannot show.
func checkBodies(d *gatewaytest.Description, t *testing.T, name string, of map[string]any) {
	t.Helper()
	contents, _ := of["content"].(map[string]any)
	for mediaType, content := range contents {
		content := content.(map[string]any)
		described, ok := content["schema"].(map[string]any)
		if !ok {
			continue
		}
		examples := describedExamples(d, content)
		if len(examples) == 0 {
			t.Errorf("%s has no example in %s", name, mediaType)
		}
		for example, value := range examples {
			validateValue(d, t, strings.TrimPrefix(described["$ref"].(string), "#/"), value, name+" "+example)
		}
	}
}

// describedExamples are the values that a body is shown with, by name.
func describedExamples(d *gatewaytest.Description, content map[string]any) map[string]any {
	values := map[string]any{}
	if value, ok := content["example"]; ok {
		values["example"] = value
	}
	examples, _ := content["examples"].(map[string]any)
	for name, example := range examples {
		example := gatewaytest.JSON{Value: example}
		if ref, shared := strings.CutPrefix(example.At("$ref").Text(), "#/components/examples/"); shared {
			example = gatewaytest.JSON{Value: d.Document}.At("components", "examples", ref)
		}
		values[name] = example.At("value").Value
	}
	return values
}

func validateValue(d *gatewaytest.Description, t *testing.T, pointer string, value any, name string) {
	t.Helper()
	compiled, err := d.Compile(pointer)
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
	wantWhole(t, "", gatewaytest.ReadDescription(t).Document)
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
	a := gatewaytest.New(t)
	document := a.RequestWith("", http.MethodGet, "/openapi.json", nil).Want(http.StatusOK)
	if got := document.At("servers", 0, "url").Text(); got != "https://crier.example/api/v1" {
		t.Errorf("server = %q", got)
	}
	if got := document.At("openapi").Text(); got != "3.1.0" {
		t.Errorf("openapi = %q", got)
	}
}
