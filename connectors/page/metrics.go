package page

import (
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/metric"
)

// outcome is what came of reading a page.
type outcome string

const (
	wasRead     outcome = "read"
	wasKept     outcome = "kept"       // it was read before
	saysNothing outcome = "nothing"    // or it is no page
	notAnswered outcome = "unanswered" // it did not come, or not all of it
)

// Metrics counts pages.
type Metrics struct{ pages *prometheus.CounterVec }

// NewMetrics makes and registers the metrics of pages.
func NewMetrics(r prometheus.Registerer) *Metrics {
	return &Metrics{metric.With(r).CounterVec("crier_pages_total",
		"Pages that posts show a card of, by what came of reading them.", "outcome")}
}

func (m *Metrics) count(o outcome) { m.pages.WithLabelValues(string(o)).Inc() }
