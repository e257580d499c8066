package twitter

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/text/unicode/norm"
)

// The weights of docs.x.com/fundamentals/counting-characters, and of longer posts those of X Premium
// (help.x.com/en/using-x/x-premium).
const (
	maxWeight     = 280
	maxLongWeight = 25_000
	linkWeight    = 23
)

// linkPattern finds what X would make links of, except for rare top level domains without a
// protocol.
var linkPattern = regexp.MustCompile(`https?://[^\s<>"]*[^\s<>".,:;!?)\]']|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|eu|de|app)\b(?:/[^\s<>"]*[^\s<>".,:;!?)\]'])?`)

// linksIn returns where the links of a text are. What follows an @ is a part of a name or of
// a mail address.
func linksIn(text string) (found [][]int) {
	for _, at := range linkPattern.FindAllStringIndex(text, -1) {
		if at[0] == 0 || text[at[0]-1] != '@' {
			found = append(found, at)
		}
	}
	return found
}

// weight is how long X takes a text for.
func weight(text string) int {
	text = norm.NFC.String(text)
	links := linksIn(text)
	total := len(links) * linkWeight
	var rest strings.Builder
	from := 0
	for _, at := range links {
		rest.WriteString(text[from:at[0]])
		from = at[1]
	}
	rest.WriteString(text[from:])
	for clusters := graphemes.FromString(rest.String()); clusters.Next(); {
		total += clusterWeight([]rune(clusters.Value()))
	}
	return total
}

func clusterWeight(cluster []rune) int {
	total := 0
	for _, r := range cluster {
		switch {
		case r >= 0x1F000 || r == 0xFE0F || r == 0x20E3: // an emoji is one, however it is put together
			return 2
		case r <= 0x10FF, r >= 0x2000 && r <= 0x200D, r >= 0x2010 && r <= 0x201F, r >= 0x2032 && r <= 0x2037:
			total++
		default:
			total += 2
		}
	}
	return total
}

// link is what stands in a post's text in the place of an address, or behind it.
type link struct {
	Start       int    `json:"start"` // in characters of the text
	End         int    `json:"end"`
	URL         string `json:"url"`
	ExpandedURL string `json:"expanded_url,omitempty"`
	DisplayURL  string `json:"display_url"`
	MediaKey    string `json:"media_key,omitempty"`
}

// rendered returns the text as the API does: & < > are escaped, addresses are X's own, and
// what is appended follows.
func rendered(text string, short func(n int) string, appended []link) (string, []link) {
	var out strings.Builder
	var found []link
	put := func(l link) {
		l.URL = short(len(found))
		l.Start = utf8.RuneCountInString(out.String())
		out.WriteString(l.URL)
		l.End = l.Start + utf8.RuneCountInString(l.URL)
		l.DisplayURL = strings.TrimPrefix(strings.TrimPrefix(l.ExpandedURL, "https://"), "http://")
		found = append(found, l)
	}
	from := 0
	for _, at := range linksIn(text) {
		out.WriteString(escape(text[from:at[0]]))
		address := text[at[0]:at[1]]
		if !strings.Contains(address, "://") {
			address = "http://" + address
		}
		put(link{ExpandedURL: address})
		from = at[1]
	}
	out.WriteString(escape(text[from:]))
	for _, l := range appended {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		put(l)
	}
	return out.String(), found
}

// escape writes what the API escapes, and no quotes.
func escape(text string) string {
	return strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(html.EscapeString(text))
}
