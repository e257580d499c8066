package analytics

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

const (
	defaultSpan = 30 * 24 * time.Hour
	maxSpan     = 366 * 24 * time.Hour
)

// PostCounter counts what became of posts.
type PostCounter interface {
	// PostCounts returns how many targets ended in each status, by day and platform.
	PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.PostCountsFilter) ([]schema.PostCount, error)
}

// Routes returns the operations of figures.
func Routes(counter PostCounter, now func() time.Time) []admission.Route {
	return (&analytics{counter, now}).routes()
}

// analytics is the resource of figures.
type analytics struct {
	counter PostCounter
	now     func() time.Time
}

func (a *analytics) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodGet, "/analytics/posts", schema.Read, a.posts)}
}

type postCountsAnswer struct {
	Success bool            `json:"success"`
	From    string          `json:"from"`
	To      string          `json:"to"`
	Counts  []postCountView `json:"counts"`
	Totals  map[string]int  `json:"totals"` // by status
	// Warnings are of parameters that are not known.
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type postCountView struct {
	Day      string          `json:"day"`
	Platform schema.Platform `json:"platform"`
	Status   string          `json:"status"`
	Count    int             `json:"count"`
}

// posts answers with how many posts were published and failed, by day and platform.
func (a *analytics) posts(c *gin.Context) error {
	q := body.NewQuery(c)
	filter := a.filter(q)
	if err := q.Finish(); err != nil {
		return err
	}
	counts, err := a.counter.PostCounts(c.Request.Context(), admission.RequestOf(c).Key.Workspace, filter)
	if err != nil {
		return err
	}
	reply := postCountsAnswer{
		Success: true, From: filter.From.Format(time.DateOnly), To: filter.To.Format(time.DateOnly),
		Counts: make([]postCountView, 0, len(counts)), Totals: map[string]int{}, Warnings: q.Report.Warnings,
	}
	for _, n := range counts {
		if n.Platform == schema.GoogleBusiness {
			continue // the API has no analytics for it
		}
		reply.Counts = append(reply.Counts, postCountView{n.Day.Format(time.DateOnly), n.Platform, n.Status, n.Count})
		reply.Totals[n.Status] += n.Count
	}
	answer.JSON(c, http.StatusOK, reply)
	return nil
}

func (a *analytics) filter(q *body.Query) schema.PostCountsFilter {
	filter := schema.PostCountsFilter{From: q.Time("from"), To: q.Time("to"), Platform: q.Platform("platform")}
	if filter.Platform == schema.GoogleBusiness {
		q.Report.Fail("platform", body.CodeInvalidValue, "google-business has no analytics of posts")
	}
	if id, ok := q.Word("accountId"); ok {
		account, err := schema.ParseAccountID(id)
		if err != nil {
			q.Report.Fail("accountId", body.CodeInvalidValue, err.Error())
		}
		filter.Account = account
	}
	if filter.To.IsZero() {
		filter.To = a.now()
	}
	if filter.From.IsZero() {
		filter.From = filter.To.Add(-defaultSpan)
	}
	const day = 24 * time.Hour
	filter.From, filter.To = filter.From.UTC().Truncate(day), filter.To.UTC().Truncate(day)
	switch {
	case filter.To.Before(filter.From):
		q.Report.Fail("to", body.CodeInvalidValue, "must not be before from")
	case filter.To.Sub(filter.From) > maxSpan:
		q.Report.Fail("from", body.CodeInvalidValue, "must be at most 366 days before to")
	}
	return filter
}
