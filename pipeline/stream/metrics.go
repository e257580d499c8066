package stream

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are labelled by topic and consumer group, of which there are about a dozen, and
// never by partition or key, which are many.
type metrics struct {
	produced       *prometheus.CounterVec
	produceSeconds *prometheus.HistogramVec
	inFlight       *prometheus.GaugeVec
	lag            *prometheus.GaugeVec
	oldest         *prometheus.GaugeVec
	skipped        *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		produced: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_stream_produced_total",
			Help: "Messages written to the log, by outcome (ok, error: may or may not be there).",
		}, []string{"topic", "outcome"}),
		produceSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "crier_stream_produce_seconds",
			Help:    "Duration of one call that writes messages, retries included.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16), // 0.5 ms to 16 s
		}, []string{"topic"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crier_stream_in_flight",
			Help: "Messages handed to a stage and not acknowledged yet.",
		}, []string{"topic", "group"}),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crier_stream_lag",
			Help: "Messages in the partitions owned here that are not acknowledged.",
		}, []string{"topic", "group"}),
		oldest: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crier_stream_oldest_seconds",
			Help: "Age of the oldest message that was handed to a stage and is not acknowledged yet; 0: there is none.",
		}, []string{"topic", "group"}),
		skipped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_stream_skipped_total",
			Help: "Offsets skipped because the broker could not deliver them.",
		}, []string{"topic", "group"}),
	}
	return m, errors.Join(
		r.Register(m.produced), r.Register(m.produceSeconds), r.Register(m.inFlight),
		r.Register(m.lag), r.Register(m.oldest), r.Register(m.skipped),
	)
}
