package instagram

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/instagram"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// The simulator's names of its calls.
const (
	simCreate   = "POST /{user}/media"
	simPublish  = "POST /{user}/media_publish"
	simComment  = "POST /{id}/comments"
	simShow     = "GET /{id}"
	simMedia    = "GET /{user}/media"
	simComments = "GET /{id}/comments"
)

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"views", "reach", "likes", "comments", "shares", "saves"},
		Simulator: simulator.New,
		Field:     true,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("IGAA-token-of-account-%d", n), SelfRenewing: true}
		},
		Operations: connectortest.Operations{Publish: simPublish, Comment: simComment, Find: simShow, Upload: simCreate, Reply: "POST /{id}/replies"},
		Answers:    connectortest.Answers{Comments: true, Extent: connectors.DirectComments, Nested: true},
		Looks:      true,
		Consent: &connectortest.Consent{
			Page: "https://www.instagram.com/oauth/authorize", Asks: url.Values{"client_id": {"1"}},
			Permission: "instagram_business_content_publish", CodeLife: time.Hour, Redeem: "POST /oauth/access_token", Fragment: "_",
			Denied: url.Values{"error": {"access_denied"}, "error_reason": {"user_denied"}},
		},
		Pulls: true,
		Throttled: []connectortest.Throttled{
			{
				Name: "the minutes of a use case", Wait: 2 * time.Minute,
				Fault: func(time.Time) simulation.Fault {
					return simulation.Fault{Operation: simPublish, Status: http.StatusBadRequest, Header: map[string]string{
						"X-Business-Use-Case-Usage": `{"1":[{"type":"instagram","call_count":100,"estimated_time_to_regain_access":2}]}`,
					}, Body: `{"error":{"message":"(#80002) There have been too many calls to this Instagram account.","type":"OAuthException","code":80002}}`}
				},
			},
			{
				Name: "no time at all", Wait: 5 * time.Minute,
				Fault: func(time.Time) simulation.Fault {
					return simulation.Fault{Operation: simPublish, Status: http.StatusForbidden, Body: `{"error":{"message":"(#32) Page request limit reached","type":"OAuthException","code":32}}`}
				},
			},
		},
		Processing: &connectortest.Processing{
			Kind:   schema.Video,
			Busy:   simulation.Fault{Operation: simShow, Status: http.StatusOK, Body: `{"status_code":"IN_PROGRESS","id":"1"}`},
			Failed: simulation.Fault{Operation: simShow, Status: http.StatusOK, Body: `{"status_code":"ERROR","id":"1","status":"Error: Media upload has failed with error code 2207026"}`},
		},
	}
}

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }
