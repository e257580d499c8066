package mastodon

import (
	"net/http"
	"testing"

	"crier/connectors/simulators/simulation"
)

func TestPlainText(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"entities":              {"<p>&lt;b&gt; &amp; &quot;c&quot;</p>", "\n<b> & \"c\""},
		"paragraphs and breaks": {"<p>a<br />b</p><p>c</p>", "\na\nb\nc"},
		"a link is its address": {`<p><a href="https://example.com/x?a=1&amp;b=2"><span class="invisible">https://</span><span class="ellipsis">example.com/x</span></a></p>`, "\nhttps://example.com/x?a=1&b=2"},
		"a mention as shown":    {`<p><span class="h-card"><a href="https://b.example/@a" class="u-url mention">@<span>a</span></a></span> hi</p>`, "\n@a hi"},
		"a hashtag as shown":    {`<p><a href="https://b.example/tags/x" class="mention hashtag" rel="tag">#<span>X</span></a></p>`, "\n#X"},
		"a link left open":      {`<p><a href="https://example.com">shown`, "\nshown"},
		"no markup":             {"plain", "plain"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plainText(tt.content); got != tt.want {
				t.Errorf("plainText = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSameText(t *testing.T) {
	for name, tt := range map[string]struct {
		sent, listed string
		want         bool
	}{
		"the same":                  {"hello", "hello", true},
		"another":                   {"hello", "hallo", false},
		"another number":            {"post 12", "post 13", false},
		"more":                      {"hello", "hello there", false},
		"space and line ends":       {"a  b\r\n\r\nc ", "a b\nc", true},
		"typographic quotes":        {`"a" -- b...`, "“a” – b…", true},
		"composed letters":          {"e\u0301", "é", true},
		"markup that was eaten":     {"a *b* `c`", "a b c", true},
		"a mention without server":  {"hi @a@b.example!", "hi @a!", true},
		"a mention of another":      {"hi @a@b.example!", "hi @c!", false},
		"an address with a slash":   {"https://example.com", "https://example.com/", true},
		"an address, escaped":       {"https://example.com/é", "https://example.com/%C3%A9", true},
		"another address":           {"https://example.com/a", "https://example.com/b", false},
		"emoji":                     {"❤️", "❤", true},
		"another emoji":             {"🎉", "🔥", false},
		"nothing but punctuation":   {"?!", "? !", true},
		"other punctuation":         {"?!", "!?", false},
		"nothing and nothing":       {"", "\n", true},
		"nothing and punctuation":   {"", "!", false},
		"letters of other scripts":  {"こんにちは", "こんばんは", false},
		"signs of money":            {"5€", "5£", false},
		"upper and lower case tags": {"#CamelCase", "#camelcase", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sameText(tt.sent, tt.listed); got != tt.want {
				t.Errorf("sameText(%q, %q) = %t, want %t", tt.sent, tt.listed, got, tt.want)
			}
		})
	}
}

// What a server makes of a text is recognised as that text, and as no other.
func TestServersHTMLIsRecognised(t *testing.T) {
	texts := []string{
		"", "hello", "two\n\nparagraphs\nand a line", `<b>"bold" & 'more'</b>`,
		"see https://www.example.com/a/very/long/path/that/is/cut?with=query&and=more#fragment.",
		"(https://example.com/a_(b))", "hi @alice@other.example and @bob", "#Tag and #другой, #1",
		"mail alice@example.com", "https://example.com/@alice@other.example/1", "日本語 https://例え.example/パス です",
		"👩‍👩‍👧 🎉", "5 < 6 > 4 &amp; done", "?!",
	}
	r := newRig(t)
	for _, other := range texts {
		post := r.add(t, simulation.Post{Text: other})
		_, status := r.ask(t, http.MethodGet, "/api/v1/statuses/"+post.ID, "", nil)
		content := status["content"].(string)
		for _, sent := range texts {
			if got, want := sameText(sent, plainText(content)), sent == other; got != want {
				t.Errorf("%q is taken for %q: %t, want %t (%s)", content, sent, got, want, plainText(content))
			}
		}
	}
}
