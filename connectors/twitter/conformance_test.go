//go:build conformance

package twitter_test

import (
	"encoding/json"
	"net/http"
	"testing"

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
	f.Watch = description.Watch(t, nil)
	connectortest.RunGenuine(t, f)
	t.Run("settings", func(t *testing.T) { publishSettings(t, f) })
	description.Report(t)
}

// publishSettings publishes each setting and a refused reply, which the contract does not.
func publishSettings(t *testing.T, f connectortest.Fixture) {
	r := connectortest.NewRig(t, connectortest.RigConfig{
		Platform:  schema.Twitter,
		Simulator: func(w *simulation.World) http.Handler { return f.Watch(f.Simulator(w)) },
	})
	connector := f.New(connectors.Parts{
		Base: r.Base, Now: r.Clock, App: connectortest.App(), Client: r.Client(t, connectors.ClientConfig{Calls: f.Calls}),
	})
	for _, settings := range []string{
		`{"replySettings":"following","communityId":"7","shareWithFollowers":true,"forSuperFollowersOnly":true,"madeWithAi":true,"paidPartnership":true}`,
		`{"poll":{"options":["this","that"],"durationMinutes":1440}}`,
		`{"quoteTweetId":"20"}`,
	} {
		d := schema.Delivery{
			Account: schema.Account{Platform: schema.Twitter, Sandbox: true}, Credentials: f.Credentials(0),
			Entries: 1, Text: "with " + settings[2:10], Settings: json.RawMessage(settings), Since: r.Clock(),
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
