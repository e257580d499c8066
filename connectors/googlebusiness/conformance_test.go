//go:build conformance

package googlebusiness_test

import (
	"strings"
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
)

// TestConformance holds what the two sides say to each other against Google's discovery
// documents. Consents and tokens are in none of them.
func TestConformance(t *testing.T) {
	description := conformance.Discovery(t,
		"google-business/mybusiness-v4p4.discovery.json",
		"google-business/mybusinessaccountmanagement-v1.discovery.json",
		"google-business/mybusinessbusinessinformation-v1.discovery.json",
	)
	f := fixture()
	f.Watch = description.Watch(t, func(e *conformance.Exchange) bool {
		return strings.HasPrefix(e.URL.Path, "/v1/") || strings.HasPrefix(e.URL.Path, "/v4/")
	})
	f.Settings = []byte(`{"languageCode":"en","offer":{"couponCode":"TEA","redeemOnlineUrl":"https://example.com","termsConditions":"once"},
		"event":{"title":"Tasting","startDate":"2026-03-05","endDate":"2026-03-06"}}`)
	connectortest.RunGenuine(t, f)
	f.Settings = []byte(`{"callToAction":{"actionType":"BOOK","url":"https://example.com"}}`)
	connectortest.RunGenuine(t, f)
	connectortest.RunConsent(t, f)
	description.Report(t)
}
