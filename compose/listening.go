package compose

import (
	"net/http"
	"strings"

	"crier/connectors/bluesky/jetstream"
	"crier/listening"
	"crier/schema"
	"crier/schema/postgres/feeds"
)

// The streams that are listened to, and the searches, as PostgreSQL and metrics name them.
const (
	liveStream    = "bluesky"
	sandboxStream = "bluesky-sandbox"
	liveSearch    = "threads"
	sandboxSearch = "threads-sandbox"
)

// listeningStages are Bluesky's stream and Threads' search for live workspaces,
// and the generated ones for their sandboxes.
func (b *base) listeningStages() []stage {
	metrics := listening.NewMetrics(b.config.Registerer, b.store.Now)
	hosts, client := b.jetstream()
	stages := []stage{
		b.listener(listening.Config{Stream: liveStream, Metrics: metrics}, hosts, client),
		b.poller(listening.PollerConfig{Stream: liveSearch, Metrics: metrics}),
	}
	if b.simulated != "" {
		at := strings.TrimRight(b.simulated, "/") + "/" + schema.Bluesky.String()
		stages = append(stages,
			b.listener(listening.Config{Stream: sandboxStream, Sandbox: true, Metrics: metrics}, []string{at}, b.fenced.Client()),
			b.poller(listening.PollerConfig{Stream: sandboxSearch, Sandbox: true, Metrics: metrics}))
	}
	return stages
}

// jetstream is where Bluesky's stream is read. The public hosts pass the guard like any other.
func (b *base) jetstream() ([]string, *http.Client) {
	hosts := b.config.Jetstream
	if len(hosts) == 0 {
		hosts = jetstream.Hosts()
	}
	return hosts, b.streams.Client()
}

func (b *base) poller(c listening.PollerConfig) stage {
	c.Platform, c.Store, c.Now, c.Logger = schema.Threads, feeds.New(b.store.DB), b.store.Now, b.config.Logger
	c.Platforms, c.Vault = b.catalog, b.vault
	return stage{roleListening, listening.NewPoller(c).Run, always}
}

func (b *base) listener(c listening.Config, hosts []string, client *http.Client) stage {
	c.Platform, c.Store, c.Now, c.Logger = schema.Bluesky, feeds.New(b.store.DB), b.store.Now, b.config.Logger
	c.Source = jetstream.New(jetstream.Config{
		Hosts: hosts, HTTP: client, Now: b.store.Now,
		Lost: func(host string, err error) {
			c.Metrics.Lost(c.Stream)
			c.Logger.Warn("the connection to a stream ended; it goes on with the next host", "stream", c.Stream, "host", host, "err", err)
		},
	})
	return stage{roleListening, listening.NewListener(c).Run, always}
}
