package mastodon

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"crier/connectors/listing"
	"crier/schema"
	"crier/schema/validation"
)

// likeness is what of a status can be recognised once it comes back from a server,
// which answers HTML and not the text it was given.
type likeness struct {
	text    string // without markup; the content warning stands before it
	source  string // the same of a status whose server also gives the text as it was sent; else empty
	replyTo string
	media   int
	options []string // of the poll
}

// likenessOf returns what the status of a delivery will look like.
func likenessOf(d schema.Delivery, s settings) likeness {
	want := likeness{text: s.SpoilerText + "\n" + d.VisibleText(), replyTo: d.ReplyTo()}
	if d.Comment == nil {
		want.media = len(d.Media)
	}
	if p := s.pollOf(d); p != nil {
		want.options = p.Options
	}
	return want
}

// likeness returns how the status looks. A server shows a content warning that has no
// text under it as the text, so the two are taken together.
func (s status) likeness() likeness {
	got := likeness{
		text: s.SpoilerText + "\n" + plainText(s.Content), replyTo: s.InReplyToID, media: len(s.Media),
	}
	if s.Text != "" {
		got.source = s.SpoilerText + "\n" + s.Text
	}
	if s.Poll != nil {
		for _, option := range s.Poll.Options {
			got.options = append(got.options, option.Title)
		}
	}
	return got
}

// compare reports whether a status looks as it, or nearly: a server may have made something else of the
// text, and may not show what it answers, its media or its poll.
func (want likeness) compare(got likeness) (alike, near bool) {
	alike = want.replyTo == got.replyTo && want.media == got.media &&
		(sameText(want.text, got.text) || got.source != "" && sameText(want.text, got.source)) && slices.EqualFunc(want.options, got.options, sameText)
	near = (want.replyTo == got.replyTo || got.replyTo == "") && (want.media == got.media || got.media == 0) &&
		(len(want.options) == len(got.options) || len(got.options) == 0) &&
		listing.MostlySame(formOf(want.text), formOf(cmp.Or(got.source, got.text)))
	return alike, near && !alike
}

// plainText returns the text of a status's HTML. A link counts as its address, since
// servers may shorten what they show of it, except for mentions and hashtags.
func plainText(content string) string {
	var text strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(content))
	var address, label string // of the link that is open
	open := false
	for {
		switch tokens.Next() {
		case html.ErrorToken: // the end: a strings.Reader does not fail
			text.WriteString(label)
			return text.String()
		case html.TextToken:
			if open {
				label += string(tokens.Text())
				continue
			}
			text.Write(tokens.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			switch tag := tokens.Token(); tag.Data {
			case "a":
				open, address, label = true, attribute(tag, "href"), ""
			case "br", "p":
				text.WriteByte('\n')
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == "a" {
				text.WriteString(linkText(address, label))
				open, label = false, ""
			}
		}
	}
}

func attribute(tag html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// linkText is the address of a link to a page, and of any other what it shows.
func linkText(address, label string) string {
	label = strings.TrimSpace(label)
	if !validation.IsWebAddress(address) || strings.HasPrefix(label, "@") || strings.HasPrefix(label, "#") {
		return label
	}
	return address
}
