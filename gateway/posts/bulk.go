package posts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

const maxBulk = 25

// bulkResponse is the answer of a bulk creation. Its status is 201 even if every entry
// failed.
type bulkResponse struct {
	Success  bool            `json:"success"`
	Results  []bulkResult    `json:"results"`
	Summary  bulkSummary     `json:"summary"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type bulkResult struct {
	Index    int             `json:"index"`
	Success  bool            `json:"success"`
	Post     *postView       `json:"post,omitempty"`
	Error    *answer.Error   `json:"error,omitempty"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type bulkSummary struct {
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// createBulk makes up to 25 posts. Each entry is validated by itself; those that are
// valid are stored together.
func (p *posts) createBulk(c *gin.Context, f *body.Form) error {
	request, err := admission.Identify(c, f.Object)
	if err != nil {
		return err
	}
	b := p.batchOf(c)
	f.Judge = p.judge
	items := p.readBulk(f, &b)
	if err := f.Report.Err(); err != nil {
		return request.ReplayOr(c, p.Store, err)
	}
	entries, err := p.buildBulk(c.Request.Context(), b, f.Report.Body, items)
	if err != nil {
		return err
	}
	orderIDs(entries)
	if b.dryRun {
		return p.answerDryRun(c, b, entries, f.Report.Warnings)
	}
	if slices.ContainsFunc(entries, bulkEntry.waits) {
		if answered, err := request.Replay(c, p.Store); answered || err != nil {
			return err
		}
	}
	p.warnOfDuplicate(request, b, f.Report)
	return p.createEntries(c, b, entries, request.Identity, f.Report.Warnings)
}

// createEntries makes the posts of valid entries. Where the day of an entry's slot is full for one
// of its accounts, all slots are given back and taken again, that one on a later day.
func (p *posts) createEntries(c *gin.Context, b batch, entries []bulkEntry, identity *schema.Idempotency, warnings []schema.Detail) error {
	for try := 1; ; try++ {
		queued, err := p.placeBulk(c.Request.Context(), b, entries)
		if err != nil {
			p.release(c.Request.Context(), queued)
			return err
		}
		accepted, reply := p.answerBulk(entries)
		reply.Warnings = warnings
		creation := schema.Creation{Idempotency: identity, Posts: accepted, PostsPerMonth: b.key.PostsPerMonth, Response: answer.Encode(reply)}
		moved := false
		creation.ResponseIfRefused = func(refused map[schema.PostID]*schema.Error) []byte {
			if moved = try < slotTries && moveToFreeDays(entries, refused); moved {
				return nil
			}
			return answer.Encode(p.without(reply, refused))
		}
		if len(accepted) == 0 && identity == nil {
			answer.Created(c, schema.Created{Response: creation.Response})
			return nil
		}
		err = p.commit(c, creation, queued)
		if kind := schema.KindOf(err); (kind != schema.DailyLimitReached && kind != schema.PlanLimitReached) || !moved {
			return err
		}
	}
}

// answerDryRun answers with what would become of each entry, without posts.
func (p *posts) answerDryRun(c *gin.Context, b batch, entries []bulkEntry, warnings []schema.Detail) error {
	if _, err := p.placeBulk(c.Request.Context(), b, entries); err != nil {
		return err
	}
	_, reply := p.answerBulk(entries)
	for i := range reply.Results {
		reply.Results[i].Post = nil
	}
	reply.Warnings = warnings
	c.Data(http.StatusOK, answer.JSONType, answer.Encode(reply))
	return nil
}

// without returns an answer in which posts that the store refused have failed.
func (p *posts) without(reply bulkResponse, refused map[schema.PostID]*schema.Error) bulkResponse {
	reply.Results = slices.Clone(reply.Results)
	for id, e := range refused {
		i := slices.IndexFunc(reply.Results, func(r bulkResult) bool { return r.Post != nil && r.Post.ID == id.String() })
		view := p.Failures.View(e)
		reply.Results[i] = bulkResult{Index: i, Error: &view, Warnings: reply.Results[i].Warnings}
	}
	reply.Summary.Failed += len(refused)
	reply.Summary.Succeeded -= len(refused)
	return reply
}

// readBulk returns the entries, and notes in b what is said of all of them.
func (p *posts) readBulk(f *body.Form, b *batch) []body.Value {
	items, ok := f.List("posts", maxBulk)
	if !ok {
		f.Require("posts")
	} else if len(items) == 0 {
		f.Fail("posts", body.CodeRequired, fmt.Sprintf("1 to %d posts are required", maxBulk))
	}
	if name, ok := f.Text("timezone", body.MaxShort); ok {
		if _, err := p.Zones.Load(name); err != nil {
			f.Fail("timezone", body.CodeInvalidValue, err.Error())
		}
		b.timezone = name
	}
	b.dryRun, _ = f.Boolean("dryRun")
	f.NoteUnread()
	return items
}

// bulkEntry is one validated entry of a bulk creation.
type bulkEntry struct {
	post  schema.Post
	queue *schema.QueueChoice // nil: not for a queue
	from  time.Time           // its slot is not before; zero: it may be any
	*body.Report
}

// waits reports whether the entry is valid and needs a slot of a queue.
func (e bulkEntry) waits() bool { return e.queue != nil && len(e.Errors) == 0 }

// buildBulk validates every entry. An error is a fault, after which nothing is known of
// any entry.
func (p *posts) buildBulk(ctx context.Context, b batch, raw []byte, items []body.Value) ([]bulkEntry, error) {
	entries := make([]bulkEntry, len(items))
	for i, item := range items {
		e := &entries[i]
		e.Report = &body.Report{Body: raw}
		e.post, e.queue = p.build(ctx, b, body.NewForm(item, e.Report), readPostFields)
		if e.Fault != nil {
			return nil, e.Fault
		}
	}
	return entries, nil
}

// orderIDs gives the entries their ids in the order of the request: by them lists have posts of
// the same time in the order of their creation.
func orderIDs(entries []bulkEntry) {
	var valid []*schema.Post
	for i := range entries {
		if post := &entries[i].post; !post.ID.IsZero() {
			valid = append(valid, post)
		}
	}
	ids := make([]schema.PostID, len(valid))
	for i, post := range valid {
		ids[i] = post.ID
	}
	slices.SortFunc(ids, schema.PostID.Compare)
	for i, post := range valid {
		post.ID = ids[i]
	}
}

// placeBulk gives the entries for a queue their slots, in order, and returns the posts
// that got one.
func (p *posts) placeBulk(ctx context.Context, b batch, entries []bulkEntry) (queued []schema.PostID, err error) {
	waiting := map[slotsOf][]*schema.Post{}
	for i := range entries {
		if e := &entries[i]; e.waits() {
			of := slotsOf{*e.queue, e.from}
			waiting[of] = append(waiting[of], &e.post)
			queued = append(queued, e.post.ID)
		}
	}
	missing := map[schema.QueueChoice]*schema.Error{}
	for _, of := range slices.SortedFunc(maps.Keys(waiting), func(a, b slotsOf) int { return a.from.Compare(b.from) }) {
		err := p.place(ctx, b, of, waiting[of])
		if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.Invalid {
			missing[of.choice] = e
		} else if err != nil {
			return queued, err
		}
	}
	for _, e := range entries {
		if !e.waits() || !e.post.ScheduledFor.IsZero() {
			continue
		}
		refusal := cmp.Or(missing[*e.queue], queueFull())
		e.Errors = append(e.Errors, refusal.Details...)
	}
	return queued, nil
}

// moveToFreeDays notes from when on those of the refused entries are to be placed that wait for a
// queue and whose day is full; moved is false where there are none.
func moveToFreeDays(entries []bulkEntry, refused map[schema.PostID]*schema.Error) (moved bool) {
	for i := range entries {
		e := &entries[i]
		why, isRefused := refused[e.post.ID]
		if !isRefused || !e.waits() {
			continue
		}
		if day, isFull := nextFreeDay(why); isFull {
			e.from, moved = day, true
		}
	}
	return moved
}

// answerBulk returns the posts to store, and the answer for all entries.
func (p *posts) answerBulk(entries []bulkEntry) ([]schema.Post, bulkResponse) {
	accepted := make([]schema.Post, 0, len(entries))
	reply := bulkResponse{Success: true, Results: make([]bulkResult, len(entries))}
	for i, e := range entries {
		reply.Results[i] = bulkResult{Index: i, Warnings: e.Warnings}
		if err := refusal(e.Report); err != nil {
			view := p.Failures.View(answer.Actionable(err))
			reply.Results[i].Error = &view
			continue
		}
		view := viewPost(e.post)
		reply.Results[i].Success, reply.Results[i].Post = true, &view
		accepted = append(accepted, e.post)
	}
	reply.Summary = bulkSummary{Total: len(entries), Succeeded: len(accepted), Failed: len(entries) - len(accepted)}
	return accepted, reply
}
