package admission

import (
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"crier/gateway/answer"
	"crier/schema"
	"crier/schema/metric"
)

const (
	// maxInFlight is how many requests are answered at a time. Each holds up to a body of
	// 1 MiB; more than these would only wait for the database, so they are better
	// refused.
	maxInFlight = 2048
	// retryBusy is how long a refused caller is asked to wait.
	retryBusy = time.Second
)

// bound refuses requests while too many are being answered.
type bound struct {
	answer.Failures
	standing func(*gin.Context) Quota // of the caller, for the rate headers
	free     chan struct{}
	refused  prometheus.Counter
}

func newBound(f answer.Failures, limit int, standing func(*gin.Context) Quota, registerer prometheus.Registerer) *bound {
	register := metric.With(registerer)
	refused := register.Counter("crier_http_refused_total",
		"Requests answered 503 because too many were in hand.")
	b := &bound{Failures: f, standing: standing, free: make(chan struct{}, limit), refused: refused}
	register.GaugeFunc("crier_http_in_flight",
		"Requests to the REST API that are being answered.", func() float64 { return float64(len(b.free)) })
	return b
}

func (b *bound) enter(c *gin.Context) {
	select {
	case b.free <- struct{}{}:
	default:
		b.refused.Inc()
		showQuota(c, b.standing(c))
		b.Fail(c, &schema.Error{
			Kind: schema.Unavailable, RetryAfter: retryBusy,
			Message: "too many requests are being answered at the moment; the same request may be sent again",
		})
		return
	}
	defer func() { <-b.free }()
	c.Next()
}
