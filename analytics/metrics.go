package analytics

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
)

// metrics of the sink.
type metrics struct {
	rows    prometheus.Counter
	inserts *prometheus.HistogramVec
	oldest  atomic.Pointer[time.Time] // event in hand; nil: none
	now     func() time.Time
}

const (
	outcomeStored = "stored"
	outcomeFailed = "failed"
)

func newMetrics(r prometheus.Registerer, now func() time.Time) *metrics {
	register := metric.With(r)
	m := &metrics{
		now: now,
		rows: register.Counter("crier_analytics_rows_total",
			"Rows inserted into ClickHouse; an event that was delivered twice counts twice."),
		inserts: register.HistogramVec("crier_analytics_insert_seconds",
			"Duration of one try to insert a block, by outcome: stored, failed.",
			prometheus.ExponentialBuckets(.005, 2, 13), "outcome"), // 5 ms to 20 s
	}
	register.GaugeFunc("crier_analytics_behind_seconds",
		"Age of the oldest event that is in hand and not in ClickHouse yet; 0: none is.", m.behind)
	for _, outcome := range []string{outcomeStored, outcomeFailed} {
		m.inserts.WithLabelValues(outcome)
	}
	return m
}

// setInHand notes the events in hand.
func (m *metrics) setInHand(events []schema.Event) {
	if len(events) == 0 {
		m.oldest.Store(nil)
		return
	}
	oldest := slices.MinFunc(events, func(a, b schema.Event) int { return a.At.Compare(b.At) }).At
	m.oldest.Store(&oldest)
}

// behind is computed when it is read, since it grows while ClickHouse is away.
func (m *metrics) behind() float64 {
	oldest := m.oldest.Load()
	if oldest == nil {
		return 0
	}
	return max(0, m.now().Sub(*oldest).Seconds())
}
