package connectors

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

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
