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
	// mostPages bounds a step.
	mostPages = 10
	// soonest is the least time between two steps that look for comments.
	soonest = time.Minute
	// noPosts is how long an account is left alone that has published nothing lately.
	noPosts = 24 * time.Hour
)

// commentAges say how often it is looked for comments under a post, by its age: often while most
// are written.
var commentAges = []struct{ until, every time.Duration }{
	{time.Hour, 5 * time.Minute}, {24 * time.Hour, 30 * time.Minute}, {7 * 24 * time.Hour, 6 * time.Hour}, {30 * 24 * time.Hour, 24 * time.Hour},
}

// nextLook is the first time after one at which a post is looked at; zero: it is too old.
func nextLook(posted, after time.Time) time.Time {
	age := max(after.Sub(posted), 0)
	for _, a := range commentAges {
		if next := (age/a.every + 1) * a.every; age < a.until {
			return posted.Add(next)
		}
	}
	return time.Time{}
}

// commentCursor is where the looks of an account's posts are.
type commentCursor struct {
	Since time.Time     `json:"since"`          // all that was due by then was looked at
	Until time.Time     `json:"until,omitzero"` // what is being looked at was due by then
	After schema.PostID `json:"after,omitzero"` // the last post of that
	N     int16         `json:"n,omitempty"`    // and its target
	Pages pages         `json:"pages,omitzero"` // that were read of the next
}

// pages are how far a list was read that a platform gives by pages. Where a call fails it is read
// anew: what names a page may have ended.
type pages struct {
	Of   schema.PostID `json:"of,omitzero"` // whose comments they are; zero: mentions
	Next string        `json:"next,omitempty"`
	Read int           `json:"read,omitempty"`
}

// follow notes a page that was read, and tells whether another is to follow.
func (p *pages) follow(page connectors.ReceivedPage) (more bool) {
	p.Next, p.Read = page.Next, p.Read+1
	return p.Next != "" && p.Read < mostPages
}

// readCommentCursor reads a cursor; without one that can be read nothing was looked at before now.
func readCommentCursor(text string, now time.Time) commentCursor {
	at := commentCursor{Since: now}
	if text != "" && json.Unmarshal([]byte(text), &at) != nil {
		at = commentCursor{Since: now}
	}
	if at.Until.IsZero() {
		at.Until = now
	}
	return at
}

// collectComments looks under the posts of an account that are due by their age. A step that
// ends before all of them is gone on with by the next.
func collectComments(ctx context.Context, s Step) (schema.CollectionResult, error) {
	r := s.result()
	source, ok := s.Connector.(connectors.CommentSource)
	if !ok {
		return r, unsupported()
	}
	at := readCommentCursor(s.Cursor, s.Now)
	due := dueForComments(s.Recent, at)
	var wait time.Duration
	var whole schema.WholeLook // of the pages of a post that this step has read
	for calls := 0; len(due) > 0 && calls < callsAtOnce; calls++ {
		if wait = s.turn(ctx, calls); wait > 0 {
			break
		}
		post := due[0].PublishedPost
		if at.Pages.Of != post.Post {
			at.Pages = pages{Of: post.Post}
		}
		page, err := source.Comments(ctx, s.Reading, post, at.Pages.Next)
		if err != nil && (schema.KindOf(err) != schema.Refused || s.lacksPermission(err)) { // of a refused one alone the others are read
			at.Pages = pages{}
			r.Cursor = encodeCursor(at)
			return r, err
		}
		if at.Pages.Next == "" {
			whole = schema.WholeLook{Post: post.Post}
		}
		r.Received = append(r.Received, page.Items...)
		for _, one := range page.Items {
			whole.Seen = append(whole.Seen, one.Item.NativeID)
		}
		if err != nil || !at.Pages.follow(page) {
			if err == nil && page.Extent != connectors.SomeComments && whole.Post == post.Post {
				whole.Nested = page.Extent == connectors.AllComments
				r.Whole = append(r.Whole, whole)
			}
			whole = schema.WholeLook{}
			at.After, at.N, at.Pages, due = due[0].Post, due[0].Target, pages{}, due[1:]
		}
	}
	if len(due) > 0 {
		r.NextAt, r.Cursor = s.Now.Add(wait), encodeCursor(at)
		return r, nil
	}
	at = commentCursor{Since: at.Until}
	for _, post := range s.Recent {
		if next := nextLook(post.PostedAt, at.Since); !next.IsZero() && (r.NextAt.IsZero() || next.Before(r.NextAt)) {
			r.NextAt = next
		}
	}
	if r.NextAt.IsZero() { // it is due sooner once the account publishes
		r.NextAt = s.Now.Add(noPosts)
	}
	r.NextAt = slices.MaxFunc([]time.Time{r.NextAt, s.Now.Add(soonest)}, time.Time.Compare)
	r.Cursor = encodeCursor(at)
	return r, nil
}

// lacksPermission tells whether an error is of all posts of the account, as far as is known: with
// the permission in hand it is of one.
func (s Step) lacksPermission(err error) bool {
	if scoped, ok := s.Connector.(connectors.Scoped); ok && scoped.Scopes().Allows(s.Reading.Credentials, connectors.Reads(s.What)) {
		return false
	}
	return connectors.IsNotPermitted(err)
}

func encodeCursor(at any) string {
	encoded, err := json.Marshal(at)
	if err != nil {
		return "" // not reached: times, ids and texts
	}
	return string(encoded)
}

// dueForComments are the posts that are due by at.Until and were not looked at yet, in the order
// of their ids.
func dueForComments(recent []schema.Snapshot, at commentCursor) []schema.Snapshot {
	before := func(a, b schema.Snapshot) int {
		if c := slices.Compare(a.Post[:], b.Post[:]); c != 0 {
			return c
		}
		return int(a.Target) - int(b.Target)
	}
	done := schema.Snapshot{PublishedPost: schema.PublishedPost{Post: at.After, Target: at.N}}
	due := slices.DeleteFunc(slices.Clone(recent), func(p schema.Snapshot) bool {
		next := nextLook(p.PostedAt, at.Since)
		return next.IsZero() || next.After(at.Until) || !at.After.IsZero() && before(p, done) <= 0
	})
	slices.SortFunc(due, before)
	return due
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
// that ends before that is gone on with by the next.
func collectMentions(ctx context.Context, s Step) (schema.CollectionResult, error) {
	r := s.result()
	r.NextAt = s.Now.Add(mentionsEvery)
	source, ok := s.Connector.(connectors.MentionSource)
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
