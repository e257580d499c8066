package webhooks_test

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
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

func TestAWebhooksSecretIsShownOnce(t *testing.T) {
	a := gatewaytest.New(t)
	created := a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated).At("webhook")
	encoded, ok := strings.CutPrefix(created.At("secret").Text(), "whsec_")
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(secret) != 32 {
		t.Errorf("secret = %q", created.At("secret"))
	}
	if created.At("events").Len() != 2 || created.At("isActive").Value != true {
		t.Errorf("webhook = %v", created)
	}
	path := "/webhooks/" + created.At("id").Text()
	for _, again := range []*gatewaytest.Response{
		a.Request(http.MethodGet, path, nil),
		a.Request(http.MethodGet, "/webhooks", nil),
		a.Request(http.MethodPatch, path, `{"isActive": true}`),
	} {
		again.Want(http.StatusOK)
		if strings.Contains(string(again.Body), "whsec_") {
			t.Errorf("the secret is shown again: %s", again.Body)
		}
	}
}

func TestAWorkspaceHasUpToAHundredWebhooks(t *testing.T) {
	a := gatewaytest.New(t)
	last := a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated).At("webhook", "id").Text()
	a.Exec(`insert into webhooks (id, workspace_id, url, events, secret, active, created_at)
		select gen_random_uuid(), workspace_id, url, events, secret, active, created_at from webhooks, generate_series(1, 98)`)
	a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated)
	a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).WantError(http.StatusBadRequest, "invalid_state")
	_, key := a.CreateWorkspace("other", "operator", schema.Admin)
	a.RequestWith(key, http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated)
	a.Request(http.MethodDelete, "/webhooks/"+last, nil).Want(http.StatusOK)
	a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated)
}

func TestInvalidWebhooksAreRefused(t *testing.T) {
	a := gatewaytest.New(t)
	webhook := a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated).At("webhook", "id").Text()
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
			a.Under(t)
			for _, got := range []*gatewaytest.Response{
				a.Request(http.MethodPost, "/webhooks", tt.body),
				a.Request(http.MethodPatch, "/webhooks/"+webhook, tt.body),
			} {
				e := got.WantError(http.StatusBadRequest, "validation_error")
				if got := e.At("details", 0, "field").Text(); got != tt.field {
					t.Errorf("field = %q, want %q", got, tt.field)
				}
			}
		})
	}
	a.Request(http.MethodPost, "/webhooks", `{}`).WantError(http.StatusBadRequest, "validation_error")
}

func TestWhoNamesNoEventIsToldThoseThereAre(t *testing.T) {
	a := gatewaytest.New(t)
	webhook := "/webhooks/" + a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated).At("webhook", "id").Text()
	for name, got := range map[string]*gatewaytest.Response{
		"a webhook of an unknown one": a.Request(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/", "events": ["post.nope"]}`),
		"a webhook of none":           a.Request(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/", "events": []}`),
		"a webhook without the field": a.Request(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/"}`),
		"a test of an unknown one":    a.Request(http.MethodPost, webhook+"/test", `{"event": "post.nope"}`),
		"a test of none":              a.Request(http.MethodPost, webhook+"/test", `{}`),
		"deliveries of one":           a.Request(http.MethodGet, webhook+"/deliveries?event=post.nope", nil),
		"events of one":               a.Request(http.MethodGet, "/events?type=post.nope", nil),
	} {
		message := got.WantError(http.StatusBadRequest, "validation_error").At("details", 0, "message").Text()
		if !strings.Contains(message, "post.scheduled, post.published") || !strings.Contains(message, "feed.matched") {
			t.Errorf("%s: %s", name, message)
		}
	}
}

func TestActivatingAWebhookForgetsItsFailures(t *testing.T) {
	a := gatewaytest.New(t)
	path := "/webhooks/" + a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated).At("webhook", "id").Text()
	a.Exec(`update webhooks set active = false, consecutive_failures = 10, disabled_at = now(), disabled_reason = 'ten failures'`)
	disabled := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("webhook")
	if disabled.At("disabledReason").Text() != "ten failures" || disabled.At("consecutiveFailures").Value != 10.0 {
		t.Errorf("webhook = %v", disabled)
	}
	a.Request(http.MethodPatch, path, `{"url": "https://hooks.example/other"}`).Want(http.StatusOK)
	enabled := a.Request(http.MethodPatch, path, `{"isActive": true}`).Want(http.StatusOK).At("webhook")
	if enabled.At("disabledAt").Value != nil || enabled.At("consecutiveFailures").Value != 0.0 || enabled.At("isActive").Value != true ||
		enabled.At("url").Text() != "https://hooks.example/other" {
		t.Errorf("webhook = %v", enabled)
	}
}

func TestADeletedWebhookIsGone(t *testing.T) {
	a := gatewaytest.New(t)
	path := "/webhooks/" + a.Request(http.MethodPost, "/webhooks", gatewaytest.WebhookBody).Want(http.StatusCreated).At("webhook", "id").Text()
	a.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
	a.Request(http.MethodGet, path, nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodDelete, path, nil).WantError(http.StatusNotFound, "not_found")
}

func TestAWebhookShowsItsDeliveries(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	id, err := schema.ParseID[schema.WebhookID](a.Request(http.MethodPost, "/webhooks", `{"url": "https://hooks.example/", "events": ["post.scheduled"]}`).
		Want(http.StatusCreated).At("webhook", "id").Text())
	if err != nil {
		t.Fatal(err)
	}
	a.CreatePost(a.InAnHour())
	notify := postgres.NewNotify(a.Store, securetest.PlainText{})
	batches := a.Events()
	messages, err := notify.Expand(context.Background(), batches)
	if err != nil || len(messages) != 1 {
		t.Fatalf("expanded to %v, %v", messages, err)
	}
	finish := func(result schema.NotifyResult) gatewaytest.JSON {
		t.Helper()
		claimed, err := notify.Claim(context.Background(), []schema.DeliveryID{messages[0].Delivery})
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %v, %v", claimed, err)
		}
		result.ID, result.Webhook, result.Claim = claimed[0].ID, id, claimed[0].Claim
		if err := notify.Finish(context.Background(), result); err != nil {
			t.Fatal(err)
		}
		return a.Request(http.MethodGet, "/webhooks/"+id.String(), nil).Want(http.StatusOK).At("deliveries", 0)
	}
	record := finish(schema.NotifyResult{State: schema.DeliveryPending, ResponseCode: 503})
	if record.At("status").Text() != "pending" || record.Has("deliveredAt") {
		t.Errorf("record of a try that is repeated = %v", record)
	}
	record = finish(schema.NotifyResult{State: schema.DeliveryDelivered, ResponseCode: 204, ResponseTime: 7 * time.Millisecond})
	if !record.Has("deliveredAt") {
		t.Errorf("record = %v, without the time of the delivery", record)
	}
	if record.At("status").Text() != "delivered" || record.At("responseCode").Value != 204.0 || record.At("responseTimeMs").Value != 7.0 ||
		record.At("eventId").Text() != batches[0].Events[0].ID.String() || record.At("error").Value != nil {
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
	a := gatewaytest.New(t, func(c *gateway.Config) { c.Rules.AllowPrivateWebhooks = true })
	path := "/webhooks/" + a.Request(http.MethodPost, "/webhooks", `{"url": "`+receiver.URL+`", "events": ["post.failed"]}`).
		Want(http.StatusCreated).At("webhook", "id").Text()
	for _, event := range schema.EventTypes() {
		test := a.Request(http.MethodPost, path+"/test", `{"event": "`+string(event)+`"}`).Want(http.StatusOK).At("test")
		if test.At("responseCode").Value != 202.0 || test.At("event").Text() != string(event) {
			t.Errorf("test = %v", test)
		}
		if got.Event != event || !got.Test || got.ID.IsZero() || len(got.Data) < 10 || !strings.HasPrefix(signature, "t=") {
			t.Errorf("received %+v, signed %q", got, signature)
		}
		a.Description.CheckEvent(t, got)
	}
	a.Request(http.MethodPost, path+"/test", `{"event": "post.lost"}`).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodPost, path+"/test", `{}`).WantError(http.StatusBadRequest, "validation_error")

	receiver.Close()
	test := a.Request(http.MethodPost, path+"/test", `{"event": "post.failed"}`).Want(http.StatusOK).At("test")
	if test.At("error").Text() == "" || test.At("responseCode").Value != nil {
		t.Errorf("test = %v, want why there is no answer", test)
	}
}
