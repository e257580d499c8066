package mail

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"crier/schema/people"
)

// Metrics are those of mail.
type Metrics struct {
	mails   *prometheus.CounterVec
	waiting prometheus.Gauge
}

// NewMetrics registers the metrics of mail.
func NewMetrics(r prometheus.Registerer) *Metrics {
	register := promauto.With(r)
	m := &Metrics{
		mails: register.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_mails_total",
			Help: "Attempts to send a mail, by kind and what came of it: sent, retried, refused for good, or idle, since there was nothing to say any more.",
		}, []string{"kind", "outcome"}),
		waiting: register.NewGauge(prometheus.GaugeOpts{
			Name: "crier_mails_waiting",
			Help: "Mails that are due or were tried in vain, in the installation.",
		}),
	}
	for _, kind := range people.MailKinds() {
		for _, ending := range people.MailEndings() {
			m.mails.WithLabelValues(kind.String(), ending.String())
		}
	}
	return m
}
