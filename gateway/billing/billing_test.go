package billing_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/connectors/egress"
	"crier/gateway"
	payments "crier/gateway/billing/stripe"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestPlansAreShownAndNotSold(t *testing.T) {
	a := gatewaytest.New(t)
	_, key := a.CreateWorkspace("team", "team", schema.Admin)
	got := a.RequestWith(key, http.MethodGet, "/billing/plan", nil).Want(http.StatusOK)
	if got.At("plan", "name").Text() != "team" || got.At("plan", "accounts").Value != 25.0 || got.At("plans").Len() != 5 {
		t.Errorf("plan = %v of %v", got.At("plan").Value, got.At("plans").Value)
	}
	a.RequestWith(key, http.MethodPost, "/billing/checkout", `{"plan": "agency"}`).WantError(http.StatusServiceUnavailable, "unavailable")
	failure := a.RequestWith(key, http.MethodPost, "/billing/checkout", `{"plan": "gold"}`).WantError(http.StatusBadRequest, "validation_error")
	if field := failure.At("details", 0, "field").Text(); field != "plan" {
		t.Errorf("field = %s", field)
	}
}

const (
	stripeKey    = "sk_test_secretsecret"
	stripeSecret = "whsec_secretsecret"
)

// stripe stands in for Stripe's API, as its documentation has it: parameters it does not
// know are refused, and a repeated Idempotency-Key gets the first answer, or an error where
// the form is another one (docs.stripe.com/api/checkout/sessions/create,
// docs.stripe.com/api/idempotent_requests).
type stripe struct {
	mu       sync.Mutex
	sessions []map[string]string // the forms
	saved    map[string]savedResponse
	status   int // other than 0: what everything is answered
}

type savedResponse struct {
	form string
	body []byte
}

func (s *stripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Request-Id", "req_standin")
	if r.Header.Get("Authorization") != "Bearer "+stripeKey {
		refuse(w, http.StatusUnauthorized, "", "")
		return
	}
	if s.status != 0 {
		refuse(w, s.status, "api_error", "")
		return
	}
	if r.Method+" "+r.URL.Path != "POST /v1/checkout/sessions" || r.Header.Get("Stripe-Version") == "" || r.ParseForm() != nil {
		refuse(w, http.StatusNotFound, "", "")
		return
	}
	form, known := r.PostForm.Encode(), r.Header.Get("Idempotency-Key")
	if saved, ok := s.saved[known]; ok {
		if saved.form != form {
			refuse(w, http.StatusBadRequest, "idempotency_error", "")
			return
		}
		w.Write(saved.body)
		return
	}
	session := map[string]string{}
	for name, values := range r.PostForm {
		session[name] = values[0]
	}
	if param := wrongParameter(session); param != "" {
		refuse(w, http.StatusBadRequest, "parameter_invalid", param)
		return
	}
	s.sessions = append(s.sessions, session)
	body := fmt.Appendf(nil, `{"id": "cs_%d", "object": "checkout.session", "url": "https://checkout.stripe.com/c/pay/cs_%[1]d"}`, len(s.sessions))
	s.saved[known] = savedResponse{form, body}
	w.Write(body)
}

func wrongParameter(session map[string]string) string {
	for _, required := range []string{"mode", "success_url", "line_items[0][price]", "line_items[0][quantity]"} {
		if session[required] == "" {
			return required
		}
	}
	for name := range session {
		plain := []string{"mode", "success_url", "cancel_url", "client_reference_id", "line_items[0][price]", "line_items[0][quantity]"}
		if !slices.Contains(plain, name) && !strings.HasPrefix(name, "metadata[") && !strings.HasPrefix(name, "subscription_data[metadata][") {
			return name
		}
	}
	if session["mode"] != "subscription" {
		return "mode"
	}
	return ""
}

func refuse(w http.ResponseWriter, status int, code, param string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error": {"type": "invalid_request_error", "code": %q, "param": %q, "message": "Invalid API Key provided: sk_test_****cret"}}`, code, param)
}

func (s *stripe) answerAll(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

func (s *stripe) begun() []map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sessions)
}

// withStripe makes a gateway that sells the plans personal and team.
func withStripe(t *testing.T) (*gatewaytest.API, *stripe) {
	t.Helper()
	s := &stripe{saved: map[string]savedResponse{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	guard := egress.New(egress.Config{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	a := gatewaytest.New(t, func(c *gateway.Config) {
		seller, err := payments.New(payments.Config{
			Key: stripeKey, WebhookSecret: stripeSecret, Prices: map[string]string{"personal": "price_p", "team": "price_t"},
			SuccessURL: "https://crier.example/paid", CancelURL: "https://crier.example/back", BaseURL: server.URL,
			HTTP: guard.Client(), Now: c.Now, Logger: c.Logger,
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Seller = seller
	})
	return a, s
}

func TestPlansAreSoldByStripe(t *testing.T) {
	a, s := withStripe(t)
	workspace, key := a.CreateWorkspace("buyer", "free", schema.Admin)
	a.Freeze()
	buy := func(key, plan string, headers ...string) *gatewaytest.Response {
		a.Helper()
		return a.RequestWith(key, http.MethodPost, "/billing/checkout", map[string]string{"plan": plan}, headers...)
	}
	first := buy(key, "team").Want(http.StatusOK).At("checkout", "url").Text()
	if again := buy(key, "team").Want(http.StatusOK).At("checkout", "url").Text(); again != first {
		t.Errorf("a retry leads to %s, at first %s", again, first)
	}
	for range 2 {
		buy(key, "team", "Idempotency-Key", "mine").Want(http.StatusOK)
	}
	buy(key, "personal", "Idempotency-Key", "mine").Want(http.StatusOK)
	sessions := s.begun()
	if len(sessions) != 3 {
		t.Fatalf("%d sessions: %v", len(sessions), sessions)
	}
	for name, want := range map[string]string{
		"client_reference_id": workspace.String(), "line_items[0][price]": "price_t", "line_items[0][quantity]": "1",
		"success_url": "https://crier.example/paid", "cancel_url": "https://crier.example/back",
		"metadata[crier_workspace]": workspace.String(), "metadata[crier_plan]": "team",
		"subscription_data[metadata][crier_workspace]": workspace.String(), "subscription_data[metadata][crier_plan]": "team",
	} {
		if got := sessions[0][name]; got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	_, other := a.CreateWorkspace("another", "free", schema.Admin)
	if page := buy(other, "team").Want(http.StatusOK).At("checkout", "url").Text(); page == first {
		t.Error("two workspaces pay on one page")
	}
	twin, err := a.Admin.Twin(t.Context(), workspace)
	if err != nil {
		t.Fatal(err)
	}
	test, _ := a.IssueKey(twin, schema.Admin, true)
	buy(test, "team").WantError(http.StatusForbidden, "forbidden")
	buy(key, "agency").WantError(http.StatusBadRequest, "validation_error")
}

func TestFailuresOfStripeAreNotShown(t *testing.T) {
	a, s := withStripe(t)
	for _, status := range []int{http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusTooManyRequests, http.StatusInternalServerError} {
		s.answerAll(status)
		got := a.Request(http.MethodPost, "/billing/checkout", `{"plan": "team"}`)
		got.WantError(http.StatusServiceUnavailable, "unavailable")
		if bytes.Contains(got.Body, []byte("Stripe")) || bytes.Contains(got.Body, []byte("sk_")) || got.Header.Get("Retry-After") == "" {
			t.Errorf("%d is shown as %s", status, got.Body)
		}
		if !strings.Contains(a.Logs.String(), fmt.Sprintf("status %d of Stripe", status)) {
			t.Errorf("the log does not tell of %d", status)
		}
	}
	if strings.Contains(a.Logs.String(), "sk_") {
		t.Error("the log has a part of the key")
	}
}

// notice is an event of Stripe's.
type notice struct {
	id      string
	kind    string
	created time.Time
	object  map[string]any
}

// notify sends a notice as Stripe does.
func notify(a *gatewaytest.API, kind string, object map[string]any) *gatewaytest.Response {
	a.Helper()
	return deliver(a, notice{"evt_1", kind, a.Now(), object})
}

func deliver(a *gatewaytest.API, n notice) *gatewaytest.Response {
	a.Helper()
	body := string(n.body(a))
	return a.RequestWith("", http.MethodPost, "/billing/stripe", body, "Stripe-Signature", stripeSignature(a.Now(), body))
}

func (n notice) body(t testing.TB) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"id": n.id, "object": "event", "type": n.kind, "created": n.created.Unix(), "data": map[string]any{"object": n.object},
	})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func stripeSignature(at time.Time, body string) string {
	mac := hmac.New(sha256.New, []byte(stripeSecret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s,v0=%[2]s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

func TestNoticesOfStripeChangeThePlan(t *testing.T) {
	a, _ := withStripe(t)
	workspace, key := a.CreateWorkspace("payer", "free", schema.Admin)
	twin, err := a.Admin.Twin(t.Context(), workspace)
	if err != nil {
		t.Fatal(err)
	}
	test, _ := a.IssueKey(twin, schema.Read, true)
	session := func(subscription, plan, status string) map[string]any {
		return map[string]any{
			"id": "cs_1", "object": "checkout.session", "subscription": subscription, "payment_status": status,
			"metadata": map[string]string{"crier_workspace": workspace.String(), "crier_plan": plan},
		}
	}
	ended := func(subscription, plan string) map[string]any {
		return map[string]any{
			"id": subscription, "object": "subscription",
			"metadata": map[string]string{"crier_workspace": workspace.String(), "crier_plan": plan},
		}
	}
	foreign := session("sub_9", "team", "paid")
	foreign["metadata"] = map[string]string{"crier_workspace": schema.NewID[schema.WorkspaceID](a.Now()).String(), "crier_plan": "team"}
	byOperator := func(plan string) { a.Exec(`update workspaces set plan = $2 where id = $1`, workspace, plan) }
	const completed, paid, deleted = "checkout.session.completed", "checkout.session.async_payment_succeeded", "customer.subscription.deleted"
	for _, step := range []struct {
		name   string
		before func()
		event  string
		object map[string]any
		plan   string
	}{
		{"an event nobody knows", nil, "invoice.paid", map[string]any{"metadata": 1}, "free"},
		{"a sale of something else", nil, completed, map[string]any{"id": "cs_2", "subscription": nil, "payment_status": "paid", "metadata": map[string]string{}}, "free"},
		{"another server's workspace", nil, completed, foreign, "free"},
		{"a plan there is not", nil, completed, session("sub_8", "gold", "paid"), "free"},
		{"an order whose payment is to come", nil, completed, session("sub_1", "team", "unpaid"), "free"},
		{"its payment", nil, paid, session("sub_1", "team", "paid"), "team"},
		{"the payment again, after the operator chose", func() { byOperator("agency") }, completed, session("sub_1", "team", "paid"), "agency"},
		{"the end, after the operator chose", nil, deleted, ended("sub_1", "team"), "agency"},
		{"the end again", func() { byOperator("team") }, deleted, ended("sub_1", "team"), "team"},
		{"the beginning after the end", func() { byOperator("free") }, completed, session("sub_1", "team", "paid"), "free"},
		{"an end before its beginning", nil, deleted, ended("sub_2", "team"), "free"},
		{"that beginning", nil, completed, session("sub_2", "team", "paid"), "free"},
		{"a new subscription", nil, completed, session("sub_3", "personal", "no_payment_required"), "personal"},
		{"a second beside it", nil, completed, session("sub_4", "team", "paid"), "team"},
		{"the end of the second", nil, deleted, ended("sub_4", "team"), "personal"},
		{"the end of all", nil, deleted, ended("sub_3", "personal"), "free"},
	} {
		if step.before != nil {
			step.before()
		}
		notify(a, step.event, step.object).Want(http.StatusOK)
		for name, key := range map[string]string{"the workspace": key, "its sandbox": test} {
			if got := a.RequestWith(key, http.MethodGet, "/billing/plan", nil).Want(http.StatusOK).At("plan", "name").Text(); got != step.plan {
				t.Fatalf("after %s the plan of %s is %s, want %s", step.name, name, got, step.plan)
			}
		}
	}
	notify(a, completed, session("sub_5", "personal", "paid")).Want(http.StatusOK)
	a.RequestWith(key, http.MethodPost, "/billing/checkout", `{"plan": "team"}`).WantError(http.StatusBadRequest, "invalid_state")
}

func TestNoticesThatStripeDidNotSignAreRefused(t *testing.T) {
	a, _ := withStripe(t)
	workspace, key := a.CreateWorkspace("victim", "free", schema.Admin)
	body := `{"type": "checkout.session.completed", "data": {"object": {"subscription": "sub_1", "payment_status": "paid", "metadata": {"crier_workspace": "` + workspace.String() + `", "crier_plan": "team"}}}}`
	a.RequestWith("", http.MethodPost, "/billing/stripe", body).WantError(http.StatusBadRequest, "validation_error")
	a.RequestWith("", http.MethodPost, "/billing/stripe", body, "Stripe-Signature", stripeSignature(a.Now(), body+" ")).WantError(http.StatusBadRequest, "validation_error")
	if got := a.RequestWith(key, http.MethodGet, "/billing/plan", nil).Want(http.StatusOK).At("plan", "name").Text(); got != "free" {
		t.Errorf("plan = %s", got)
	}
}
