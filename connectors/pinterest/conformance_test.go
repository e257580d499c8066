//go:build conformance

package pinterest_test

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

// TestConformance holds what the connector and the simulator say to each other against
// Pinterest's own description.
func TestConformance(t *testing.T) {
	description := conformance.Pinterest(t)
	f := fixture()
	f.Watch = description.Watch(t, nil)
	connectortest.RunGenuine(t, f)
	f.Watch = description.Watch(t, func(e *conformance.Exchange) bool {
		return e.URL.Path != "/oauth/" // for browsers
	})
	connectortest.RunConsent(t, f)
	t.Run("settings", func(t *testing.T) { publishSettings(t, f) })
	description.Report(t)
}

// publishSettings publishes with all settings, lists what can be chosen, and trades tokens.
func publishSettings(t *testing.T, f connectortest.Fixture) {
	r := connectortest.NewRig(t, connectortest.RigConfig{
		Platform: schema.Pinterest, Puller: connectortest.NewHTTP(t),
		Simulator: func(w *simulation.World) http.Handler { return f.Watch(f.Simulator(w)) },
	})
	connector := f.New(connectors.Parts{
		Base: r.Base, Now: r.Clock, App: connectortest.App(), Client: r.Client(t, connectors.ClientConfig{Calls: f.Calls}),
	})
	pictures := connectortest.Serve(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("\xff\xd8\xff")) }))
	account := schema.Account{Platform: schema.Pinterest, Sandbox: true}
	entities, err := connector.(connectors.EntitySource).Entities(t.Context(), account, f.Credentials(1))
	if err != nil || len(entities) < 4 {
		t.Fatalf("Entities = %v, %v", entities, err)
	}
	picture := schema.Media{Kind: schema.Image, URL: pictures, AltText: "a square", Facts: &schema.MediaFacts{
		Kind: schema.Image, Type: "image/jpeg", Size: 3, Width: 600, Height: 900,
	}}
	for _, e := range entities {
		if _, err := connector.(connectors.Checker).Check(t.Context(), account, e.Credentials); err != nil {
			t.Errorf("Check of %s: %v", e.ID, err)
		}
		d := schema.Delivery{
			Account: account, Credentials: e.Credentials, Entries: 1, Text: "on " + e.Name, Media: []schema.Media{picture}, Since: r.Clock(),
			Settings: json.RawMessage(`{"title":"A title","link":"https://example.com/x","dominantColor":"#6E7874"}`),
		}
		progress, err := connector.Prepare(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		d.Progress = progress.State
		receipt, err := connector.Publish(t.Context(), d)
		if err != nil {
			t.Fatalf("Publish on %s: %v", e.Name, err)
		}
		if found, verdict, err := connector.Find(t.Context(), d); verdict != schema.Found || found.NativeID != receipt.NativeID {
			t.Errorf("Find on %s = %+v, %v, %v", e.Name, found, verdict, err)
		}
	}
	if _, err := connector.(connectors.Refresher).Refresh(t.Context(), account, f.Credentials(0)); err != nil {
		t.Errorf("Refresh: %v", err)
	}
}
