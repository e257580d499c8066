package bluesky

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bluesky-social/indigo/atproto/syntax"

	"crier/connectors"
)

// resolveTest knows every handle but those under .invalid.
func resolveTest(handle string) (string, error) {
	if strings.HasSuffix(handle, ".invalid") {
		return "", nil
	}
	return "did:" + handle, nil
}

func covered(text string, f facet) string {
	of := f.Features[0]
	return fmt.Sprintf("%s=%s", text[f.Index.Start:f.Index.End], of.URI+of.DID+of.Tag)
}

func TestFacets(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string // in order: the text covered, and what it is
	}{
		"nothing":                        {"just words, 100% of them", nil},
		"a link":                         {"see https://example.com/a?b=c#d now", []string{"https://example.com/a?b=c#d=https://example.com/a?b=c#d"}},
		"a link after emoji":             {"👨‍👩‍👧‍👦 é https://example.com", []string{"https://example.com=https://example.com"}},
		"a link at a sentence's end":     {"Read https://example.com/a. Now!", []string{"https://example.com/a=https://example.com/a"}},
		"several signs at the end":       {"really https://example.com/a?!...", []string{"https://example.com/a=https://example.com/a"}},
		"a link in parentheses":          {"this (https://example.com/a) one", []string{"https://example.com/a=https://example.com/a"}},
		"parentheses of the link":        {"https://en.wikipedia.org/wiki/Go_(game)", []string{"https://en.wikipedia.org/wiki/Go_(game)=https://en.wikipedia.org/wiki/Go_(game)"}},
		"both":                           {"(see https://example.com/Go_(game)).", []string{"https://example.com/Go_(game)=https://example.com/Go_(game)"}},
		"quotes around it":               {`he wrote (https://example.com/a")`, []string{"https://example.com/a=https://example.com/a"}},
		"a bare domain":                  {"go to example.com, now", []string{"example.com=https://example.com"}},
		"a bare domain with a path":      {"example.co.uk/path?x=1", []string{"example.co.uk/path?x=1=https://example.co.uk/path?x=1"}},
		"a bare domain at the end":       {"It is example.com.", []string{"example.com=https://example.com"}},
		"two bare domains":               {"a.com b.com", []string{"a.com=https://a.com", "b.com=https://b.com"}},
		"a file is no domain":            {"edit main.go or v1.2.3", nil},
		"a suffix alone is no domain":    {"the co.uk registry", nil},
		"an e-mail address is no domain": {"write to john.me@example.com", nil},
		"capitals in the scheme":         {"HTTPS://Example.com/A", []string{"HTTPS://Example.com/A=https://example.com/A"}},
		"letters beyond ASCII":           {"https://bücher.example/größe?q=ü", []string{"https://bücher.example/größe?q=ü=https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe?q=%C3%BC"}},
		"a wide space before":            {"見て　https://example.jp/a。", []string{"https://example.jp/a=https://example.jp/a"}},
		// Addresses that Bluesky's own app makes links of (rinku #82, linkify-it #68, turbohtml #100).
		"an underscore in a host":        {"see https://my_shop.example.com/a now", []string{"https://my_shop.example.com/a=https://my_shop.example.com/a"}},
		"hyphens where IDNA has its own": {"see https://r3---sn-abc.example.com/a now", []string{"https://r3---sn-abc.example.com/a=https://r3---sn-abc.example.com/a"}},
		"a percent sign alone":           {"save https://example.com/100%-off today", []string{"https://example.com/100%-off=https://example.com/100%-off"}},
		"an address of IPv6":             {"go https://[2001:db8::1]/x ok", []string{"https://[2001:db8::1]/x=https://[2001:db8::1]/x"}},
		"an address of IPv6 with a port": {"go https://[2001:db8::1]:8443/x ok", []string{"https://[2001:db8::1]:8443/x=https://[2001:db8::1]:8443/x"}},
		"an underscore beside an umlaut": {"https://mein_laden.bücher.example/a", []string{"https://mein_laden.bücher.example/a=https://mein_laden.xn--bcher-kva.example/a"}},
		"a bare domain with underscores": {"go to my_shop.example.com now", []string{"my_shop.example.com=https://my_shop.example.com"}},
		"a port that is none":            {"https://example.com:port/a", nil},
		"a hyphen at a label's end":      {"https://a-.example.com/", []string{"https://a-.example.com/=https://a-.example.com/"}},
		"a scheme without a host":        {"https:// is a scheme", nil},
		"a mention":                      {"hi @alice.bsky.social!", []string{"@alice.bsky.social=did:alice.bsky.social"}},
		"a mention in capitals":          {"@Alice.Example.com", []string{"@Alice.Example.com=did:alice.example.com"}},
		"a mention at a sentence's end":  {"Ask @alice.example.com.", []string{"@alice.example.com=did:alice.example.com"}},
		"a mention in parentheses":       {"(@alice.example.com)", []string{"@alice.example.com=did:alice.example.com"}},
		"a handle nobody has":            {"hi @ghost.invalid", nil},
		"a name is no handle":            {"hi @alice", nil},
		"an address has no mention":      {"me@alice.example.com", nil},
		"a mention in a link":            {"https://example.com/(@alice.example.com", []string{"https://example.com/(@alice.example.com=https://example.com/(@alice.example.com"}},
		"a hashtag":                      {"all #golang, really", []string{"#golang=golang"}},
		"a hashtag after emoji":          {"🎉 #party🎉", []string{"#party🎉=party🎉"}},
		"hashtags in a row":              {"#a #b", []string{"#a=a", "#b=b"}},
		"a wide sign":                    {"＃日本", []string{"＃日本=日本"}},
		"digits are no hashtag":          {"#1 and #2026", nil},
		"digits and letters are":         {"#2fast", []string{"#2fast=2fast"}},
		"the emoji of a key":             {"press #️⃣ now", nil},
		"a fragment is no hashtag":       {"a#b", nil},
		"a hashtag of 65 letters":        {"#" + strings.Repeat("x", 65), nil},
		"an underscore inside":           {"#snake_case_", []string{"#snake_case=snake_case"}},
		"all in order": {"#tag @a.example.com https://b.com", []string{
			"#tag=tag", "@a.example.com=did:a.example.com", "https://b.com=https://b.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			facets, err := facetsOf(tt.text, resolveTest)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range facets {
				got = append(got, covered(tt.text, f))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("facets = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFacetsCountBytes(t *testing.T) {
	facets, err := facetsOf("é👍 #go", resolveTest)
	if err != nil || len(facets) != 1 {
		t.Fatalf("facetsOf = %v, %v", facets, err)
	}
	if want := (byteSlice{Start: 7, End: 10}); facets[0].Index != want {
		t.Errorf("index = %+v, want %+v", facets[0].Index, want)
	}
}

func TestMentionsAreResolvedOnce(t *testing.T) {
	calls := 0
	facets, err := facetsOf("@a.example.com and @A.example.com", func(string) (string, error) {
		calls++
		return "did:plc:a", nil
	})
	if err != nil || len(facets) != 2 || calls != 1 {
		t.Errorf("facets = %v, %v after %d calls", facets, err, calls)
	}
}

func TestMentionsThatCannotBeLookedUpAreNoText(t *testing.T) {
	down := errors.New("down")
	if _, err := facetsOf("@a.example.com", func(string) (string, error) { return "", down }); !errors.Is(err, down) {
		t.Errorf("err = %v, want %v", err, down)
	}
}

// Whatever the text, the facets are ones that the lexicon and every client take.
func FuzzFacets(f *testing.F) {
	for _, seed := range []string{
		"hello #wörld https://example.com/a(b).", "@a.example.com,#＃x", "é\u0301 http://[::1]:80/ #️⃣",
		"(a.com) b.co.uk/#?:x http://%zz #\u200d", "https://xn--a.com:99999 \xff#\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		facets, err := facetsOf(text, resolveTest)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, facet := range facets {
			at := facet.Index
			if at.Start < end || at.End <= at.Start || at.End > len(text) || !utf8.ValidString(text[at.Start:at.End]) {
				t.Fatalf("facet %+v of %q, after %d", facet, text, end)
			}
			end = at.End
			if tag := facet.Features[0].Tag; len(tag) > maxTagBytes || connectors.Graphemes(tag) > maxTagGraphemes {
				t.Errorf("tag %q", tag)
			}
			if uri := facet.Features[0].URI; uri != "" {
				if _, err := syntax.ParseURI(uri); err != nil {
					t.Errorf("link of %q: %v", text, err)
				}
			}
		}
	})
}
