package linkedin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors/linkedin"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/linkedin"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestContractOfOrganizations(t *testing.T) {
	f := fixture()
	f.Looks, f.Answers = true, connectortest.Answers{Comments: true}
	f.Tells, f.Silent, f.Gone = []string{"impressions", "reach", "likes", "comments", "shares", "clicks"}, false, true
	f.Credentials = func(n int) schema.Credentials {
		token := fmt.Sprintf("a-token-of-member-%d", n)
		return schema.Credentials{AccessToken: token, EntityID: simulator.Organizations(token)[0]}
	}
	f.Consent = &connectortest.Consent{
		Page: "https://www.linkedin.com/oauth/v2/authorization", Asks: url.Values{"code_challenge": nil}, // without PKCE
		Permission: "w_member_social", CodeLife: 30 * time.Minute, Redeem: "POST /oauth/v2/accessToken",
		Denied: url.Values{"error": {"user_cancelled_authorize"}},
	}
	connectortest.Run(t, f)
}

// Nobody is shown what a member has published.
func TestContractOfMembers(t *testing.T) {
	connectortest.Run(t, fixture())
}

func fixture() connectortest.Fixture {
	f := connectortest.Fixture{
		Description: linkedin.Describe(), Ends: simulator.Describe().Ending.Ends, Silent: true,
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("a-token-of-member-%d", n)}
		},
		Operations: connectortest.Operations{
			Publish: "POST /rest/posts",
			Comment: "POST /rest/socialActions/{urn}/comments",
			Find:    "GET /rest/posts",
			Upload:  "POST /rest/images?action=initializeUpload",
			Reply:   "POST /rest/socialActions/{urn}/comments",
		},
		Throttled: []connectortest.Throttled{
			throttled("the day's limit, until midnight UTC", "DAY", 90*time.Minute),
			throttled("another limit", "MINUTE", time.Minute),
		},
		Processing: &connectortest.Processing{
			Kind:   schema.Video,
			Busy:   answered(`{"status":"PROCESSING"}`),
			Failed: answered(`{"status":"PROCESSING_FAILED","processingFailureReason":"the format is not supported"}`),
		},
	}
	f.Constraints.Media.Max = 20 // of a post; crier's users have one
	return f
}

func answered(body string) simulation.Fault {
	return simulation.Fault{Operation: "GET /rest/videos/{urn}", Status: http.StatusOK, Body: body}
}

// throttled is a refusal at 22:30, which no header tells the end of.
func throttled(name, window string, wait time.Duration) connectortest.Throttled {
	return connectortest.Throttled{
		Name: name,
		Wait: wait,
		Fault: func(time.Time) simulation.Fault {
			return simulation.Fault{
				Operation: "POST /rest/posts", Status: http.StatusTooManyRequests,
				Header: map[string]string{"Date": "Wed, 04 Mar 2026 22:30:00 GMT"},
				Body:   `{"message":"Resource level throttle APPLICATION_AND_MEMBER ` + window + ` limit for calls to this resource is reached.","status":429,"serviceErrorCode":101}`,
			}
		},
	}
}
