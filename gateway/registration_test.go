package gateway_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"testing"

	"crier/gateway"
)

const acme = `{"name": "Acme", "email": "ada@acme.example"}`

func TestAnybodyCanRegisterWhereItIsAllowed(t *testing.T) {
	a := newAPI(t)
	made := a.callWith("", http.MethodPost, "/keys/register", acme).want(http.StatusCreated)
	if made.at("workspace", "name").text() != "Acme" || made.at("workspace", "plan").text() != "free" {
		t.Errorf("workspace = %v", made.at("workspace").value)
	}
	key := made.at("key", "secret").text()
	limits := a.callWith(key, http.MethodGet, "/billing/plan", nil).want(http.StatusOK).at("plan")
	if limits.at("postsPerMonth").value != 4.0 || limits.at("accounts").value != 2.0 {
		t.Errorf("plan = %v", limits.value)
	}
	a.callWith(key, http.MethodPost, "/keys", `{"name": "more", "permissions": ["read"]}`).want(http.StatusCreated)
	again := a.callWith("", http.MethodPost, "/keys/register", acme).want(http.StatusCreated)
	if again.at("workspace", "id").text() == made.at("workspace", "id").text() {
		t.Error("two who register with one name share a workspace")
	}
	if w, err := a.admin.Workspace(t.Context(), "Acme"); err == nil {
		t.Errorf("whoever registers takes the operator's names: %v", w)
	}
}

func TestNobodyRegistersWhereItIsNotAllowed(t *testing.T) {
	a := newAPI(t, func(c *gateway.Config) { c.Rules.AllowRegistration = false })
	a.callWith("", http.MethodPost, "/keys/register", acme).fails(http.StatusForbidden, "forbidden")
	if n := a.number(`select count(*) from workspaces`); n != 1 {
		t.Errorf("%d workspaces, want the one there was", n)
	}
}

func TestRegistrationsAreRefusedWithEveryReason(t *testing.T) {
	a := newAPI(t)
	for name, tt := range map[string]struct{ body, field string }{
		"no name":              {`{"email": "ada@acme.example"}`, "name"},
		"no address":           {`{"name": "Acme"}`, "email"},
		"no address of e-mail": {`{"name": "Acme", "email": "ada"}`, "email"},
		"with a name":          {`{"name": "Acme", "email": "Ada <ada@acme.example>"}`, "email"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			failure := a.callWith("", http.MethodPost, "/keys/register", tt.body).fails(http.StatusBadRequest, "validation_error")
			if got := failure.at("details", 0, "field").text(); got != tt.field {
				t.Errorf("field = %s, want %s", got, tt.field)
			}
		})
	}
}

func TestANetworkRegistersThreeTimesAnHour(t *testing.T) {
	a := newAPI(t, func(c *gateway.Config) {
		c.Addresses.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	register := func(from string) *answer {
		t.Helper()
		return a.callWith("", http.MethodPost, "/keys/register", acme, "X-Forwarded-For", from)
	}
	for i := range 3 {
		register(fmt.Sprintf("2001:db8:1:1::%d", i+1)).want(http.StatusCreated)
	}
	refused := register("2001:db8:1:1::99")
	refused.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	if wait, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || wait < 3500 || wait > 3600 {
		t.Errorf("Retry-After = %s, want what is left of the hour", refused.header.Get("Retry-After"))
	}
	register("2001:db8:1:2::1").want(http.StatusCreated)
	a.exec(`update request_windows set began_at = began_at - interval '1 hour' where subject like 'register %'`)
	register("2001:db8:1:1::99").want(http.StatusCreated)
	if n := a.number(`select count(*) from workspaces`); n != 1+5 {
		t.Errorf("%d workspaces, want one for each registration and the first", n)
	}
}
