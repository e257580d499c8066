package db

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

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
	factory := promauto.With(r) // registers nothing with nil
	m := metrics{
		Batches: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "crier_commit_batch_size",
			Help:    "Requests that shared one transaction, by what they did.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 12),
		}, []string{"work"}),
		Waits: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "crier_commit_wait_seconds",
			Help:    "How long the first request of a transaction waited for it to begin, by what it did.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16), // 0.5 ms to 16 s
		}, []string{"work"}),
		Disabled: factory.NewCounter(prometheus.CounterOpts{
			Name: "crier_webhooks_disabled_total",
			Help: "Webhooks disabled because deliveries in a row failed.",
		}),
		Refused: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "crier_commit_refused_total",
			Help: "Requests that found the queue to a transaction full for a second, by what they wanted to do.",
		}, []string{"work"}),
	}
	m.allowed = factory.NewGauge(prometheus.GaugeOpts{
		Name: "crier_postgres_connections_allowed",
		Help: "Connections that PostgreSQL lets crier's user have, all processes together, as asked at the start.",
	})
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "crier_postgres_silent_seconds",
		Help: "How long ago PostgreSQL last answered; it is asked every 5 seconds.",
	}, func() float64 { return c.Silent().Seconds() })
	factory.NewCounterFunc(prometheus.CounterOpts{
		Name: "crier_postgres_clock_jumps_total",
		Help: "Jumps ahead of PostgreSQL's clock that this machine's clock did not confirm: what is due only by one waits for up to 55 seconds.",
	}, func() float64 { return float64(c.Jumps()) })
	for name, pool := range pools {
		factory.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "crier_postgres_connections_in_use",
			Help:        "Connections to PostgreSQL that are in use, by pool.",
			ConstLabels: prometheus.Labels{"pool": name},
		}, func() float64 { return float64(pool.Stat().AcquiredConns()) })
		factory.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "crier_postgres_connections_max",
			Help:        "Connections to PostgreSQL that a pool may have.",
			ConstLabels: prometheus.Labels{"pool": name},
		}, func() float64 { return float64(pool.Stat().MaxConns()) })
	}
	return m
}
