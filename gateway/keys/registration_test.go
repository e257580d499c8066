package keys_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"testing"

	"crier/gateway"
	"crier/gateway/gatewaytest"
)

func TestAnybodyCanRegisterWhereItIsAllowed(t *testing.T) {
	a := gatewaytest.New(t)
	registration := a.RequestWith("", http.MethodPost, "/keys/register", gatewaytest.RegistrationBody).Want(http.StatusCreated)
	if registration.At("workspace", "name").Text() != "Acme" || registration.At("workspace", "plan").Text() != "free" {
		t.Errorf("workspace = %v", registration.At("workspace").Value)
	}
	key := registration.At("key", "secret").Text()
	limits := a.RequestWith(key, http.MethodGet, "/billing/plan", nil).Want(http.StatusOK).At("plan")
	if limits.At("postsPerMonth").Value != 4.0 || limits.At("accounts").Value != 2.0 {
		t.Errorf("plan = %v", limits.Value)
	}
	a.RequestWith(key, http.MethodPost, "/keys", `{"name": "more", "permissions": ["read"]}`).Want(http.StatusCreated)
	again := a.RequestWith("", http.MethodPost, "/keys/register", gatewaytest.RegistrationBody).Want(http.StatusCreated)
	if again.At("workspace", "id").Text() == registration.At("workspace", "id").Text() {
		t.Error("two who register with one name share a workspace")
	}
	if w, err := a.Admin.Workspace(t.Context(), "Acme"); err == nil {
		t.Errorf("whoever registers takes the operator's names: %v", w)
	}
}

func TestNobodyRegistersWhereItIsNotAllowed(t *testing.T) {
	a := gatewaytest.New(t, func(c *gateway.Config) { c.Rules.AllowRegistration = false })
	a.RequestWith("", http.MethodPost, "/keys/register", gatewaytest.RegistrationBody).WantError(http.StatusForbidden, "forbidden")
	if n := a.QueryInt(`select count(*) from workspaces`); n != 1 {
		t.Errorf("%d workspaces, want the one there was", n)
	}
}

func TestRegistrationsAreRefusedWithEveryReason(t *testing.T) {
	a := gatewaytest.New(t)
	for name, tt := range map[string]struct{ body, field string }{
		"no name":              {`{"email": "ada@acme.example"}`, "name"},
		"no address":           {`{"name": "Acme"}`, "email"},
		"no address of e-mail": {`{"name": "Acme", "email": "ada"}`, "email"},
		"with a name":          {`{"name": "Acme", "email": "Ada <ada@acme.example>"}`, "email"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			failure := a.RequestWith("", http.MethodPost, "/keys/register", tt.body).WantError(http.StatusBadRequest, "validation_error")
			if got := failure.At("details", 0, "field").Text(); got != tt.field {
				t.Errorf("field = %s, want %s", got, tt.field)
			}
		})
	}
}

func TestANetworkRegistersThreeTimesAnHour(t *testing.T) {
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Addresses.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	register := func(from string) *gatewaytest.Response {
		t.Helper()
		return a.RequestWith("", http.MethodPost, "/keys/register", gatewaytest.RegistrationBody, "X-Forwarded-For", from)
	}
	for i := range 3 {
		register(fmt.Sprintf("2001:db8:1:1::%d", i+1)).Want(http.StatusCreated)
	}
	refused := register("2001:db8:1:1::99")
	refused.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	if wait, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || wait < 3500 || wait > 3600 {
		t.Errorf("Retry-After = %s, want what is left of the hour", refused.Header.Get("Retry-After"))
	}
	register("2001:db8:1:2::1").Want(http.StatusCreated)
	a.Exec(`update request_windows set began_at = began_at - interval '1 hour' where subject like 'register %'`)
	register("2001:db8:1:1::99").Want(http.StatusCreated)
	if n := a.QueryInt(`select count(*) from workspaces`); n != 1+5 {
		t.Errorf("%d workspaces, want one for each registration and the first", n)
	}
}
