package bluesky

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"crier/connectors"
	"crier/connectors/page"
	"crier/schema"
	"crier/schema/validation"
)

// card is app.bsky.embed.external#external: a page that a post shows. Clients make it, servers read no page.
type card struct {
	URI         string `json:"uri"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Thumb       blob   `json:"thumb,omitempty"`
}

// maxCardURL is how long the address of a given card may be, in bytes.
const maxCardURL = 2048

// cardSetting is what is asked for of a card: an object, or false for none.
type cardSetting struct {
	URL          string `json:"url"`
	Title        string `json:"title"`
	Description  string `json:"description"`
	ThumbnailURL string `json:"thumbnailUrl"`

	off bool
}

// UnmarshalJSON implements json.Unmarshaler. True asks for what is done anyway.
func (c *cardSetting) UnmarshalJSON(raw []byte) error {
	var isWanted *bool
	if json.Unmarshal(raw, &isWanted) == nil {
		*c = cardSetting{off: isWanted != nil && !*isWanted}
		return nil
	}
	type object cardSetting
	return json.Unmarshal(raw, (*object)(c))
}

func cardRule() validation.SettingRule {
	isPage := func(text string) bool {
		return len(text) <= maxCardURL && validation.IsWebAddress(text) && asciiURI(text) != ""
	}
	return validation.ObjectSetting(validation.SettingRules{
		"url":          validation.FormSetting(isPage, "an http or https url of at most 2048 bytes"),
		"title":        validation.TextSetting(schema.TextLimit{Max: page.MaxTitle, Count: utf8.RuneCountInString}),
		"description":  validation.TextSetting(schema.TextLimit{Max: page.MaxDescription, Count: utf8.RuneCountInString}),
		"thumbnailUrl": validation.MediaSetting(),
	}).OrBool()
}

// cardAlone is a Constraints.Together: a post embeds media or a card.
func cardAlone(first schema.Entry, s settings) []schema.Detail {
	if len(first.Media) == 0 || s.Card == (cardSetting{off: s.Card.off}) {
		return nil
	}
	return []schema.Detail{connectors.Conflict("card", "a card cannot stand beside media; put the link into the text")}
}

// showsCard is a Constraints.Previews.
func showsCard(text string, object json.RawMessage) bool {
	s, err := connectors.SettingsOf[settings](schema.Delivery{Settings: object})
	return err == nil && s.Card.linkOf(text) != ""
}

// linkOf returns the page that a card is made of, for an entry with that text; empty: there is none.
func (c cardSetting) linkOf(text string) string {
	switch {
	case c.off:
		return ""
	case c.URL != "":
		return asciiURI(c.URL)
	}
	if found := links(text); len(found) > 0 {
		return found[0].Features[0].URI
	}
	return ""
}

// cardOf returns the card of an entry without media, with its picture uploaded; nil: it has none. What a
// card is given is of the first entry of a thread.
func (c *Connector) cardOf(ctx context.Context, d schema.Delivery) (*card, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return nil, err
	}
	given := s.Card
	if d.Entry > 0 {
		given = cardSetting{off: given.off}
	}
	card := card{URI: given.linkOf(d.Text), Title: given.Title, Description: given.Description}
	if card.URI == "" {
		return nil, nil
	}
	var found page.Page
	if given.Title == "" && c.pages != nil {
		if found, err = c.pages.Read(ctx, card.URI); err != nil {
			return nil, err
		}
	}
	if given == (cardSetting{}) && found.IsEmpty() {
		return nil, nil
	}
	card.fill(found)
	if card.Thumb, err = c.thumb(ctx, d, given.ThumbnailURL, found.Picture); leavesOut(err, d) {
		return &card, nil
	}
	return &card, err
}

// leavesOut reports whether a card goes without its picture, for which no post fails or waits long.
func leavesOut(err error, d schema.Delivery) bool {
	switch schema.KindOf(err) {
	case schema.TokenDead:
		return false
	case schema.Refused, schema.RateLimited:
		return true
	default:
		return d.Attempts+1 >= d.Tries
	}
}

// fill takes from the page what is not given. A card has a title in any case: its host, where nobody knows
// another.
func (c *card) fill(from page.Page) {
	c.Title, c.Description = cmp.Or(c.Title, from.Title), cmp.Or(c.Description, from.Description)
	if at, err := schema.ParseURL(c.URI); c.Title == "" && err == nil {
		c.Title = strings.TrimPrefix(at.Hostname(), "www.")
	}
}

// thumb uploads the picture of a card, which is the given one, or the page's; nil: it has none.
func (c *Connector) thumb(ctx context.Context, d schema.Delivery, given string, found page.Picture) (blob, error) {
	switch {
	case given != "":
		return c.givenThumb(ctx, d, schema.Media{Kind: schema.Image, URL: given, Fit: schema.FitContain, Upload: d.Key})
	case len(found.Content) > 0:
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(found.Content)), nil }
		return c.putBlob(ctx, d, blobContent{Type: found.Type, Size: int64(len(found.Content)), open: open})
	default:
		return nil, nil
	}
}

func (c *Connector) givenThumb(ctx context.Context, d schema.Delivery, item schema.Media) (blob, error) {
	file, err := c.media.Open(ctx, item)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.Kind == schema.Video || file.Size > maxImageBytes {
		return nil, connectors.Refuse("a card takes a picture of at most %d bytes", maxImageBytes)
	}
	u, err := c.uploadImage(ctx, d, file)
	return u.Blob, err
}
