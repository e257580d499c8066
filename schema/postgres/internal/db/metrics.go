package db

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/metric"
	"crier/schema/postgres/internal/clock"
)

// metrics of a Store.
type metrics struct {
	Batches  *prometheus.HistogramVec
	Waits    *prometheus.HistogramVec
	Refused  *prometheus.CounterVec
	Disabled prometheus.Counter
	allowed  prometheus.Gauge
}

func newMetrics(r prometheus.Registerer, pools map[string]*pgxpool.Pool, c *clock.Clock) metrics {
	register := metric.With(r) // registers nothing with nil
	m := metrics{
		Batches: register.HistogramVec("crier_commit_batch_size",
			"Requests that shared one transaction, by what they did.",
			prometheus.ExponentialBuckets(1, 2, 12), "work"),
		Waits: register.HistogramVec("crier_commit_wait_seconds",
			"How long the first request of a transaction waited for it to begin, by what it did.",
			prometheus.ExponentialBuckets(0.0005, 2, 16), "work"), // 0.5 ms to 16 s
		Disabled: register.Counter("crier_webhooks_disabled_total",
			"Webhooks disabled because deliveries in a row failed."),
		Refused: register.CounterVec("crier_commit_refused_total",
			"Requests that found the queue to a transaction full for a second, by what they wanted to do.", "work"),
	}
	m.allowed = register.Gauge("crier_postgres_connections_allowed",
		"Connections that PostgreSQL lets crier's user have, all processes together, as asked at the start.")
	register.GaugeFunc("crier_postgres_silent_seconds",
		"How long ago PostgreSQL last answered; it is asked every 5 seconds.", func() float64 { return c.Silent().Seconds() })
	register.CounterFunc("crier_postgres_clock_jumps_total",
		"Jumps ahead of PostgreSQL's clock that this machine's clock did not confirm: what is due only by one waits for up to 55 seconds.",
		func() float64 { return float64(c.Jumps()) })
	for name, pool := range pools {
		register := metric.With(prometheus.WrapRegistererWith(prometheus.Labels{"pool": name}, r))
		register.GaugeFunc("crier_postgres_connections_in_use",
			"Connections to PostgreSQL that are in use, by pool.", func() float64 { return float64(pool.Stat().AcquiredConns()) })
		register.GaugeFunc("crier_postgres_connections_max",
			"Connections to PostgreSQL that a pool may have.", func() float64 { return float64(pool.Stat().MaxConns()) })
	}
	return m
}
