package telegram_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/telegram"
	"crier/connectors/telegram"
	"crier/schema"
)

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: telegram.Describe(), Ends: simulator.Describe().Ending.Ends,
		Simulator: simulator.New,
		Field:     true,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{BotToken: fmt.Sprintf("%d:AA-token-of-a-bot", 1000+n), ChatID: fmt.Sprintf("@channel_%d", n)}
		},
		Operations: connectortest.Operations{Publish: "sendMessage"},
		Throttled: []connectortest.Throttled{{
			Name: "retry_after in the body",
			Wait: 7 * time.Second,
			Fault: func(time.Time) simulation.Fault {
				return simulation.Fault{
					Status: http.StatusTooManyRequests,
					Body:   `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}`,
				}
			},
		}},
	}
}
