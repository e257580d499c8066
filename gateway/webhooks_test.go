package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/gateway"
	"crier/schema"
	"crier/schema/postgres"
)

const hook = `{"url": "https://hooks.example/crier", "events": ["post.published", "post.failed", "post.failed"]}`

func TestAWebhooksSecretIsShownOnce(t *testing.T) {
	a := newAPI(t)
	created := a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated).at("webhook")
	encoded, ok := strings.CutPrefix(created.at("secret").text(), "whsec_")
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(secret) != 32 {
		t.Errorf("secret = %q", created.at("secret"))
	}
	if created.at("events").size() != 2 || created.at("isActive").value != true {
		t.Errorf("webhook = %v", created)
	}
	path := "/webhooks/" + created.at("id").text()
	for _, again := range []*answer{
		a.call(http.MethodGet, path, nil),
		a.call(http.MethodGet, "/webhooks", nil),
		a.call(http.MethodPatch, path, `{"isActive": true}`),
	} {
		again.want(http.StatusOK)
		if strings.Contains(string(again.body), "whsec_") {
			t.Errorf("the secret is shown again: %s", again.body)
		}
	}
}

func TestAWorkspaceHasUpToAHundredWebhooks(t *testing.T) {
	a := newAPI(t)
	last := a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated).at("webhook", "id").text()
	a.exec(`insert into webhooks (id, workspace_id, url, events, secret, active, created_at)
		select gen_random_uuid(), workspace_id, url, events, secret, active, created_at from webhooks, generate_series(1, 98)`)
	a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated)
	a.call(http.MethodPost, "/webhooks", hook).fails(http.StatusBadRequest, "invalid_state")
	_, key := a.tenant("other", "operator", schema.Admin)
	a.callWith(key, http.MethodPost, "/webhooks", hook).want(http.StatusCreated)
	a.call(http.MethodDelete, "/webhooks/"+last, nil).want(http.StatusOK)
	a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated)
}

func TestInvalidWebhooksAreRefused(t *testing.T) {
	a := newAPI(t)
	webhook := a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated).at("webhook", "id").text()
	for name, tt := range map[string]struct{ body, field string }{
		"no events":          {`{"url": "https://hooks.example/", "events": []}`, "events"},
		"an unknown event":   {`{"url": "https://hooks.example/", "events": ["post.lost"]}`, "events[0]"},
		"a wrong type":       {`{"url": 1, "events": ["post.failed"]}`, "url"},
		"http":               {`{"url": "http://hooks.example/", "events": ["post.failed"]}`, "url"},
		"a private address":  {`{"url": "https://10.1.2.3/", "events": ["post.failed"]}`, "url"},
		"a name of one":      {`{"url": "https://internal.example/", "events": ["post.failed"]}`, "url"},
		"loopback":           {`{"url": "https://[::1]/", "events": ["post.failed"]}`, "url"},
		"a user part":        {`{"url": "https://a:b@hooks.example/", "events": ["post.failed"]}`, "url"},
		"no url, but events": {`{"url": "", "events": ["post.failed"]}`, "url"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			for _, got := range []*answer{
				a.call(http.MethodPost, "/webhooks", tt.body),
				a.call(http.MethodPatch, "/webhooks/"+webhook, tt.body),
			} {
				e := got.fails(http.StatusBadRequest, "validation_error")
				if got := e.at("details", 0, "field").text(); got != tt.field {
					t.Errorf("field = %q, want %q", got, tt.field)
				}
			}
		})
	}
	a.call(http.MethodPost, "/webhooks", `{}`).fails(http.StatusBadRequest, "validation_error")
}

func TestWhoNamesNoEventIsToldThoseThereAre(t *testing.T) {
	a := newAPI(t)
	webhook := "/webhooks/" + a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated).at("webhook", "id").text()
	for name, got := range map[string]*answer{
		"a webhook of an unknown one": a.call(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/", "events": ["post.nope"]}`),
		"a webhook of none":           a.call(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/", "events": []}`),
		"a webhook without the field": a.call(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/"}`),
		"a test of an unknown one":    a.call(http.MethodPost, webhook+"/test", `{"event": "post.nope"}`),
		"a test of none":              a.call(http.MethodPost, webhook+"/test", `{}`),
		"deliveries of one":           a.call(http.MethodGet, webhook+"/deliveries?event=post.nope", nil),
		"events of one":               a.call(http.MethodGet, "/events?type=post.nope", nil),
	} {
		message := got.fails(http.StatusBadRequest, "validation_error").at("details", 0, "message").text()
		if !strings.Contains(message, "post.scheduled, post.published") || !strings.Contains(message, "feed.matched") {
			t.Errorf("%s: %s", name, message)
		}
	}
}

func TestActivatingAWebhookForgetsItsFailures(t *testing.T) {
	a := newAPI(t)
	path := "/webhooks/" + a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated).at("webhook", "id").text()
	a.exec(`update webhooks set active = false, consecutive_failures = 10, disabled_at = now(), disabled_reason = 'ten failures'`)
	disabled := a.call(http.MethodGet, path, nil).want(http.StatusOK).at("webhook")
	if disabled.at("disabledReason").text() != "ten failures" || disabled.at("consecutiveFailures").value != 10.0 {
		t.Errorf("webhook = %v", disabled)
	}
	a.call(http.MethodPatch, path, `{"url": "https://hooks.example/other"}`).want(http.StatusOK)
	enabled := a.call(http.MethodPatch, path, `{"isActive": true}`).want(http.StatusOK).at("webhook")
	if enabled.at("disabledAt").value != nil || enabled.at("consecutiveFailures").value != 0.0 || enabled.at("isActive").value != true ||
		enabled.at("url").text() != "https://hooks.example/other" {
		t.Errorf("webhook = %v", enabled)
	}
}

func TestADeletedWebhookIsGone(t *testing.T) {
	a := newAPI(t)
	path := "/webhooks/" + a.call(http.MethodPost, "/webhooks", hook).want(http.StatusCreated).at("webhook", "id").text()
	a.call(http.MethodDelete, path, nil).want(http.StatusOK)
	a.call(http.MethodGet, path, nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodDelete, path, nil).fails(http.StatusNotFound, "not_found")
}

func TestAWebhookShowsItsDeliveries(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	id, err := schema.ParseWebhookID(a.call(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/", "events": ["post.scheduled"]}`).
		want(http.StatusCreated).at("webhook", "id").text())
	if err != nil {
		t.Fatal(err)
	}
	a.post(a.inAnHour())
	notify := postgres.NewNotify(a.store, plain{})
	batches := a.events()
	messages, err := notify.Expand(context.Background(), batches)
	if err != nil || len(messages) != 1 {
		t.Fatalf("expanded to %v, %v", messages, err)
	}
	finish := func(result schema.NotifyResult) tree {
		t.Helper()
		claimed, err := notify.Claim(context.Background(), []schema.DeliveryID{messages[0].Delivery})
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %v, %v", claimed, err)
		}
		result.ID, result.Webhook, result.Claim = claimed[0].ID, id, claimed[0].Claim
		if err := notify.Finish(context.Background(), result); err != nil {
			t.Fatal(err)
		}
		return a.call(http.MethodGet, "/webhooks/"+id.String(), nil).want(http.StatusOK).at("deliveries", 0)
	}
	record := finish(schema.NotifyResult{State: schema.DeliveryPending, ResponseCode: 503})
	if record.at("status").text() != "pending" || record.has("deliveredAt") {
		t.Errorf("record of a try that is repeated = %v", record)
	}
	record = finish(schema.NotifyResult{State: schema.DeliveryDelivered, ResponseCode: 204, ResponseTime: 7 * time.Millisecond})
	if !record.has("deliveredAt") {
		t.Errorf("record = %v, without the time of the delivery", record)
	}
	if record.at("status").text() != "delivered" || record.at("responseCode").value != 204.0 || record.at("responseTimeMs").value != 7.0 ||
		record.at("eventId").text() != batches[0].Events[0].ID.String() || record.at("error").value != nil {
		t.Errorf("record = %v", record)
	}
}

func TestATestDeliveryIsSignedSampleData(t *testing.T) {
	var got schema.WebhookPayload
	var signature string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
		signature = r.Header.Get("X-Webhook-Signature")
		w.WriteHeader(http.StatusAccepted)
	}))
	a := newAPI(t, func(c *gateway.Config) { c.Rules.AllowPrivateWebhooks = true })
	path := "/webhooks/" + a.call(http.MethodPost, "/webhooks", `{"url": "`+receiver.URL+`", "events": ["post.failed"]}`).
		want(http.StatusCreated).at("webhook", "id").text()
	for _, event := range schema.EventTypes() {
		test := a.call(http.MethodPost, path+"/test", `{"event": "`+string(event)+`"}`).want(http.StatusOK).at("test")
		if test.at("responseCode").value != 202.0 || test.at("event").text() != string(event) {
			t.Errorf("test = %v", test)
		}
		if got.Event != event || !got.Test || got.ID.IsZero() || len(got.Data) < 10 || !strings.HasPrefix(signature, "t=") {
			t.Errorf("received %+v, signed %q", got, signature)
		}
		a.description.checkEvent(t, got)
	}
	a.call(http.MethodPost, path+"/test", `{"event": "post.lost"}`).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodPost, path+"/test", `{}`).fails(http.StatusBadRequest, "validation_error")

	receiver.Close()
	test := a.call(http.MethodPost, path+"/test", `{"event": "post.failed"}`).want(http.StatusOK).at("test")
	if test.at("error").text() == "" || test.at("responseCode").value != nil {
		t.Errorf("test = %v, want why there is no answer", test)
	}
}
