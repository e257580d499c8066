package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// posts is the resource of posts.
type posts struct {
	failures
	reader        PostReader
	writer        PostWriter
	retrier       PostRetrier
	attemptReader AttemptReader
	answers       AnswerReader
	slots         SlotTaker
	accounts      *cache[schema.WorkspaceID, *directory]
	constraints   func(schema.Platform) schema.Constraints
	checkURL      func(ctx context.Context, rawURL string) error
	lead          time.Duration
	now           func() time.Time
	library       *library
	zones         *zones
	duplicates    *duplicates
}

func (p *posts) routes() []route {
	return []route{
		{http.MethodPost, "/posts", schema.Write, p.create},
		{http.MethodPost, "/posts/bulk", schema.Write, p.createBulk},
		{http.MethodPost, "/posts/validate", schema.Read, p.check},
		{http.MethodGet, "/posts", schema.Read, p.list},
		{http.MethodGet, "/posts/:id", schema.Read, p.get},
		{http.MethodPatch, "/posts/:id", schema.Write, p.update},
		{http.MethodDelete, "/posts/:id", schema.Write, p.delete},
		{http.MethodPost, "/posts/:id/retry", schema.Write, p.retry},
		{http.MethodGet, "/posts/:id/attempts", schema.Read, p.attempts},
	}
}

// batch is what all posts of one request share.
type batch struct {
	key      schema.Key
	began    time.Time
	now      time.Time // began to the millisecond, as times are stored and shown
	timezone string    // of posts that name none
}

func (p *posts) batchOf(c *gin.Context) batch {
	began := p.now()
	return batch{
		key: requestOf(c).key, began: began, now: began.UTC().Truncate(time.Millisecond), timezone: defaultTimezone,
	}
}

// postID returns the id a path names. One that is no id names nothing that exists.
func postID(c *gin.Context) (schema.PostID, error) {
	id, err := schema.ParsePostID(c.Param("id"))
	if err != nil {
		return id, &schema.Error{Kind: schema.NotFound, Message: "post not found", Err: err}
	}
	requestOf(c).post = id.String()
	return id, nil
}
