package billing

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/schema"
)

// usageReader reads what a workspace uses of its plan.
type usageReader interface {
	Usage(ctx context.Context, workspace schema.WorkspaceID) (schema.Usage, error)
	// Plans returns the plans there are, by name.
	Plans(ctx context.Context) ([]schema.Plan, error)
}

// usage is the resource of what a workspace uses of its plan.
type usage struct{ reader usageReader }

func (u *usage) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, "/usage", schema.Read, u.get),
	}
}

// usageView shows a limit that there is not as null.
type usageView struct {
	Period   periodView      `json:"period"`
	Posts    allowance       `json:"posts"`
	Accounts allowance       `json:"accounts"`
	Requests requestsView    `json:"requests"`
	Plan     planView        `json:"plan"`
	Limits   schema.LimitSet `json:"limits"` // that posts are held to
}

type periodView struct {
	Start answer.Moment `json:"start"`
	End   answer.Moment `json:"end"` // not included
}

type allowance struct {
	Used      *int `json:"used"` // null: it is not counted
	Limit     *int `json:"limit"`
	Remaining *int `json:"remaining"`
}

// requestsView is the minute of the key that asks, this request included.
type requestsView struct {
	Limit     *int          `json:"limit"`
	Remaining *int          `json:"remaining"`
	ResetsAt  answer.Moment `json:"resetsAt"`
}

type planView struct {
	Name              string `json:"name"`
	RequestsPerMinute *int   `json:"requestsPerMinute"`
	PostsPerMonth     *int   `json:"postsPerMonth"`
	Accounts          *int   `json:"accounts"`
}

// get answers with what is used of the month, and of the caller's minute.
func (u *usage) get(c *gin.Context) error {
	r := admission.RequestOf(c)
	found, err := u.reader.Usage(c.Request.Context(), r.Key.Workspace)
	if err != nil {
		return err
	}
	posts := allowanceOf(found.Posts, found.Plan.PostsPerMonth)
	if found.Plan.PostsPerMonth == 0 {
		posts.Used = nil
	}
	requests := requestsView{ResetsAt: answer.Moment(r.Quota.Reset)}
	if r.Quota.Limit > 0 {
		limit, remaining := r.Quota.Figures()
		requests.Limit, requests.Remaining = &limit, &remaining
	}
	return answer.Named(c, http.StatusOK, "usage", usageView{
		Period: periodView{answer.Moment(found.Month), answer.Moment(found.Month.AddDate(0, 1, 0))},
		Posts:  posts, Accounts: allowanceOf(found.Accounts, found.Plan.Accounts),
		Requests: requests, Plan: viewPlan(found.Plan), Limits: found.Limits,
	}, nil)
}

func allowanceOf(used, limit int) allowance {
	a := allowance{Used: &used, Limit: limited(limit)}
	if limit > 0 {
		a.Remaining = new(max(limit-used, 0))
	}
	return a
}

// limited returns nil for no limit.
func limited(limit int) *int {
	if limit == 0 {
		return nil
	}
	return &limit
}

func viewPlan(p schema.Plan) planView {
	return planView{
		Name: p.Name, RequestsPerMinute: limited(p.RequestsPerMinute), PostsPerMonth: limited(p.PostsPerMonth), Accounts: limited(p.Accounts),
	}
}
