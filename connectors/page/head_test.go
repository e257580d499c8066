package page

import (
	"bufio"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

func TestHead(t *testing.T) {
	const at = "https://example.com/blog/post"
	og := `<meta property="og:title" content="A title"><meta property="og:description" content="What it says">`
	inJapanese, err := japanese.ShiftJIS.NewEncoder().String(`<meta charset="shift_jis"><title>日本語</title>`)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(`<title>Čau</title>`)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		page, contentType string
		want              head
		isNone            bool
	}{
		"Open Graph": {page: og + `<meta property="og:image" content="/a.png">`, want: head{"A title", "What it says", "https://example.com/a.png"}},
		"X's card": {
			page: `<meta name="twitter:title" content="T"><meta name="twitter:description" content="D"><meta name="twitter:image" content="https://cdn.example/a.jpg">`,
			want: head{"T", "D", "https://cdn.example/a.jpg"},
		},
		"HTML alone":                   {page: `<title>A &amp; B</title><meta name="description" content="D">`, want: head{"A & B", "D", ""}},
		"Open Graph before the others": {page: `<title>x</title><meta name="twitter:title" content="y">` + og, want: head{"A title", "What it says", ""}},
		"an empty one does not count":  {page: `<meta property="og:title" content=" "><title>T</title>`, want: head{title: "T"}},
		"the first of a name":          {page: `<meta property=og:title content=1><meta property=og:title content=2>`, want: head{title: "1"}},
		"the names in either attribute": {
			page: `<META NAME="og:title" CONTENT="T"><meta property="twitter:description" content="D">`, want: head{title: "T", description: "D"},
		},
		"one line":               {page: "<title>\n  A\t\x00title \n</title>", want: head{title: "A title"}},
		"the base of addresses":  {page: `<base href="/images/">` + `<meta property="og:image" content="a.png">`, want: head{picture: "https://example.com/images/a.png"}},
		"a secure picture":       {page: `<meta property="og:image" content="http://a.example/1"><meta property="og:image:secure_url" content="https://a.example/1">`, want: head{picture: "https://a.example/1"}},
		"no picture of the web":  {page: `<title>T</title><meta property="og:image" content="data:image/png;base64,AA==">`, want: head{title: "T"}},
		"a picture without host": {page: `<title>T</title><meta property="og:image" content="https:///a.png">`, want: head{title: "T"}},
		"what the body says counts where the head says nothing": {
			page: `<title>shell</title><body><svg><title>icon</title></svg>` + og, want: head{"A title", "What it says", ""},
		},
		"and not where it does":   {page: og + `<body><meta property="og:image" content="/a.png">`, want: head{"A title", "What it says", ""}},
		"no title of a drawing":   {page: `<body><svg><title>icon</title></svg>`},
		"names in scripts":        {page: `<script>var a = '<meta property="og:title" content="x">'</script><title>T</title>`, want: head{title: "T"}},
		"UTF-8 that says nothing": {page: "<!doctype html>" + strings.Repeat(" ", 2000) + "<title>Grüße</title>", want: head{title: "Grüße"}},
		"windows-1252":            {page: "<title>Gr\xfc\xdfe</title>", want: head{title: "Grüße"}},
		"UTF-8 called latin-1":    {page: "<meta charset=iso-8859-1><title>Grüße</title>", want: head{title: "Grüße"}},
		"Shift JIS":               {page: inJapanese, want: head{title: "日本語"}},
		"a charset of the header": {page: "<title>\xe8</title>", contentType: "text/html; charset=iso-8859-2", want: head{title: "č"}},
		"UTF-16":                  {page: wide, contentType: "text/html", want: head{title: "Čau"}},
		"XHTML":                   {page: `<?xml version="1.0"?><html><head><title>T</title></head></html>`, contentType: "application/xhtml+xml", want: head{title: "T"}},
		"no type given":           {page: `<!doctype html><title>T</title>`, contentType: " ", isNone: true},
		"a PDF":                   {page: "%PDF-1.7 <title>T</title>", contentType: "application/pdf", isNone: true},
		"a picture":               {page: "\x89PNG\r\n\x1a\n", contentType: "image/png", isNone: true},
		"an empty page":           {},
		"a cut tag":               {page: `<title>T</title><meta property="og:title" conte`, want: head{title: "T"}},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.contentType == "" {
				tt.contentType = "text/html"
			}
			got, ok := readHead(bufio.NewReader(strings.NewReader(tt.page)), tt.contentType, parsed(t, at))
			if got != tt.want || ok == tt.isNone {
				t.Errorf("readHead = %+v, %t, want %+v", got, ok, tt.want)
			}
		})
	}
}

func TestTypeByContent(t *testing.T) {
	got, ok := readHead(bufio.NewReader(strings.NewReader("<!doctype html><title>T</title>")), "", parsed(t, "https://a.example/"))
	if !ok || got.title != "T" {
		t.Errorf("readHead = %+v, %t", got, ok)
	}
	if _, ok := readHead(bufio.NewReader(strings.NewReader("%PDF-1.7")), "", parsed(t, "https://a.example/")); ok {
		t.Error("a PDF without a type is a page")
	}
}

func TestLongTextsAreClipped(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"short enough":       {"ab cd", "ab cd"},
		"at a word":          {"abcd efgh", "abcd…"},
		"within a long word": {"abcdefghij", "abcd…"},
		"by characters":      {"ééééé", "ééééé"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := clip(tt.text, 5); got != tt.want {
				t.Errorf("clip(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func parsed(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func FuzzHead(f *testing.F) {
	f.Add([]byte(`<html><head><base href="/x/"><meta property="og:title" content="A &amp; B"><meta name="og:image" content="a.png"></head><body>`), "text/html")
	f.Add([]byte("<meta charset=\"shift_jis\"><title>\x93\xfa\x96\x7b</title>"), "text/html; charset=utf-8")
	f.Add([]byte("\xff\xfe<\x00t\x00i\x00t\x00l\x00e\x00>\x00a\x00"), "application/xhtml+xml")
	f.Fuzz(func(t *testing.T, content []byte, contentType string) {
		found, isPage := readHead(bufio.NewReader(strings.NewReader(string(content))), contentType, parsed(t, "https://example.com/a/b?c"))
		if !isPage && found != (head{}) {
			t.Fatalf("what is no page says %+v", found)
		}
		for text, maximum := range map[string]int{found.title: MaxTitle, found.description: MaxDescription} {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maximum || text != plain(text) {
				t.Fatalf("a text is %q", text)
			}
		}
		if found.picture == "" {
			return
		}
		if u := parsed(t, found.picture); u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			t.Fatalf("the picture is at %q", found.picture)
		}
	})
}
