package connectors

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/metric"
)

// Metrics counts the calls of all platforms; it is made once and shared by their
// clients.
type Metrics struct {
	calls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	open     *openBreakers
	observer func(schema.PlatformCall) // nil: nobody
}

// Tell has a function called with every call to a platform; it must not block. It is called before the first
// call.
func (m *Metrics) Tell(observer func(schema.PlatformCall)) { m.observer = observer }

// NewMetrics makes the metrics of platform calls.
func NewMetrics(registerer prometheus.Registerer) *Metrics {
	register := metric.With(registerer)
	open := newOpenBreakers()
	registerer.MustRegister(open)
	return &Metrics{
		calls: register.CounterVec("crier_platform_calls_total",
			"Calls to platforms, by what came of them; those held back before sending included.", "platform", "operation", "outcome"),
		seconds: register.HistogramVec("crier_platform_call_seconds",
			"Duration of one platform call from sending to its whole answer, by outcome.",
			prometheus.ExponentialBuckets(0.002, 2, 15), "platform", "outcome"), // 2 ms to 33 s
		open: open,
	}
}

func (m *Metrics) count(platform schema.Platform, operation string, took time.Duration, err error) {
	outcome := outcome(err)
	m.calls.WithLabelValues(platform.String(), operation, outcome).Inc()
	if m.observer != nil {
		m.observer(schema.PlatformCall{Platform: platform, Operation: operation, Outcome: outcome, Took: took})
	}
}

func (m *Metrics) time(platform schema.Platform, err error, took time.Duration) {
	m.seconds.WithLabelValues(platform.String(), outcome(err)).Observe(took.Seconds())
}

// ErrOutdated is the cause of a refusal of the version of the platform's API that crier
// uses: an operator has to act, and no post is at fault.
var ErrOutdated = errors.New("the platform no longer serves this version of its API")

// outcome returns the label of a call's outcome.
func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	for cause, name := range map[error]string{errThrottled: "throttled", errBreakerOpen: "breaker_open", ErrOutdated: "outdated"} {
		if errors.Is(err, cause) {
			return name
		}
	}
	return cmp.Or(map[schema.ErrorKind]string{
		schema.Refused: "refused", schema.Duplicate: "duplicate", schema.TokenDead: "token_dead",
		schema.RateLimited: "rate_limited", schema.Retryable: "retryable", schema.Unknown: "unknown",
	}[schema.KindOf(err)], "fault")
}

// openBreakers counts the open breakers of all clients at each scrape: a server that is
// no longer called, or was forgotten, must not count as failing for ever.
type openBreakers struct {
	description *prometheus.Desc

	mu      sync.Mutex
	clients []*Client
}

func newOpenBreakers() *openBreakers {
	return &openBreakers{description: prometheus.NewDesc("crier_open_breakers",
		"Servers that calls are kept away from because they fail, by platform.", []string{"platform"}, nil)}
}

func (o *openBreakers) watch(c *Client) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clients = append(o.clients, c)
}

// Describe implements prometheus.Collector.
func (o *openBreakers) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- o.description }

// Collect implements prometheus.Collector. A platform may have several clients.
func (o *openBreakers) Collect(metrics chan<- prometheus.Metric) {
	o.mu.Lock()
	clients := o.clients
	o.mu.Unlock()
	open := map[schema.Platform]int{}
	for _, c := range clients {
		open[c.platform] += c.openBreakers()
	}
	for platform, n := range open {
		metrics <- prometheus.MustNewConstMetric(o.description, prometheus.GaugeValue, float64(n), platform.String())
	}
}
