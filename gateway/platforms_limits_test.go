package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestAWorkspaceIsHeldToTheLimitsThatItsOperatorChose(t *testing.T) {
	a := gatewaytest.New(t)
	seconds := func() any {
		return a.Request(http.MethodGet, "/platforms/bluesky", nil).Want(http.StatusOK).At("platform", "media", "maxVideoSeconds").Value
	}
	if got := seconds(); got != 60.0 {
		t.Errorf("by the specification a video has %v s", got)
	}
	if before, err := a.Admin.SetLimits(t.Context(), "acme", schema.PlatformLimits); err != nil || before != schema.SpecificationLimits {
		t.Fatalf("SetLimits = %v, %v", before, err)
	}
	for until := time.Now().Add(10 * time.Second); seconds() != 600.0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) { // other gateways see it within a second
			t.Fatalf("by the platform a video has %v s", seconds())
		}
	}
	if got := a.Request(http.MethodGet, "/usage", nil).Want(http.StatusOK).At("usage", "limits").Text(); got != "platform" {
		t.Errorf("usage.limits = %q", got)
	}
	list := a.Request(http.MethodGet, "/platforms", nil).Want(http.StatusOK)
	if got := list.At("limits").Text(); got != "platform" {
		t.Errorf("limits = %q", got)
	}
	account := a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	of := a.Request(http.MethodGet, "/platforms/bluesky?accountId="+account.String(), nil).Want(http.StatusOK)
	if got := of.At("limits").Text(); got != "platform" {
		t.Errorf("limits of an account = %q", got)
	}
	a.Request(http.MethodGet, "/platforms/myspace", nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodGet, "/platforms/bluesky?accountId="+schema.NewID[schema.AccountID](a.Store.Now()).String(), nil).WantError(http.StatusNotFound, "not_found")
}
