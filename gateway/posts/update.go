package posts

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// update changes what a request names of a draft or a scheduled post.
func (p *posts) update(c *gin.Context, id schema.PostID) error {
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	b := p.batchOf(c)
	f.Judge = p.judge
	fields := readPostFields(f)
	queue := readQueueID(f)
	mode := readNewMode(f, fields, queue)
	b.dryRun, _ = f.Boolean("dryRun")
	f.NoteUnread()
	checkPatch(fields, f.Report)
	if fields.timezone == nil && fields.scheduledFor != nil {
		if b.timezone, err = p.timezoneOf(c, b, id); err != nil {
			return err
		}
	}
	change := p.changeOf(c.Request.Context(), b, fields, f.Report)
	change.mode, change.queue = mode, queue
	if err := refusal(f.Report); err != nil {
		return err
	}
	post, warnings, err := p.store(c.Request.Context(), b, id, change, f.Report.Warnings)
	if err != nil {
		return err
	}
	return answer.JSON(c, http.StatusOK, postResponse{Success: true, Post: viewPost(post), Warnings: warnings})
}

// store makes a change of a post, and returns what became of it with the warnings that were given and those of
// the change. Of a dry run the post is as it would be.
func (p *posts) store(ctx context.Context, b batch, id schema.PostID, change change, given []schema.Detail) (schema.Post, []schema.Detail, error) {
	var r body.Report  // of the last run: the store may run the change again
	var from time.Time // of the slots of a queue
	run := func(post *schema.Post, queues schema.QueueReader) error {
		r = body.Report{Warnings: slices.Clone(given)}
		if change.isEmpty() {
			return schema.ErrUnchanged
		}
		if err := p.patch(post, change, b, &r); err != nil {
			return err
		}
		if change.mode == inQueue {
			of := slotsOf{schema.QueueChoice{ID: change.queue, Brand: post.Brand}, from}
			if err := p.moveToQueue(post, b, of, queues); err != nil {
				return err
			}
		}
		if b.dryRun {
			return schema.ErrJudged
		}
		return nil
	}
	for try := 1; ; try++ {
		post, err := p.Store.Update(ctx, b.key.Workspace, id, run)
		var isFull bool
		if from, isFull = nextFreeDay(err); isFull && change.mode == inQueue && try < slotTries {
			continue
		}
		return post, r.Warnings, err
	}
}

// checkPatch reports what no post may be changed to.
func checkPatch(fields postFields, r *body.Report) {
	if fields.targets != nil && len(fields.targets) == 0 {
		r.Fail("platforms", body.CodeRequired, "at least one platform is required")
	}
	if s := fields.status; s != nil && *s != schema.Draft.String() && *s != schema.Scheduled.String() {
		r.Fail("status", body.CodeInvalidValue, "must be draft or scheduled; DELETE cancels")
	}
}

// timezoneOf returns the zone of times without an offset: the post's own.
func (p *posts) timezoneOf(c *gin.Context, b batch, id schema.PostID) (string, error) {
	post, err := p.Store.Post(c.Request.Context(), b.key.Workspace, id)
	return post.Timezone, err
}

// patch applies the change to a locked post.
func (p *posts) patch(post *schema.Post, change change, b batch, r *body.Report) error {
	if change.fields.targets != nil && begun(post) {
		return &schema.Error{
			Kind: schema.InvalidState, Message: "a part of the post is published already, so its platforms cannot be replaced",
		}
	}
	if post.Content.Thread != nil {
		checkThreadPatch(change.fields, r)
	}
	before, wasDraft := *post, post.Status == schema.Draft
	change.apply(post, b.now)
	warnOfOwnTexts(post, change.fields, r)
	if s := change.fields.status; s != nil {
		status, err := schema.ParsePostStatus(*s)
		if err != nil {
			return err
		}
		post.Status = status
	}
	if b.key.DraftsOnly && (!wasDraft || post.Status != schema.Draft) {
		return &schema.Error{Kind: schema.Forbidden, Message: "your role changes drafts alone, which stay drafts"}
	}
	isScheduledNow := wasDraft && post.Status == schema.Scheduled
	if isScheduledNow && change.mode == atTime && change.scheduled.IsZero() {
		p.checkScheduled(*post, b.now, r)
	}
	found := len(r.Errors)
	p.checkAgainstPlatforms(post, change.accounts, r)
	if len(r.Errors) > found && !isScheduledNow {
		p.excuse(before, change, found, r)
	}
	if isScheduledNow && change.fields.targets == nil {
		warnOfProblems(post, change.accounts, r)
	}
	if change.fields.brand != nil || change.fields.targets != nil {
		warnOfBrands(post, change.accounts, r)
	}
	return refusal(r)
}

// excuse makes warnings of the errors from one on that the post had before the change, in fields that it
// leaves alone: what an account takes may have shrunk since.
func (p *posts) excuse(before schema.Post, change change, from int, r *body.Report) {
	if change.fields.targets != nil || change.fields.settings != nil {
		return // they say what the others are held to
	}
	var had body.Report
	before.Targets = slices.Clone(before.Targets) // the check sets how they begin
	p.checkAgainstPlatforms(&before, change.accounts, &had)
	errors := slices.Clone(r.Errors[from:])
	r.Errors = r.Errors[:from]
	for _, d := range errors {
		if !d.IsAmong(had.Errors) || change.fields.names(d.Field) {
			r.Add(d)
			continue
		}
		r.Warnings = append(r.Warnings, asShrunk(d))
	}
}

// asShrunk words an error of a post that is there already.
func asShrunk(d schema.Detail) schema.Detail {
	d.Message += "; the post was taken before, and its platform may refuse it"
	return d
}

// names reports whether the request has what a detail is about.
func (f postFields) names(field string) bool {
	switch {
	case strings.HasPrefix(field, "mediaItems"):
		return f.media != nil
	case strings.HasPrefix(field, "firstComments"):
		return f.comments != nil
	default:
		return f.content != nil
	}
}

// shrunk returns what is wrong with a scheduled post by what its accounts take now.
func (p *posts) shrunk(ctx context.Context, workspace schema.WorkspaceID, post schema.Post) []schema.Detail {
	if post.Status != schema.Scheduled || begun(&post) {
		return nil
	}
	accounts, err := p.Accounts.Get(ctx, workspace)
	if err != nil {
		return nil // the post is what was asked for
	}
	var found body.Report
	p.checkAgainstPlatforms(&post, accounts, &found)
	warnings := make([]schema.Detail, len(found.Errors))
	for i, d := range found.Errors {
		warnings[i] = asShrunk(d)
	}
	return warnings
}

// checkThreadPatch fails fields that would change the entries of a thread.
func checkThreadPatch(fields postFields, r *body.Report) {
	fixed := func(field string) {
		r.Fail(field, body.CodeConflict, "the entries of a thread cannot be changed; cancel it and create another")
	}
	if fields.content != nil {
		fixed("content")
	}
	if fields.media != nil {
		fixed("mediaItems")
	}
	for _, t := range fields.targets {
		if t.content != "" {
			fixed(t.field() + ".content")
		}
	}
}

// warnOfOwnTexts warns of platforms that go on with a text of their own where the post's changes.
func warnOfOwnTexts(post *schema.Post, fields postFields, r *body.Report) {
	if fields.content == nil {
		return
	}
	warned := map[schema.Platform]bool{}
	for _, t := range post.Targets {
		var mend string
		switch {
		case warned[t.Platform]:
			continue
		case fields.targets == nil && t.Content != "":
			mend = "platforms"
		case fields.settings == nil && t.Content == "" && post.Content.SettingText(t.Platform) != "":
			mend = "platformSettings"
		default:
			continue
		}
		warned[t.Platform] = true
		r.Warnings = append(r.Warnings, schema.Detail{
			Field: "content", Platform: t.Platform.String(), Code: "own_text_kept",
			Message: t.Platform.String() + " keeps the text of its own; send " + mend + " to change it",
		})
	}
}

// begun reports whether a part of a post was published, which a retry leaves in place.
func begun(post *schema.Post) bool {
	return slices.ContainsFunc(post.Targets, func(t schema.Target) bool {
		return t.State == schema.TargetPosted || len(t.Receipts) > 0
	})
}

// checkScheduled checks the time of a draft that becomes scheduled as it is.
func (p *posts) checkScheduled(post schema.Post, now time.Time, r *body.Report) {
	if post.ScheduledFor.IsZero() {
		r.Fail("scheduledFor", body.CodeRequired, "a draft needs a time before it can be scheduled")
		return
	}
	p.readTime(post.ScheduledFor.Format(time.RFC3339Nano), time.UTC, now, r)
}

// deletedResponse is the answer of what deletes a post or a thread.
type deletedResponse struct {
	Success bool   `json:"success"`
	Deleted bool   `json:"deleted"`
	ID      string `json:"id"`
	Method  string `json:"method,omitempty"` // cancelled, where the post is kept
}

// delete removes a draft or cancels a scheduled post.
func (p *posts) delete(c *gin.Context, id schema.PostID) error {
	cancelled, err := p.Store.Delete(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	return answerDeleted(c, id.String(), cancelled)
}

func answerDeleted(c *gin.Context, id string, cancelled bool) error {
	reply := deletedResponse{Success: true, Deleted: true, ID: id}
	if cancelled {
		reply.Method = schema.Cancelled.String()
	}
	return answer.JSON(c, http.StatusOK, reply)
}
