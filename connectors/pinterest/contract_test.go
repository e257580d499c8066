package pinterest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors/pinterest"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/pinterest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestContract(t *testing.T) {
	connectortest.Run(t, fixture())
}

const (
	createPin = "POST /v5/pins"
	showMedia = "GET /v5/media/{media}"
)

func fixture() connectortest.Fixture {
	f := connectortest.Fixture{
		Description: pinterest.Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"impressions", "likes", "comments", "clicks"},
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			token := fmt.Sprintf("a-token-of-person-%d", n)
			return schema.Credentials{AccessToken: token, RefreshToken: "refresh-of-" + token, EntityID: simulator.Boards(token)[n%2]}
		},
		Operations: connectortest.Operations{Publish: createPin, Find: "GET /v5/boards/{board}/pins"},
		Looks:      true,
		Processing: &connectortest.Processing{
			Kind:   schema.Video,
			Busy:   simulation.Fault{Operation: showMedia, Status: http.StatusOK, Body: `{"media_id":"1","media_type":"video","status":"processing"}`},
			Failed: simulation.Fault{Operation: showMedia, Status: http.StatusOK, Body: `{"media_id":"1","media_type":"video","status":"failed"}`},
		},
		Consent: &connectortest.Consent{
			Page: "https://www.pinterest.com/oauth/", Asks: url.Values{"client_id": {"1"}, "scope": {"boards:read,boards:write,pins:read,pins:write"}},
			Permission: "pins:write", CodeLife: 10 * time.Minute, Redeem: "POST /v5/oauth/token",
			Denied: url.Values{"error": {"access_denied"}},
		},
		Throttled: []connectortest.Throttled{
			throttled("the time in seconds", 42*time.Second, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "42"}),
			throttled("no time", time.Minute, nil),
		},
	}
	f.Constraints.Text.Max = 800 // Pinterest's own; the specification's is lower
	return f
}

func throttled(name string, wait time.Duration, header map[string]string) connectortest.Throttled {
	return connectortest.Throttled{
		Name: name,
		Wait: wait,
		Fault: func(time.Time) simulation.Fault {
			return simulation.Fault{
				Operation: createPin, Status: http.StatusTooManyRequests, Header: header,
				Body: `{"code":8,"message":"This request exceeded a rate limit."}`,
			}
		},
	}
}
