package schema

import "testing"

// TestPastedHandles has handles as they come from pages, where they stand between signs that nobody sees.
func TestPastedHandles(t *testing.T) {
	for _, text := range []string{
		"acme.example", " acme.example\t", "@acme.example", "\u2066acme.example\u2069", "\u202a@acme.example\u202c",
		"@\u00a0acme.example", "\ufeffacme.example\u200b", "@\u200eacme.example\u00a0",
	} {
		if got := PastedHandle(text); got != "acme.example" {
			t.Errorf("%+q is %+q", text, got)
		}
	}
}
