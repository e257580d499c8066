package mastodon_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/mastodon"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/mastodon"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: mastodon.Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"likes", "comments", "shares"},
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("a-token-of-account-%d", n)}
		},
		Operations: connectortest.Operations{
			Publish: "POST /api/v1/statuses",
			Comment: "POST /api/v1/statuses",
			Find:    "GET /api/v1/accounts/{id}/statuses",
			Upload:  "POST /api/v2/media",
			Reply:   "POST /api/v1/statuses",
		},
		Answers: connectortest.Answers{Comments: true, Extent: connectors.AllComments, Mentions: true, Nested: true},
		Looks:   true,
		Dedupes: true,
		Throttled: []connectortest.Throttled{
			throttled("a date", 90*time.Second, func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }),
			throttled("seconds since 1970", 90*time.Second, func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }),
		},
		Processing: &connectortest.Processing{
			Kind: schema.Video,
			Busy: simulation.Fault{Operation: "GET /api/v1/media/{id}", Status: http.StatusPartialContent},
			Failed: simulation.Fault{
				Operation: "GET /api/v1/media/{id}", Status: http.StatusUnprocessableEntity,
				Body: `{"error":"Error processing thumbnail for uploaded media"}`,
			},
		},
	}
}

func throttled(name string, wait time.Duration, format func(time.Time) string) connectortest.Throttled {
	return connectortest.Throttled{
		Name: "a reset at " + name,
		Wait: wait,
		Fault: func(now time.Time) simulation.Fault {
			return simulation.Fault{
				Status: http.StatusTooManyRequests,
				Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": format(now.Add(wait))},
			}
		},
	}
}
