package collection

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
	"crier/schema/retry"
)

const (
	// soonest is the least time between two steps that look for comments.
	soonest = time.Minute
	// noPosts is how long an account is left alone that has published nothing lately.
	noPosts = 24 * time.Hour
	// maxFailed is how many posts are known of an account under which the platform failed to look;
	// others wait for the next look of their age.
	maxFailed = 20
	// failuresAtOnce, where nothing succeeds, are no longer the posts' but the platform's.
	failuresAtOnce = 3
)

// commentAges say how often it is looked for comments under a post, by its age: often while most
// are written.
var commentAges = []struct{ until, every time.Duration }{
	{time.Hour, schema.FirstCommentLook}, {24 * time.Hour, 30 * time.Minute}, {7 * 24 * time.Hour, 6 * time.Hour}, {30 * 24 * time.Hour, 24 * time.Hour},
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
	Since  time.Time     `json:"since"`          // all that was due by then was looked at
	Until  time.Time     `json:"until,omitzero"` // what is being looked at was due by then
	After  schema.PostID `json:"after,omitzero"` // the last post of that
	N      int16         `json:"n,omitempty"`    // and its target
	Pages  pages         `json:"pages,omitzero"` // that were read of the next
	Failed []failedLook  `json:"failed,omitempty"`
}

// failedLook is a post under which the platform failed to look. It is tried again by itself, less
// and less often.
type failedLook struct {
	Post  schema.PostID `json:"post"`
	N     int16         `json:"n,omitempty"`
	Times int           `json:"times"` // in a row
	At    time.Time     `json:"at"`    // of the next try
}

// readCommentCursor reads a cursor; without one that can be read, posts are looked at whose look came
// due lately: the account's first may be among them.
func readCommentCursor(text string, now time.Time) commentCursor {
	first := commentCursor{Since: now.Add(-schema.FirstCommentLook)}
	at := first
	if text != "" && json.Unmarshal([]byte(text), &at) != nil {
		at = first
	}
	if at.Until.IsZero() {
		at.Until = now
	}
	return at
}

// failed returns the place of a post among those that failed; -1: it is none of them.
func (c *commentCursor) failed(p schema.Snapshot) int {
	return slices.IndexFunc(c.Failed, func(f failedLook) bool { return f.Post == p.Post && f.N == p.Target })
}

// next is when a post is looked at next; zero: it is too old.
func (c *commentCursor) next(p schema.Snapshot) time.Time {
	next := nextLook(p.PostedAt, c.Since)
	if i := c.failed(p); i >= 0 && !next.IsZero() {
		return c.Failed[i].At
	}
	return next
}

// pass goes on behind a post, under which was looked, or tried to.
func (c *commentCursor) pass(p schema.Snapshot, failed bool, now time.Time) {
	c.After, c.N, c.Pages = p.Post, p.Target, pages{}
	look := failedLook{Post: p.Post, N: p.Target}
	if i := c.failed(p); i >= 0 {
		look = c.Failed[i]
		c.Failed = slices.Delete(c.Failed, i, i+1)
	}
	if failed {
		look.At = now.Add(retry.Collection.Wait(look.Times, 0))
		look.Times++
		c.Failed = append(c.Failed, look)
		c.Failed = c.Failed[max(len(c.Failed)-maxFailed, 0):]
	}
}

// due are the posts that are due by c.Until and were not looked at yet, in the order of their ids.
func (c *commentCursor) due(recent []schema.Snapshot) []schema.Snapshot {
	before := func(a, b schema.Snapshot) int {
		if c := slices.Compare(a.Post[:], b.Post[:]); c != 0 {
			return c
		}
		return int(a.Target) - int(b.Target)
	}
	done := schema.Snapshot{PublishedPost: schema.PublishedPost{Post: c.After, Target: c.N}}
	due := slices.DeleteFunc(slices.Clone(recent), func(p schema.Snapshot) bool {
		next := c.next(p)
		return next.IsZero() || next.After(c.Until) || !c.After.IsZero() && before(p, done) <= 0
	})
	slices.SortFunc(due, before)
	return due
}

// nextLook is when the next of an account's posts is looked at.
func (c *commentCursor) nextLook(recent []schema.Snapshot, now time.Time) time.Time {
	var soon time.Time
	for _, post := range recent {
		if next := c.next(post); !next.IsZero() && (soon.IsZero() || next.Before(soon)) {
			soon = next
		}
	}
	if soon.IsZero() { // it is due sooner once the account publishes
		soon = now.Add(noPosts)
	}
	return slices.MaxFunc([]time.Time{soon, now.Add(soonest)}, time.Time.Compare)
}

// commentStep is a step that looks under an account's posts.
type commentStep struct {
	Step
	source connectors.CommentSource
	at     commentCursor
	due    []schema.Snapshot
	whole  schema.WholeLook // of the pages that this step has read of the first of due
	result schema.CollectionResult
}

// collectComments looks under the posts of an account that are due by their age. A step that
// ends before all of them is continued by the next. A post under which the platform fails to
// look is tried again by itself: it holds up no other.
func collectComments(ctx context.Context, s Step) (schema.CollectionResult, error) {
	source, ok := connectors.Able[connectors.CommentSource](s.Connector)
	if !ok {
		return s.result(), unsupported()
	}
	c := &commentStep{Step: s, source: source, at: readCommentCursor(s.Cursor, s.Now), result: s.result()}
	c.due = c.at.due(s.Recent)
	err := c.run(ctx)
	c.result.Cursor = encodeCursor(c.at)
	return c.result, err
}

// run makes the calls of the step, and says when the next is due; where an error is not of single
// posts it leaves that to the error.
func (c *commentStep) run(ctx context.Context) error {
	var wait time.Duration
	var failed error
	calls, failures := 0, 0
	for ; len(c.due) > 0 && calls < callsAtOnce && ctx.Err() == nil; calls++ {
		if wait = c.turn(ctx, calls); wait > 0 {
			break
		}
		err := c.look(ctx)
		if err == nil {
			continue
		}
		if !c.isPostSpecific(ctx, err) {
			c.at.Pages = pages{}
			return err
		}
		c.pass(true)
		failed = err
		if failures++; failures == failuresAtOnce && calls < failuresAtOnce {
			return err
		}
	}
	if len(c.due) > 0 {
		c.result.NextAt = c.Now.Add(wait)
	} else {
		c.at = commentCursor{Since: c.at.Until, Failed: c.at.Failed}
		c.result.NextAt = c.at.nextLook(c.Recent, c.Now)
	}
	if failures < calls {
		return nil
	}
	return failed
}

// look reads a page under the first post that is due.
func (c *commentStep) look(ctx context.Context) error {
	post := c.due[0].PublishedPost
	if c.at.Pages.Of != post.Post {
		c.at.Pages = pages{Of: post.Post}
	}
	page, err := c.source.Comments(ctx, c.Reading, post, c.at.Pages.Next)
	if err != nil && schema.KindOf(err) == schema.Refused && !c.lacksPermission(err) { // the others are read
		c.pass(false)
		return nil
	}
	if err != nil {
		return err
	}
	if c.at.Pages.Next == "" {
		c.whole = schema.WholeLook{Post: post.Post}
	}
	c.result.Received = append(c.result.Received, page.Items...)
	for _, received := range page.Items {
		c.whole.Seen = append(c.whole.Seen, received.Item.NativeID)
	}
	if c.at.Pages.follow(page) {
		return nil
	}
	if page.Extent != connectors.SomeComments && c.whole.Post == post.Post {
		c.whole.Nested = page.Extent == connectors.AllComments
		c.result.Whole = append(c.result.Whole, c.whole)
	}
	c.pass(false)
	return nil
}

// pass goes on behind the first post that is due.
func (c *commentStep) pass(failed bool) {
	c.at.pass(c.due[0], failed, c.Now)
	c.due, c.whole = c.due[1:], schema.WholeLook{}
}

// isPostSpecific reports whether an error may be of a post alone: the platform failed, or took all of the
// time that the step has. A step that is cut off has failed at nothing.
func (c *commentStep) isPostSpecific(ctx context.Context, err error) bool {
	kind := schema.KindOf(err)
	return (kind == schema.Retryable || kind == schema.Unknown) && !errors.Is(ctx.Err(), context.Canceled)
}

// lacksPermission reports whether an error is of all posts of the account, as far as is known: with
// the permission in hand it is of one.
func (s Step) lacksPermission(err error) bool {
	if scoped, ok := connectors.Able[connectors.Scoped](s.Connector); ok && scoped.Scopes().Allows(s.Reading.Credentials, connectors.Reads(s.What)) {
		return false
	}
	return connectors.IsNotPermitted(err)
}
