//go:build conformance

package youtube_test

import (
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
	f.Watch = description.Watch(t, youtube.Described)
	connectortest.RunGenuine(t, f)
	f.Settings = []byte(`{"title":"A film","privacyStatus":"private","tags":["a","b c"],"categoryId":"22","defaultLanguage":"en","defaultAudioLanguage":"en",
		"selfDeclaredMadeForKids":false,"containsSyntheticMedia":true,"hasPaidProductPlacement":true,"license":"creativeCommon","embeddable":true,
		"publicStatsViewable":true,"notifySubscribers":false}`)
	connectortest.RunGenuine(t, f)
	description.Report(t)
}
