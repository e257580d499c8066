package posts

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/pipeline/tracing"
	"crier/schema"
)

// writer creates and changes posts. Each call is one transaction, and durable once
// it has returned.
type writer interface {
	// Create makes the posts of a request, or returns the answer of the request it
	// repeats; the error is IdempotencyConflict when that one had another body.
	Create(ctx context.Context, creation schema.Creation) (schema.Created, error)
	// Update runs change on a copy of the locked post and stores what it made of it.
	// Posts other than drafts and scheduled ones are InvalidState. A queue that change reads
	// is locked until then, and the slot that it leaves the post with is taken. Where change returns
	// schema.ErrJudged nothing is stored; what is returned is what would have been.
	Update(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID, change func(*schema.Post, schema.QueueReader) error) (schema.Post, error)
	// Delete removes a draft and cancels a scheduled post; all others are InvalidState.
	Delete(ctx context.Context, workspace schema.WorkspaceID, id schema.PostID) (cancelled bool, err error)
}

// postResponse is the answer of what makes or changes one post.
type postResponse struct {
	Success  bool            `json:"success"`
	Post     postView        `json:"post"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

func (p *posts) create(c *gin.Context) error {
	return p.createFrom(c, readPostFields, func(post schema.Post, warnings []schema.Detail) any {
		return postResponse{Success: true, Post: viewPost(post), Warnings: warnings}
	})
}

// createFrom makes the post whose fields read finds in the request, and answers with what
// view shows of it.
func (p *posts) createFrom(c *gin.Context, read func(*body.Form) postFields, view func(schema.Post, []schema.Detail) any) error {
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	request, err := admission.Identify(c, f.Object)
	if err != nil {
		return err
	}
	b := p.batchOf(c)
	post, queue := p.build(c.Request.Context(), b, f, read)
	if err := refusal(f.Report); err != nil {
		return request.ReplayOr(c, p.Store, err)
	}
	if queue != nil {
		if answered, err := request.Replay(c, p.Store); answered || err != nil {
			return err
		}
	}
	p.warnOfDuplicate(request, b, f.Report)
	admission.RequestOf(c).Post = post.ID.String()
	creation := func() schema.Creation { // of the post as it stands
		return schema.Creation{
			Idempotency:   request.Identity,
			Posts:         []schema.Post{post},
			PostsPerMonth: b.key.PostsPerMonth,
			Response:      answer.Encode(view(post, f.Report.Warnings)),
		}
	}
	if queue == nil {
		return p.commit(c, creation(), nil)
	}
	return p.createInQueue(c, b, *queue, &post, creation)
}

// createInQueue makes a post in the next free slot of a queue. Where the day of that slot is full
// for an account of the post, a slot on a later day is taken.
func (p *posts) createInQueue(c *gin.Context, b batch, choice schema.QueueChoice, post *schema.Post, creation func() schema.Creation) error {
	var from time.Time
	for try := 1; ; try++ {
		if err := p.place(c.Request.Context(), b, slotsOf{choice, from}, []*schema.Post{post}); err != nil {
			return err
		}
		if post.ScheduledFor.IsZero() {
			return queueFull()
		}
		err := p.commit(c, creation(), []schema.PostID{post.ID})
		var isFull bool
		if from, isFull = nextFreeDay(err); !isFull || try == slotTries {
			return err
		}
	}
}

// commit stores a creation and sends its answer, or that of the first request if this one
// is a repetition. The slots of queued posts are released unless the posts were stored,
// or may have been.
func (p *posts) commit(c *gin.Context, creation schema.Creation, queued []schema.PostID) error {
	ctx, span := tracing.Child(c.Request.Context(), "create")
	defer span.End()
	for i := range creation.Posts {
		creation.Posts[i].Trace = tracing.Parent(ctx)
	}
	created, err := p.Store.Create(ctx, creation)
	if len(queued) > 0 && schema.KindOf(err) != schema.Unknown { // of a bulk, some posts may have been refused
		p.release(c.Request.Context(), queued)
	}
	if err != nil {
		return err
	}
	answer.Created(c, created)
	return nil
}

// warnOfDuplicate adds a warning if the same request came a short while ago, without a
// key.
func (p *posts) warnOfDuplicate(request admission.Repeatable, b batch, r *body.Report) {
	if request.Identity == nil && p.duplicates.seen(duplicate{b.key.Workspace, request.Fingerprint}, b.now) {
		r.Warn("body", "possible_duplicate",
			"the same request came within the last five minutes; with an Idempotency-Key it would have had its effect once")
	}
}
