package pipeline

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"crier/pipeline/worker"
	"crier/schema"
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
	register := promauto.With(r)
	m := &Metrics{
		workers: worker.NewMetrics(r),
		chores:  newChoreMetrics(r),
		lateness: register.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "crier_lateness_seconds",
			Help:    "From the time a target was due to the call that settled its first entry, waits included.",
			Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 1800, 7200, 86400},
		}, []string{"platform"}),
		repairs: register.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_repairs_total",
			Help: "What the sweep found that should not be, and repaired, by kind.",
		}, []string{"kind"}),
		renewals: register.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_token_renewals_total",
			Help: "Steps of looking after credentials, by platform and outcome: good, dead, failed.",
		}, []string{"platform", "outcome"}),
		accounts: register.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crier_accounts",
			Help: "Connected accounts of live workspaces, by platform and state: good, needs_reconnect.",
		}, []string{"platform", "state"}),
		oldestEvents: register.NewGauge(prometheus.GaugeOpts{
			Name: "crier_outbox_oldest_seconds",
			Help: "Age of the oldest events that webhooks or analytics have not got; 0: there are none.",
		}),
		deliveries: register.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_webhook_deliveries_total",
			Help: "Tries of webhook deliveries, by outcome: delivered, retried, failed.",
		}, []string{"outcome"}),
		firstTries: register.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "crier_webhook_lateness_seconds",
			Help:    "From an event to the first try of its delivery, by whether the receiver's last try succeeded: succeeds, fails. Redeliveries do not count.",
			Buckets: deliveryBuckets,
		}, []string{"receiver"}),
		delivered: register.NewHistogram(prometheus.HistogramOpts{
			Name:    "crier_webhook_delivered_seconds",
			Help:    "From an event to the answer by which its receiver took it, retries included. Redeliveries do not count.",
			Buckets: deliveryBuckets,
		}),
		targets: register.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_targets_total",
			Help: "Targets that are done, by platform and outcome.",
		}, []string{"platform", "outcome"}),
		dropped: register.NewCounter(prometheus.CounterOpts{
			Name: "crier_announcements_dropped_total",
			Help: "Announcements that found the queue to the log full; their jobs fire again by themselves.",
		}),
		deadLetters: register.NewGaugeVec(prometheus.GaugeOpts{
			Name: "crier_dead_letters",
			Help: "What was given up on after faults of crier's own and waits for a replay, by stage. Every process with role delay shows all.",
		}, []string{"stage"}),
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
