package delay

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
)

// Metrics of the stage.
type Metrics struct {
	overdue    prometheus.Gauge
	waiting    prometheus.Gauge
	held       *prometheus.GaugeVec
	overdueAt  atomic.Pointer[time.Time] // when these three were read; nil: they are none of this process
	fired      prometheus.Counter
	stragglers prometheus.Counter
}

// NewMetrics makes and registers the metrics of the stage.
func NewMetrics(r prometheus.Registerer) *Metrics {
	register := metric.With(r)
	m := &Metrics{
		overdue: register.Gauge("crier_oldest_overdue_seconds",
			"How far past its time the oldest post or first comment of this process's shards is that is not done, whatever it waits for but a pause or a review."),
		waiting: register.Gauge("crier_overdue",
			"Posts and first comments of this process's shards that are past their time and wait: for a retry, a limit, a pause. Counted up to 10,000 besides those that are held."),
		held: register.GaugeVec("crier_held",
			"Those of crier_overdue that a pause or a review holds, by whose it is: member, of an account by its workspace; operator, all else.", "by"),
		fired: register.Counter("crier_jobs_fired_total",
			"Jobs whose messages were written to the log."),
		stragglers: register.Counter("crier_stragglers_total",
			"Overdue jobs that delay fired from PostgreSQL and not from its window: a backlog, or what was lost on its way."),
	}
	register.GaugeFunc("crier_overdue_age_seconds",
		"How long ago crier_overdue, crier_oldest_overdue_seconds and crier_held were read from PostgreSQL: more than 10 means that they are old. 0 in a process without shards.", m.overdueAge)
	return m
}

// showOverdue shows what is overdue, as it is now.
func (m *Metrics) showOverdue(o schema.Overdue) { m.setOverdue(o, new(time.Now())) }

// awaitOverdue has the age of the figures count from now on, where it does not yet.
func (m *Metrics) awaitOverdue() { m.overdueAt.CompareAndSwap(nil, new(time.Now())) }

// showNothingOverdue is for a process without shards.
func (m *Metrics) showNothingOverdue() { m.setOverdue(schema.Overdue{}, nil) }

func (m *Metrics) overdueAge() float64 {
	at := m.overdueAt.Load()
	if at == nil {
		return 0
	}
	return time.Since(*at).Seconds()
}

func (m *Metrics) setOverdue(o schema.Overdue, at *time.Time) {
	m.overdueAt.Store(at)
	m.overdue.Set(o.Oldest.Seconds())
	m.waiting.Set(float64(o.Waiting))
	m.held.WithLabelValues("operator").Set(float64(o.Held - o.Paused))
	m.held.WithLabelValues("member").Set(float64(o.Paused))
}
