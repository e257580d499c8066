package tiktok_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/tiktok"
	"crier/connectors/tiktok"
	"crier/schema"
)

func TestContract(t *testing.T) {
	connectortest.Run(t, fixture())
}

// The simulator has no limits here: more posts are begun in a moment than TikTok takes in a
// minute.
func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: tiktok.Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"views", "likes", "comments", "shares"},
		Simulator: simulator.NewUnlimited,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{AccessToken: fmt.Sprintf("act.of-creator-%d", n)}
		},
		Settings: []byte(`{"privacy":"PUBLIC_TO_EVERYONE"}`),
		Operations: connectortest.Operations{
			Publish: lastPart,
			Find:    "POST /v2/post/publish/status/fetch/{$}",
		},
		Looks: true,
		Consent: &connectortest.Consent{
			Page: "https://www.tiktok.com/v2/auth/authorize/", Asks: url.Values{"client_key": {"1"}, "code_challenge": nil},
			Permission: "video.publish", CodeLife: 10 * time.Minute, Redeem: "POST /v2/oauth/token/{$}",
			Denied: url.Values{"error": {"access_denied"}},
		},
		Throttled: []connectortest.Throttled{
			throttled("a code alone, of a limit of a minute", time.Minute, ""),
			throttled("a time in a header", 7*time.Second, "7"),
		},
	}
}

const lastPart = "PUT /video/{$}"

func throttled(name string, wait time.Duration, retryAfter string) connectortest.Throttled {
	return connectortest.Throttled{
		Name: name,
		Wait: wait,
		Fault: func(time.Time) simulation.Fault {
			return simulation.Fault{
				Operation: lastPart, Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": retryAfter},
				Body: `{"data":{},"error":{"code":"rate_limit_exceeded","message":"too many","log_id":"1"}}`,
			}
		},
	}
}
