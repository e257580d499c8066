package mail

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/metric"
	"crier/schema/people"
)

// Metrics are those of mail.
type Metrics struct {
	mails   *prometheus.CounterVec
	waiting prometheus.Gauge
	oldest  *prometheus.GaugeVec
}

// NewMetrics registers the metrics of mail.
func NewMetrics(r prometheus.Registerer) *Metrics {
	register := metric.With(r)
	m := &Metrics{
		mails: register.CounterVec("crier_mails_total",
			"Attempts to send a mail, by kind and what came of it: sent, retried, refused for good, or idle, since there was nothing to say any more.", "kind", "outcome"),
		waiting: register.Gauge("crier_mails_waiting",
			"Mails that are due or were tried in vain, in the installation."),
		oldest: register.GaugeVec("crier_mails_oldest_seconds",
			"For how long the oldest mail of a kind has waited that is due or was tried in vain, in the installation; 0: there is none.", "kind"),
	}
	for _, kind := range people.MailKinds() {
		for _, ending := range people.MailEndings() {
			m.mails.WithLabelValues(kind.String(), ending.String())
		}
		m.oldest.WithLabelValues(kind.String())
	}
	return m
}

func (m *Metrics) show(waiting map[people.MailKind]people.WaitingMail, now time.Time) {
	all := 0
	for _, kind := range people.MailKinds() {
		age := time.Duration(0)
		if w, ok := waiting[kind]; ok {
			all, age = all+w.Mails, max(now.Sub(w.Since), 0)
		}
		m.oldest.WithLabelValues(kind.String()).Set(age.Seconds())
	}
	m.waiting.Set(float64(all))
}
