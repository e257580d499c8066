package graph

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

// Post is what is read of a post or a comment in a list.
type Post struct {
	ID          string `json:"id"`
	Text        string `json:"text"`
	Caption     string `json:"caption"` // what instagram calls a post's text
	Timestamp   Time   `json:"timestamp"`
	Permalink   string `json:"permalink"`
	Username    string `json:"username"` // of who wrote it, where that is asked for
	MediaType   string `json:"media_type"`
	ProductType string `json:"media_product_type"`
	RepliedTo   struct {
		ID string `json:"id"`
	} `json:"replied_to"`
}

// Page is a part of a list, the newest first.
type Page[Of any] struct {
	Data   []Of `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"` // an address with the token; its presence alone is read, and by Facebook's connector
	} `json:"paging"`
}

// Pages reads the part of a list after a cursor, with the header of the answer.
type Pages func(ctx context.Context, after string) (Page[Post], http.Header, error)

// List reads some fields of what a call lists, a number at a time.
func List(client *connectors.Client, list connectors.Call, fields string, size int) Pages {
	return func(ctx context.Context, after string) (page Page[Post], header http.Header, err error) {
		call := list
		call.Query, call.Kind = url.Values{"fields": {fields}, "limit": {strconv.Itoa(size)}}, connectors.Status
		connectors.SetField(call.Query, "after", after)
		response, err := client.Do(ctx, call, &page)
		if err != nil {
			return page, nil, fmt.Errorf("reading %s: %w", list.Operation, err)
		}
		return page, response.Header, nil
	}
}

// whole reports whether an answer can show that something is not there: a null or a post without
// a time would pass for the end of the list.
func whole(p Page[Post]) bool {
	return p.Data != nil && !slices.ContainsFunc(p.Data, func(post Post) bool { return post.ID == "" || post.Timestamp.IsZero() })
}

// Search looks for what a delivery may have made in a list of the account's own.
type Search struct {
	Page Pages
	// Compare reports whether a post is what the delivery would have made, as far as it shows, or nearly:
	// it may be that, changed by the platform.
	Compare func(Post) (alike, near bool)
	Now     func() time.Time

	published bool // it is there for certain, wherever
}

// Find reads the list back to when the call was claimed. The item has the post's permalink. Stories and replies are
// in lists of their own.
func (s Search) Find(ctx context.Context, d schema.Delivery) (listing.Item, schema.Verdict, error) {
	search := listing.Search{Now: s.Now, Read: s.read, Part: true}
	if s.published {
		search.InDoubt = func(context.Context) (schema.Verdict, error) { return schema.CannotTell, notListed() }
	}
	item, verdict, err := search.Find(ctx, d)
	if s.published && verdict != schema.Found && err == nil {
		return item, schema.CannotTell, notListed()
	}
	return item, verdict, connectors.WithoutEnd(err)
}

// Receipt searches as Find does, and returns the receipt of the item.
func (s Search) Receipt(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	item, verdict, err := s.Find(ctx, d)
	return item.Receipt(d, verdict), verdict, err
}

func notListed() error {
	return listing.LookLater(0, "it is published, and the platform does not list it yet")
}

func (s Search) read(ctx context.Context, after string) (listing.Page, error) {
	read, header, err := s.Page(ctx, after)
	if err != nil {
		return listing.Page{}, err
	}
	if !whole(read) {
		return listing.Page{}, &schema.Error{Kind: schema.Retryable, Message: "the platform's answer is no list of posts"}
	}
	page := listing.Page{Skew: listing.Skew(header, s.Now())}
	for _, p := range read.Data { // an empty part is the last one, whatever cursor it has
		alike, near := s.Compare(p)
		page.Items = append(page.Items, listing.Item{ID: p.ID, URL: connectors.WebURL(p.Permalink), At: p.Timestamp.Time, Alike: alike, Near: near})
		page.Until, page.Next = p.Timestamp.Time, read.Paging.Cursors.After
	}
	return page, nil
}

// Compared compares a text that was sent with one that is shown: whether it is the same, or nearly.
func Compared(sent, received string) (alike, near bool) {
	return SameText(sent, received), listing.MostlySame(sent, received)
}

// SameText compares texts except for what platforms change in them: the space, and the sign of
// a hashtag that becomes a topic.
func SameText(a, b string) bool { return letters(a) == letters(b) }

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '#' {
			return -1
		}
		return r
	}, text)
}

// Time is a time as Graph APIs write it in JSON: ISO 8601 with an offset without a colon.
type Time struct{ time.Time }

const timeFormat = "2006-01-02T15:04:05-0700"

// UnmarshalJSON reads a time; null and an empty text are none.
func (t *Time) UnmarshalJSON(encoded []byte) error {
	text := strings.Trim(string(encoded), `"`)
	if text == "" || text == "null" {
		return nil
	}
	at, err := time.Parse(timeFormat, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return fmt.Errorf("reading time: %w", err)
	}
	t.Time = at.UTC()
	return nil
}
