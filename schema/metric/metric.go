// Package metric registers the metrics of a process, each by its name, its help and its labels.
package metric

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Factory makes metrics and registers them. It panics where a name is taken, as promauto does.
type Factory struct{ factory promauto.Factory }

// With returns the factory of a registry.
func With(r prometheus.Registerer) Factory { return Factory{promauto.With(r)} }

// Counter makes a counter.
func (f Factory) Counter(name, help string) prometheus.Counter {
	return f.factory.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

// CounterVec makes a counter for each value of its labels.
func (f Factory) CounterVec(name, help string, labels ...string) *prometheus.CounterVec {
	return f.factory.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// CounterFunc makes a counter whose value is read when it is asked for.
func (f Factory) CounterFunc(name, help string, read func() float64) {
	f.factory.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
}

// Gauge makes a gauge.
func (f Factory) Gauge(name, help string) prometheus.Gauge {
	return f.factory.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

// GaugeVec makes a gauge for each value of its labels.
func (f Factory) GaugeVec(name, help string, labels ...string) *prometheus.GaugeVec {
	return f.factory.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

// GaugeFunc makes a gauge whose value is read when it is asked for.
func (f Factory) GaugeFunc(name, help string, read func() float64) {
	f.factory.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
}

// Histogram makes a histogram.
func (f Factory) Histogram(name, help string, buckets []float64) prometheus.Histogram {
	return f.factory.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
}

// HistogramVec makes a histogram for each value of its labels.
func (f Factory) HistogramVec(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return f.factory.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}
