package analytics

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

const (
	defaultTop = 10
	maxTop     = 100
)

type postsResponse struct {
	Success bool            `json:"success"`
	From    string          `json:"from"`
	To      string          `json:"to"`
	Counts  []postCountView `json:"counts"`
	Totals  map[string]int  `json:"totals"` // by status
	Metrics metricsView     `json:"metrics"`
	// Warnings are of parameters that are not known.
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type postCountView struct {
	Day      string          `json:"day"`
	Platform schema.Platform `json:"platform"`
	Status   string          `json:"status"`
	Count    int             `json:"count"`
}

// metricsView is how posts do that were published in the range.
type metricsView struct {
	Totals    figuresView   `json:"totals"`
	Series    []figuresView `json:"series"` // by the day on which they were published
	Platforms []figuresView `json:"platforms"`
	Accounts  []figuresView `json:"accounts"`
	Top       []topView     `json:"top"`
}

type figuresView struct {
	Day      string                   `json:"day,omitempty"`
	Account  schema.AccountID         `json:"accountId,omitzero"`
	Platform schema.Platform          `json:"platform,omitzero"`
	Posts    int                      `json:"posts"`
	Metrics  map[schema.Metric]*int64 `json:"metrics"` // null: not known
}

type topView struct {
	Post       schema.PostID            `json:"postId"`
	Account    schema.AccountID         `json:"accountId"`
	Platform   schema.Platform          `json:"platform"`
	NativeID   string                   `json:"platformPostId"`
	PostedAt   string                   `json:"postedAt"`
	MeasuredAt string                   `json:"measuredAt"`
	Metrics    map[schema.Metric]*int64 `json:"metrics"`
}

// metrics reads which metrics the request is about.
func (q *figuresQuery) metrics() []schema.Metric {
	list, ok := q.Word("metrics")
	if !ok {
		return schema.MetricNames()
	}
	var metrics []schema.Metric
	for name := range strings.SplitSeq(list, ",") {
		switch metric := schema.Metric(name); {
		case !isMetric(metric):
			q.Report.Fail("metrics", body.CodeInvalidValue, fmt.Sprintf("%q is no metric", body.Clip(name)))
		case !slices.Contains(metrics, metric):
			metrics = append(metrics, metric)
		}
	}
	return metrics
}

// posts answers with how many posts were published and failed, by day and platform, and with
// how those do that were published.
func (a *analytics) posts(c *gin.Context) error {
	q, err := a.readQuery(c, defaultSpan)
	if err != nil {
		return err
	}
	q.post()
	metrics := q.metrics()
	top := schema.TopQuery{By: q.metric("sortBy", schema.MetricEngagement), Limit: q.Integer("top", defaultTop, maxTop)}
	if err := q.Finish(); err != nil {
		return err
	}
	ctx := c.Request.Context()
	counts, err := a.Figures.PostCounts(ctx, q.workspace, q.filter)
	if err != nil {
		return err
	}
	figures, err := a.Figures.PostFigures(ctx, q.workspace, q.filter)
	if err != nil {
		return err
	}
	counts = slices.DeleteFunc(counts, func(n schema.PostCount) bool { return n.Platform == schema.GoogleBusiness })
	if q.csv {
		daysTable(counts, figures, metrics).write(c, "posts")
		return nil
	}
	best, err := a.Figures.TopPosts(ctx, q.workspace, q.filter, top)
	if err != nil {
		return err
	}
	reply := postsResponse{
		Success: true, From: dateOf(q.filter.From), To: dateOf(q.filter.To),
		Counts: make([]postCountView, 0, len(counts)), Totals: map[string]int{}, Metrics: metricsOf(figures, best, metrics), Warnings: q.Report.Warnings,
	}
	for _, n := range counts {
		reply.Counts = append(reply.Counts, postCountView{dateOf(n.Day), n.Platform, n.Status, n.Count})
		reply.Totals[n.Status] += n.Count
	}
	return answer.JSON(c, http.StatusOK, reply)
}

func metricsOf(figures []schema.PostFigures, best []schema.PostFigure, metrics []schema.Metric) metricsView {
	view := metricsView{
		Totals: figuresView{Metrics: pick(&schema.Metrics{}, metrics)},
		Series: []figuresView{}, Platforms: []figuresView{}, Accounts: []figuresView{}, Top: make([]topView, len(best)),
	}
	for i := range figures {
		f := &figures[i]
		entry := figuresView{Account: f.Account, Platform: f.Platform, Posts: f.Posts, Metrics: pick(&f.Metrics, metrics)}
		switch {
		case !f.Day.IsZero():
			entry.Day = dateOf(f.Day)
			view.Series = append(view.Series, entry)
		case !f.Account.IsZero():
			view.Accounts = append(view.Accounts, entry)
		case f.Platform != 0:
			view.Platforms = append(view.Platforms, entry)
		default:
			view.Totals = entry
		}
	}
	for i := range best {
		p := &best[i]
		view.Top[i] = topView{p.Post, p.Account, p.Platform, p.NativeID, timeOf(p.PostedAt), timeOf(p.MeasuredAt), pick(&p.Metrics, metrics)}
	}
	return view
}

func pick(m *schema.Metrics, metrics []schema.Metric) map[schema.Metric]*int64 {
	picked := make(map[schema.Metric]*int64, len(metrics))
	for _, name := range metrics {
		picked[name] = m.Of(name)
	}
	return picked
}

// daysTable is a row for each day on which anything ended.
func daysTable(counts []schema.PostCount, figures []schema.PostFigures, metrics []schema.Metric) *table {
	t := &table{columns: []string{"day", "posted", "failed", "measured_posts"}}
	for _, name := range metrics {
		t.columns = append(t.columns, string(name))
	}
	type row struct {
		ended   map[string]int
		figures schema.PostFigures
	}
	rows := map[time.Time]*row{}
	of := func(day time.Time) *row {
		if rows[day] == nil {
			rows[day] = &row{ended: map[string]int{}}
		}
		return rows[day]
	}
	for _, n := range counts {
		of(n.Day).ended[n.Status] += n.Count
	}
	for _, f := range figures {
		if !f.Day.IsZero() {
			of(f.Day).figures = f
		}
	}
	for day, r := range rows {
		cells := []string{dateOf(day), strconv.Itoa(r.ended["posted"]), strconv.Itoa(r.ended["failed"]), strconv.Itoa(r.figures.Posts)}
		for _, name := range metrics {
			cells = append(cells, number(r.figures.Metrics.Of(name)))
		}
		t.add(cells...)
	}
	slices.SortFunc(t.rows, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return t
}
