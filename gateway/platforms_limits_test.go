package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

func TestAWorkspaceIsHeldToTheLimitsThatItsOperatorChose(t *testing.T) {
	a := newAPI(t)
	seconds := func() any {
		return a.call(http.MethodGet, "/platforms/bluesky", nil).want(http.StatusOK).at("platform", "media", "maxVideoSeconds").value
	}
	if got := seconds(); got != 60.0 {
		t.Errorf("by the specification a video has %v s", got)
	}
	if before, err := a.admin.SetLimits(t.Context(), "acme", schema.PlatformLimits); err != nil || before != schema.SpecificationLimits {
		t.Fatalf("SetLimits = %v, %v", before, err)
	}
	for until := time.Now().Add(10 * time.Second); seconds() != 600.0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) { // other gateways see it within a second
			t.Fatalf("by the platform a video has %v s", seconds())
		}
	}
	if got := a.call(http.MethodGet, "/usage", nil).want(http.StatusOK).at("usage", "limits").text(); got != "platform" {
		t.Errorf("usage.limits = %q", got)
	}
	list := a.call(http.MethodGet, "/platforms", nil).want(http.StatusOK)
	if got := list.at("limits").text(); got != "platform" {
		t.Errorf("limits = %q", got)
	}
	account := a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	of := a.call(http.MethodGet, "/platforms/bluesky?accountId="+account.String(), nil).want(http.StatusOK)
	if got := of.at("limits").text(); got != "platform" {
		t.Errorf("limits of an account = %q", got)
	}
	a.call(http.MethodGet, "/platforms/myspace", nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodGet, "/platforms/bluesky?accountId="+schema.NewAccountID(a.store.Now()).String(), nil).fails(http.StatusNotFound, "not_found")
}
