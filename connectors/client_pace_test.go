package connectors

import (
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

// A good answer may ask for a pause: it counts, and the next call of that account waits.
func TestAGoodAnswerThrottlesItsAccount(t *testing.T) {
	config := testConfig(t)
	config.Pace = func(header http.Header) time.Duration {
		wait, _ := time.ParseDuration(header.Get("X-Pause"))
		return wait
	}
	client := NewClient(config)
	server := serve(t, answer(200, map[string]string{"X-Pause": "40s"}, `{}`))
	call := Call{Operation: "test", Method: http.MethodGet, URL: server, Account: schema.NewID[schema.AccountID](time.Now())}
	if _, err := client.Do(t.Context(), call, nil); err != nil {
		t.Fatal(err)
	}
	_, err := client.Do(t.Context(), call, nil)
	if e := wantKind(t, err, schema.RateLimited); e.RetryAfter < 30*time.Second || e.RetryAfter > 40*time.Second {
		t.Errorf("RetryAfter = %v", e.RetryAfter)
	}
	call.Account = schema.NewID[schema.AccountID](time.Now())
	if _, err := client.Do(t.Context(), call, nil); err != nil {
		t.Errorf("another account is throttled too: %v", err)
	}
}

// What a refusal leaves open is open only where the call would be seen.
func TestAnOpenRefusal(t *testing.T) {
	config := testConfig(t)
	config.Answers = Answers{Table: []Answer{{Means: IsUnknown, Message: "something failed"}}}
	server := serve(t, answer(400, nil, `{}`))
	for visible, want := range map[bool]schema.ErrorKind{true: schema.Unknown, false: schema.Retryable} {
		call := Call{Operation: "test", Method: http.MethodPost, URL: server, Visible: visible}
		_, err := NewClient(config).Do(t.Context(), call, nil)
		wantKind(t, err, want)
	}
}
