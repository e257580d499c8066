package twitter_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/twitter"
	"crier/connectors/twitter"
	"crier/schema"
)

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: twitter.Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"impressions", "likes", "comments", "shares", "saves"},
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("a-token-of-account-%d", n)}
		},
		Operations: connectortest.Operations{
			Publish: "POST /2/tweets",
			Comment: "POST /2/tweets",
			Find:    "GET /2/users/{id}/tweets",
			Upload:  "POST /2/media/upload/initialize",
			Reply:   "POST /2/tweets",
		},
		Answers: connectortest.Answers{Comments: true, Mentions: true, Nested: true},
		Consent: &connectortest.Consent{
			Page: "https://x.com/i/oauth2/authorize", Asks: url.Values{"code_challenge_method": {"S256"}}, Public: true,
			Permission: "offline.access", CodeLife: 30 * time.Second, Redeem: "POST /2/oauth2/token",
			Denied: url.Values{"error": {"access_denied"}},
		},
		Looks:   true,
		Repeats: 24 * time.Hour,
		Throttled: []connectortest.Throttled{
			throttled("the window of the user", "", func(at time.Time) map[string]string {
				return map[string]string{"x-rate-limit-remaining": "0", "x-rate-limit-reset": unix(at)}
			}),
			throttled("the app's day", "", func(at time.Time) map[string]string {
				return map[string]string{
					"x-rate-limit-remaining": "57", "x-rate-limit-reset": unix(at.Add(-time.Minute)),
					"x-app-limit-24hour-remaining": "0", "x-app-limit-24hour-reset": unix(at),
				}
			}),
			throttled("the words of the first version", `{"errors":[{"code":88,"message":"Rate limit exceeded"}]}`, func(at time.Time) map[string]string {
				return map[string]string{"x-rate-limit-reset": unix(at)}
			}),
		},
		Processing: &connectortest.Processing{
			Kind: schema.Video,
			Busy: simulation.Fault{
				Operation: "GET /2/media/upload", Status: http.StatusOK,
				Body: `{"data":{"id":"1","processing_info":{"state":"in_progress","check_after_secs":3,"progress_percent":8}}}`,
			},
			Failed: simulation.Fault{
				Operation: "GET /2/media/upload", Status: http.StatusOK,
				Body: `{"data":{"id":"1","processing_info":{"state":"failed","progress_percent":8}}}`,
			},
		},
	}
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

func throttled(name, body string, headers func(reset time.Time) map[string]string) connectortest.Throttled {
	const wait = 90 * time.Second
	return connectortest.Throttled{
		Name: "by " + name,
		Wait: wait,
		Fault: func(now time.Time) simulation.Fault {
			return simulation.Fault{Status: http.StatusTooManyRequests, Header: headers(now.Add(wait)), Body: body}
		},
	}
}
