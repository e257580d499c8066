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
}

// collectComments looks under the posts of an account that are due by their age. A step that
// ends before all of them is gone on with by the next.
func collectComments(ctx context.Context, s Step) (schema.CollectionResult, error) {
	r := s.result()
	source, ok := s.Connector.(connectors.CommentSource)
	if !ok {
		return r, unsupported()
	}
	at := commentCursor{Since: s.Now}
	if s.Cursor != "" && json.Unmarshal([]byte(s.Cursor), &at) != nil {
		at = commentCursor{Since: s.Now}
	}
	if at.Until.IsZero() {
		at.Until = s.Now
	}
	due := dueForComments(s.Recent, at)
	for calls := 0; len(due) > 0 && calls < callsAtOnce; calls++ {
		err := s.comments(ctx, source, due[0].PublishedPost, &r)
		if err != nil && (schema.KindOf(err) != schema.Refused || s.lacksPermission(err)) { // of a refused one alone the others are read
			r.Cursor = encodeCursor(at)
			return r, err
		}
		at.After, at.N, due, s.Reading.Turn = due[0].Post, due[0].Target, due[1:], nil
	}
	if len(due) > 0 {
		r.NextAt, r.Cursor = s.Now, encodeCursor(at)
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

func encodeCursor(at commentCursor) string {
	encoded, err := json.Marshal(at)
	if err != nil {
		return "" // not reached: times and an id
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

// comments reads what is under one post.
func (s Step) comments(ctx context.Context, source connectors.CommentSource, post schema.PublishedPost, r *schema.CollectionResult) error {
	cursor, reading := "", s.Reading
	for range mostPages {
		page, err := source.Comments(ctx, reading, post, cursor)
		if err != nil {
			return err
		}
		r.Received = append(r.Received, page.Items...)
		if cursor = page.Next; cursor == "" {
			return nil
		}
		reading.Turn = nil
	}
	return nil
}

// collectMentions reads what names the account, back to some time before the last look.
func collectMentions(ctx context.Context, s Step) (schema.CollectionResult, error) {
	r := s.result()
	r.NextAt = s.Now.Add(mentionsEvery)
	source, ok := s.Connector.(connectors.MentionSource)
	if !ok {
		return r, unsupported()
	}
	last, err := time.Parse(time.RFC3339, s.Cursor)
	if err != nil {
		last = s.Now.Add(-schema.NewsAge)
	}
	cursor, reading := "", s.Reading
	for range mostPages {
		page, err := source.Mentions(ctx, reading, cursor)
		if err != nil {
			return r, err
		}
		r.Received = append(r.Received, page.Items...)
		older := func(m schema.Received) bool { return m.Item.WrittenAt.Before(last.Add(-mentionsBack)) }
		if cursor = page.Next; cursor == "" || slices.ContainsFunc(page.Items, older) {
			break
		}
		reading.Turn = nil
	}
	r.Cursor = s.Now.UTC().Format(time.RFC3339)
	return r, nil
}
