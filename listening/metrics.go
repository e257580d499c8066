package listening

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/schema"
	"crier/schema/metric"
)

// Metrics measures listening.
type Metrics struct {
	items    *prometheus.CounterVec // by stream and kind
	found    *prometheus.CounterVec // by stream
	lost     *prometheus.CounterVec // by stream
	gaps     *prometheus.CounterVec // by stream
	monitors *prometheus.GaugeVec   // by stream and state
	commits  *prometheus.HistogramVec
	places   places
}

// The states of monitors in metrics.
const (
	monitorsRead    = "read"
	monitorsLeftOut = "left_out"
)

// NewMetrics makes the metrics. now is the clock of the streams' times.
func NewMetrics(registerer prometheus.Registerer, now func() time.Time) *Metrics {
	register := metric.With(registerer)
	m := &Metrics{
		items: register.CounterVec("crier_listening_items_total",
			"Messages read of a stream, or posts of a search, by what they are.", "stream", "kind"),
		found: register.CounterVec("crier_listening_found_total",
			"Posts stored for monitors, each once for a monitor.", "stream"),
		lost: register.CounterVec("crier_listening_reconnects_total",
			"Connections to a stream's hosts that ended other than by crier's wish, and searches that failed.", "stream"),
		gaps: register.CounterVec("crier_listening_gaps_total",
			"Times that a stream was resumed later than where it was left, with posts between that nobody has seen, and those left out that could not be searched through or stored.", "stream"),
		monitors: register.GaugeVec("crier_listening_monitors",
			"Monitors that a stream is read for, and those beyond what one process holds.", "stream", "state"),
		commits: register.HistogramVec("crier_listening_commit_seconds",
			"Duration of storing a chunk of what was found.",
			prometheus.ExponentialBuckets(0.002, 2, 12), "stream"), // 2 ms to 4 s
		places: places{now: now, read: map[string]time.Time{}},
	}
	m.places.lag = prometheus.NewDesc("crier_listening_lag_seconds",
		"Age of the last message of a stream that is stored with all before it; only while this process reads the stream.", []string{"stream"}, nil)
	registerer.MustRegister(&m.places)
	return m
}

// places are how far streams are stored, of those that are read.
type places struct {
	now func() time.Time
	lag *prometheus.Desc

	mu   sync.Mutex
	read map[string]time.Time
}

// Describe implements prometheus.Collector.
func (p *places) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- p.lag }

// Collect implements prometheus.Collector.
func (p *places) Collect(metrics chan<- prometheus.Metric) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for stream, until := range p.read {
		metrics <- prometheus.MustNewConstMetric(p.lag, prometheus.GaugeValue, max(0, now.Sub(until).Seconds()), stream)
	}
}

// set notes how far a stream is stored; the zero time: it is not read. Another host is read from
// some time before on, and what was stored until then stays stored.
func (p *places) set(stream string, place schema.StreamPlace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if place.Time.IsZero() {
		delete(p.read, stream)
		return
	}
	if place.Time.After(p.read[stream]) {
		p.read[stream] = place.Time
	}
}

// of are the counters of one stream, looked up once.
func (m *Metrics) of(stream string) (kinds [4]prometheus.Counter) {
	for kind := connectors.StreamOther; kind <= connectors.StreamOversized; kind++ {
		kinds[kind] = m.items.WithLabelValues(stream, kind.String())
	}
	return kinds
}

// Lost counts a connection of a stream that ended.
func (m *Metrics) Lost(stream string) { m.lost.WithLabelValues(stream).Inc() }
