package pinterest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

// pageSize is how many pins are asked for at once: Pinterest gives 250, which could be more than
// is read of an answer.
const pageSize = 100

// Find lists the pins of the board or the section. In which order they come is not documented,
// so that all are read before one is said not to be there; of a board with more than 2,500
// nobody can tell then.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	if d.Comment != nil {
		return schema.Receipt{}, schema.CannotTell, nil
	}
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	to, _, err := destinationOf(d, s)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	p, err := connectors.ReadMediaProgress[asset](d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	want := likeness{title: s.Title, text: d.Text, media: mediaTypeOf(p.Media)}
	return listing.Search{Now: c.now, Part: true, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.pins(ctx, d, to, want, next)
	}}.Receipt(ctx, d)
}

// likeness is what a pin is known by again. Pinterest keeps neither the address of a picture nor
// the id of a video, and may change a link.
type likeness struct{ title, text, media string }

// mediaTypeOf returns what Pinterest calls the media of a pin; empty: it is not known.
func mediaTypeOf(assets []asset) string {
	switch {
	case len(assets) > 1:
		return "multiple_images"
	case len(assets) == 0 || !assets[0].Ready:
		return ""
	case assets[0].Video != nil:
		return "video"
	default:
		return "image"
	}
}

// listedPin is what a list has of a pin.
type listedPin struct {
	ID        string  `json:"id"`
	CreatedAt pinTime `json:"created_at"`
	Title     string  `json:"title"`
	Text      string  `json:"description"`
	IsOwner   *bool   `json:"is_owner"` // others pin on a group board
	Media     struct {
		Type string `json:"media_type"`
	} `json:"media"`
}

// compare reports whether a pin looks like it, or nearly. A pin without a title may get that of its link.
func (w likeness) compare(p listedPin) (alike, near bool) {
	if p.IsOwner != nil && !*p.IsOwner || w.media != "" && p.Media.Type != "" && w.media != p.Media.Type {
		return false, false
	}
	return listing.SameLetters(w.title, p.Title) && listing.SameText(w.text, p.Text),
		(w.title == "" || listing.MostlySame(w.title, p.Title)) && listing.MostlySame(w.text, p.Text)
}

func (c *Connector) pins(ctx context.Context, d schema.Delivery, of destination, want likeness, next string) (listing.Page, error) {
	path, operation := "/boards/"+of.board+"/pins", opBoardPins
	if of.section != "" {
		path, operation = "/boards/"+of.board+"/sections/"+of.section+"/pins", opSectionPins
	}
	call := c.look(d.Account, d.Credentials, path, operation)
	call.Query = pageQuery(next)
	var read page[listedPin]
	response, err := c.client.Do(ctx, call, &read)
	if err != nil {
		return listing.Page{}, fmt.Errorf("reading pins: %w", connectors.WithoutEnd(err))
	}
	isPart := func(p listedPin) bool { return p.ID == "" || p.CreatedAt.IsZero() }
	if read.Items == nil || slices.ContainsFunc(read.Items, isPart) {
		return listing.Page{}, platform.Strange("is no list of pins")
	}
	list := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: read.Bookmark}
	for _, pin := range read.Items {
		alike, near := want.compare(pin)
		list.Items = append(list.Items, listing.Item{
			ID: pin.ID, URL: c.address(pin.ID), At: pin.CreatedAt.Time, Alike: alike, Near: near,
		})
	}
	return list, nil
}

// page is a part of a list.
type page[Of any] struct {
	Items    []Of   `json:"items"`
	Bookmark string `json:"bookmark"` // where it goes on; empty: it is over
}

func pageQuery(next string) url.Values {
	query := url.Values{"page_size": {strconv.Itoa(pageSize)}}
	connectors.SetField(query, "bookmark", next)
	return query
}

// pinTime is a time as Pinterest writes it: some have no zone, and are of UTC.
type pinTime struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (t *pinTime) UnmarshalJSON(content []byte) (err error) {
	var text string
	if err := json.Unmarshal(content, &text); err != nil || text == "" {
		return err
	}
	if t.Time, err = time.Parse(time.RFC3339, text); err != nil {
		t.Time, err = time.Parse("2006-01-02T15:04:05", text)
	}
	return err
}
