package googlebusiness_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors/googlebusiness"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/googlebusiness"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }

const opPublish = "POST /v4/{location}/localPosts"

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: googlebusiness.Describe(), Ends: simulator.Describe().Ending.Ends,
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			token := fmt.Sprintf("a-token-of-person-%d", n)
			return schema.Credentials{AccessToken: token, EntityID: simulator.Locations(token)[1]}
		},
		Operations: connectortest.Operations{Publish: opPublish, Find: "GET /v4/{location}/localPosts"},
		Looks:      true,
		Pulls:      true,
		Throttled: []connectortest.Throttled{
			throttled("the quota of a minute", `{"reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"defaultPerMinutePerProject","quota_limit_value":"300"}}`, time.Minute),
			throttled("a wait that is named", `{"retryDelay":"17s"}`, 17*time.Second),
			throttled("a quota of nothing", `{"reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"defaultPerMinutePerProject","quota_limit_value":"0"}}`, 5*time.Minute),
		},
		Consent: &connectortest.Consent{
			Page: "https://accounts.google.com/o/oauth2/v2/auth", Asks: url.Values{"client_id": {"1"}, "access_type": {"offline"}},
			Permission: "https://www.googleapis.com/auth/business.manage",
			CodeLife:   10 * time.Minute,
			Redeem:     "POST /token",
			Denied:     url.Values{"error": {"access_denied"}},
		},
	}
}

func throttled(name, detail string, wait time.Duration) connectortest.Throttled {
	return connectortest.Throttled{
		Name: name,
		Wait: wait,
		Fault: func(time.Time) simulation.Fault {
			return simulation.Fault{
				Operation: opPublish, Status: http.StatusTooManyRequests,
				Body: `{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[` + detail + `]}}`,
			}
		},
	}
}
