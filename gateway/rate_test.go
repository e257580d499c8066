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
func (a *api) beside() *api {
	b := a.another()
	b.frozen.Store(a.frozen.Load())
	return b
}

func TestGatewaysShareTheWindowOfAKey(t *testing.T) {
	const limit, each = 120, 80
	a := newAPI(t)
	a.freeze()
	_, key := a.tenant("team", "team", schema.Read)
	var passed, refused atomic.Int32
	var wait sync.WaitGroup
	for _, g := range []*api{a, a.beside(), a.beside()} {
		var left atomic.Int32
		left.Store(each)
		for range 4 {
			wait.Go(func() {
				for left.Add(-1) >= 0 {
					switch got := g.callWith(key, http.MethodGet, "/usage", nil); got.status {
					case http.StatusOK:
						passed.Add(1)
					case http.StatusTooManyRequests:
						refused.Add(1)
					default:
						t.Errorf("status = %d: %s", got.status, got.body)
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
	a := newAPI(t, func(c *gateway.Config) { counter.Store, c.Stores.Admission = c.Stores.Admission, counter })
	a.freeze()
	_, key := a.tenant("team", "team", schema.Read)
	for _, g := range []*api{a.beside(), a.beside()} {
		g.callWith(key, http.MethodGet, "/usage", nil).want(http.StatusOK)
	}
	for i := range 118 {
		got := a.callWith(key, http.MethodGet, "/usage", nil)
		got.want(http.StatusOK)
		if remaining := got.header.Get("X-RateLimit-Remaining"); remaining != strconv.Itoa(117-i) {
			t.Fatalf("request %d: %s remaining, want %d", i, remaining, 117-i)
		}
	}
	full := a.callWith(key, http.MethodGet, "/usage", nil)
	full.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	if full.header.Get("X-RateLimit-Remaining") != "0" || full.header.Get("Retry-After") != "30" {
		t.Errorf("headers = %v", full.header)
	}
	if n := counter.n.Load(); n > 40 {
		t.Errorf("%d round trips for 119 requests", n)
	}
	before := counter.n.Load()
	a.callWith(key, http.MethodGet, "/usage", nil).fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	if n := counter.n.Load() - before; n != 0 {
		t.Errorf("%d round trips for a window that is known to be full", n)
	}
	a.pass(30 * time.Second)
	a.callWith(key, http.MethodGet, "/usage", nil).want(http.StatusOK)
}

func TestAKeyThatDisregards429IsSuspended(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	workspace, key := a.tenant("small", "free", schema.Read)
	burst := func(n int) {
		for range n {
			a.callWith(key, http.MethodGet, "/usage", nil)
		}
	}
	burst(30 + 29)
	id := a.callWith(a.newKey(workspace, schema.Admin), http.MethodGet, "/keys", nil).want(http.StatusOK).at("keys", 1, "id").text()
	// Most of its patience is used up by requests that other gateways have refused.
	if _, err := a.keys.CountRefusals(t.Context(), schema.Key{ID: parsed(a, schema.ParseKeyID, id), RequestsPerMinute: 30}, 600-29); err != nil {
		t.Fatal(err)
	}
	a.callWith(key, http.MethodGet, "/usage", nil).fails(http.StatusTooManyRequests, "rate_limit_exceeded") // reports 30
	a.pass(time.Minute)
	for _, g := range []*api{a, a.beside()} {
		got := g.callWith(key, http.MethodGet, "/usage", nil)
		message := got.fails(http.StatusTooManyRequests, "rate_limit_exceeded").at("message").text()
		wait, err := strconv.Atoi(got.header.Get("Retry-After"))
		if err != nil || wait < 13*60 || wait > 15*60 {
			t.Errorf("Retry-After = %s, want what is left of 15 minutes", got.header.Get("Retry-After"))
		}
		reset, err := strconv.ParseInt(got.header.Get("X-RateLimit-Reset"), 10, 64)
		if early := time.Duration(wait)*time.Second - time.UnixMilli(reset).Sub(a.now()); err != nil || early < -time.Millisecond || early > time.Second {
			t.Errorf("X-RateLimit-Reset = %s, want Retry-After's %d s from now, rounded up", got.header.Get("X-RateLimit-Reset"), wait)
		}
		if len(message) == 0 || message[:len("this API key is suspended")] != "this API key is suspended" {
			t.Errorf("message = %q", message)
		}
	}
	a.pass(15 * time.Minute)
	a.callWith(key, http.MethodGet, "/usage", nil).want(http.StatusOK)
}

func TestAKeyThatIsRefusedNowAndThenIsNotSuspended(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	_, key := a.tenant("small", "free", schema.Read)
	for range 30 + 65 {
		a.callWith(key, http.MethodGet, "/usage", nil)
	}
	if n := a.number(`select count(*) from api_keys where suspended_until is not null`); n != 0 {
		t.Error("a key was suspended after 65 refused requests")
	}
	if n := a.number(`select used from request_windows where subject like 'refused %'`); n != 60 {
		t.Errorf("%d refusals are counted, want those reported: two times the limit", n)
	}
	a.pass(time.Minute)
	a.callWith(key, http.MethodGet, "/usage", nil).want(http.StatusOK)
}
