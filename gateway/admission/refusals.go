package admission

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
)

// refusals counts the requests that were answered 429, so that keys which go on
// regardless are suspended. They are reported once they are as many as the key's limit:
// one round trip for that many requests, and a crash loses fewer than that.
type refusals struct {
	counter   requestCounter
	logger    *slog.Logger
	refused   *prometheus.CounterVec
	suspended prometheus.Counter

	mu     sync.Mutex
	began  time.Time // of the counts: they are forgotten after PatienceWindow
	counts map[schema.KeyID]int
}

func newRefusals(counter requestCounter, logger *slog.Logger, registerer prometheus.Registerer) *refusals {
	register := metric.With(registerer)
	r := &refusals{counter: counter, logger: logger,
		refused: register.CounterVec("crier_rate_limited_total",
			"Requests answered 429 for the rate, by why: the key's window, the session's, the address's, or a suspended key.", "reason"),
		suspended: register.Counter("crier_key_suspensions_total",
			"Keys suspended for going on in spite of 429."),
	}
	for _, reason := range []string{"key", "session", "address", "suspended"} {
		r.refused.WithLabelValues(reason)
	}
	return r
}

// count notes a refused request. If reporting fails, nothing changes for its sender, so
// the error is logged here.
func (r *refusals) count(ctx context.Context, refused *Request, now time.Time) {
	switch {
	case refused.Session != nil:
		r.refused.WithLabelValues("session").Inc()
		return
	case refused.Key.ID.IsZero():
		r.refused.WithLabelValues("address").Inc()
		return
	case refused.Key.SuspendedUntil.After(now):
		r.refused.WithLabelValues("suspended").Inc()
		return
	}
	r.refused.WithLabelValues("key").Inc()
	n := r.due(refused.Key, now)
	if n == 0 {
		return
	}
	until, err := r.counter.CountRefusals(ctx, refused.Key, n)
	switch {
	case err != nil:
		r.logger.WarnContext(ctx, "counting refusals failed", refused.attributes(), "err", err)
	case !until.IsZero():
		r.suspended.Inc()
		r.logger.WarnContext(ctx, "key suspended: it kept sending requests in spite of 429", refused.attributes(), "until", until)
	}
}

// due adds a refusal and returns how many are to be reported now.
func (r *refusals) due(key schema.Key, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.began).Abs() > schema.PatienceWindow {
		r.began, r.counts = now, make(map[schema.KeyID]int)
	}
	r.counts[key.ID]++
	n := r.counts[key.ID]
	if n < key.RequestsPerMinute {
		return 0
	}
	delete(r.counts, key.ID)
	return n
}
