package admission

import (
	"net/netip"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"crier/gateway/answer"
	"crier/schema"
	"crier/schema/metric"
)

const (
	// maxTransfers is how many requests that carry a file are answered at a time. They
	// last as long as the client's connection is slow, so most places are left to the
	// others.
	maxTransfers = maxInFlight / 4
	// maxPartyTransfers is how many of them one workspace may have, or one network
	// without a key.
	maxPartyTransfers = maxTransfers / 4
)

// party is who uploads or downloads a file: a workspace, or without a key a network.
type party struct {
	workspace schema.WorkspaceID
	address   netip.Prefix
}

func partyOf(r *Request) party {
	if r.Key.Workspace.IsZero() {
		return party{address: r.Address}
	}
	return party{workspace: r.Key.Workspace}
}

// transfers refuses requests that carry a file while too many do, or too many of the same
// party.
type transfers struct {
	answer.Failures
	limits  Limits
	refused prometheus.Counter // because all places were taken

	mu  sync.Mutex
	all int
	of  map[party]int // only those that have some
}

func newTransfers(f answer.Failures, l Limits, refused prometheus.Counter, registerer prometheus.Registerer) *transfers {
	t := &transfers{Failures: f, limits: l, refused: refused, of: make(map[party]int)}
	metric.With(registerer).GaugeFunc("crier_http_transfers",
		"Requests to the REST API that carry a file and are being answered.", t.count)
	return t
}

// enter runs after admit: it must know whose request it is.
func (t *transfers) enter(c *gin.Context) {
	if _, carries := t.limits.of(c); !carries {
		return
	}
	p := partyOf(RequestOf(c))
	if !t.begin(p) {
		t.Fail(c, &schema.Error{
			Kind: schema.Unavailable, RetryAfter: retryBusy,
			Message: "too many files are being sent at the moment; the same request may be sent again",
		})
		return
	}
	defer t.end(p)
	c.Next()
}

func (t *transfers) begin(p party) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[p] >= maxPartyTransfers {
		return false
	}
	if t.all >= maxTransfers {
		t.refused.Inc()
		return false
	}
	t.all++
	t.of[p]++
	return true
}

func (t *transfers) end(p party) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.of[p]--; t.of[p] == 0 {
		delete(t.of, p)
	}
}

func (t *transfers) count() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return float64(t.all)
}
