package conformance

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const discoverySample = `{
	"servicePath": "",
	"parameters": {"alt": {"location": "query", "type": "string", "enum": ["json"]}},
	"resources": {"notes": {"methods": {
		"create": {"httpMethod": "POST", "path": "v1/{+parent}/notes", "flatPath": "v1/rooms/{roomsId}/notes", "request": {"$ref": "Note"}, "response": {"$ref": "Note"},
			"parameters": {"parent": {"location": "path", "required": true, "type": "string"}, "size": {"location": "query", "type": "integer"}, "mask": {"location": "query", "description": "Required. What."}}}}}},
	"schemas": {"Note": {"type": "object", "properties": {
		"name": {"type": "string", "description": "Output only. Who."}, "at": {"type": "string", "format": "google-datetime"}, "kind": {"type": "string", "enum": ["A"]},
		"parts": {"type": "array", "items": {"$ref": "Part"}}}}, "Part": {"type": "object", "properties": {"n": {"type": "integer"}}}}
}`

func TestDiscovery(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "sample.json"), []byte(discoverySample), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(docsVariable, folder)
	checker := Discovery(t, "sample.json")
	for name, tt := range map[string]struct {
		path, sent, answered string
		status               int
		want                 string // empty: nothing is wrong
	}{
		"as described":            {"/v1/rooms/1/notes?mask=x&size=3&alt=json", `{"kind":"A","parts":[{"n":1}]}`, `{"name":"n","at":"2026-01-02T03:04:05.678Z"}`, 200, ""},
		"another path":            {"/v1/rooms/1/2/notes?mask=x", `{}`, `{}`, 200, "the call is not described"},
		"another parameter":       {"/v1/rooms/1/notes?mask=x&y=1", `{}`, `{}`, 200, "parameter y is not described"},
		"a parameter of the path": {"/v1/rooms/1/notes?mask=x&parent=1", `{}`, `{}`, 200, "parameter parent is not described"},
		"no parameter":            {"/v1/rooms/1/notes", `{}`, `{}`, 200, "parameter mask is missing"},
		"no number":               {"/v1/rooms/1/notes?mask=x&size=a", `{}`, `{}`, 200, `parameter size is "a", described as integer`},
		"another field":           {"/v1/rooms/1/notes?mask=x", `{"x":1}`, `{}`, 200, "request.x is not described"},
		"a field of answers":      {"/v1/rooms/1/notes?mask=x", `{"name":"n"}`, `{}`, 200, "request.name is sent, and is only for answers"},
		"another value":           {"/v1/rooms/1/notes?mask=x", `{"kind":"B"}`, `{}`, 200, `request.kind is "B", described are [A]`},
		"another kind":            {"/v1/rooms/1/notes?mask=x", `{}`, `{"parts":[{"n":"1"}]}`, 200, "answer.parts[0].n is a text, described as integer"},
		"no time":                 {"/v1/rooms/1/notes?mask=x", `{}`, `{"at":"now"}`, 200, `answer.at is "now", described as google-datetime`},
		"no JSON":                 {"/v1/rooms/1/notes?mask=x", `{}`, `<html>`, 200, "answer is no JSON: invalid character '<' looking for beginning of value"},
		"a refusal":               {"/v1/rooms/1/notes?y=1", `{"x":1}`, `{"error":{"code":400,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest"}]}}`, 400, ""},
		"a refusal of no type":    {"/v1/rooms/1/notes?mask=x", `{}`, `{"error":{"code":400,"message":"m","details":[{}]}}`, 400, `a detail is of type ""`},
		"no refusal":              {"/v1/rooms/1/notes?mask=x", `{}`, `{"error":"no"}`, 400, "the answer is no error object"},
	} {
		t.Run(name, func(t *testing.T) {
			address, err := url.Parse(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			found := strings.Join(checker.violations(Exchange{
				Method: http.MethodPost, URL: address, RequestBody: []byte(tt.sent), Status: tt.status, Body: []byte(tt.answered),
			}), "; ")
			if tt.want == "" && found != "" || !strings.HasPrefix(found, tt.want) {
				t.Errorf("violations %q, want %q", found, tt.want)
			}
		})
	}
}
