package twitter

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"crier/connectors"
	"crier/connectors/listing"
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
	s, err := connectors.SettingsOf[settings](d)
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

// fingerprint is what a post shows of what it can be recognised by.
type fingerprint struct {
	text     string   // without its links
	links    []string // sorted; of those that X shows the address of
	unknown  int      // links of X's own, of which it does not say where they lead
	appended bool     // X says which link it put after the text
}

// compare reports whether a post looks like it, or nearly: X need not say where a link leads
// (expanded_url is nullable and not required), nor what is attached or answered. X counts the items of a
// post's media and names its poll; what the media shows and the poll asks is not compared.
func (want likeness) compare(p post) (alike, near bool) {
	got := p.displayed()
	replies, media, poll := p.references(repliesTo), len(p.Attachments.MediaKeys), len(p.Attachments.PollIDs) > 0
	spare := 0 // links of X's own that are not the text's
	if !got.appended && (want.media > 0 || want.quotes != "") {
		spare = 1
	}
	alike = want.replyTo == replies && want.media == media && want.poll == poll &&
		(want.quotes == "" || want.quotes == p.references(quotes)) &&
		want.text == got.text && slices.Equal(want.links, got.links) && got.unknown <= spare
	near = (want.replyTo == replies || replies == "") && (want.media == media || media == 0) && (want.poll || !poll) &&
		listing.MostlySame(want.text, got.text)
	return alike, near && !alike
}

// displayed reads what a post shows. A link is X's own (t.co), with its address among the entities, or what
// was written.
func (p post) displayed() (got fingerprint) {
	text, known := p.whole()
	text = html.UnescapeString(text)
	for _, link := range known {
		if link.URL == "" {
			continue
		}
		address := cmp.Or(link.ExpandedURL, link.UnwoundURL)
		if address == "" && !strings.HasPrefix(plainAddress(link.URL), shortener) {
			continue // it is what was written, and read with the text
		}
		text = strings.Replace(text, link.URL, " ", 1)
		switch {
		case p.isAppended(link):
			got.appended = true
		case address == "":
			got.unknown++
		default:
			got.links = append(got.links, plainAddress(address))
		}
	}
	rest, written := withoutLinks(text)
	for _, address := range written {
		if strings.HasPrefix(address, shortener) {
			got.unknown++
			continue
		}
		got.links = append(got.links, address)
	}
	slices.Sort(got.links)
	got.text = rest
	return got
}

// shortener is what the links begin with that X puts in the place of all others.
const shortener = "t.co/"

// isAppended reports whether X put a link after the text: for media, and for what is quoted.
func (p post) isAppended(link postLink) bool {
	quoted := p.references(quotes)
	return link.MediaKey != "" || strings.Contains(link.ExpandedURL, "/status/"+p.ID+"/") ||
		quoted != "" && strings.HasSuffix(link.ExpandedURL, "/status/"+quoted)
}

// essence is a text without its space, which X trims, and without signs that nobody sees, some of which
// X strips.
func essence(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, norm.NFC.String(text))
}

// plainAddress leaves out of an address what may be written in several ways.
func plainAddress(address string) string {
	plain := listing.PlainAddresses(norm.NFC.String(html.UnescapeString(address)))
	return strings.ToLower(strings.TrimRight(plain, "/"))
}
