package bluesky

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

const (
	postCollection = "app.bsky.feed.post"
	imagesEmbed    = "app.bsky.embed.images"
	videoEmbed     = "app.bsky.embed.video"
	cardEmbed      = "app.bsky.embed.external"
)

// createdAtFormat is a datetime of the lexicon language, in UTC.
const createdAtFormat = "2006-01-02T15:04:05.000Z"

// post is a record of app.bsky.feed.post. Two tries of one delivery make the same
// record, byte for byte, unless a mentioned handle has moved meanwhile, or a page was read again
// for a card: they stand under one key all the same.
type post struct {
	Type      string   `json:"$type"`
	Text      string   `json:"text"`
	CreatedAt string   `json:"createdAt"`
	Facets    []facet  `json:"facets,omitempty"`
	Langs     []string `json:"langs,omitempty"`
	Reply     *reply   `json:"reply,omitempty"`
	Embed     *embed   `json:"embed,omitempty"`
}

// reply hangs a post on another one; root is the first of the whole thread.
type reply struct {
	Root   strongRef `json:"root"`
	Parent strongRef `json:"parent"`
}

// strongRef names one version of a record (com.atproto.repo.strongRef). It is the
// State of a receipt.
type strongRef struct {
	URI string `json:"uri"`
	CID string `json:"cid"`
}

// embed is up to four images, one video or a card.
type embed struct {
	Type   string       `json:"$type"`
	Images []picture    `json:"images,omitempty"`
	Video  blob         `json:"video,omitempty"`
	Alt    string       `json:"alt,omitempty"` // of the video
	Aspect *aspectRatio `json:"aspectRatio,omitempty"`
	Card   *card        `json:"external,omitempty"`
}

type picture struct {
	Image  blob         `json:"image"`
	Alt    string       `json:"alt"`
	Aspect *aspectRatio `json:"aspectRatio,omitempty"`
}

// aspectRatio keep the place of media in a feed before they are loaded.
type aspectRatio struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// blob is a reference to an upload, kept as the server wrote it.
type blob = json.RawMessage

func isBlob(b blob) bool { return len(b) > 0 && b[0] == '{' }

// newPost makes the record of a text, without its facets.
func newPost(d schema.Delivery, text string) (post, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return post{}, err
	}
	if err := checkText(text); err != nil {
		return post{}, err
	}
	return post{
		Type: postCollection, Text: text, Langs: wellFormed(s.Langs),
		CreatedAt: d.Since.UTC().Truncate(time.Millisecond).Format(createdAtFormat),
	}, nil
}

// newReply hangs a post on a published one; nil where there is none.
func newReply(root, parent *schema.Receipt) (*reply, error) {
	if root == nil || parent == nil {
		return nil, nil
	}
	rootRef, rootErr := refOf(root)
	parentRef, parentErr := refOf(parent)
	if err := errors.Join(rootErr, parentErr); err != nil {
		return nil, err
	}
	return &reply{Root: rootRef, Parent: parentRef}, nil
}

func refOf(r *schema.Receipt) (strongRef, error) {
	var ref strongRef
	if err := json.Unmarshal([]byte(r.State), &ref); err != nil {
		return strongRef{}, fmt.Errorf("reading receipt of entry %d: %w", r.Entry, err)
	}
	return ref, nil
}

// newEmbed puts the prepared media, or the card, into a record; nil where there is none.
func newEmbed(items []schema.Media, p progress) (*embed, error) {
	uploads := p.Uploads
	if len(items) == 0 && p.Card == nil {
		return nil, nil
	}
	if len(items) == 0 {
		return &embed{Type: cardEmbed, Card: p.Card}, nil
	}
	if len(uploads) != len(items) {
		return nil, errors.New("the entry was published before it was prepared")
	}
	if uploads[0].Video {
		return &embed{Type: videoEmbed, Video: uploads[0].Blob, Alt: items[0].AltText, Aspect: uploads[0].Aspect}, nil
	}
	e := &embed{Type: imagesEmbed}
	for i, u := range uploads {
		e.Images = append(e.Images, picture{Image: u.Blob, Alt: items[i].AltText, Aspect: u.Aspect})
	}
	return e, nil
}

// receiptOf is the receipt of a record that exists.
func receiptOf(d schema.Delivery, ref strongRef, at time.Time) (schema.Receipt, error) {
	state, err := json.Marshal(ref)
	if err != nil {
		return schema.Receipt{}, fmt.Errorf("encoding receipt: %w", err)
	}
	return schema.Receipt{Entry: d.VisibleEntry(), NativeID: ref.URI, URL: pageOf(ref.URI), PostedAt: at.UTC(), State: string(state)}, nil
}

// pageOf returns where people read a post. It names the account by its DID, which
// outlives a change of handle.
func pageOf(uri string) string {
	parts := strings.Split(strings.TrimPrefix(uri, "at://"), "/")
	if len(parts) != 3 {
		return ""
	}
	return profileURL(parts[0]) + "/post/" + url.PathEscape(parts[2])
}

// keyOf returns the key of a record, the last part of its URI.
func keyOf(uri string) string { return uri[strings.LastIndexByte(uri, '/')+1:] }

func profileURL(did string) string { return "https://bsky.app/profile/" + url.PathEscape(did) }
