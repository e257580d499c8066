//go:build conformance

package telegram_test

import (
	"fmt"
	"net/http"
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/telegram"
	"crier/connectors/telegram"
	"crier/schema"
)

// TestConformance holds what the connector and the simulator say to each other against
// the platform's own description.
func TestConformance(t *testing.T) {
	description := conformance.Telegram(t)
	connectortest.RunGenuine(t, connectortest.Fixture{
		Description: telegram.Describe(), Ends: simulator.Describe().Ending.Ends,
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{BotToken: fmt.Sprintf("%d:AA-token-of-a-bot", 1000+n), ChatID: fmt.Sprintf("@channel_%d", n)}
		},
		Operations: connectortest.Operations{Publish: "sendMessage"},
		Watch: func(simulator http.Handler) http.Handler {
			return conformance.Watch(simulator, func(e conformance.Exchange) { description.Check(t, e) })
		},
	})
	if description.Checked() == 0 {
		t.Error("nothing was checked")
	}
}
