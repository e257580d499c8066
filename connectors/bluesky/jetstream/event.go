package jetstream

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

const postCollection = "app.bsky.feed.post"

// message is an event as the stream writes it. Only posts have this record.
type message struct {
	DID    string `json:"did"`
	TimeUS int64  `json:"time_us"`
	Kind   string `json:"kind"`
	Commit *struct {
		Rev        string `json:"rev"`
		Operation  string `json:"operation"`
		Collection string `json:"collection"`
		RKey       string `json:"rkey"`
		Record     *struct {
			Text      string   `json:"text"`
			Langs     []string `json:"langs"`
			Tags      []string `json:"tags"`
			CreatedAt string   `json:"createdAt"`
		} `json:"record"`
	} `json:"commit"`
}

// Both make addresses, so they are held to the characters they may have
// (atproto.com/specs/did, atproto.com/specs/record-key).

func isDID(text string) bool {
	rest, ok := strings.CutPrefix(text, "did:")
	method, id, named := strings.Cut(rest, ":")
	return ok && named && len(method) <= 16 && consistsOf(method, "") && len(id) <= 256 && consistsOf(id, "._:%-")
}

func isKey(text string) bool { return len(text) <= 512 && consistsOf(text, "._:~-") }

// consistsOf reports whether a text has letters and digits of ASCII, and signs that are given, alone.
func consistsOf(text, signs string) bool {
	for i := range len(text) {
		c := text[i]
		if (c|0x20 < 'a' || 'z' < c|0x20) && (c < '0' || '9' < c) && strings.IndexByte(signs, c) < 0 {
			return false
		}
	}
	return text != ""
}

// What is kept of a record; a host may carry what no client writes.
const (
	maxLangs = 3
	maxTags  = 8
	longest  = 64 // characters of a tag or language
)

// parse reads a message. What is no event is malformed, without a time.
func parse(data []byte) connectors.StreamEvent {
	var m message
	err := json.Unmarshal(data, &m)
	// The record of another collection may have other types under the same names.
	_, mistyped := errors.AsType[*json.UnmarshalTypeError](err)
	if err != nil && !mistyped || m.TimeUS <= 0 {
		return connectors.StreamEvent{Kind: connectors.StreamMalformed}
	}
	e := connectors.StreamEvent{At: schema.StreamPlace{Time: time.UnixMicro(m.TimeUS).UTC()}}
	c := m.Commit
	if m.Kind != "commit" || c == nil || c.Collection != postCollection || c.Operation != "create" && c.Operation != "update" {
		return e
	}
	if mistyped || c.Record == nil || !isDID(m.DID) || !isKey(c.RKey) || !isKey(c.Rev) {
		return connectors.StreamEvent{Kind: connectors.StreamMalformed, At: e.At}
	}
	e.Kind = connectors.StreamPost
	e.Item = connectors.FeedItem{
		Platform: schema.Bluesky,
		NativeID: "at://" + m.DID + "/" + postCollection + "/" + c.RKey,
		Revision: c.Rev,
		Author:   schema.Author{ID: m.DID, URL: "https://bsky.app/profile/" + m.DID},
		Text:     c.Record.Text,
		URL:      "https://bsky.app/profile/" + m.DID + "/post/" + c.RKey,
		SeenAt:   e.At.Time, WrittenAt: writtenAt(c.Record.CreatedAt, e.At.Time),
	}
	for _, lang := range c.Record.Langs[:min(len(c.Record.Langs), maxLangs)] {
		if len(lang) <= longest {
			e.Item.Languages = append(e.Item.Languages, lang)
		}
	}
	for _, tag := range c.Record.Tags[:min(len(c.Record.Tags), maxTags)] {
		if len(tag) <= longest && !strings.Contains(e.Item.Text, "#"+tag) {
			e.Item.Text += "\n#" + tag
		}
	}
	return e
}

// maxBackdated is how old a post may say to be: clients that import from elsewhere write the
// times of there.
const maxBackdated = 24 * time.Hour

// writtenAt returns when a post was written: as its author says, unless that cannot be.
func writtenAt(created string, seen time.Time) time.Time {
	at, err := time.Parse(time.RFC3339Nano, created)
	if err != nil || at.After(seen) || seen.Sub(at) > maxBackdated {
		return seen
	}
	return at.UTC()
}
