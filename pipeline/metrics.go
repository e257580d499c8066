package pipeline

import (
	"github.com/prometheus/client_golang/prometheus"

	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/metric"
)

// Metrics of all stages. Labels are bounded: never an account, a post or a webhook.
type Metrics struct {
	workers      *worker.Metrics
	chores       choreMetrics
	lateness     *prometheus.HistogramVec
	repairs      *prometheus.CounterVec
	renewals     *prometheus.CounterVec
	accounts     *prometheus.GaugeVec
	oldestEvents prometheus.Gauge
	deliveries   *prometheus.CounterVec
	firstTries   *prometheus.HistogramVec
	delivered    prometheus.Histogram
	targets      *prometheus.CounterVec
	dropped      prometheus.Counter
	deadLetters  *prometheus.GaugeVec
}

// Workers returns the metrics that all workers of the process share.
func (m *Metrics) Workers() *worker.Metrics { return m.workers }

// What a receiver did with its last try; one that was not tried yet counts as succeeding.
const (
	receiverSucceeds = "succeeds"
	receiverFails    = "fails"
)

// deliveryBuckets are seconds, from a delivery at once to one behind an outage.
var deliveryBuckets = []float64{.005, .01, .025, .05, .1, .15, .25, .5, 1, 2.5, 5, 15, 60, 300, 1800, 7200, 86400}

// NewMetrics makes and registers the metrics of the stages.
func NewMetrics(r prometheus.Registerer) *Metrics {
	register := metric.With(r)
	m := &Metrics{
		workers: worker.NewMetrics(r),
		chores:  newChoreMetrics(r),
		lateness: register.HistogramVec("crier_lateness_seconds",
			"From the time a target was due to the call that settled its first entry, waits included, those for a pause too.",
			[]float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 1800, 7200, 86400}, "platform"),
		repairs: register.CounterVec("crier_repairs_total",
			"What the sweep found that should not be, and repaired, by kind.", "kind"),
		renewals: register.CounterVec("crier_token_renewals_total",
			"Steps of looking after credentials, by platform and outcome: good, dead, failed.", "platform", "outcome"),
		accounts: register.GaugeVec("crier_accounts",
			"Connected accounts of live workspaces, by platform and state: good, needs_reconnect.", "platform", "state"),
		oldestEvents: register.Gauge("crier_outbox_oldest_seconds",
			"Age of the oldest events that webhooks or analytics have not got; 0: there are none."),
		deliveries: register.CounterVec("crier_webhook_deliveries_total",
			"Tries of webhook deliveries, by outcome: delivered, retried, failed.", "outcome"),
		firstTries: register.HistogramVec("crier_webhook_lateness_seconds",
			"From an event to the first try of its delivery, by whether the receiver's last try succeeded: succeeds, fails. Redeliveries do not count.",
			deliveryBuckets, "receiver"),
		delivered: register.Histogram("crier_webhook_delivered_seconds",
			"From an event to the answer by which its receiver took it, retries included. Redeliveries do not count.",
			deliveryBuckets),
		targets: register.CounterVec("crier_targets_total",
			"Targets that are done, by platform and outcome.", "platform", "outcome"),
		dropped: register.Counter("crier_announcements_dropped_total",
			"Announcements that found the queue to the log full; their jobs fire again by themselves."),
		deadLetters: register.GaugeVec("crier_dead_letters",
			"What was given up on after faults of crier's own and waits for a replay, by stage. Every process with role delay shows all.", "stage"),
	}
	for _, outcome := range []string{"delivered", "retried", "failed"} {
		m.deliveries.WithLabelValues(outcome)
	}
	for _, receiver := range []string{receiverSucceeds, receiverFails} {
		m.firstTries.WithLabelValues(receiver)
	}
	for _, stage := range schema.Stages() {
		m.deadLetters.WithLabelValues(stage)
	}
	return m
}
