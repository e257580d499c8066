package body

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crier/schema"
)

func TestParseDocumentNamesWhereABodyIsMalformed(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"nothing":                 {``, "needs one in JSON"},
		"nothing but a line":      {"\n", "needs one in JSON"},
		"a stray comma":           {"{\n \"a\": 1,,\n}", "line 2, column 9"},
		"no quotes":               {"{\"a\":\n  yes}", "line 2, column 3"},
		"cut off":                 {`{"a": [1, 2`, "line 1, column 12"},
		"cut off in a string":     {`{"a": "b`, "line 1, column 9"},
		"more after the end":      {"{}\n{}", "line 2, column 1"},
		"a field twice":           {`{"a": 1, "a": 2}`, `"a" occurs twice`},
		"a character U+0000":      {`{"a": "b\u0000"}`, "U+0000"},
		"a text in Latin-1":       {"{\"a\":\n\"Caf\xe9\"}", "line 2, column 1: a string must be in UTF-8"},
		"a name that is no UTF-8": {"{\"a\xe9\": 1}", "a string must be in UTF-8"},
		"half of an emoji":        {`{"a": "😀 \\ \ud83d"}`, "line 1, column 16: half of a surrogate pair"},
		"its other half":          {`{"a": "\ude00"}`, "half of a surrogate pair"},
		"halves the wrong way":    {`{"a": "\ude00\ud83d"}`, "half of a surrogate pair"},
		"a half before a quote":   {`{"a": "\ud83d\""}`, "half of a surrogate pair"},
		"too deep":                {strings.Repeat("[", 40) + strings.Repeat("]", 40), "deeper than 32"},
		"no JSON at all":          {`content=hello`, "line 1, column 1"},
		"an object not closed]":   {`{"a": 1]`, "line 1, column 8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseDocument([]byte(tt.body))
			e, ok := errors.AsType[*schema.Error](err)
			if !ok || e.Kind != schema.Invalid {
				t.Fatalf("parseDocument = %v, want a validation error", err)
			}
			if !strings.Contains(e.Message, tt.want) {
				t.Errorf("message = %q, want %q in it", e.Message, tt.want)
			}
		})
	}
}

func TestParseDocumentReadsWhatIsEscaped(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"an emoji":                     {`"\ud83d\ude00!"`, "😀!"},
		"emojis in a row":              {`"\uD83D\uDE00\ud83d\ude00"`, "😀😀"},
		"what looks like one":          {`"\\ud83d"`, `\ud83d`},
		"the replacement character":    {`"\ufffd�"`, "��"},
		"a backslash before an escape": {`"\\\u00e9"`, `\é`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := parseDocument([]byte(tt.body)); err != nil || got.Text != tt.want {
				t.Errorf("parseDocument = %q, %v; want %q", got.Text, err, tt.want)
			}
		})
	}
}

func TestParseDocumentRefusesAFieldTwiceAmongMany(t *testing.T) {
	var body strings.Builder
	body.WriteByte('{')
	for c := 'a'; c <= 'z'; c++ {
		body.WriteString(`"` + string(c) + `":1,`)
	}
	body.WriteString(`"q":1}`)
	if _, err := parseDocument([]byte(body.String())); err == nil {
		t.Error("a field twice passes")
	}
}

func TestCanonicalDoesNotDependOnHowABodyIsWritten(t *testing.T) {
	spaced := `{"b": [1.50, "é", true, null], "a": {"y": 12345678901234567890, "x": "\"<"}}`
	other := "{\"a\":{\"x\":\"\\u0022\\u003c\",\n\"y\":12345678901234567890},\"b\":[15e-1,\"\\u00e9\",true,null]}"
	if a, b := canonical(t, spaced), canonical(t, other); a != b {
		t.Errorf("canonical forms differ:\n%s\n%s", a, b)
	}
}

// FuzzParseDocument holds the tree against encoding/json: both read the same of a body.
func FuzzParseDocument(f *testing.F) {
	for _, body := range []string{
		`{"a": [1, -2.5e+3, "b\\\"\u00e9", true, false, null, {}, []], "": {" ": ""}}`, ` 0 `, `"\ud800"`, "\"\xff\"", `[[[]]]`, `{"a":1,"a":2}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		root, err := parseDocument([]byte(body))
		var want any
		decoder := json.NewDecoder(strings.NewReader(body))
		decoder.UseNumber()
		if !json.Valid([]byte(body)) || decoder.Decode(&want) != nil {
			if err == nil {
				t.Fatalf("%q is no JSON and passes", body)
			}
			return
		}
		if err != nil {
			return // twice the same field, too deep, U+0000, not UTF-8
		}
		if got := plainValue(root); !reflect.DeepEqual(got, want) {
			t.Errorf("parseDocument(%q) = %#v, want %#v", body, got, want)
		}
		if !json.Valid(root.AppendCanonical(nil)) {
			t.Errorf("the canonical form %s is no JSON", root.AppendCanonical(nil))
		}
	})
}

// plainValue makes of a value what encoding/json would.
func plainValue(v Value) any {
	switch v.Kind {
	case boolean:
		return v.truth
	case Number:
		return json.Number(v.Text)
	case Text:
		return v.Text
	case list:
		items := make([]any, len(v.Items))
		for i := range v.Items {
			items[i] = plainValue(v.Items[i])
		}
		return items
	case Object:
		members := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			members[m.Name] = plainValue(m.Value)
		}
		return members
	default:
		return nil
	}
}

func TestCanonicalTellsBodiesApart(t *testing.T) {
	seen := make(map[string]string)
	for _, body := range []string{`{}`, `[]`, `null`, `""`, `"1"`, `1`, `true`, `false`, `[1,2]`, `[2,1]`, `[12]`,
		`{"a":null}`, `{"a":"b"}`, `{"b":"a"}`, `{"a":{"b":1}}`, `12345678901234567891`, `12345678901234567890`} {
		c := canonical(t, body)
		if twin, ok := seen[c]; ok {
			t.Errorf("%s and %s have the same form %s", body, twin, c)
		}
		seen[c] = body
	}
}

func TestFormNamesWrongTypesAndUnknownFields(t *testing.T) {
	body := []byte("{\"content\": 5,\n \"platforms\": [{\"platform\": true, \"acount\": 1}], \"nil\": null, \"cleared\": null, \"timezne\": 1}")
	root, err := parseDocument(body)
	if err != nil {
		t.Fatal(err)
	}
	r := Report{Body: body}
	f := NewForm(root, &r)
	f.Text("content", 10)
	f.Text("timezone", 10)
	if _, ok := f.Text("nil", 10); ok {
		t.Error("null is a text")
	}
	if !f.IsNull("cleared") {
		t.Error("a field that null clears is not null")
	}
	if _, ok := f.Text("cleared", 10); ok {
		t.Error("null is a text")
	}
	items, _ := f.List("platforms", 3)
	inner, _ := f.Child(items[0], "platforms", 0)
	inner.Text("platform", 10)
	inner.Text("accountId", 10)
	inner.NoteUnread()
	f.NoteUnread()

	want := []schema.Detail{
		{Field: "content", Code: CodeInvalidType, Message: "must be a string, not a number (line 1, column 13)"},
		{Field: "nil", Code: CodeInvalidType, Message: "must be a string, not null (line 2, column 57); leave the field out instead"},
		{Field: "platforms[0].platform", Code: CodeInvalidType, Message: "must be a string, not a boolean (line 2, column 29)"},
	}
	if !slices.Equal(r.Errors, want) {
		t.Errorf("errors = %+v, want %+v", r.Errors, want)
	}
	unknown := []schema.Detail{
		{Field: "platforms[0].acount", Code: CodeUnknownField, Message: "this field is not known and was ignored"},
		{Field: "timezne", Code: CodeUnknownField, Message: "this field is not known and was ignored; did you mean timezone?"},
	}
	if !slices.Equal(r.Warnings, unknown) {
		t.Errorf("warnings = %+v, want %+v", r.Warnings, unknown)
	}
}

func canonical(t *testing.T, body string) string {
	t.Helper()
	root, err := parseDocument([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return string(root.AppendCanonical(nil))
}
