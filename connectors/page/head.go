package page

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// head is what a page says of itself.
type head struct{ title, description, picture string }

// Tags that stand among the names of what a page says.
const (
	titleTag = "<title>"
	baseTag  = "<base>"
)

// The longest texts that are taken, in characters. Previews show less of them.
const (
	MaxTitle       = 300
	MaxDescription = 1000
)

// sniffed is how much of a page shows what it is and how it is encoded, in bytes.
const sniffed = 1024

// readHead reads an HTML page that was found at an address; false: it is none. What follows an error of its
// content is not there. Names are those of ogp.me, X's cards and HTML, the first ones count.
func readHead(content *bufio.Reader, contentType string, at *url.URL) (head, bool) {
	start, _ := content.Peek(sniffed) // which may be all of it
	if !isHTML(contentType, start) {
		return head{}, false
	}
	tags := scan(content, charsetOf(start, contentType))
	first := func(names ...string) string {
		for _, name := range names {
			if text := plain(tags[name]); text != "" {
				return text
			}
		}
		return ""
	}
	return head{
		title:       clip(first("og:title", "twitter:title", titleTag), MaxTitle),
		description: clip(first("og:description", "twitter:description", "description"), MaxDescription),
		picture: addressOf(at, tags[baseTag],
			first("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src")),
	}, true
}

// isHTML reports whether a content type is that of a page. Where none is given the content tells.
func isHTML(contentType string, start []byte) bool {
	if contentType == "" {
		contentType = http.DetectContentType(start)
	}
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// A charset makes the text of a page UTF-8.
type textCharset struct {
	reader func(io.Reader) io.Reader // of all of the page
	text   func(string) string       // of one text
}

// charsetOf finds out how a page is encoded. What says nothing is windows-1252 to browsers and UTF-8 to
// people: each of its texts is what it is valid as.
func charsetOf(start []byte, contentType string) textCharset {
	encoding, name, _ := charset.DetermineEncoding(start, contentType)
	asIs := textCharset{func(r io.Reader) io.Reader { return r }, func(text string) string { return text }}
	switch name {
	case "utf-8":
		return asIs
	case "windows-1252":
		asIs.text = func(text string) string {
			if utf8.ValidString(text) {
				return text
			}
			decoded, _ := charmap.Windows1252.NewDecoder().String(text) // it has a sign for each byte
			return decoded
		}
		return asIs
	default:
		asIs.reader = func(r io.Reader) io.Reader { return encoding.NewDecoder().Reader(r) }
		return asIs
	}
}

// scan collects the first text of each name. It ends where the body begins, unless the page has said
// nothing for previews by then: some do so in their body.
func scan(content io.Reader, from textCharset) map[string]string {
	tags := map[string]string{}
	note := func(name, text string) {
		if tags[name] == "" {
			tags[name] = from.text(text)
		}
	}
	tokens := html.NewTokenizer(from.reader(content))
	for inBody := false; ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return tags
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, hasAttributes := tokens.TagName()
		switch tag := atom.Lookup(name); {
		case tag == atom.Body:
			if inBody = true; tags["og:title"]+tags["twitter:title"] != "" {
				return tags
			}
		case tag == atom.Title && !inBody:
			if tokens.Next() == html.TextToken {
				note(titleTag, string(tokens.Text()))
			}
		case tag == atom.Meta && hasAttributes:
			meta := attributesOf(tokens)
			for _, name := range namesOf(meta) {
				note(name, meta["content"])
			}
		case tag == atom.Base && hasAttributes:
			note(baseTag, attributesOf(tokens)["href"])
		}
	}
}

// attributesOf returns the attributes of a tag; the first of a name counts.
func attributesOf(tokens *html.Tokenizer) map[string]string {
	all := map[string]string{}
	for more := true; more; {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		if _, known := all[string(key)]; !known {
			all[string(key)] = string(value)
		}
	}
	return all
}

// namesOf returns the names of a meta tag that previews use. Pages write them into either attribute,
// whatever the documents say.
func namesOf(meta map[string]string) (names []string) {
	for _, attribute := range []string{"property", "name"} {
		name := strings.ToLower(strings.TrimSpace(meta[attribute]))
		if strings.HasPrefix(name, "og:") || strings.HasPrefix(name, "twitter:") || name == "description" {
			names = append(names, name)
		}
	}
	return names
}

// plain makes a text one line without signs that nobody sees.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r == '\ufeff' || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// clip cuts a text that is too long, between two words where they are short.
func clip(text string, maximum int) string {
	if utf8.RuneCountInString(text) <= maximum {
		return text
	}
	cut := string([]rune(text)[:maximum-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + "…"
}

// addressOf returns where the picture is that a page names; empty: it is not on the web.
func addressOf(at *url.URL, base, named string) string {
	if named == "" {
		return ""
	}
	if u, err := at.Parse(strings.TrimSpace(base)); err == nil {
		at = u
	}
	u, err := at.Parse(named)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
