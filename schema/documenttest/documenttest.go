// Package documenttest holds documents against the code that parts of them are made from.
package documenttest

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the parts of documents that are made from the code")

// Part is a part of a document that is made from the code: all between two texts of it.
type Part struct {
	Begin, End string
	Text       string
	Same       func(written, text string) bool // nil: only what is equal is the same
}

// Hold fails the test where a part of a document is missing, or not the same as it is made now; with -update such a
// part is written.
func Hold(t testing.TB, document string, parts ...Part) {
	t.Helper()
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for _, p := range parts {
		before, rest, found := strings.Cut(text, p.Begin)
		written, after, ended := strings.Cut(rest, p.End)
		switch {
		case !found || !ended:
			t.Fatalf("%s has no place for what is made from the code: %q … %q", document, p.Begin, p.End)
		case written == p.Text || p.Same != nil && p.Same(written, p.Text):
		case *update:
			text = before + p.Begin + p.Text + p.End + after
		default:
			t.Errorf("%s differs from the code after %q; %s writes it with -update:\n%s", document, p.Begin, t.Name(), p.Text)
		}
	}
	if text == string(content) {
		return
	}
	if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
