package tables

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// The documents of every creation are encoded here, byte for byte as encoding/json would,
// which spends most of its time on ids and times.

// documentSize is the initial capacity for a document of a post, which a long text
// exceeds.
const documentSize = 512

func appendPostJob(to []byte, j *schema.PostJob) []byte {
	to = appendID(append(to, `{"post":`...), j.Post)
	to = strconv.AppendInt(append(to, `,"version":`...), int64(j.Version), 10)
	to = appendID(append(to, `,"workspace":`...), j.Workspace)
	to = append(to, `,"accounts":[`...)
	for i, account := range j.Accounts {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendID(to, account)
	}
	to = append(to, ']')
	for i, platform := range j.Platforms {
		separator := `,`
		if i == 0 {
			separator = `,"platforms":[`
		}
		to = append(append(append(append(to, separator...), '"'), platform.String()...), '"')
	}
	if len(j.Platforms) > 0 {
		to = append(to, ']')
	}
	if j.Due != 0 {
		to = strconv.AppendInt(append(to, `,"due":`...), j.Due, 10)
	}
	if j.Trace != "" {
		to = appendText(append(to, `,"trace":`...), j.Trace)
	}
	return append(to, '}')
}

func appendEventBatch(to []byte, b *schema.EventBatch) []byte {
	to = appendID(append(to, `{"id":`...), b.ID)
	to = append(to, `,"events":[`...)
	for i := range b.Events {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendEvent(to, &b.Events[i])
	}
	return append(to, "]}"...)
}

func appendEvent(to []byte, e *schema.Event) []byte {
	to = appendID(append(to, `{"id":`...), e.ID)
	to = appendText(append(to, `,"type":`...), string(e.Type))
	to = appendID(append(to, `,"workspace":`...), e.Workspace)
	if !e.Post.IsZero() {
		to = appendID(append(to, `,"post":`...), e.Post)
	}
	if !e.Account.IsZero() {
		to = appendID(append(to, `,"account":`...), e.Account)
	}
	if e.Platform != 0 {
		to = appendText(append(to, `,"platform":`...), e.Platform.String())
	}
	to = appendTime(append(to, `,"at":`...), e.At)
	if e.Lateness != 0 {
		to = strconv.AppendFloat(append(to, `,"lateness":`...), e.Lateness, 'f', -1, 64)
	}
	if e.Code != "" {
		to = appendText(append(to, `,"code":`...), e.Code)
	}
	if len(e.Data) > 0 {
		to = append(append(to, `,"data":`...), e.Data...)
	}
	if e.Trace != "" {
		to = appendText(append(to, `,"trace":`...), e.Trace)
	}
	return append(to, '}')
}

func appendPostData(to []byte, d *schema.PostData) []byte {
	p := &d.Post
	to = appendID(append(to, `{"post":{"id":`...), p.ID)
	to = appendText(append(to, `,"content":`...), p.Content)
	to = appendText(append(to, `,"status":`...), p.Status)
	if p.ScheduledFor != nil {
		to = appendTime(append(to, `,"scheduledFor":`...), *p.ScheduledFor)
	}
	if p.ExternalID != "" {
		to = appendText(append(to, `,"externalId":`...), p.ExternalID)
	}
	if len(p.Metadata) > 0 {
		to = append(append(to, `,"metadata":`...), db.Encode(p.Metadata)...)
	}
	to = append(to, `,"platforms":[`...)
	for i := range p.Platforms {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendPlatform(to, &p.Platforms[i])
	}
	to = append(to, ']')
	if p.PublishedAt != nil {
		to = appendTime(append(to, `,"publishedAt":`...), *p.PublishedAt)
	}
	return append(to, "}}"...)
}

func appendPlatform(to []byte, p *schema.PlatformSummary) []byte {
	to = appendText(append(to, `{"platform":`...), p.Platform.String())
	to = appendID(append(to, `,"accountId":`...), p.AccountID)
	to = appendText(append(to, `,"status":`...), p.Status)
	if p.PostID != "" {
		to = appendText(append(to, `,"postId":`...), p.PostID)
	}
	if p.URL != "" {
		to = appendText(append(to, `,"url":`...), p.URL)
	}
	if p.PostedAt != nil {
		to = appendTime(append(to, `,"postedAt":`...), *p.PostedAt)
	}
	if p.Error != nil {
		to = append(append(to, `,"error":`...), db.Encode(p.Error)...)
	}
	return append(to, '}')
}

func appendID[K schema.Kind](to []byte, id schema.ID[K]) []byte {
	if id.IsZero() {
		return append(to, `""`...)
	}
	return append(append(append(to, '"'), id.String()...), '"')
}

func appendTime(to []byte, t time.Time) []byte {
	return append(t.AppendFormat(append(to, '"'), time.RFC3339Nano), '"')
}

// appendText copies a text that needs no escapes, and leaves any other to encoding/json.
func appendText(to []byte, s string) []byte {
	if !plain(s) {
		return append(to, db.Encode(s)...)
	}
	return append(append(append(to, '"'), s...), '"')
}

// plain reports whether encoding/json would write a text without escapes.
func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s) && !strings.ContainsAny(s, "\u2028\u2029")
}
