package reference

import (
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

const shared = `
components:
  schemas:
    Fields: {type: object, required: [id], properties: {id: {type: string}, platforms: {type: array, maxItems: 3, items: {$ref: '#/components/schemas/Name'}}}}
    Name: {type: string, enum: [a, b]}
    Create:
      allOf:
        - {$ref: '#/components/schemas/Fields'}
        - {type: object, required: [platforms], properties: {status: {type: [string, 'null'], default: draft}}}
`

func TestFieldsAreThoseOfAllPartsOfASchema(t *testing.T) {
	document, err := parse([]byte(shared))
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{site: &site{document: document}}
	got := r.fields(document.object("components", "schemas", "Create"))
	names := make([]string, len(got))
	for i, f := range got {
		names[i] = f.Name
	}
	if want := []string{"id", "platforms", "status"}; !slices.Equal(names, want) {
		t.Fatalf("fields = %v, want %v", names, want)
	}
	if !got[0].Required || !got[1].Required || got[2].Required {
		t.Errorf("required: %t, %t, %t; want the first two", got[0].Required, got[1].Required, got[2].Required)
	}
	if list := got[1].Type; list.Many != "array of " || list.Link != "Name" || !slices.Contains(list.Facts, "at most 3 items") {
		t.Errorf("platforms = %+v, want an array of Name, of at most 3", list)
	}
	if status := got[2].Type; status.Text != "string or null" || !slices.Contains(status.Facts, "default draft") {
		t.Errorf("status = %+v, want string or null", status)
	}
}

func TestExamplesKeepTheirOrder(t *testing.T) {
	document, err := parse([]byte("{z: 1, a: [true, \"<b>\"], m: {}}"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "{\n  \"z\": 1,\n  \"a\": [\n    true,\n    \"<b>\"\n  ],\n  \"m\": {}\n}"
	if got := indented(yaml.MapSlice(document)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestProseIsEscaped(t *testing.T) {
	const want = "<p>a &lt;b&gt;</p><p><code>c&lt;</code></p>"
	if got := prose("a <b>\n\n`c<`\n"); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
