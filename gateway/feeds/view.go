package feeds

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/answer"
	"crier/schema"
)

// monitorView is a monitor as the API shows it.
type monitorView struct {
	ID        schema.MonitorID  `json:"id"`
	Name      string            `json:"name"`
	Include   []string          `json:"include"`
	Exclude   []string          `json:"exclude"`
	Language  *string           `json:"language"` // null: any
	Platforms []schema.Platform `json:"platforms"`
	IsPaused  bool              `json:"isPaused"`
	Search    *searchView       `json:"search"` // null: nothing is searched for it
	CreatedAt answer.Moment     `json:"createdAt"`
	UpdatedAt answer.Moment     `json:"updatedAt"`
}

// searchView is how a monitor is searched for on a platform that has no stream.
type searchView struct {
	Until   answer.Moment `json:"until"`   // what was written until then was looked for
	Problem *string       `json:"problem"` // why nothing is searched; null: nothing is wrong
}

// itemView is a public post.
type itemView struct {
	Platform  schema.Platform `json:"platform"`
	NativeID  string          `json:"nativeId"`
	Author    schema.Author   `json:"author"`
	Text      string          `json:"text"`
	URL       *string         `json:"url"`
	Language  *string         `json:"language"`
	WrittenAt answer.Moment   `json:"writtenAt"`
	Keywords  []string        `json:"keywords,omitempty"` // of the monitor, that the post has
}

// profileView is a public profile. What the platform does not tell is null.
type profileView struct {
	Platform    schema.Platform `json:"platform"`
	ID          string          `json:"id"`
	Handle      string          `json:"handle"`
	Name        *string         `json:"name"`
	Description *string         `json:"description"`
	URL         *string         `json:"url"`
	AvatarURL   *string         `json:"avatarUrl"`
	Followers   *int64          `json:"followers"`
	Following   *int64          `json:"following"`
	Posts       *int64          `json:"posts"`
	CreatedAt   *answer.Moment  `json:"createdAt"`
}

func viewMonitor(m schema.Monitor) monitorView {
	v := monitorView{
		ID: m.ID, Name: m.Name, Include: m.Include, Exclude: m.Exclude, Language: answer.TextOrNull(m.Language), Platforms: m.Platforms,
		IsPaused: m.Paused, CreatedAt: answer.Moment(m.CreatedAt), UpdatedAt: answer.Moment(m.UpdatedAt),
	}
	if m.Search != nil {
		v.Search = &searchView{answer.Moment(m.Search.Until), answer.TextOrNull(m.Search.Problem)}
	}
	if v.Exclude == nil {
		v.Exclude = []string{}
	}
	return v
}

func viewItem(item schema.MatchedItem) itemView {
	return itemView{
		Platform: item.Platform, NativeID: item.NativeID, Author: item.Author, Text: item.Text, URL: answer.TextOrNull(item.URL),
		Language: answer.TextOrNull(item.Language), WrittenAt: answer.Moment(item.WrittenAt), Keywords: item.Keywords,
	}
}

func viewFound(f connectors.FeedItem) itemView {
	item := schema.MatchedItem{Platform: f.Platform, NativeID: f.NativeID, Author: f.Author, Text: f.Text, URL: f.URL, WrittenAt: f.WrittenAt}
	if len(f.Languages) > 0 {
		item.Language = f.Languages[0]
	}
	return viewItem(item)
}

// showItems answers with a page of items; next is the cursor of the one after it, empty on the last one.
func showItems(c *gin.Context, items []itemView, next string, warnings []schema.Detail) error {
	return answer.Several(c, http.StatusOK, map[string]any{"items": items, "nextCursor": answer.TextOrNull(next)}, warnings)
}

func viewProfile(platform schema.Platform, p connectors.PublicProfile) profileView {
	return profileView{
		Platform: platform, ID: p.ID, Handle: p.Handle, Name: answer.TextOrNull(p.Name), Description: answer.TextOrNull(p.Description),
		URL: answer.TextOrNull(p.URL), AvatarURL: answer.TextOrNull(p.AvatarURL), Followers: p.Followers, Following: p.Following, Posts: p.Posts,
		CreatedAt: answer.MomentOrNull(schema.ValidTime(p.CreatedAt)),
	}
}

// A cursor is opaque to who has it: what it belongs to, and where the page before ended.

const largestCursor = 2048 // characters

// itemCursor is where a page of items ended.
func itemCursor(monitor schema.MonitorID, last *schema.MatchedItem) string {
	raw := binary.BigEndian.AppendUint64(monitor[:], uint64(last.WrittenAt.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(raw, last.NativeID...))
}

// readItemCursor reads what itemCursor wrote for the same monitor.
func readItemCursor(text string, q *schema.FeedItemQuery) bool {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	const head = len(q.Monitor) + 8
	if err != nil || len(text) > largestCursor || len(raw) <= head || schema.MonitorID(raw[:len(q.Monitor)]) != q.Monitor || !utf8.Valid(raw[head:]) {
		return false
	}
	q.Before = time.UnixMilli(int64(binary.BigEndian.Uint64(raw[len(q.Monitor):head]))).UTC()
	q.BeforeID = string(raw[head:])
	return q.Before.Year() > 1970 && q.Before.Year() < 2100
}

// searchCursor wraps a platform's cursor with what it is a cursor of.
func searchCursor(of, cursor string) string {
	sum := sha256.Sum256([]byte(of))
	return base64.RawURLEncoding.EncodeToString(append(sum[:8], cursor...))
}

// readSearchCursor reads what searchCursor wrote of the same.
func readSearchCursor(of, text string) (cursor string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	sum := sha256.Sum256([]byte(of))
	if err != nil || len(text) > largestCursor || len(raw) <= 8 || string(raw[:8]) != string(sum[:8]) || !utf8.Valid(raw[8:]) {
		return "", false
	}
	return string(raw[8:]), true
}
