//go:build conformance

package youtube_test

import (
	"net/http"
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/youtube"
)

// TestConformance holds what the two sides say to each other against the discovery document of
// the Data API. Consents and tokens, and how a session answers, are not in it.
func TestConformance(t *testing.T) {
	description := conformance.Discovery(t, "youtube/discovery.json")
	f := fixture()
	f.Watch = func(simulator http.Handler) http.Handler {
		return conformance.Watch(simulator, func(e conformance.Exchange) {
			if youtube.Described(&e) {
				description.Check(t, e)
			}
		})
	}
	connectortest.RunGenuine(t, f)
	f.Settings = []byte(`{"title":"A film","privacyStatus":"private","tags":["a","b c"],"categoryId":"22","defaultLanguage":"en","defaultAudioLanguage":"en",
		"selfDeclaredMadeForKids":false,"containsSyntheticMedia":true,"hasPaidProductPlacement":true,"license":"creativeCommon","embeddable":true,
		"publicStatsViewable":true,"notifySubscribers":false}`)
	connectortest.RunGenuine(t, f)
	if description.Checked() == 0 {
		t.Error("nothing was checked")
	}
	t.Logf("%d exchanges", description.Checked())
}
