package pipeline

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"crier/schema"
)

func TestWebhooksAreSignedBothWays(t *testing.T) {
	const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	now := time.Now()
	var header http.Header
	var body []byte
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
	}))
	defer receiver.Close()
	sender := NewSender(receiver.Client(), func() time.Time { return now })
	id := schema.NewID[schema.EventID](now)
	answer, err := sender.Send(t.Context(), Request{URL: receiver.URL, Secrets: []string{secret}, ID: id, Body: []byte(`{"a":1}`)})
	if err != nil || answer.Code != 200 {
		t.Fatal(answer, err)
	}
	unix, signature, _ := strings.Cut(strings.TrimPrefix(header.Get("X-Webhook-Signature"), "t="), ",v1=")
	if want := hex.EncodeToString(mac([]byte(secret), unix+".", body)); signature != want {
		t.Errorf("X-Webhook-Signature = %s, want %s", signature, want)
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(body, header); err != nil {
		t.Errorf("a receiver with the library of Standard Webhooks refuses it: %v", err)
	}
	if header.Get("Webhook-Id") != id.String() {
		t.Errorf("Webhook-Id = %s, want the event's", header.Get("Webhook-Id"))
	}
}

func TestOnly2xxIsADelivery(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		code   int
		fails  bool
	}{
		"204":                     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, 204, false},
		"500":                     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 500, true},
		"a redirect not followed": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/else", 302) }, 302, true},
		"a cut connection":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			receiver := httptest.NewServer(tt.answer)
			defer receiver.Close()
			answer, err := NewSender(receiver.Client(), time.Now).Send(t.Context(), Request{URL: receiver.URL})
			if answer.Code != tt.code || (err != nil) != tt.fails {
				t.Errorf("Send = %d, %v; want %d, failing %t", answer.Code, err, tt.code, tt.fails)
			}
		})
	}
}
