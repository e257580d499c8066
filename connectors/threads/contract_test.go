package threads

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/threads"
	"crier/schema"
)

// The simulator's names of its calls.
const (
	simCreate  = "POST /{user}/threads"
	simPublish = "POST /{user}/threads_publish"
	simShow    = "GET /{id}"
	simPosts   = "GET /{user}/threads"
	simReplies = "GET /{user}/replies"
	simLimits  = "GET /{user}/threads_publishing_limit"
)

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"views", "likes", "comments", "shares"},
		Simulator: simulator.New,
		Field:     true,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("THAA-token-of-profile-%d", n), SelfRenewing: true}
		},
		Operations: connectortest.Operations{Publish: simPublish, Comment: simPublish, Find: simShow, Upload: simCreate, Reply: simPublish},
		Answers:    connectortest.Answers{Comments: true, Extent: connectors.AllComments, Mentions: true, Nested: true},
		Looks:      true,
		Consent: &connectortest.Consent{
			Page: "https://threads.com/oauth/authorize", Asks: url.Values{"client_id": {"1"}},
			Permission: "threads_content_publish", CodeLife: time.Hour, Redeem: "POST /oauth/access_token", Fragment: "_",
			Denied: url.Values{"error": {"access_denied"}, "error_reason": {"user_denied"}},
		},
		Pulls: true,
		Throttled: []connectortest.Throttled{
			{
				Name: "the minutes of a use case", Wait: 2 * time.Minute,
				Fault: func(time.Time) simulation.Fault {
					return simulation.Fault{Operation: simPublish, Status: http.StatusBadRequest, Header: map[string]string{
						"X-Business-Use-Case-Usage": `{"1":[{"type":"threads","call_count":100,"estimated_time_to_regain_access":2}]}`,
					}, Body: `{"error":{"message":"(#80016) There have been too many calls","type":"OAuthException","code":4}}`}
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
			Busy:   simulation.Fault{Operation: simShow, Status: http.StatusOK, Body: `{"status":"IN_PROGRESS","id":"1"}`},
			Failed: simulation.Fault{Operation: simShow, Status: http.StatusOK, Body: `{"status":"ERROR","id":"1","error_message":"INVALID_ASPEC_RATIO"}`},
		},
	}
}

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }
