package collection

import (
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
)

// metrics of the collect stage.
type metrics struct {
	collections *prometheus.CounterVec
	looks       *prometheus.CounterVec
	backlog     prometheus.Gauge
	age         prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) *metrics {
	register := metric.With(r)
	return &metrics{
		collections: register.CounterVec("crier_collections_total",
			"Steps of reading posts and accounts, by platform, what was read, and outcome.", "platform", "what", "outcome"),
		looks: register.CounterVec("crier_collected_facts_total",
			"Facts that were read of posts and accounts; one that is read again counts again.", "platform"),
		backlog: register.Gauge("crier_collection_backlog",
			"Accounts of which something is due to be read, and was not yet; up to 10,000."),
		age: register.Gauge("crier_collection_backlog_age_seconds",
			"How long the oldest of the collection backlog is due; 0: nothing is."),
	}
}

func (m *metrics) count(c schema.Collection, outcome string) {
	m.collections.WithLabelValues(c.Account.Platform.String(), c.What.String(), outcome).Inc()
}
