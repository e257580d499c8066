package gatewaytest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"crier/schema"
)

// WebhookBody makes a webhook; it names an event twice.
const WebhookBody = `{"url": "https://hooks.example/crier", "events": ["post.published", "post.failed", "post.failed"]}`

// WebhookSignature is the signature of a delivery that was sent at a time.
func WebhookSignature(secret, unix string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(unix + "."))
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil))
}

// SentEvents returns the events that can be subscribed to and were announced after n others, by
// type; each is as openapi.yaml describes it.
func (a *API) SentEvents(n int) map[schema.EventType]JSON {
	a.Helper()
	sent := map[schema.EventType]JSON{}
	for _, batch := range a.Events()[n:] {
		for _, e := range batch.Events {
			if !e.Type.Subscribable() {
				continue
			}
			a.Description.CheckEvent(a.TB, schema.WebhookPayload{ID: e.ID, Event: e.Type, CreatedAt: e.At, Data: e.Data})
			if _, twice := sent[e.Type]; twice {
				a.Errorf("%s was sent twice", e.Type)
			}
			var data any
			if err := json.Unmarshal(e.Data, &data); err != nil {
				a.Fatal(err)
			}
			sent[e.Type] = JSON{data}
		}
	}
	return sent
}

// WantSentEvents fails the test unless just these events were sent after n others.
func (a *API) WantSentEvents(n int, want ...schema.EventType) map[schema.EventType]JSON {
	a.Helper()
	sent := a.SentEvents(n)
	for _, e := range want {
		if _, ok := sent[e]; !ok {
			a.Errorf("%s was not sent", e)
		}
	}
	for e := range sent {
		if !slices.Contains(want, e) {
			a.Errorf("%s was sent", e)
		}
	}
	return sent
}
