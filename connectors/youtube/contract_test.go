package youtube_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/youtube"
	"crier/connectors/youtube"
	"crier/schema"
)

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: youtube.Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"views", "likes", "comments"},
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("a-token-of-channel-%d", n)}
		},
		Settings: []byte(`{"title": "A film"}`),
		Operations: connectortest.Operations{
			Publish: "PUT session end",
			Comment: "POST /youtube/v3/commentThreads",
			Find:    "PUT session status",
			Reply:   "POST /youtube/v3/comments",
		},
		Answers: connectortest.Answers{Comments: true, Extent: connectors.DirectComments, Nested: true},
		Looks:   true,
		Throttled: []connectortest.Throttled{
			throttled("the day's quota, until midnight Pacific", "quotaExceeded", 9*time.Hour+30*time.Minute),
			throttled("calls that come too fast", "rateLimitExceeded", time.Minute),
			throttled("a channel's uploads", "uploadLimitExceeded", 24*time.Hour),
			throttled("an API that is not enabled", "accessNotConfigured", 5*time.Minute),
		},
		Consent: &connectortest.Consent{
			Page: "https://accounts.google.com/o/oauth2/v2/auth", Asks: url.Values{"client_id": {"1"}, "access_type": {"offline"}, "prompt": {"consent select_account"}, "code_challenge_method": {"S256"}},
			Permission: "https://www.googleapis.com/auth/youtube.force-ssl", CodeLife: 10 * time.Minute, Redeem: "POST /token",
			Denied: url.Values{"error": {"access_denied"}}, Single: true,
		},
	}
}

// throttled is a refusal at 22:30 UTC in winter.
func throttled(name, reason string, wait time.Duration) connectortest.Throttled {
	return connectortest.Throttled{
		Name: name,
		Wait: wait,
		Fault: func(time.Time) simulation.Fault {
			return simulation.Fault{
				Operation: "PUT session end", Status: http.StatusForbidden,
				Header: map[string]string{"Date": "Wed, 04 Mar 2026 22:30:00 GMT"},
				Body:   `{"error":{"code":403,"message":"too much","errors":[{"message":"too much","domain":"d","reason":"` + reason + `"}]}}`,
			}
		},
	}
}
