package gateway

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// usage is the resource of what a workspace uses of its plan.
type usage struct{ reader UsageReader }

func (u *usage) routes() []route {
	return []route{
		{http.MethodGet, "/usage", schema.Read, u.get},
		{http.MethodGet, "/billing/plan", schema.Read, u.plan},
		{http.MethodPost, "/billing/checkout", schema.Admin, u.checkout},
	}
}

// usageView shows a limit that there is not as null.
type usageView struct {
	Period   periodView   `json:"period"`
	Posts    allowance    `json:"posts"`
	Accounts allowance    `json:"accounts"`
	Requests requestsView `json:"requests"`
	Plan     planView     `json:"plan"`
}

type periodView struct {
	Start moment `json:"start"`
	End   moment `json:"end"` // not included
}

type allowance struct {
	Used      *int `json:"used"` // null: it is not counted
	Limit     *int `json:"limit"`
	Remaining *int `json:"remaining"`
}

// requestsView is the minute of the key that asks, this request included.
type requestsView struct {
	Limit     *int   `json:"limit"`
	Remaining *int   `json:"remaining"`
	ResetsAt  moment `json:"resetsAt"`
}

type planView struct {
	Name              string `json:"name"`
	RequestsPerMinute *int   `json:"requestsPerMinute"`
	PostsPerMonth     *int   `json:"postsPerMonth"`
	Accounts          *int   `json:"accounts"`
}

type usageAnswer struct {
	Success bool      `json:"success"`
	Usage   usageView `json:"usage"`
}

type planAnswer struct {
	Success bool       `json:"success"`
	Plan    planView   `json:"plan"`
	Plans   []planView `json:"plans"`
}

// get answers with what is used of the month, and of the caller's minute.
func (u *usage) get(c *gin.Context) error {
	r := requestOf(c)
	found, err := u.reader.Usage(c.Request.Context(), r.key.Workspace)
	if err != nil {
		return err
	}
	posts := allowanceOf(found.Posts, found.Plan.PostsPerMonth)
	if found.Plan.PostsPerMonth == 0 {
		posts.Used = nil
	}
	requests := requestsView{ResetsAt: moment(r.quota.reset)}
	if r.quota.limit > 0 {
		limit, remaining := r.quota.shown()
		requests.Limit, requests.Remaining = &limit, &remaining
	}
	respond(c, http.StatusOK, usageAnswer{Success: true, Usage: usageView{
		Period: periodView{moment(found.Month), moment(found.Month.AddDate(0, 1, 0))},
		Posts:  posts, Accounts: allowanceOf(found.Accounts, found.Plan.Accounts),
		Requests: requests, Plan: viewPlan(found.Plan),
	}})
	return nil
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

// plan answers with the workspace's plan and those there are.
func (u *usage) plan(c *gin.Context) error {
	found, err := u.reader.Usage(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return err
	}
	plans, err := u.reader.Plans(c.Request.Context())
	if err != nil {
		return err
	}
	views := make([]planView, len(plans))
	for i := range plans {
		views[i] = viewPlan(plans[i])
	}
	respond(c, http.StatusOK, planAnswer{Success: true, Plan: viewPlan(found.Plan), Plans: views})
	return nil
}

// retrySales is what a caller is asked to wait where nothing is sold: until somebody has
// configured it.
const retrySales = time.Hour

// checkout would begin the purchase of a plan; plans are changed by the operator.
func (u *usage) checkout(c *gin.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	name, _ := f.text("plan", maxName)
	f.require("plan")
	f.finish()
	if err := f.report.err(); err != nil {
		return err
	}
	if err := u.offered(c, name); err != nil {
		return err
	}
	return &schema.Error{Kind: schema.Unavailable, RetryAfter: retrySales, Message: "this server sells no plans; its operator changes the plan of a workspace"}
}

// offered refuses a plan that there is not.
func (u *usage) offered(c *gin.Context, name string) error {
	plans, err := u.reader.Plans(c.Request.Context())
	if err != nil {
		return err
	}
	for _, plan := range plans {
		if plan.Name == name {
			return nil
		}
	}
	return schema.InvalidField("plan", codeInvalidValue, "there is no such plan; GET /billing/plan lists them")
}
