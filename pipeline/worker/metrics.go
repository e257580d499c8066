package worker

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics of all workers of a process, by stage.
type Metrics struct {
	queued *prometheus.GaugeVec
	waits  *prometheus.CounterVec
}

// NewMetrics makes and registers the metrics of the workers.
func NewMetrics(r prometheus.Registerer) *Metrics {
	register := promauto.With(r)
	return &Metrics{
		queued: register.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crier_queued",
			Help: "Messages in hand that wait for their turn, by stage.",
		}, []string{"stage"}),
		waits: register.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_waits_total",
			Help: "Work whose turn with its platform had not come: a short wait in its queue, a longer one as a job.",
		}, []string{"stage", "as"}),
	}
}
