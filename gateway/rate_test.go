package gateway_test

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/gateway"
	"crier/gateway/admission"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

// trips counts the round trips for windows of requests.
type trips struct {
	admission.Store
	n atomic.Int32
}

func (t *trips) LeaseRequests(ctx context.Context, key schema.KeyID, window time.Time, n, limit int) (schema.RequestLease, error) {
	t.n.Add(1)
	return t.Store.LeaseRequests(ctx, key, window, n, limit)
}

// beside makes another gateway whose clock stands where this one's does.
func beside(a *gatewaytest.API) *gatewaytest.API {
	b := a.Replica()
	b.Frozen.Store(a.Frozen.Load())
	return b
}

func TestGatewaysShareTheWindowOfAKey(t *testing.T) {
	const limit, each = 120, 80
	a := gatewaytest.New(t)
	a.Freeze()
	_, key := a.CreateWorkspace("team", "team", schema.Read)
	var passed, refused atomic.Int32
	var wait sync.WaitGroup
	for _, g := range []*gatewaytest.API{a, beside(a), beside(a)} {
		var left atomic.Int32
		left.Store(each)
		for range 4 {
			wait.Go(func() {
				for left.Add(-1) >= 0 {
					switch got := g.RequestWith(key, http.MethodGet, "/usage", nil); got.Status {
					case http.StatusOK:
						passed.Add(1)
					case http.StatusTooManyRequests:
						refused.Add(1)
					default:
						t.Errorf("status = %d: %s", got.Status, got.Body)
					}
				}
			})
		}
	}
	wait.Wait()
	if n := passed.Load(); n > limit || n < limit*9/10 {
		t.Errorf("%d requests got through, want %d or a few less", n, limit)
	}
	if n := passed.Load() + refused.Load(); n != 3*each {
		t.Errorf("%d answers, want %d", n, 3*each)
	}
}

func TestAGatewayThatIsAskedOnceKeepsLittleFromOthers(t *testing.T) {
	counter := new(trips)
	a := gatewaytest.New(t, func(c *gateway.Config) { counter.Store, c.Stores.Admission = c.Stores.Admission, counter })
	a.Freeze()
	_, key := a.CreateWorkspace("team", "team", schema.Read)
	for _, g := range []*gatewaytest.API{beside(a), beside(a)} {
		g.RequestWith(key, http.MethodGet, "/usage", nil).Want(http.StatusOK)
	}
	for i := range 118 {
		got := a.RequestWith(key, http.MethodGet, "/usage", nil)
		got.Want(http.StatusOK)
		if remaining := got.Header.Get("X-RateLimit-Remaining"); remaining != strconv.Itoa(117-i) {
			t.Fatalf("request %d: %s remaining, want %d", i, remaining, 117-i)
		}
	}
	full := a.RequestWith(key, http.MethodGet, "/usage", nil)
	full.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	if full.Header.Get("X-RateLimit-Remaining") != "0" || full.Header.Get("Retry-After") != "30" {
		t.Errorf("headers = %v", full.Header)
	}
	if n := counter.n.Load(); n > 40 {
		t.Errorf("%d round trips for 119 requests", n)
	}
	before := counter.n.Load()
	a.RequestWith(key, http.MethodGet, "/usage", nil).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	if n := counter.n.Load() - before; n != 0 {
		t.Errorf("%d round trips for a window that is known to be full", n)
	}
	a.Advance(30 * time.Second)
	a.RequestWith(key, http.MethodGet, "/usage", nil).Want(http.StatusOK)
}

func TestAKeyThatDisregards429IsSuspended(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	workspace, key := a.CreateWorkspace("small", "free", schema.Read)
	burst := func(n int) {
		for range n {
			a.RequestWith(key, http.MethodGet, "/usage", nil)
		}
	}
	burst(30 + 29)
	id := a.RequestWith(a.NewKey(workspace, schema.Admin), http.MethodGet, "/keys", nil).Want(http.StatusOK).At("keys", 1, "id").Text()
	// Most of its patience is used up by requests that other gateways have refused.
	if _, err := a.GatewayStore.CountRefusals(t.Context(), schema.Key{ID: parsed(a, schema.ParseID[schema.KeyID], id), RequestsPerMinute: 30}, 600-29); err != nil {
		t.Fatal(err)
	}
	a.RequestWith(key, http.MethodGet, "/usage", nil).WantError(http.StatusTooManyRequests, "rate_limit_exceeded") // reports 30
	a.Advance(time.Minute)
	for _, g := range []*gatewaytest.API{a, beside(a)} {
		got := g.RequestWith(key, http.MethodGet, "/usage", nil)
		message := got.WantError(http.StatusTooManyRequests, "rate_limit_exceeded").At("message").Text()
		wait, err := strconv.Atoi(got.Header.Get("Retry-After"))
		if err != nil || wait < 13*60 || wait > 15*60 {
			t.Errorf("Retry-After = %s, want what is left of 15 minutes", got.Header.Get("Retry-After"))
		}
		reset, err := strconv.ParseInt(got.Header.Get("X-RateLimit-Reset"), 10, 64)
		if early := time.Duration(wait)*time.Second - time.UnixMilli(reset).Sub(a.Now()); err != nil || early < -time.Millisecond || early > time.Second {
			t.Errorf("X-RateLimit-Reset = %s, want Retry-After's %d s from now, rounded up", got.Header.Get("X-RateLimit-Reset"), wait)
		}
		if len(message) == 0 || message[:len("this API key is suspended")] != "this API key is suspended" {
			t.Errorf("message = %q", message)
		}
	}
	a.Advance(15 * time.Minute)
	a.RequestWith(key, http.MethodGet, "/usage", nil).Want(http.StatusOK)
}

func TestAKeyThatIsRefusedNowAndThenIsNotSuspended(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	_, key := a.CreateWorkspace("small", "free", schema.Read)
	for range 30 + 65 {
		a.RequestWith(key, http.MethodGet, "/usage", nil)
	}
	if n := a.QueryInt(`select count(*) from api_keys where suspended_until is not null`); n != 0 {
		t.Error("a key was suspended after 65 refused requests")
	}
	if n := a.QueryInt(`select used from request_windows where subject like 'refused %'`); n != 60 {
		t.Errorf("%d refusals are counted, want those reported: two times the limit", n)
	}
	a.Advance(time.Minute)
	a.RequestWith(key, http.MethodGet, "/usage", nil).Want(http.StatusOK)
}
