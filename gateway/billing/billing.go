package billing

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// Store is all that usage and billing ask of the database.
type Store interface {
	usageReader
	subscriptions
}

// subscriptions keeps what workspaces pay for.
type subscriptions interface {
	Subscribed(ctx context.Context, workspace schema.WorkspaceID) (bool, error)
	// PutSubscription changes the plan of the workspace, once for each beginning, change
	// and end, and not by a change older than one that is known.
	// It is NotFound where there is no such live workspace or plan.
	PutSubscription(ctx context.Context, subscription schema.Subscription) error
}

// Seller sells plans.
type Seller interface {
	// Sells reports whether a plan is sold.
	Sells(plan string) bool
	// Checkout returns the page where a purchase is paid; the same one for the same
	// purchase. It is Unavailable where there is none at the moment.
	Checkout(ctx context.Context, purchase schema.Purchase) (page string, err error)
	// Notice reads a signed notice of what became of a purchase; nil: of nothing that
	// matters here. It is Invalid where the signature is not the seller's.
	Notice(signature string, body []byte) (*schema.Subscription, error)
}

// Config is what usage and billing are served with.
type Config struct {
	Store  Store
	Seller Seller // nil: nothing is sold
	Now    func() time.Time
	Logger *slog.Logger
}

// Routes returns the operations of usage and billing.
func Routes(c Config) []admission.Route {
	return append((&billing{c}).routes(), (&usage{c.Store}).routes()...)
}

// billing is the resource of plans and how they are paid for.
type billing struct{ Config }

func (b *billing) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, "/billing/plan", schema.Read, b.plan),
		admission.Handle(http.MethodPost, "/billing/checkout", schema.Admin, body.WithForm(b.checkout)).For(people.Owner),
		admission.Handle(http.MethodPost, "/billing/stripe", admission.Public, b.notice),
	}
}

type checkoutView struct {
	URL string `json:"url"`
}

// plan answers with the workspace's plan and those there are.
func (b *billing) plan(c *gin.Context) error {
	found, err := b.Store.Usage(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return err
	}
	plans, err := b.Store.Plans(c.Request.Context())
	if err != nil {
		return err
	}
	return answer.Several(c, http.StatusOK, map[string]any{"plan": viewPlan(found.Plan), "plans": lists.Map(plans, viewPlan)}, nil)
}

// checkout begins the purchase of a plan.
func (b *billing) checkout(c *gin.Context, f *body.Form) error {
	plan, _ := f.Text("plan", body.MaxName)
	f.Require("plan")
	if err := f.Finish(); err != nil {
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
	page, err := b.Seller.Checkout(c.Request.Context(), schema.Purchase{Workspace: admission.RequestOf(c).Key.Workspace, Plan: plan, Request: name})
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "checkout", checkoutView{page}, f.Report.Warnings)
}

// offered refuses a plan that there is not, or that has no price.
func (b *billing) offered(c *gin.Context, name string) error {
	plans, err := b.Store.Plans(c.Request.Context())
	if err != nil {
		return err
	}
	known := false
	for _, plan := range plans {
		known = known || plan.Name == name
	}
	switch {
	case !known:
		return schema.InvalidField("plan", body.CodeInvalidValue, "there is no such plan; GET /billing/plan lists them")
	case b.Seller == nil:
		return sellsNothing()
	case !b.Seller.Sells(name):
		return schema.InvalidField("plan", body.CodeInvalidValue, "this plan is not sold")
	default:
		return nil
	}
}

// purchaseWindow is for how long purchases without an Idempotency-Key are one.
const purchaseWindow = 5 * time.Minute

// retrySales is what a caller is asked to wait where nothing is sold: until somebody has
// configured it.
const retrySales = time.Hour

func sellsNothing() error {
	return &schema.Error{Kind: schema.Unavailable, RetryAfter: retrySales, Message: "this server sells no plans; its operator changes the plan of a workspace"}
}

// mayBuy refuses a caller who must not buy: with a test key, which is for trying out, or
// for a workspace that would pay twice.
func (b *billing) mayBuy(c *gin.Context) error {
	key := admission.RequestOf(c).Key
	if key.Sandbox {
		return &schema.Error{Kind: schema.Forbidden, Message: "a test key buys nothing; the sandbox has the plan of its workspace"}
	}
	subscribed, err := b.Store.Subscribed(c.Request.Context(), key.Workspace)
	if err != nil || !subscribed {
		return err
	}
	return &schema.Error{Kind: schema.InvalidState, Message: "the workspace has a subscription, which has to end before another begins"}
}

// purchaseName names a request by its Idempotency-Key; without one, those within
// purchaseWindow are one.
func (b *billing) purchaseName(c *gin.Context) (string, error) {
	key, err := admission.IdempotencyKey(c)
	if err != nil {
		return "", err
	}
	if key == "" {
		return b.Now().UTC().Truncate(purchaseWindow).Format(time.RFC3339), nil
	}
	return admission.RequestOf(c).Key.Lineage.String() + " " + key, nil
}

// notice takes what Stripe tells of subscriptions. Any status but 2xx makes Stripe send it
// again, for days: what will never be of use is taken, too.
func (b *billing) notice(c *gin.Context) error {
	if b.Seller == nil {
		return sellsNothing()
	}
	raw, err := body.ReadBody(c)
	if err != nil {
		return err
	}
	subscription, err := b.Seller.Notice(c.GetHeader("Stripe-Signature"), raw)
	if err != nil {
		return err
	}
	if subscription != nil {
		if err := b.note(c, *subscription); err != nil {
			return err
		}
	}
	return answer.Several(c, http.StatusOK, map[string]any{}, nil)
}

// note stores what is told of a subscription. That of a workspace which is not there is
// another server's that sells by the same account.
func (b *billing) note(c *gin.Context, subscription schema.Subscription) error {
	err := b.Store.PutSubscription(c.Request.Context(), subscription)
	about := slog.Group("", "subscription", subscription.ID, "workspace", subscription.Workspace.String(), "step", subscription.Step, "plan", subscription.Plan)
	if schema.KindOf(err) == schema.NotFound {
		b.Logger.WarnContext(c.Request.Context(), "subscription of an unknown workspace or plan", about, slog.Any("err", err))
		return nil
	}
	if err == nil {
		b.Logger.InfoContext(c.Request.Context(), "subscription noted", about)
	}
	return err
}
