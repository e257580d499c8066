package collection

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"crier/schema"
)

// metrics of the collect stage.
type metrics struct {
	collections *prometheus.CounterVec
	looks       *prometheus.CounterVec
	backlog     prometheus.Gauge
	age         prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) *metrics {
	factory := promauto.With(r)
	return &metrics{
		collections: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_collections_total",
			Help: "Steps of reading posts and accounts, by platform, what was read, and outcome.",
		}, []string{"platform", "what", "outcome"}),
		looks: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_collected_facts_total",
			Help: "Facts that were read of posts and accounts; one that is read again counts again.",
		}, []string{"platform"}),
		backlog: factory.NewGauge(prometheus.GaugeOpts{
			Name: "crier_collection_backlog",
			Help: "Accounts of which something is due to be read, and was not yet; up to 10,000.",
		}),
		age: factory.NewGauge(prometheus.GaugeOpts{
			Name: "crier_collection_backlog_age_seconds",
			Help: "How long the oldest of the collection backlog is due; 0: nothing is.",
		}),
	}
}

func (m *metrics) count(c schema.Collection, outcome string) {
	m.collections.WithLabelValues(c.Account.Platform.String(), c.What.String(), outcome).Inc()
}
