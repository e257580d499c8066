package billing_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

const (
	sessionCompleted    = "checkout.session.completed"
	subscriptionUpdated = "customer.subscription.updated"
	subscriptionDeleted = "customer.subscription.deleted"
)

// payer is a workspace that buys the plan personal, and then changes at Stripe what it pays
// for. The metadata of its subscriptions stays that of the purchase.
type payer struct {
	*gatewaytest.API
	workspace schema.WorkspaceID
	key       string
	start     time.Time
}

func newPayer(a *gatewaytest.API, name string) *payer {
	a.Helper()
	workspace, key := a.CreateWorkspace(name, schema.FreePlan, schema.Admin)
	return &payer{a, workspace, key, a.Now().Truncate(time.Second).Add(-time.Hour)}
}

func (p *payer) metadata() map[string]string {
	return map[string]string{"crier_workspace": p.workspace.String(), "crier_plan": "personal"}
}

// bought is told of the checkout session once it is paid.
func (p *payer) bought(subscription string) notice {
	return notice{"evt_paid_" + subscription, sessionCompleted, p.start, map[string]any{
		"id": "cs_1", "object": "checkout.session", "status": "complete", "subscription": subscription, "payment_status": "paid", "metadata": p.metadata(),
	}}
}

// updated is how a subscription to prices is, some seconds after it began.
func (p *payer) updated(subscription string, second int, status string, prices ...string) notice {
	items := make([]any, len(prices))
	for i, price := range prices {
		items[i] = map[string]any{"id": fmt.Sprint("si_", i), "object": "subscription_item", "price": map[string]any{"id": price, "object": "price"}, "quantity": 1}
	}
	return notice{
		fmt.Sprintf("evt_%s_%d_%s_%s", subscription, second, status, strings.Join(prices, "_")),
		subscriptionUpdated, p.start.Add(time.Duration(second) * time.Second), map[string]any{
			"id": subscription, "object": "subscription", "status": status, "metadata": p.metadata(),
			"items": map[string]any{"object": "list", "data": items, "has_more": false},
		},
	}
}

// deleted is told of a subscription that has ended.
func (p *payer) deleted(subscription string) notice {
	n := p.updated(subscription, 5000, "canceled", "price_p")
	n.kind = subscriptionDeleted
	return n
}

func (p *payer) plan() string {
	p.Helper()
	return p.RequestWith(p.key, http.MethodGet, "/billing/plan", nil).Want(http.StatusOK).At("plan", "name").Text()
}

// storedPlan is the plan, read without a request that counts.
func (p *payer) storedPlan() string {
	p.Helper()
	usage, err := p.GatewayStore.Usage(p.Context(), p.workspace)
	if err != nil {
		p.Fatal(err)
	}
	return usage.Plan.Name
}

func (p *payer) operatorGives(plan string) {
	p.Exec(`update workspaces set plan = $2 where id = $1`, p.workspace, plan)
}

// steps delivers notices and looks at the plan after each.
func (p *payer) steps(t *testing.T, steps []step) {
	t.Helper()
	p.Under(t)
	for _, step := range steps {
		if step.operator != "" {
			p.operatorGives(step.operator)
		}
		deliver(p.API, step.notice).Want(http.StatusOK)
		if got := p.plan(); got != step.plan {
			t.Fatalf("after %s the plan is %s, want %s", step.name, got, step.plan)
		}
	}
}

type step struct {
	name     string
	operator string // the plan that the operator gives before; empty: none
	notice   notice
	plan     string // after it
}

func TestAPlanFollowsWhatIsChangedAtStripe(t *testing.T) {
	a, _ := withStripe(t)
	for name, steps := range map[string]func(p *payer) []step{
		"up, down, again and out of order": func(p *payer) []step {
			return []step{
				{"the purchase", "", p.bought("sub_1"), "personal"},
				{"the upgrade", "", p.updated("sub_1", 10, "active", "price_t"), "team"},
				{"the downgrade", "", p.updated("sub_1", 20, "active", "price_p"), "personal"},
				{"the upgrade again", "", p.updated("sub_1", 10, "active", "price_t"), "personal"},
				{"another from before the downgrade", "", p.updated("sub_1", 19, "trialing", "price_t"), "personal"},
				{"the purchase again", "", p.bought("sub_1"), "personal"},
				{"a newer one", "", p.updated("sub_1", 21, "trialing", "price_t"), "team"},
				{"the end", "", p.deleted("sub_1"), "free"},
			}
		},
		"twice in one second": func(p *payer) []step {
			up, down := p.updated("sub_2", 10, "active", "price_t"), p.updated("sub_2", 10, "active", "price_p")
			return []step{
				{"the purchase", "", p.bought("sub_2"), "personal"},
				{"the upgrade", "", up, "team"},
				{"the downgrade", "", down, "personal"},
				{"the upgrade again", "", up, "personal"},
				{"the downgrade again", "", down, "personal"},
				{"a newer one", "", p.updated("sub_2", 11, "active", "price_t"), "team"},
				{"the upgrade again after the newer one", "", up, "team"},
			}
		},
		"what is owed": func(p *payer) []step {
			return []step{
				{"the purchase", "", p.bought("sub_3"), "personal"},
				{"an upgrade whose payment failed", "", p.updated("sub_3", 10, "past_due", "price_t"), "personal"},
				{"its payment", "", p.updated("sub_3", 20, "active", "price_t"), "team"},
				{"another that failed", "", p.updated("sub_3", 30, "past_due", "price_t"), "team"},
				{"the last retry", "", p.updated("sub_3", 40, "unpaid", "price_t"), "free"},
				{"what was told before it", "", p.updated("sub_3", 39, "active", "price_t"), "free"},
				{"its payment after all", "", p.updated("sub_3", 50, "active", "price_t"), "team"},
				{"a pause", "", p.updated("sub_3", 60, "paused", "price_t"), "free"},
				{"a status of the future", "", p.updated("sub_3", 70, "dormant", "price_t"), "free"},
				{"the end of the pause", "", p.updated("sub_3", 80, "active", "price_p"), "personal"},
				{"the cancellation", "", p.updated("sub_3", 90, "canceled", "price_p"), "free"},
				{"a change after it", "", p.updated("sub_3", 95, "active", "price_t"), "free"},
			}
		},
		"after the end": func(p *payer) []step {
			return []step{
				{"the purchase", "", p.bought("sub_4"), "personal"},
				{"the end", "", p.deleted("sub_4"), "free"},
				{"a change later than the end", "", p.updated("sub_4", 9000, "active", "price_t"), "free"},
				{"an end nobody has heard of", "", p.deleted("sub_5"), "free"},
				{"a change of that", "", p.updated("sub_5", 10, "active", "price_t"), "free"},
				{"its purchase", "", p.bought("sub_5"), "free"},
			}
		},
		"before the purchase is paid": func(p *payer) []step {
			return []step{
				{"an incomplete one", "", p.updated("sub_6", 0, "incomplete", "price_p"), "free"},
				{"an upgrade", "", p.updated("sub_6", 10, "active", "price_t"), "free"},
				{"the payment of the purchase", "", p.bought("sub_6"), "team"},
				{"an older change", "", p.updated("sub_6", 9, "active", "price_p"), "team"},
				{"one that was never paid", "", p.updated("sub_7", 10, "incomplete_expired", "price_p"), "team"},
				{"its purchase", "", p.bought("sub_7"), "team"},
			}
		},
		"beside a plan of the operator's": func(p *payer) []step {
			return []step{
				{"the purchase", "", p.bought("sub_8"), "personal"},
				{"a renewal", "agency", p.updated("sub_8", 10, "active", "price_p"), "agency"},
				{"an upgrade", "", p.updated("sub_8", 20, "active", "price_t"), "agency"},
				{"the last retry", "", p.updated("sub_8", 30, "unpaid", "price_t"), "agency"},
			}
		},
		"of two subscriptions": func(p *payer) []step {
			return []step{
				{"the first", "", p.bought("sub_9"), "personal"},
				{"the second", "", p.bought("sub_10"), "personal"},
				{"the upgrade of the second", "", p.updated("sub_10", 10, "active", "price_t"), "team"},
				{"a change of the first", "", p.updated("sub_9", 20, "active", "price_t"), "team"},
				{"its change back", "", p.updated("sub_9", 30, "active", "price_p"), "team"},
				{"the last retry of the second", "", p.updated("sub_10", 40, "unpaid", "price_t"), "personal"},
			}
		},
		"with something else in it": func(p *payer) []step {
			return []step{
				{"the purchase", "", p.bought("sub_11"), "personal"},
				{"an upgrade", "", p.updated("sub_11", 10, "active", "price_support", "price_t"), "team"},
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPayer(a, name)
			p.steps(t, steps(p))
		})
	}
}

func TestNoOrderOfNoticesChangesWhatIsPaid(t *testing.T) {
	a, _ := withStripe(t)
	p := newPayer(a, "payer")
	for i, order := range permutations(4) {
		id := fmt.Sprint("sub_", i)
		notices := []notice{p.bought(id), p.updated(id, 10, "unpaid", "price_p"), p.updated(id, 20, "active", "price_t"), p.updated(id, 30, "active", "price_p")}
		for _, n := range order {
			deliver(p.API, notices[n]).Want(http.StatusOK)
		}
		if got := p.storedPlan(); got != "personal" {
			t.Fatalf("in the order %v the plan comes to %s", order, got)
		}
		notices = append(notices, p.deleted(id))
		for _, n := range append([]int{4}, order...) {
			deliver(p.API, notices[n]).Want(http.StatusOK)
		}
		if got := p.storedPlan(); got != "free" {
			t.Fatalf("after the end, told again in the order %v, the plan comes to %s", order, got)
		}
	}
}

// permutations returns the orders of n things.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}

func TestASuspendedSubscriptionIsNotBoughtAgain(t *testing.T) {
	a, _ := withStripe(t)
	p := newPayer(a, "debtor")
	buy := func() *gatewaytest.Response {
		return p.RequestWith(p.key, http.MethodPost, "/billing/checkout", `{"plan": "team"}`)
	}
	deliver(p.API, p.updated("sub_1", 10, "active", "price_p")).Want(http.StatusOK)
	buy().Want(http.StatusOK) // no payment is known
	deliver(p.API, p.bought("sub_1")).Want(http.StatusOK)
	deliver(p.API, p.updated("sub_1", 20, "unpaid", "price_p")).Want(http.StatusOK)
	buy().WantError(http.StatusBadRequest, "invalid_state")
	deliver(p.API, p.deleted("sub_1")).Want(http.StatusOK)
	buy().Want(http.StatusOK)
}

func TestAPriceOfNoPlanIsToldTheOperatorOnce(t *testing.T) {
	a, _ := withStripe(t)
	p := newPayer(a, "payer")
	p.steps(t, []step{
		{"the purchase", "", p.bought("sub_1"), "personal"},
		{"a price of no plan", "", p.updated("sub_1", 10, "active", "price_yearly"), "personal"},
		{"its renewal", "", p.updated("sub_1", 20, "active", "price_yearly"), "personal"},
		{"an upgrade from before", "", p.updated("sub_1", 5, "active", "price_t"), "team"},
		{"no price at all", "", p.updated("sub_1", 30, "active"), "team"},
		{"another's", "", p.updated("sub_2", 10, "active", "price_yearly"), "team"},
		{"the last retry", "", p.updated("sub_1", 40, "unpaid", "price_yearly"), "free"},
	})
	if lines := strings.Count(a.Logs.String(), `"price":"price_yearly"`); lines != 1 {
		t.Errorf("the log tells %d times of the price", lines)
	}
}

func TestNobodyChangesTheSubscriptionOfAnotherWorkspace(t *testing.T) {
	a, _ := withStripe(t)
	owner, other := newPayer(a, "owner"), newPayer(a, "other")
	deliver(owner.API, owner.bought("sub_1")).Want(http.StatusOK)
	deliver(owner.API, owner.updated("sub_2", 10, "active", "price_t")).Want(http.StatusOK) // not paid yet
	for name, n := range map[string]notice{
		"a purchase":               other.bought("sub_1"),
		"a change":                 other.updated("sub_1", 20, "active", "price_t"),
		"a suspension":             other.updated("sub_1", 30, "unpaid", "price_t"),
		"an end":                   other.deleted("sub_1"),
		"a purchase before theirs": other.bought("sub_2"),
	} {
		deliver(a, n).Want(http.StatusOK)
		if got := other.plan(); got != "free" {
			t.Errorf("%s gives the other the plan %s", name, got)
		}
		if got := owner.plan(); got != "personal" {
			t.Errorf("%s gives the owner the plan %s", name, got)
		}
	}
	owner.steps(t, []step{
		{"the owner's own purchase", "", owner.bought("sub_2"), "team"},
		{"its last retry, which leaves the first", "", owner.updated("sub_2", 20, "unpaid", "price_t"), "personal"},
	})
}

func TestAChangeThatStripeDidNotSignIsRefused(t *testing.T) {
	a, _ := withStripe(t)
	p := newPayer(a, "payer")
	deliver(p.API, p.bought("sub_1")).Want(http.StatusOK)
	n := p.updated("sub_1", 10, "active", "price_t")
	body := string(n.body(t))
	for name, signature := range map[string]string{
		"none":            "",
		"another body's":  stripeSignature(a.Now(), body+" "),
		"an hour old":     stripeSignature(a.Now().Add(-time.Hour), body),
		"not of a secret": strings.Replace(stripeSignature(a.Now(), body), "v1=", "v1=00", 1),
	} {
		a.RequestWith("", http.MethodPost, "/billing/stripe", body, "Stripe-Signature", signature).WantError(http.StatusBadRequest, "validation_error")
		if got := p.plan(); got != "personal" {
			t.Errorf("with the signature %s the plan is %s", name, got)
		}
	}
	deliver(p.API, n).Want(http.StatusOK)
	if got := p.plan(); got != "team" {
		t.Errorf("with Stripe's signature the plan is %s", got)
	}
}
