package conformance_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crier/connectors/simulators/conformance"
)

// recorder takes what a checker reports.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// describe writes a description and names its folder.
func describe(t *testing.T, path, content string) {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CRIER_PLATFORM_DOCS", folder)
}

// exchange is a call with JSON both ways.
func exchange(t *testing.T, method, address, request string, status int, answer string) conformance.Exchange {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	e := conformance.Exchange{
		Method: method, URL: parsed, RequestBody: []byte(request), RequestHeader: http.Header{},
		Status: status, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: []byte(answer),
	}
	if request != "" {
		e.RequestHeader.Set("Content-Type", "application/json")
	}
	return e
}

// wantReport checks that an exchange is reported with a text; none for an empty one.
func wantReport(t *testing.T, c *conformance.Checker, e conformance.Exchange, want string) {
	t.Helper()
	r := &recorder{TB: t}
	c.Check(r, e)
	reported := strings.Join(r.errors, "\n")
	if want == "" && reported != "" || !strings.Contains(reported, want) {
		t.Errorf("reported %q, want %q", reported, want)
	}
}

const openAPIDocument = `{"openapi": "3.1.0",
	"paths": {
		"/notes": {"post": {
			"requestBody": {"content": {"application/json": {"schema": {"oneOf": [
				{"$ref": "#/components/schemas/Text"}, {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}]}}}},
			"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}}, "410": {}}}},
		"/notes/{id}": {"get": {
			"parameters": [{"name": "limit", "in": "query", "required": true, "schema": {"type": "integer"}}],
			"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}}}}}},
	"components": {"schemas": {
		"Text": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
		"Note": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "parent": {"type": ["string", "null"]}, "at": {"type": "string", "format": "date-time"}}}}}}`

func TestMastodon(t *testing.T) {
	describe(t, "mastodon/openapi.json", openAPIDocument)
	c := conformance.Mastodon(t)
	for name, tt := range map[string]struct {
		method, address, request string
		status                   int
		answer, want             string
	}{
		"as described":             {"POST", "/notes", `{"text": "a"}`, 200, `{"id": "1", "parent": null, "at": "2026-03-01T12:00:00Z"}`, ""},
		"with a parameter":         {"GET", "/notes/7?limit=3", "", 200, `{"id": "1"}`, ""},
		"unknown path":             {"POST", "/memos", "", 200, `{}`, "the path is not described"},
		"unknown method":           {"DELETE", "/notes", "", 200, `{}`, "the method is not described"},
		"unknown parameter":        {"GET", "/notes/7?limit=3&page=1", "", 200, `{"id": "1"}`, "page is not described"},
		"parameter of wrong type":  {"GET", "/notes/7?limit=all", "", 200, `{"id": "1"}`, "limit"},
		"missing parameter":        {"GET", "/notes/7", "", 200, `{"id": "1"}`, "limit is missing"},
		"body where none is":       {"GET", "/notes/7?limit=1", `{}`, 200, `{"id": "1"}`, "none is described"},
		"missing field":            {"POST", "/notes", `{}`, 200, `{"id": "1"}`, "the request is not as described"},
		"unknown field":            {"POST", "/notes", `{"text": "a", "txet": 1}`, 200, `{"id": "1"}`, "field txet"},
		"field of wrong type":      {"POST", "/notes", `{"text": 1}`, 200, `{"id": "1"}`, "the request is not as described"},
		"answer without a field":   {"POST", "/notes", `{"text": "a"}`, 200, `{}`, "the answer is not as described"},
		"answer with a wrong null": {"POST", "/notes", `{"text": "a"}`, 200, `{"id": null}`, "the answer is not as described"},
		"answer with a wrong date": {"POST", "/notes", `{"text": "a"}`, 200, `{"id": "1", "at": "today"}`, "the answer is not as described"},
		"answer that is no JSON":   {"POST", "/notes", `{"text": "a"}`, 200, `<html>`, "cannot be read"},
		"unknown status":           {"POST", "/notes", `{"text": "a"}`, 201, `{"id": "1"}`, "the status is not described"},
		"refused request":          {"POST", "/notes", `{"txet": 1}`, 410, ``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wantReport(t, c, exchange(t, tt.method, tt.address, tt.request, tt.status, tt.answer), tt.want)
		})
	}
}

const lexiconDocument = `{"lexicon": 1, "id": "com.example.note", "defs": {
	"main": {"type": "procedure",
		"parameters": {"type": "params", "properties": {"limit": {"type": "integer", "maximum": 9}}},
		"input": {"encoding": "application/json", "schema": {"type": "object", "required": ["text"], "properties": {
			"text": {"type": "string", "maxGraphemes": 3, "maxLength": 8},
			"by": {"type": "string", "format": "did"},
			"parent": {"type": "ref", "ref": "#parent"},
			"embed": {"type": "union", "refs": ["#parent"]},
			"picture": {"type": "blob", "accept": ["image/*"], "maxSize": 10}}}},
		"output": {"encoding": "application/json", "schema": {"type": "ref", "ref": "#parent"}},
		"errors": [{"name": "TooSad"}]},
	"parent": {"type": "object", "required": ["uri"], "properties": {"uri": {"type": "string", "format": "at-uri"}}}}}`

func TestBluesky(t *testing.T) {
	describe(t, "bluesky/lexicons/note.json", lexiconDocument)
	c := conformance.Bluesky(t)
	const path, good = "/xrpc/com.example.note", `{"uri": "at://did:plc:abc/app.bsky.feed.post/1"}`
	const picture = `{"$type": "blob", "ref": {"$link": "bafkreibme22gw2h7y2h7tg2fhqotaqjucnbc24deqo72b6mkl2egezxhvy"}, "mimeType": %q, "size": %d}`
	for name, tt := range map[string]struct {
		address, request string
		status           int
		answer, want     string
	}{
		"as described":          {path + "?limit=9", `{"text": "abc", "parent": ` + good + `}`, 200, good, ""},
		"emoji count once":      {path, `{"text": "👍🏽"}`, 200, good, ""},
		"unknown method":        {"/xrpc/com.example.memo", `{}`, 200, good, "the method is not described"},
		"unknown parameter":     {path + "?page=1", `{"text": "a"}`, 200, good, "parameters.page is not described"},
		"parameter too large":   {path + "?limit=10", `{"text": "a"}`, 200, good, "out of its bounds"},
		"parameter no number":   {path + "?limit=all", `{"text": "a"}`, 200, good, "described as integer"},
		"missing field":         {path, `{}`, 200, good, "input.text is missing"},
		"unknown field":         {path, `{"text": "a", "txet": 1}`, 200, good, "input.txet is not described"},
		"text too long":         {path, `{"text": "abcd"}`, 200, good, "4 graphemes"},
		"text with many bytes":  {path, `{"text": "👩‍👩‍👧"}`, 200, good, "18 bytes"},
		"no DID":                {path, `{"text": "a", "by": "somebody"}`, 200, good, "input.by is no did"},
		"bad reference":         {path, `{"text": "a", "parent": {}}`, 200, good, "input.parent.uri is missing"},
		"union without a type":  {path, `{"text": "a", "embed": ` + good + `}`, 200, good, "has no $type"},
		"union of another type": {path, `{"text": "a", "embed": {"$type": "com.example.else"}}`, 200, good, "not described for it"},
		"picture":               {path, `{"text": "a", "picture": ` + fmt.Sprintf(picture, "image/png", 9) + `}`, 200, good, ""},
		"picture too large":     {path, `{"text": "a", "picture": ` + fmt.Sprintf(picture, "image/png", 11) + `}`, 200, good, "11 bytes"},
		"film for a picture":    {path, `{"text": "a", "picture": ` + fmt.Sprintf(picture, "video/mp4", 9) + `}`, 200, good, "none of"},
		"bad answer":            {path, `{"text": "a"}`, 200, `{"uri": "https://example.com"}`, "output.uri is no at-uri"},
		"described error":       {path, `{"text": "a"}`, 400, `{"error": "TooSad", "message": "no"}`, ""},
		"undescribed error":     {path, `{"text": "a"}`, 400, `{"error": "TooGlad"}`, "TooGlad is none of"},
		"error without a name":  {path, `{"text": "a"}`, 500, `{"message": "no"}`, "no name"},
	} {
		t.Run(name, func(t *testing.T) {
			wantReport(t, c, exchange(t, "POST", tt.address, tt.request, tt.status, tt.answer), tt.want)
		})
	}
}

const botDocument = `{
	"methods": {"sendNote": {"returns": ["Note"], "fields": [
		{"name": "chat_id", "types": ["Integer", "String"], "required": true},
		{"name": "note", "types": ["InputFile", "String"]},
		{"name": "quiet", "types": ["Boolean"]},
		{"name": "parts", "types": ["Array of Part"]}]}},
	"types": {
		"Note": {"fields": [{"name": "id", "types": ["Integer"], "required": true}]},
		"Part": {"subtypes": ["Text", "Picture"]},
		"Text": {"fields": [{"name": "text", "types": ["String"], "required": true}]},
		"Picture": {"fields": [{"name": "media", "types": ["String"], "required": true}]},
		"ResponseParameters": {"fields": [{"name": "retry_after", "types": ["Integer"]}]}}}`

func TestTelegram(t *testing.T) {
	describe(t, "telegram/bot-api.json", botDocument)
	c := conformance.Telegram(t)
	const path, good = "/bot1:a/sendNote", `{"ok": true, "result": {"id": 1}}`
	for name, tt := range map[string]struct {
		address, request string
		status           int
		answer, want     string
	}{
		"as described":         {path, `{"chat_id": "@a", "quiet": false, "parts": [{"text": "a"}, {"media": "b"}]}`, 200, good, ""},
		"unknown method":       {"/bot1:a/sendMemo", `{}`, 200, good, "the method is not described"},
		"missing field":        {path, `{}`, 200, good, "request.chat_id is missing"},
		"unknown field":        {path, `{"chat_id": 1, "loud": true}`, 200, good, "request.loud is not described"},
		"field of wrong type":  {path, `{"chat_id": 1, "quiet": "no"}`, 200, good, "described as Boolean"},
		"fraction":             {path, `{"chat_id": 1.5}`, 200, good, "request.chat_id"},
		"part of no type":      {path, `{"chat_id": 1, "parts": [{"sound": "a"}]}`, 200, good, "request.parts[0]"},
		"answer without field": {path, `{"chat_id": 1}`, 200, `{"ok": true, "result": {}}`, "result.id is missing"},
		"answer of wrong type": {path, `{"chat_id": 1}`, 200, `{"ok": true, "result": {"id": "1"}}`, "described as Integer"},
		"error":                {path, `{"chat_id": 1}`, 429, `{"ok": false, "error_code": 429, "description": "wait", "parameters": {"retry_after": 3}}`, ""},
		"error that says ok":   {path, `{"chat_id": 1}`, 400, `{"ok": true, "result": {"id": 1}}`, "does not fit its status"},
		"error without a code": {path, `{"chat_id": 1}`, 400, `{"ok": false, "description": "no"}`, "answer.error_code is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			wantReport(t, c, exchange(t, "POST", tt.address, tt.request, tt.status, tt.answer), tt.want)
		})
	}
}

func TestTelegramReadsForms(t *testing.T) {
	describe(t, "telegram/bot-api.json", botDocument)
	c := conformance.Telegram(t)
	const part = "--x\r\nContent-Disposition: form-data; name=%q%s\r\n\r\n%s\r\n"
	upload := func(fields ...string) conformance.Exchange {
		e := exchange(t, "POST", "/bot1:a/sendNote", "", 200, `{"ok": true, "result": {"id": 1}}`)
		e.RequestHeader.Set("Content-Type", "multipart/form-data; boundary=x")
		e.RequestBody = []byte(strings.Join(fields, "") + "--x--\r\n")
		return e
	}
	chat := fmt.Sprintf(part, "chat_id", "", "12")
	file := func(field string) string { return fmt.Sprintf(part, field, `; filename="a.png"`, "content") }
	for name, tt := range map[string]struct {
		exchange conformance.Exchange
		want     string
	}{
		"a file":                   {upload(chat, file("note")), ""},
		"an attachment":            {upload(chat, fmt.Sprintf(part, "parts", "", `[{"media": "attach://f"}]`), file("f")), ""},
		"an attachment for nobody": {upload(chat, file("f")), "no field refers to file f"},
		"an unknown field":         {upload(chat, fmt.Sprintf(part, "loud", "", "true")), "field loud"},
		"a wrong type":             {upload(chat, fmt.Sprintf(part, "quiet", "", "often")), "described as Boolean"},
		"a missing field":          {upload(file("note")), "request.chat_id is missing"},
	} {
		t.Run(name, func(t *testing.T) { wantReport(t, c, tt.exchange, tt.want) })
	}
}
