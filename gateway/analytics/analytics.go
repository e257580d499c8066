package analytics

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/body"
	"crier/gateway/calendar"
	"crier/gateway/directory"
	"crier/schema"
)

const (
	day         = 24 * time.Hour
	defaultSpan = 30 * day
	historySpan = 365 * day // of best times
	maxSpan     = 366 * day
)

// Figures are what ClickHouse answers about posts and accounts.
type Figures interface {
	PostFigures
	// Followers returns how accounts gain followers.
	Followers(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) (schema.FollowersReport, error)
	// BestTimes returns when posts do best, the best first.
	BestTimes(ctx context.Context, workspace schema.WorkspaceID, query schema.BestTimesQuery) (schema.BestTimes, error)
}

// PostFigures are what ClickHouse answers about posts.
type PostFigures interface {
	// PostCounts returns how many targets ended in each status, by day and platform.
	PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostCount, error)
	// PostFigures returns how posts do: together, by day, by account and by platform.
	PostFigures(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostFigures, error)
	// TopPosts returns the posts that do best by a metric.
	TopPosts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter, top schema.TopQuery) ([]schema.PostFigure, error)
}

// Opener unseals the credentials of accounts.
type Opener interface {
	Open(account schema.Account) (schema.Credentials, error)
}

// Config is what the resource is made of.
type Config struct {
	Figures   Figures
	Accounts  directory.Directories
	Platforms connectors.Resolver // asked for what is not collected
	Vault     Opener
	Zones     *calendar.Zones
	Now       func() time.Time
}

// Routes returns the operations of figures.
func Routes(c Config) []admission.Route {
	a := &analytics{c}
	return []admission.Route{
		admission.Handle(http.MethodGet, "/analytics/posts", schema.Read, a.posts),
		admission.Handle(http.MethodGet, "/analytics/followers", schema.Read, a.followers),
		admission.Handle(http.MethodGet, "/analytics/retention", schema.Read, a.retention),
		admission.Handle(http.MethodGet, "/analytics/best-times", schema.Read, a.bestTimes),
	}
}

// analytics is the resource of figures.
type analytics struct{ Config }

// figuresQuery is which figures a request is about.
type figuresQuery struct {
	*body.Query
	workspace schema.WorkspaceID
	filter    schema.AnalyticsFilter
	csv       bool
}

// readQuery reads what all operations take: a range of days, by default the span until today, and a
// platform, a brand or an account of the workspace.
func (a *analytics) readQuery(c *gin.Context, span time.Duration) (figuresQuery, error) {
	began := a.Now()
	q := figuresQuery{Query: body.NewQuery(c), workspace: admission.RequestOf(c).Key.Workspace}
	q.filter = schema.AnalyticsFilter{From: q.Time("from"), To: q.Time("to"), Platform: q.Platform("platform")}
	if q.filter.Platform == schema.GoogleBusiness {
		q.Report.Fail("platform", body.CodeInvalidValue, "google-business has no analytics of posts")
	}
	q.days(began, span)
	q.csv = wantsCSV(c, &q)
	accounts, err := a.accounts(c.Request.Context(), began, &q)
	if err != nil {
		return q, err
	}
	q.filter.Accounts = accounts
	return q, nil
}

// days fills in and checks the range.
func (q *figuresQuery) days(now time.Time, span time.Duration) {
	f := &q.filter
	if f.To.IsZero() {
		f.To = now
	}
	if f.From.IsZero() {
		f.From = f.To.Add(-span)
	}
	f.From, f.To = f.From.UTC().Truncate(day), f.To.UTC().Truncate(day)
	switch {
	case f.To.Before(f.From):
		q.Report.Fail("to", body.CodeInvalidValue, "must not be before from")
	case f.To.Sub(f.From) > maxSpan:
		q.Report.Fail("from", body.CodeInvalidValue, "must be at most 366 days before to")
	case f.From.After(now):
		q.Report.Fail("from", body.CodeInvalidValue, "must not be in the future")
	case f.From.Year() < 2000:
		q.Report.Fail("from", body.CodeInvalidValue, "must not be before the year 2000")
	}
}

// accounts returns the accounts that are asked about: nil for all.
func (a *analytics) accounts(ctx context.Context, began time.Time, q *figuresQuery) ([]schema.AccountID, error) {
	id, byAccount := q.Word("accountId")
	brand, byBrand := q.Word("brandId")
	if !byAccount && !byBrand {
		return nil, nil
	}
	var accounts []schema.AccountID
	var knowsAccount, knowsBrand bool
	_, err := a.Accounts.Find(ctx, q.workspace, began, func(d *directory.Directory) bool {
		accounts, knowsAccount, knowsBrand = []schema.AccountID{}, !byAccount, !byBrand
		var of schema.BrandID
		if byBrand {
			of, knowsBrand = d.Brand(&brand)
		}
		for _, account := range d.All() {
			named := !byAccount || account.ID.String() == id
			knowsAccount = knowsAccount || named
			if named && (!byBrand || knowsBrand && account.Brand == of) {
				accounts = append(accounts, account.ID)
			}
			if byAccount && named && account.Platform == schema.GoogleBusiness {
				q.Report.Fail("accountId", body.CodeInvalidValue, "google-business has no analytics of posts")
			}
		}
		return knowsAccount && knowsBrand
	})
	if err != nil {
		return nil, err
	}
	if !knowsAccount {
		q.Report.Fail("accountId", "account_unknown", fmt.Sprintf("there is no account %q", body.Clip(id)))
	}
	if !knowsBrand {
		q.Report.Fail("brandId", "brand_unknown", fmt.Sprintf("there is no brand %q", body.Clip(brand)))
	}
	return accounts, nil
}

// post reads the post that is asked about.
func (q *figuresQuery) post() {
	q.filter.Post = body.QueryID(q.Query, "postId", schema.ParseID[schema.PostID])
}

func (q *figuresQuery) metric(name string, otherwise schema.Metric) schema.Metric {
	value, ok := q.Word(name)
	if !ok {
		return otherwise
	}
	if metric := schema.Metric(value); isMetric(metric) || metric == schema.MetricEngagement {
		return metric
	}
	q.Report.Fail(name, body.CodeInvalidValue, fmt.Sprintf("%q is no metric", body.Clip(value)))
	return otherwise
}

func isMetric(m schema.Metric) bool { return slices.Contains(schema.MetricNames(), m) }

func dateOf(t time.Time) string { return t.Format(time.DateOnly) }

func timeOf(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
