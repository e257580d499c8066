// Package posts is the resource of posts and threads, a thread being a post of several
// entries: creating one or 25, judging, reading, changing, cancelling and retrying them, and
// the timeline of what happened.
//
//	form → fields → change: accounts, time, media → check: the platforms' constraints
//	     → place: a slot, where it is for a queue
//	     → commit: one transaction; the answer is sent after it, and kept for repetitions
//	     → view
//
// A request whose Idempotency-Key was seen before is answered with the first answer, by the
// store, under the lock that makes it happen once. Before a request is refused as invalid its
// key is looked up, since what was valid then may not be now.
package posts

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/calendar"
	"crier/gateway/cursor"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/people"
)

// Store is all that posts ask of the database.
type Store interface {
	reader
	writer
	retrier
	attemptReader
	admission.AnswerReader
	slotStore
	uploadReader
}

// Config is what posts are served with.
type Config struct {
	Store       Store
	Accounts    directory.Directories
	Uploads     uploads
	Cursors     cursor.Cursors
	Zones       *calendar.Zones
	Constraints func(schema.Platform) schema.Constraints
	// Refuses says why crier must not call an address; empty: it may.
	Refuses  func(ctx context.Context, address string) string
	Lead     time.Duration // how far ahead scheduledFor has to be
	Now      func() time.Time
	Logger   *slog.Logger
	Failures answer.Failures
}

// Routes returns the operations of posts and threads.
func Routes(c Config) []admission.Route {
	p := &posts{c, new(duplicates)}
	return append(p.routes(), (&threads{p}).routes()...)
}

// posts is the resource of posts.
type posts struct {
	Config
	duplicates *duplicates
}

func (p *posts) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodPost, "/posts", schema.Write, p.create).For(people.Author),
		admission.Handle(http.MethodPost, "/posts/bulk", schema.Write, body.WithForm(p.createBulk)).For(people.Author),
		admission.Handle(http.MethodPost, "/posts/validate", schema.Read, body.WithForm(p.validate)),
		admission.Handle(http.MethodPost, "/posts/lookup", schema.Read, body.WithForm(p.lookup)),
		admission.Handle(http.MethodGet, "/posts", schema.Read, p.list),
		admission.Handle(http.MethodGet, "/posts/:id", schema.Read, withPost(p.get)),
		admission.Handle(http.MethodPatch, "/posts/:id", schema.Write, withPost(p.update)).For(people.Author),
		admission.Handle(http.MethodDelete, "/posts/:id", schema.Write, withPost(p.delete)),
		admission.Handle(http.MethodPost, "/posts/:id/retry", schema.Write, withPost(p.retry)),
		admission.Handle(http.MethodGet, "/posts/:id/attempts", schema.Read, withPost(p.attempts)),
	}
}

// batch is what all posts of one request share.
type batch struct {
	key      schema.Key
	began    time.Time
	now      time.Time // began, rounded to the millisecond as times are stored and shown
	timezone string    // of posts that name none
	dryRun   bool      // nothing is made
	lookups  *lookups
}

func (p *posts) batchOf(c *gin.Context) batch {
	began := p.Now()
	return batch{
		key: admission.RequestOf(c).Key, began: began, now: began.UTC().Truncate(time.Millisecond), timezone: calendar.DefaultTimezone,
		lookups: newLookups(p.Refuses),
	}
}

// withPost is a handler of requests whose path has the id of a post, which the log has too.
func withPost(answer func(*gin.Context, schema.PostID) error) func(*gin.Context) error {
	return body.WithID("post", func(c *gin.Context, id schema.PostID) error {
		admission.RequestOf(c).Post = id.String()
		return answer(c, id)
	})
}
