package stream

import (
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/metric"
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

func newMetrics(r prometheus.Registerer) *metrics {
	register := metric.With(r)
	return &metrics{
		produced: register.CounterVec("crier_stream_produced_total",
			"Messages written to the log, by outcome (ok, error: may or may not be there).", "topic", "outcome"),
		produceSeconds: register.HistogramVec("crier_stream_produce_seconds",
			"Duration of one call that writes messages, retries included.",
			prometheus.ExponentialBuckets(0.0005, 2, 16), "topic"), // 0.5 ms to 16 s
		inFlight: register.GaugeVec("crier_stream_in_flight",
			"Messages handed to a stage and not acknowledged yet.", "topic", "group"),
		lag: register.GaugeVec("crier_stream_lag",
			"Messages in the partitions owned here that are not acknowledged.", "topic", "group"),
		oldest: register.GaugeVec("crier_stream_oldest_seconds",
			"Age of the oldest message that was handed to a stage and is not acknowledged yet; 0: there is none.", "topic", "group"),
		skipped: register.CounterVec("crier_stream_skipped_total",
			"Offsets skipped because the broker could not deliver them.", "topic", "group"),
	}
}
