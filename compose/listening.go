package compose

import (
	"net/http"
	"strings"

	"crier/connectors/bluesky/jetstream"
	"crier/connectors/egress"
	"crier/listening"
	"crier/schema"
	"crier/schema/postgres"
)

// The streams that are listened to, as PostgreSQL and metrics name them.
const (
	liveStream    = "bluesky"
	sandboxStream = "bluesky-sandbox"
)

// listening makes the stages of the role: Bluesky's stream for live workspaces, and the generated
// one for their sandboxes.
func (b *base) listening() []stage {
	metrics := listening.NewMetrics(b.config.Registerer, b.store.Now)
	hosts, client := b.jetstream()
	stages := []stage{b.listener(listening.Config{Stream: liveStream, Metrics: metrics}, hosts, client)}
	if b.simulated != "" {
		at := strings.TrimRight(b.simulated, "/") + "/" + schema.Bluesky.String()
		stages = append(stages, b.listener(listening.Config{Stream: sandboxStream, Sandbox: true, Metrics: metrics}, []string{at}, b.fenced.Client()))
	}
	return stages
}

// jetstream is where Bluesky's stream is read. The public hosts pass the guard like any other.
func (b *base) jetstream() ([]string, *http.Client) {
	hosts := b.config.Jetstream
	if len(hosts) == 0 {
		return jetstream.Hosts(), b.guarded.Client()
	}
	var exempt []string
	for _, host := range hosts {
		address, _ := hostsOf(map[schema.Platform]string{schema.Bluesky: host}) // checked with the flags
		exempt = append(exempt, address...)
	}
	return hosts, egress.New(egress.Config{Allowed: b.config.AllowedNetworks, AllowedHosts: exempt, UserAgent: b.config.userAgent()}).Client()
}

func (b *base) listener(c listening.Config, hosts []string, client *http.Client) stage {
	c.Platform, c.Store, c.Now, c.Logger = schema.Bluesky, postgres.NewFeeds(b.store), b.store.Now, b.config.Logger
	c.Source = jetstream.New(jetstream.Config{
		Hosts: hosts, HTTP: client, Now: b.store.Now,
		Lost: func(host string, err error) {
			c.Metrics.Lost(c.Stream)
			c.Logger.Warn("the connection to a stream ended; it goes on with the next host", "stream", c.Stream, "host", host, "err", err)
		},
	})
	return stage{roleListening, listening.NewListener(c).Run, always}
}
