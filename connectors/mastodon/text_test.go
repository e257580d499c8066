package mastodon

import (
	"net/http"
	"strings"
	"testing"
)

// counted are texts and how many characters Mastodon counts.
var counted = map[string]struct {
	text string
	want int
}{
	"nothing":                            {"", 0},
	"letters":                            {"hello", 5},
	"a family is one character":          {"👨‍👩‍👧‍👦", 1},
	"a letter and its accent are one":    {"e\u0301", 1},
	"a short URL counts 23":              {"http://a.de", 23},
	"a long URL counts 23":               {"https://example.com/" + strings.Repeat("a", 300), 23},
	"text around a URL":                  {"see https://example.com/a, ok", 4 + 23 + 4},
	"a query belongs to the URL":         {"https://example.com/?a=b&c=d", 23},
	"parentheses in pairs belong to it":  {"https://example.com/a_(b)", 23},
	"parentheses around it do not":       {"(https://example.com/a)", 25},
	"the full stop after it does not":    {"https://example.com/a.", 24},
	"a port belongs to it":               {"https://example.com:8443/x", 23},
	"a domain in other letters":          {"https://münchen.example/straße", 23},
	"two URLs":                           {"https://a.example https://b.example", 47},
	"no scheme, no URL":                  {"example.com/aaaaaaaaaaaaaaaaaaaaaaa", 35},
	"no top level, no URL":               {"http://localhost/", 17},
	"glued to a word, no URL":            {"xhttps://example.com", 20},
	"a digit after the top level, none":  {"http://example.com2", 19},
	"a remote mention is its local part": {"@alice@very.long.server.example hi", 9},
	"a local mention is itself":          {"@alice hi", 9},
	"glued to a word, no mention":        {"日本@alice@very.long.server.example", 33},
	"an address is no mention":           {"alice@example.com", 17},
	"a mention within a URL is the URL's": {
		"https://example.com/@alice@other.example/1", 23,
	},
	"a hashtag is itself": {"#tag", 4},
}

func TestCountText(t *testing.T) {
	for name, tt := range counted {
		t.Run(name, func(t *testing.T) {
			if got := countText(tt.text, usualLimits().URL); got != tt.want {
				t.Errorf("countText(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

// The simulator counts by a reading of its own of what Mastodon does: it takes 500
// characters and not one more.
func TestServerCountsTheSame(t *testing.T) {
	r, maxText := newRig(t), usualLimits().Text
	for name, tt := range counted {
		if tt.text == "" {
			continue
		}
		for characters, want := range map[int]int{maxText: http.StatusOK, maxText + 1: http.StatusUnprocessableEntity} {
			text := strings.Repeat("x", characters-tt.want-1) + " " + tt.text
			if response, body := r.ask(t, http.MethodPost, "/api/v1/statuses", "", newStatus{Status: text}); response.StatusCode != want {
				t.Errorf("%s: %d characters are answered %d %v", name, characters, response.StatusCode, body)
			}
		}
	}
}

func FuzzEntities(f *testing.F) {
	f.Add("@a@b.example https://example.com/(x #y")
	f.Add("https://a.example/((((")
	f.Add("https://a.example/\x80")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, e := range entities(text) {
			if e.start < last || e.end <= e.start || e.end > len(text) {
				t.Fatalf("entity %+v after %d in a text of %d bytes", e, last, len(text))
			}
			last = e.end
		}
	})
}
