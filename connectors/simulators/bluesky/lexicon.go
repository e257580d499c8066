package bluesky

import (
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// uploadBlob is the method that a service's token allows; the others are named where
// they are served.
const uploadBlob = "com.atproto.repo.uploadBlob"

// The names of refusals that the lexicons give.
const (
	expiredToken   = "ExpiredToken"
	invalidToken   = "InvalidToken"
	invalidSwap    = "InvalidSwap"
	recordNotFound = "RecordNotFound"
	blobNotFound   = "BlobNotFound"
)

// The video service: the state of a job that is done, and the refusal of a video that it
// knows (app.bsky.video.defs).
const (
	jobCompleted  = "JOB_STATE_COMPLETED"
	alreadyExists = "already_exists"
	mp4           = "video/mp4"
)

// films are what the video service makes an MP4 of, as its refusal names them (bluesky-social/social-app #8725).
var films = []string{mp4, "video/mpeg", "video/webm", "video/quicktime", "image/gif"}

// postCollection and what a record of it is made of (app.bsky.feed.post and the lexicons
// it refers to).
const (
	postCollection = "app.bsky.feed.post"
	imagesEmbed    = "app.bsky.embed.images"
	videoEmbed     = "app.bsky.embed.video"
	externalEmbed  = "app.bsky.embed.external"

	linkFeature    = "app.bsky.richtext.facet#link"
	mentionFeature = "app.bsky.richtext.facet#mention"
	tagFeature     = "app.bsky.richtext.facet#tag"
)

// The limits of these lexicons.
const (
	maxGraphemes    = 300
	maxTextBytes    = 3000
	maxLangs        = 3
	maxImages       = 4
	maxTagGraphemes = 64
	maxTagBytes     = 640
)

type (
	post struct {
		Type      string   `json:"$type"`
		Text      string   `json:"text"`
		CreatedAt string   `json:"createdAt"`
		Facets    []facet  `json:"facets"`
		Langs     []string `json:"langs"`
		Reply     *reply   `json:"reply"`
		Embed     *embed   `json:"embed"`
	}
	facet struct {
		Index struct {
			Start int `json:"byteStart"`
			End   int `json:"byteEnd"`
		} `json:"index"`
		Features []feature `json:"features"`
	}
	feature struct {
		Type string `json:"$type"`
		URI  string `json:"uri"`
		DID  string `json:"did"`
		Tag  string `json:"tag"`
	}
	reply struct {
		Root   strongRef `json:"root"`
		Parent strongRef `json:"parent"`
	}
	strongRef struct {
		URI string `json:"uri"`
		CID string `json:"cid"`
	}
	embed struct {
		Type     string          `json:"$type"`
		Images   []image         `json:"images"`
		Video    json.RawMessage `json:"video"`
		Alt      string          `json:"alt"` // of the video
		Aspect   *aspectRatio    `json:"aspectRatio"`
		External *external       `json:"external"`
	}
	external struct {
		URI         *string         `json:"uri"`
		Title       *string         `json:"title"`
		Description *string         `json:"description"`
		Thumb       json.RawMessage `json:"thumb"`
	}
	image struct {
		Image  json.RawMessage `json:"image"`
		Alt    string          `json:"alt"`
		Aspect *aspectRatio    `json:"aspectRatio"`
	}
	aspectRatio struct {
		Width  int `json:"width"`
		Height int `json:"height"`
	}
)

// handlePattern is that of atproto.com/specs/handle.
var handlePattern = regexp.MustCompile(
	`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)

func isHandle(text string) bool { return len(text) <= 253 && handlePattern.MatchString(text) }

// serviceDID is the did:web of a server; the colon before its port is escaped
// (w3c-ccg.github.io/did-method-web).
func serviceDID(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return "did:web:" + strings.ReplaceAll(u.Host, ":", "%3A")
}

// tidEncoding is the base32 of a TID: its order is that of the values.
var tidEncoding = base32.NewEncoding("234567abcdefghijklmnopqrstuvwxyz").WithPadding(base32.NoPadding)

// tidOf is the TID of a number of microseconds since 1970, by clock 0: 53 bits of the
// time, 10 of the clock, five to a character from the 13th on (atproto.com/specs/tid).
func tidOf(micros int64) string {
	const clockBits, length = 10, 13
	value := uint64(micros) << clockBits
	bits := binary.BigEndian.AppendUint64([]byte{byte(value >> 57)}, value<<7) // 65 bits, the first of them zero
	return tidEncoding.EncodeToString(bits)[:length]
}
