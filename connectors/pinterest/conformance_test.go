//go:build conformance

package pinterest_test

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

// TestConformance holds what the connector and the simulator say to each other against
// Pinterest's own description.
func TestConformance(t *testing.T) {
	description := conformance.Pinterest(t)
	f := fixture()
	f.Watch = func(simulator http.Handler) http.Handler {
		return conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
	}
	connectortest.RunGenuine(t, f)
	contract := description.Checked()
	if contract == 0 {
		t.Error("nothing was checked")
	}
	f.Watch = watchAPI(t, description)
	connectortest.RunConsent(t, f)
	t.Run("settings", func(t *testing.T) { publishSettings(t, f) })
	t.Logf("%d exchanges of the contract, %d of a consent and settings", contract, description.Checked()-contract)
}

// watchAPI leaves out the page of consent, which is for browsers.
func watchAPI(t *testing.T, description *conformance.Checker) func(http.Handler) http.Handler {
	return func(simulator http.Handler) http.Handler {
		watched := conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/oauth/" {
				simulator.ServeHTTP(rw, r)
				return
			}
			watched.ServeHTTP(rw, r)
		})
	}
}

// publishSettings publishes with all settings, lists what can be chosen, and trades tokens.
func publishSettings(t *testing.T, f connectortest.Fixture) {
	var base string
	world := simulation.NewWorld(simulation.Config{
		Platform: schema.Pinterest, Now: time.Now, BaseURL: func() string { return base }, HTTP: http.DefaultClient,
	})
	pictures := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("\xff\xd8\xff")) }))
	defer pictures.Close()
	server := httptest.NewServer(f.Watch(f.Simulator(world)))
	defer server.Close()
	base = server.URL
	connector := f.Connector(connectortest.Parts{
		HTTP: server.Client(), Base: base, Now: time.Now,
		Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()),
	})
	account := schema.Account{Platform: schema.Pinterest, Sandbox: true}
	entities, err := connector.(connectors.EntitySource).Entities(t.Context(), account, f.Credentials(1))
	if err != nil || len(entities) < 4 {
		t.Fatalf("Entities = %v, %v", entities, err)
	}
	picture := schema.Media{Kind: schema.Image, URL: pictures.URL, AltText: "a square", Facts: &schema.MediaFacts{
		Kind: schema.Image, Type: "image/jpeg", Size: 3, Width: 600, Height: 900,
	}}
	for _, e := range entities {
		if _, err := connector.(connectors.Checker).Check(t.Context(), account, e.Credentials); err != nil {
			t.Errorf("Check of %s: %v", e.ID, err)
		}
		d := schema.Delivery{
			Account: account, Credentials: e.Credentials, Entries: 1, Text: "on " + e.Name, Media: []schema.Media{picture}, Since: time.Now(),
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
