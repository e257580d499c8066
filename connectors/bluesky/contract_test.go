package bluesky

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"crier/connectors"
	simulator "crier/connectors/simulators/bluesky"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestContract(t *testing.T) { connectortest.Run(t, fixture()) }

func fixture() connectortest.Fixture {
	return connectortest.Fixture{
		Description: Describe(), Ends: simulator.Describe().Ending.Ends,
		Tells:     []string{"likes", "comments", "shares", "saves"},
		Simulator: simulator.New,
		Credentials: func(n int) schema.Credentials {
			return schema.Credentials{Identifier: fmt.Sprintf("user%d.example.com", n), Password: fmt.Sprintf("abcd-efgh-ijkl-%04d", n)}
		},
		Operations: connectortest.Operations{
			Publish: putRecord, Comment: putRecord, Find: getRecord, Upload: uploadBlob, Reply: putRecord,
		},
		Answers: connectortest.Answers{Comments: true, Extent: connectors.AllComments, Mentions: true, Nested: true, Forgiving: true},
		Looks:   true, Named: true,
		Dedupes: true,
		Throttled: []connectortest.Throttled{
			{
				Name: "the time the window ends",
				Fault: func(now time.Time) simulation.Fault {
					return throttled("RateLimit-Reset", strconv.FormatInt(now.Add(time.Minute).Unix(), 10))
				},
				Wait: time.Minute,
			},
			{
				Name:  "a wait in seconds",
				Fault: func(time.Time) simulation.Fault { return throttled("Retry-After", "90") },
				Wait:  90 * time.Second,
			},
		},
		Processing: &connectortest.Processing{
			Kind: schema.Video,
			Busy: jobAnswer(`{"jobStatus": {"jobId": "j", "did": "did:plc:a", "state": "JOB_STATE_SCANNING"}}`),
			Failed: jobAnswer(`{"jobStatus": {"jobId": "j", "did": "did:plc:a", "state": "JOB_STATE_FAILED",
				"failureCode": "validation_failure", "message": "no picture"}}`),
		},
	}
}

func throttled(header, value string) simulation.Fault {
	return simulation.Fault{
		Operation: putRecord, Status: http.StatusTooManyRequests, Header: map[string]string{header: value},
		Body: `{"error": "RateLimitExceeded", "message": "Rate Limit Exceeded"}`,
	}
}

func jobAnswer(body string) simulation.Fault {
	return simulation.Fault{Operation: getJobStatus, Status: http.StatusOK, Body: body}
}
