package conformance_test

import (
	"strings"
	"testing"

	"crier/connectors/simulators/conformance"
)

const xDocument = `{"openapi": "3.0.0",
	"paths": {
		"/2/notes": {
			"get": {"parameters": [{"name": "max", "in": "query", "schema": {"type": "integer", "maximum": 9}}, {"$ref": "#/components/parameters/Fields"}],
				"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}}}},
			"post": {"requestBody": {"content": {"multipart/form-data": {"schema": {"$ref": "#/components/schemas/Part"}}}},
				"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}},
					"default": {"content": {"application/problem+json": {"schema": {"oneOf": [{"$ref": "#/components/schemas/Gone"}]}}}}}}}},
	"components": {
		"parameters": {"Fields": {"name": "note.fields", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "string", "enum": ["text", "at"]}}}},
		"schemas": {
			"Note": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "parent": {"type": "string", "nullable": true}}},
			"Part": {"type": "object", "required": ["index"], "additionalProperties": false, "properties": {"index": {"type": "integer", "maximum": 9}}},
			"Gone": {"type": "object", "required": ["type", "resource"], "properties": {"type": {"enum": ["https://api.x.com/2/problems/gone"]}, "resource": {"type": "string"}}}}}}`

func TestTwitter(t *testing.T) {
	describe(t, "twitter/openapi.json", xDocument)
	c := conformance.Twitter(t)
	part := func(name, value string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n--x--\r\n"
	}
	const note, plain = `{"id": "1", "parent": null}`, `{"type": "about:blank", "title": "Forbidden", "detail": "No.", "status": 403}`
	for name, tt := range map[string]struct {
		method, address, form string
		status                int
		answer, want          string
	}{
		"as described":              {"GET", "/2/notes?max=9&note.fields=text,at", "", 200, note, ""},
		"unknown call":              {"PUT", "/2/notes", "", 200, note, "the call is not described"},
		"unknown parameter":         {"GET", "/2/notes?tweet.fields=text", "", 200, note, "tweet.fields is not described"},
		"parameter out of bounds":   {"GET", "/2/notes?max=10", "", 200, note, "parameter max is not as described"},
		"value that is not one":     {"GET", "/2/notes?note.fields=text,by", "", 200, note, "parameter note.fields is not as described"},
		"a form":                    {"POST", "/2/notes", part("index", "3"), 200, note, ""},
		"a form out of bounds":      {"POST", "/2/notes", part("index", "10"), 200, note, "the request is not as described"},
		"a form with another field": {"POST", "/2/notes", part("media", "3"), 200, note, "the request is not as described"},
		"an answer without a field": {"GET", "/2/notes", "", 200, `{}`, "the answer is not as described"},
		"a described problem":       {"POST", "/2/notes", part("index", "3"), 410, `{"type": "https://api.x.com/2/problems/gone", "resource": "note"}`, ""},
		"a part of one is missing":  {"POST", "/2/notes", part("index", "3"), 410, `{"type": "https://api.x.com/2/problems/gone"}`, "the answer is not as described"},
		"a problem of no such type": {"POST", "/2/notes", part("index", "3"), 410, `{"type": "https://api.x.com/2/problems/lost"}`, "the answer is not as described"},
		"a problem without a type":  {"POST", "/2/notes", part("index", "3"), 403, plain, ""},
		"one with another status":   {"POST", "/2/notes", part("index", "3"), 400, plain, "not of the form"},
		"a limit without its end":   {"POST", "/2/notes", part("index", "3"), 429, strings.ReplaceAll(plain, "403", "429"), "when it ends"},
	} {
		t.Run(name, func(t *testing.T) {
			e := exchange(t, tt.method, tt.address, tt.form, tt.status, tt.answer)
			if tt.form != "" {
				e.RequestHeader.Set("Content-Type", "multipart/form-data; boundary=x")
			}
			if tt.status >= 400 {
				e.Header.Set("Content-Type", "application/problem+json")
			}
			wantReport(t, c, e, tt.want)
		})
	}
}
