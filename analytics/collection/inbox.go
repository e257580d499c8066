package collection

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
)

const (
	// mentionsEvery is how often it is looked for what names an account, and mentionsBack how far
	// back a look goes: what is older than the last one was read then.
	mentionsEvery, mentionsBack = 10 * time.Minute, time.Hour
	// maxPages bounds a step.
	maxPages = 10
)

// pages are how far a list was read that a platform gives by pages. Where a call fails it is read
// again: what names a page may have ended.
type pages struct {
	Of   schema.PostID `json:"of,omitzero"` // whose comments they are; zero: mentions
	Next string        `json:"next,omitempty"`
	Read int           `json:"read,omitempty"`
}

// follow notes a page that was read, and reports whether another is to follow.
func (p *pages) follow(page connectors.ReceivedPage) (more bool) {
	p.Next, p.Read = page.Next, p.Read+1
	return p.Next != "" && p.Read < maxPages
}

func encodeCursor(at any) string {
	encoded, err := json.Marshal(at)
	if err != nil {
		return "" // not reached: times, ids and texts
	}
	return string(encoded)
}

// mentionCursor is where the looks at what names an account are.
type mentionCursor struct {
	Last  time.Time `json:"last"`           // when the last whole look began
	Began time.Time `json:"began,omitzero"` // the one that is being made; zero: none is
	Pages pages     `json:"pages,omitzero"` // that were read by it
}

// readMentionCursor reads a cursor. One of an older version is the time of the last look alone;
// without any what is news is read.
func readMentionCursor(text string, now time.Time) mentionCursor {
	var at mentionCursor
	if json.Unmarshal([]byte(text), &at) == nil && !at.Last.IsZero() {
		return at
	}
	last, err := time.Parse(time.RFC3339, text)
	if err != nil {
		last = now.Add(-schema.NewsAge)
	}
	return mentionCursor{Last: last}
}

// collectMentions reads what names the account, back to some time before the last look. A step
// that ends before that is continued by the next.
func collectMentions(ctx context.Context, s Step) (schema.CollectionResult, error) {
	r := s.result()
	r.NextAt = nextTurn(s.Account.ID, s.Now, mentionsEvery)
	source, ok := connectors.Able[connectors.MentionSource](s.Connector)
	if !ok {
		return r, unsupported()
	}
	at := readMentionCursor(s.Cursor, s.Now)
	if at.Began.IsZero() {
		at.Began = s.Now
	}
	older := func(m schema.Received) bool { return m.Item.WrittenAt.Before(at.Last.Add(-mentionsBack)) }
	var wait time.Duration
	for calls := range callsAtOnce {
		if wait = s.turn(ctx, calls); wait > 0 {
			break
		}
		page, err := source.Mentions(ctx, s.Reading, at.Pages.Next)
		if err != nil {
			r.Cursor = encodeCursor(mentionCursor{Last: at.Last})
			return r, err
		}
		r.Received = append(r.Received, page.Items...)
		if more := at.Pages.follow(page); !more || slices.ContainsFunc(page.Items, older) {
			r.Cursor = encodeCursor(mentionCursor{Last: at.Began})
			return r, nil
		}
	}
	r.NextAt, r.Cursor = s.Now.Add(wait), encodeCursor(at)
	return r, nil
}
