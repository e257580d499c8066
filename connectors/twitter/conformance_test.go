//go:build conformance

package twitter_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// TestConformance holds what the connector and the simulator say to each other against X's
// own description.
func TestConformance(t *testing.T) {
	description := conformance.Twitter(t)
	f := fixture()
	f.Watch = func(simulator http.Handler) http.Handler {
		return conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
	}
	connectortest.RunGenuine(t, f)
	contract := description.Checked()
	if contract == 0 {
		t.Error("nothing was checked")
	}
	t.Run("settings", func(t *testing.T) { publishSettings(t, f) })
	t.Logf("%d exchanges of the contract and %d of settings", contract, description.Checked()-contract)
}

// publishSettings publishes each setting and a refused reply, which the contract does not.
func publishSettings(t *testing.T, f connectortest.Fixture) {
	var base string
	world := simulation.NewWorld(simulation.Config{Platform: schema.Twitter, Now: time.Now, BaseURL: func() string { return base }})
	server := httptest.NewServer(f.Watch(f.Simulator(world)))
	defer server.Close()
	base = server.URL
	connector := f.Connector(connectortest.Parts{
		HTTP: server.Client(), Base: base, Now: time.Now,
		Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
	})
	for _, settings := range []string{
		`{"replySettings":"following","communityId":"7","shareWithFollowers":true,"forSuperFollowersOnly":true,"madeWithAi":true,"paidPartnership":true}`,
		`{"poll":{"options":["this","that"],"durationMinutes":1440}}`,
		`{"quoteTweetId":"20"}`,
	} {
		d := schema.Delivery{
			Account: schema.Account{Platform: schema.Twitter, Sandbox: true}, Credentials: f.Credentials(0),
			Entries: 1, Text: "with " + settings[2:10], Settings: json.RawMessage(settings), Since: time.Now(),
		}
		receipt, err := connector.Publish(t.Context(), d)
		if err != nil {
			t.Fatalf("%s: %v", settings, err)
		}
		if found, verdict, err := connector.Find(t.Context(), d); verdict != schema.Found || found.NativeID != receipt.NativeID {
			t.Errorf("%s: Find = %+v, %v, %v", settings, found, verdict, err)
		}
		d.Receipts, d.Comment = []schema.Receipt{receipt}, &schema.Comment{Text: "[crier:uninvited]"}
		if _, err := connector.Comment(t.Context(), d); schema.KindOf(err) != schema.Refused {
			t.Errorf("Comment: %v", err)
		}
	}
}
