package gateway

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// billing is the resource of plans and how they are paid for.
type billing struct {
	usage         UsageReader
	subscriptions Subscriptions
	seller        Seller // nil: nothing is sold
	now           func() time.Time
	logger        *slog.Logger
}

func (b *billing) routes() []route {
	return []route{
		{http.MethodGet, "/billing/plan", schema.Read, b.plan},
		{http.MethodPost, "/billing/checkout", schema.Admin, b.checkout},
		{http.MethodPost, "/billing/stripe", public, b.notice},
	}
}

type planAnswer struct {
	Success bool       `json:"success"`
	Plan    planView   `json:"plan"`
	Plans   []planView `json:"plans"`
}

type checkoutView struct {
	URL string `json:"url"`
}

type checkoutAnswer struct {
	Success  bool            `json:"success"`
	Checkout checkoutView    `json:"checkout"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type noticeAnswer struct {
	Success bool `json:"success"`
}

// plan answers with the workspace's plan and those there are.
func (b *billing) plan(c *gin.Context) error {
	found, err := b.usage.Usage(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return err
	}
	plans, err := b.usage.Plans(c.Request.Context())
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

// checkout begins the purchase of a plan.
func (b *billing) checkout(c *gin.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	plan, _ := f.text("plan", maxName)
	f.require("plan")
	f.finish()
	if err := f.report.err(); err != nil {
		return err
	}
	if err := b.offered(c, plan); err != nil {
		return err
	}
	if err := b.mayBuy(c); err != nil {
		return err
	}
	name, err := b.purchaseName(c)
	if err != nil {
		return err
	}
	page, err := b.seller.Checkout(c.Request.Context(), schema.Purchase{Workspace: requestOf(c).key.Workspace, Plan: plan, Request: name})
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, checkoutAnswer{Success: true, Checkout: checkoutView{page}, Warnings: f.report.warnings})
	return nil
}

// offered refuses a plan that there is not, or that has no price.
func (b *billing) offered(c *gin.Context, name string) error {
	plans, err := b.usage.Plans(c.Request.Context())
	if err != nil {
		return err
	}
	known := false
	for _, plan := range plans {
		known = known || plan.Name == name
	}
	switch {
	case !known:
		return schema.InvalidField("plan", codeInvalidValue, "there is no such plan; GET /billing/plan lists them")
	case b.seller == nil:
		return sellsNothing()
	case !b.seller.Sells(name):
		return schema.InvalidField("plan", codeInvalidValue, "this plan is not sold")
	default:
		return nil
	}
}

// retrySales is what a caller is asked to wait where nothing is sold: until somebody has
// configured it.
const retrySales = time.Hour

func sellsNothing() error {
	return &schema.Error{Kind: schema.Unavailable, RetryAfter: retrySales, Message: "this server sells no plans; its operator changes the plan of a workspace"}
}

// mayBuy refuses a caller who must not buy: with a test key, which is for trying out, or
// for a workspace that would pay twice.
func (b *billing) mayBuy(c *gin.Context) error {
	key := requestOf(c).key
	if key.Sandbox {
		return &schema.Error{Kind: schema.Forbidden, Message: "a test key buys nothing; the sandbox has the plan of its workspace"}
	}
	subscribed, err := b.subscriptions.Subscribed(c.Request.Context(), key.Workspace)
	if err != nil || !subscribed {
		return err
	}
	return &schema.Error{Kind: schema.InvalidState, Message: "the workspace has a subscription, which has to end before another begins"}
}

// purchaseName names a request by its Idempotency-Key; without one, those within some
// minutes are one.
func (b *billing) purchaseName(c *gin.Context) (string, error) {
	given, err := identify(c, [32]byte{})
	if err != nil {
		return "", err
	}
	if given == nil {
		return b.now().UTC().Truncate(duplicateWindow).Format(time.RFC3339), nil
	}
	return given.Lineage.String() + " " + given.Key, nil
}

// notice takes what Stripe tells of subscriptions. Any status but 2xx makes Stripe send it
// again, for days: what will never be of use is taken, too.
func (b *billing) notice(c *gin.Context) error {
	if b.seller == nil {
		return sellsNothing()
	}
	body, err := readBody(c)
	if err != nil {
		return err
	}
	told, err := b.seller.Notice(c.GetHeader("Stripe-Signature"), body)
	if err != nil {
		return err
	}
	if told != nil {
		if err := b.note(c, *told); err != nil {
			return err
		}
	}
	respond(c, http.StatusOK, noticeAnswer{Success: true})
	return nil
}

// note stores what is told of a subscription. That of a workspace which is not there is
// another server's that sells by the same account.
func (b *billing) note(c *gin.Context, told schema.Subscription) error {
	err := b.subscriptions.PutSubscription(c.Request.Context(), told)
	about := slog.Group("", "subscription", told.ID, "workspace", told.Workspace.String(), "step", told.Step, "plan", told.Plan)
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind == schema.NotFound {
		b.logger.WarnContext(c.Request.Context(), "subscription of an unknown workspace or plan", about, slog.Any("err", err))
		return nil
	}
	if err == nil {
		b.logger.InfoContext(c.Request.Context(), "subscription noted", about)
	}
	return err
}
