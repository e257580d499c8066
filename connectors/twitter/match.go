package twitter

import (
	"html"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"crier/schema"
)

// likeness is what of a post can be recognised once it comes back from X, which has put
// links of its own into the text.
type likeness struct {
	text    string   // without its links
	links   []string // sorted
	replyTo string
	quotes  string
	media   int
	poll    bool
}

// likenessOf returns what the post of a delivery will look like.
func likenessOf(d schema.Delivery) (likeness, error) {
	s, err := settingsOf(d)
	if err != nil {
		return likeness{}, err
	}
	want := likeness{replyTo: d.ReplyTo()}
	if d.Comment == nil {
		want.media = len(d.Media)
	}
	if d.Comment == nil && d.Entry == 0 {
		want.quotes, want.poll = s.QuoteTweetID, s.Poll != nil
	}
	want.text, want.links = withoutLinks(d.VisibleText())
	return want, nil
}

// withoutLinks takes out of a text that is written what X takes for links.
func withoutLinks(text string) (rest string, addresses []string) {
	var plain strings.Builder
	from := 0
	for _, link := range links(text) {
		plain.WriteString(text[from:link.start])
		addresses = append(addresses, plainAddress(text[link.start:link.end]))
		from = link.end
	}
	plain.WriteString(text[from:])
	slices.Sort(addresses)
	return essence(plain.String()), addresses
}

// matches reports whether a post looks like it. X counts the items of a post's media and names
// its poll; what the media shows and the poll asks is not compared.
func (want likeness) matches(p post) bool {
	text := p.Text
	var addresses []string
	for _, link := range p.Entities.URLs {
		text = strings.Replace(text, link.URL, "", 1)
		if !p.isAppended(link) {
			addresses = append(addresses, plainAddress(link.ExpandedURL))
		}
	}
	slices.Sort(addresses)
	return want.replyTo == p.references(repliesTo) && want.media == len(p.Attachments.MediaKeys) &&
		want.poll == (len(p.Attachments.PollIDs) > 0) && (want.quotes == "" || want.quotes == p.references(quotes)) &&
		want.text == essence(html.UnescapeString(text)) && slices.Equal(want.links, addresses)
}

// isAppended reports whether X put a link after the text: for media, and for what is quoted.
func (p post) isAppended(link postLink) bool {
	quoted := p.references(quotes)
	return link.MediaKey != "" || strings.Contains(link.ExpandedURL, "/status/"+p.ID+"/") ||
		quoted != "" && strings.HasSuffix(link.ExpandedURL, "/status/"+quoted)
}

// essence is a text without its space, which X trims.
func essence(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, norm.NFC.String(text))
}

// plainAddress leaves out of an address what may be written in several ways.
func plainAddress(address string) string {
	if _, after, found := strings.Cut(address, "://"); found {
		address = after
	}
	return strings.ToLower(strings.TrimRight(norm.NFC.String(html.UnescapeString(address)), "/"))
}
