package facebook_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/facebook"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/facebook"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestContract(t *testing.T) {
	connectortest.Run(t, fixture())
}

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: facebook.Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"impressions", "reach", "likes", "comments", "shares", "clicks"},
		Simulator: simulator.New,
		Field:     true,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("a-token-of-page-%d", n)}
		},
		Operations: connectortest.Operations{
			Publish: "POST /{version}/{page}/feed",
			Comment: "POST /{version}/{node}/comments",
			Find:    "GET /{version}/{page}/published_posts",
			Upload:  "POST /{version}/{page}/photos",
			Reply:   "POST /{version}/{node}/comments",
		},
		Answers: connectortest.Answers{Comments: true, Extent: connectors.AllComments, Nested: true},
		Looks:   true,
		Consent: &connectortest.Consent{
			Page: "https://www.facebook.com/v26.0/dialog/oauth", Asks: url.Values{"client_id": {"1"}, "auth_type": {"rerequest"}},
			Permission: "pages_manage_posts", CodeLife: 10 * time.Minute, Redeem: "GET /{version}/oauth/access_token", Fragment: "_=_",
			Denied: url.Values{"error": {"access_denied"}, "error_reason": {"user_denied"}},
		},
		Throttled: []connectortest.Throttled{
			throttled("a code alone", 5*time.Minute, `{"error":{"message":"(#4) Application request limit reached","type":"OAuthException","code":4}}`, ""),
			throttled("a time in the usage", 7*time.Minute, `{"error":{"message":"(#80001) too many calls","type":"OAuthException","code":80001}}`,
				`{"1":[{"type":"pages","call_count":101,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":7}]}`),
		},
	}
}

func throttled(name string, wait time.Duration, body, usage string) connectortest.Throttled {
	return connectortest.Throttled{
		Name: name,
		Wait: wait,
		Fault: func(time.Time) simulation.Fault {
			return simulation.Fault{
				Operation: "POST /{version}/{page}/feed", Status: http.StatusBadRequest, Body: body,
				Header: map[string]string{"X-Business-Use-Case-Usage": usage},
			}
		},
	}
}
