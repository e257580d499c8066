package worker

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/metric"
)

// Metrics of all workers of a process, by stage.
type Metrics struct {
	queued *prometheus.GaugeVec
	waits  *prometheus.CounterVec
	slots  *usedSlots
}

// NewMetrics makes and registers the metrics of the workers.
func NewMetrics(r prometheus.Registerer) *Metrics {
	register := metric.With(r)
	slots := &usedSlots{description: prometheus.NewDesc("crier_slots_used",
		"Slots of stages that are in use, by what is expected of their calls: a quick answer, a slow one, or nothing known.",
		[]string{"stage", "expected"}, nil), stages: map[string]func() [classes]int{}}
	r.MustRegister(slots)
	return &Metrics{
		slots: slots,
		queued: register.GaugeVec("crier_queued",
			"Messages in hand that wait for their turn, by stage.", "stage"),
		waits: register.CounterVec("crier_waits_total",
			"Work whose turn with its platform had not come: a short wait in its queue, a longer one as a job.", "stage", "as"),
	}
}

// usedSlots is a collector that asks the schedulers of stages.
type usedSlots struct {
	description *prometheus.Desc

	mu     sync.Mutex
	stages map[string]func() [classes]int // slots in use, by class
}

// watch has a scheduler's slots shown under a name.
func (u *usedSlots) watch(stage string, used func() [classes]int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stages[stage] = used
}

// Describe implements prometheus.Collector.
func (u *usedSlots) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- u.description }

// Collect implements prometheus.Collector.
func (u *usedSlots) Collect(metrics chan<- prometheus.Metric) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for stage, used := range u.stages {
		for c, n := range used() {
			metrics <- prometheus.MustNewConstMetric(u.description, prometheus.GaugeValue, float64(n), stage, class(c).String())
		}
	}
}
