package catalog_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/schema"
)

// TestWhatIsCollectedCanBeRead holds what is collected of each platform against its connector.
func TestWhatIsCollectedCanBeRead(t *testing.T) {
	c, err := catalog.New(catalog.Config{
		HTTP: http.DefaultClient, SandboxHTTP: http.DefaultClient, Logger: slog.New(slog.DiscardHandler),
		Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range schema.Platforms() {
		connector, err := c.Connector(schema.Account{Platform: p})
		if err != nil {
			t.Fatal(err)
		}
		_, metrics := connector.(connectors.MetricsSource)
		_, followers := connector.(connectors.FollowersSource)
		_, comments := connector.(connectors.CommentSource)
		_, mentions := connector.(connectors.MentionSource)
		for what, reads := range map[schema.Collected]bool{
			schema.CollectMetrics: metrics, schema.CollectFollowers: followers, schema.CollectComments: comments, schema.CollectMentions: mentions,
		} {
			if p.Collects(what) != reads {
				t.Errorf("%s of %s are collected: %t; its connector reads them: %t", what, p, p.Collects(what), reads)
			}
		}
	}
}
