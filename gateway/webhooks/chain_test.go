package webhooks_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/pipeline"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

// target is a real receiver with a webhook of its own, and what delivers to it.
type target struct {
	*gatewaytest.API
	path   string // of the webhook
	secret string
	notify *postgres.Notify
	sender *pipeline.Sender

	mu     sync.Mutex
	status int // that it answers with
	got    []*http.Request
	bodies [][]byte
}

// newTarget makes a receiver of post.scheduled.
func newTarget(t *testing.T) *target {
	t.Helper()
	r := &target{API: gatewaytest.New(t, func(c *gateway.Config) { c.Rules.AllowPrivateWebhooks = true }), status: http.StatusOK}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.AddAccount(r.Workspace, schema.Mastodon, "@a")
	webhook := r.Request(http.MethodPost, "/webhooks", `{"url": "`+server.URL+`", "events": ["post.scheduled"]}`).Want(http.StatusCreated).At("webhook")
	r.path, r.secret = "/webhooks/"+webhook.At("id").Text(), webhook.At("secret").Text()
	r.notify, r.sender = postgres.NewNotify(r.Store, securetest.PlainText{}), pipeline.NewSender(server.Client(), r.Store.Now)
	return r
}

func (r *target) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got, r.bodies = append(r.got, request), append(r.bodies, body)
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, "the answer\x00 of the receiver")
}

func (r *target) answerWith(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *target) received() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// queue makes n events and their deliveries.
func (r *target) queue(n int) []schema.NotifyMessage {
	r.Helper()
	before := len(r.Events())
	for range n {
		r.CreatePost(r.InAnHour())
	}
	messages, err := r.notify.Expand(context.Background(), r.Events()[before:])
	if err != nil {
		r.Fatal(err)
	}
	return messages
}

// try makes one try of deliveries, whatever their time; final reports whether it is their
// last. It returns how many were claimed.
func (r *target) try(final bool, messages ...schema.NotifyMessage) (claims int) {
	r.Helper()
	r.Exec(`update deliveries set next_at = null`)
	for _, m := range messages {
		claimed, err := r.notify.Claim(context.Background(), []schema.DeliveryID{m.Delivery})
		if err != nil {
			r.Fatal(err)
		}
		for _, d := range claimed {
			claims++
			answer, err := r.sender.Send(context.Background(), pipeline.Request{URL: d.URL, Secrets: d.Secrets, ID: d.EventID, Body: d.Body})
			result := schema.NotifyResult{
				ID: d.ID, Webhook: d.Webhook, Claim: d.Claim, Enablings: d.Enablings,
				State: schema.DeliveryDelivered, ResponseCode: answer.Code, Response: answer.Text,
			}
			if err != nil {
				result.State, result.Error = schema.DeliveryPending, err.Error()
				if final {
					result.State = schema.DeliveryFailed
				}
			}
			if err := r.notify.Finish(context.Background(), result); err != nil {
				r.Fatal(err)
			}
		}
	}
	return claims
}

// announced returns the deliveries that were announced after n others.
func (r *target) announced(n int) (messages []schema.NotifyMessage) {
	for _, announcement := range r.Announcements() {
		messages = append(messages, announcement.Notify...)
	}
	return messages[n:]
}

func TestPendingDeliveriesStopWithTheirWebhook(t *testing.T) {
	for name, stop := range map[string]func(*target){
		"paused":   func(r *target) { r.Request(http.MethodPatch, r.path, `{"isActive": false}`).Want(http.StatusOK) },
		"deleted":  func(r *target) { r.Request(http.MethodDelete, r.path, nil).Want(http.StatusOK) },
		"disabled": func(r *target) { r.try(true, r.queue(10)...) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newTarget(t)
			r.answerWith(http.StatusInternalServerError)
			waiting := r.queue(2)
			if n := r.try(false, waiting...); n != 2 {
				t.Fatalf("%d deliveries were tried", n)
			}
			stop(r)
			before := r.received()
			if n := r.try(false, waiting...); n != 0 || r.received() != before {
				t.Errorf("%d deliveries were tried after it was %s", n, name)
			}
			if more := r.queue(1); len(more) != 0 {
				t.Errorf("%d deliveries were queued after it was %s", len(more), name)
			}
			if name == "deleted" {
				return
			}
			list := r.Request(http.MethodGet, r.path+"/deliveries?status=failed", nil).Want(http.StatusOK)
			last := list.At("deliveries", list.At("deliveries").Len()-1)
			if last.At("error").Text() != "the webhook was not active" || last.At("retryCount").Value != 0.0 {
				t.Errorf("delivery = %v, want it ended", last)
			}
			r.answerWith(http.StatusOK)
			r.Request(http.MethodPatch, r.path, `{"isActive": true}`).Want(http.StatusOK)
			if r.try(true, r.queue(1)...) != 1 {
				t.Error("nothing is delivered after it was enabled again")
			}
		})
	}
}

func TestADeliveryInFlightOutlivesItsWebhookOnce(t *testing.T) {
	r := newTarget(t)
	m := r.queue(1)
	claimed, err := r.notify.Claim(context.Background(), []schema.DeliveryID{m[0].Delivery})
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	r.Request(http.MethodDelete, r.path, nil).Want(http.StatusOK)
	result := schema.NotifyResult{ID: claimed[0].ID, Webhook: claimed[0].Webhook, Claim: claimed[0].Claim, State: schema.DeliveryPending, NextIn: time.Millisecond}
	if err := r.notify.Finish(context.Background(), result); err != nil {
		t.Fatal(err)
	}
	if n := r.try(false, m...); n != 0 {
		t.Error("it was tried again")
	}
}

func TestADeliveryIsSentAgain(t *testing.T) {
	r := newTarget(t)
	first := r.queue(1)
	r.try(true, first...)
	path := r.path + "/deliveries/" + first[0].Delivery.String()
	n := len(r.announced(0))
	again := r.Request(http.MethodPost, path+"/redeliver", nil).Want(http.StatusAccepted).At("delivery")
	twice := r.Request(http.MethodPost, path+"/redeliver", nil).Want(http.StatusAccepted).At("delivery")
	if again.At("id") != twice.At("id") || again.At("status").Text() != "pending" || again.At("redeliveryOf").Text() != first[0].Delivery.String() {
		t.Errorf("redelivery = %v, then %v", again, twice)
	}
	if got := r.try(true, r.announced(n)...); got != 1 {
		t.Errorf("%d deliveries were made", got)
	}
	if r.Request(http.MethodPost, path+"/redeliver", nil).Want(http.StatusAccepted).At("delivery", "id") != again.At("id") {
		t.Error("a double click after the delivery made another")
	}
	if string(r.bodies[0]) != string(r.bodies[1]) || r.got[0].Header.Get("Webhook-Id") != r.got[1].Header.Get("Webhook-Id") {
		t.Errorf("sent %s, then %s", r.bodies[0], r.bodies[1])
	}
	event := r.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("delivery")
	if event.At("body", "id") != event.At("eventId") {
		t.Errorf("delivery = %v", event)
	}
	history := r.Request(http.MethodGet, r.path+"/deliveries?eventId="+event.At("eventId").Text(), nil).Want(http.StatusOK)
	if history.At("deliveries").Len() != 2 {
		t.Errorf("history = %v, want both", history)
	}
	r.Request(http.MethodPatch, r.path, `{"isActive": false}`).Want(http.StatusOK)
	r.Request(http.MethodPost, path+"/redeliver", nil).WantError(http.StatusBadRequest, "invalid_state")
	r.Request(http.MethodPost, r.path+"/deliveries/dlv_01k9sr3q5wf2g8m7r4t0v1x2y3/redeliver", nil).WantError(http.StatusBadRequest, "invalid_state")
	r.Request(http.MethodPatch, r.path, `{"isActive": true}`).Want(http.StatusOK)
	r.Request(http.MethodPost, r.path+"/deliveries/dlv_01k9sr3q5wf2g8m7r4t0v1x2y3/redeliver", nil).WantError(http.StatusNotFound, "not_found")
}

func TestFailedDeliveriesAreSentAgain(t *testing.T) {
	r := newTarget(t)
	since := r.In(-10 * time.Minute)
	r.answerWith(http.StatusBadGateway)
	r.try(true, r.queue(3)...)
	r.answerWith(http.StatusOK)
	r.try(true, r.queue(2)...)
	n := len(r.announced(0))
	body := `{"since": "` + since + `"}`
	answer := r.Request(http.MethodPost, r.path+"/redeliver", body).Want(http.StatusAccepted)
	if answer.At("redelivered").Value != 3.0 || answer.At("hasMore").Value != false {
		t.Errorf("answer = %v, want the three that failed", answer)
	}
	if again := r.Request(http.MethodPost, r.path+"/redeliver", body).Want(http.StatusAccepted); again.At("redelivered").Value != 0.0 {
		t.Errorf("asked again: %v", again)
	}
	if got := r.try(true, r.announced(n)...); got != 3 {
		t.Errorf("%d were delivered", got)
	}
	if again := r.Request(http.MethodPost, r.path+"/redeliver", body).Want(http.StatusAccepted); again.At("redelivered").Value != 0.0 {
		t.Errorf("after they were delivered: %v", again)
	}
	for _, wrong := range []string{`{}`, `{"since": "x"}`, `{"since": "` + since + `", "status": "delivered"}`, `{"since": "` + since + `", "until": "2020-01-01T00:00:00Z"}`} {
		r.Request(http.MethodPost, r.path+"/redeliver", wrong).WantError(http.StatusBadRequest, "validation_error")
	}
}

func TestADisabledWebhookIsEnabledWithAllThatItMissed(t *testing.T) {
	r := newTarget(t)
	r.answerWith(http.StatusBadGateway)
	r.try(false, r.queue(1)...) // it waits for its retry, and goes on with it
	r.try(true, r.queue(10)...)
	disabled := r.Request(http.MethodGet, r.path, nil).Want(http.StatusOK).At("webhook")
	if disabled.At("isActive").Value != false {
		t.Fatalf("webhook = %v", disabled)
	}
	if n := r.queue(3); len(n) != 0 {
		t.Fatalf("%d are delivered to it while it is disabled", len(n))
	}
	if n := r.Request(http.MethodGet, r.path+"/deliveries?status=failed", nil).Want(http.StatusOK).At("deliveries").Len(); n != 13 {
		t.Errorf("%d deliveries are kept, want 13", n)
	}
	since := r.In(-10 * time.Minute)
	r.Request(http.MethodPatch, r.path, `{"redeliverSince": "`+since+`"}`).WantError(http.StatusBadRequest, "invalid_state")
	r.Request(http.MethodPatch, r.path, `{"isActive": true, "redeliverSince": "`+r.In(time.Hour)+`"}`).WantError(http.StatusBadRequest, "validation_error")
	r.answerWith(http.StatusOK)
	before, sends := r.received(), len(r.announced(0))
	enabled := r.Request(http.MethodPatch, r.path, `{"isActive": true, "redeliverSince": "`+since+`"}`).Want(http.StatusOK)
	if enabled.At("webhook", "isActive").Value != true || enabled.At("redeliveringSince").Text() == "" {
		t.Errorf("answer = %v", enabled)
	}
	chore := postgres.NewDelay(r.Store)
	if n, more, err := chore.Redeliver(context.Background()); err != nil || n != 13 || more {
		t.Fatalf("%d are sent again, more %t, %v; want 13", n, more, err)
	}
	if got := r.try(true, r.announced(sends)...); got != 13 || r.received()-before != 13 {
		t.Errorf("%d were delivered, want 13", got)
	}
	if n := r.Request(http.MethodGet, r.path+"/deliveries?status=pending", nil).Want(http.StatusOK).At("deliveries").Len(); n != 1 {
		t.Errorf("%d wait, want the one with its retry", n)
	}
}

func TestDeliveriesAreSearched(t *testing.T) {
	r := newTarget(t)
	r.answerWith(http.StatusTeapot)
	r.try(true, r.queue(2)...)
	r.answerWith(http.StatusOK)
	r.try(true, r.queue(3)...)
	r.queue(1)
	for query, want := range map[string]int{
		"": 6, "?status=failed": 2, "?status=delivered": 3, "?status=pending": 1, "?event=post.scheduled": 6, "?event=post.failed": 0,
		"?after=" + r.In(time.Hour): 0, "?before=" + r.In(time.Hour): 6, "?before=" + r.In(-time.Hour): 0,
	} {
		if got := r.Request(http.MethodGet, r.path+"/deliveries"+query, nil).Want(http.StatusOK).At("deliveries").Len(); got != want {
			t.Errorf("%q finds %d, want %d", query, got, want)
		}
	}
	failed := r.Request(http.MethodGet, r.path+"/deliveries?status=failed", nil).Want(http.StatusOK).At("deliveries", 0)
	if failed.At("response").Text() != "the answer of the receiver" || failed.At("responseCode").Value != 418.0 {
		t.Errorf("failed = %v", failed)
	}
	seen := map[string]bool{}
	pages, path := 0, r.path+"/deliveries?limit=4"
	for cursor := ""; ; pages++ {
		page := r.Request(http.MethodGet, path+cursor, nil).Want(http.StatusOK)
		for i := range page.At("deliveries").Len() {
			seen[page.At("deliveries", i, "id").Text()] = true
		}
		if page.At("hasMore").Value == false {
			break
		}
		cursor = "&cursor=" + page.At("nextCursor").Text()
	}
	if len(seen) != 6 || pages != 1 {
		t.Errorf("paged %d deliveries on %d pages", len(seen), pages+1)
	}
	for _, wrong := range []string{"status=lost", "event=post.lost", "eventId=x", "cursor=x", "after=x", "limit=0"} {
		r.Request(http.MethodGet, r.path+"/deliveries?"+wrong, nil).WantError(http.StatusBadRequest, "validation_error")
	}
	r.Request(http.MethodGet, "/webhooks/wh_01k9sr3q5wf2g8m7r4t0v1x2y3/deliveries", nil).WantError(http.StatusNotFound, "not_found")
}

// firstSignature is how a receiver reads the header that knows of one signature only.
func (r *target) firstSignature(n int) (unix, signature string) {
	fields := strings.Split(r.got[n].Header.Get("X-Webhook-Signature"), ",")
	return strings.TrimPrefix(fields[0], "t="), strings.TrimPrefix(fields[1], "v1=")
}

func TestARotatedSecretOverlapsWithTheOldOne(t *testing.T) {
	r := newTarget(t)
	rotated := r.Request(http.MethodPost, r.path+"/rotate-secret", `{"overlapSeconds": 3600}`).Want(http.StatusOK).At("webhook")
	fresh := rotated.At("secret").Text()
	if fresh == r.secret || !strings.HasPrefix(fresh, "whsec_") || rotated.At("previousSecretUntil").Text() == "" {
		t.Fatalf("webhook = %v", rotated)
	}
	if again := r.Request(http.MethodGet, r.path, nil).Want(http.StatusOK).At("webhook"); again.At("secret").Value != nil {
		t.Error("the secret is shown again")
	}
	r.try(true, r.queue(1)...)
	if unix, got := r.firstSignature(0); got != gatewaytest.WebhookSignature(r.secret, unix, r.bodies[0]) {
		t.Error("a receiver that reads the first signature needs the new secret at once")
	}
	for name, secret := range map[string]string{"old": r.secret, "new": fresh} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(r.bodies[0], r.got[0].Header); err != nil {
			t.Errorf("a receiver with the %s secret: %v", name, err)
		}
	}
	r.Exec(`update webhooks set previous_until = now()`)
	r.try(true, r.queue(1)...)
	if unix, got := r.firstSignature(1); got != gatewaytest.WebhookSignature(fresh, unix, r.bodies[1]) || strings.Count(r.got[1].Header.Get("X-Webhook-Signature"), "v1=") != 1 {
		t.Error("the old secret signs after the overlap")
	}
	r.Request(http.MethodPost, r.path+"/rotate-secret", `{"overlapSeconds": -1}`).WantError(http.StatusBadRequest, "validation_error")
	if leaked := r.Request(http.MethodPost, r.path+"/rotate-secret", `{"overlapSeconds": 0}`).Want(http.StatusOK).At("webhook"); leaked.At("previousSecretUntil").Value != nil {
		t.Errorf("webhook = %v, want no overlap", leaked)
	}
}

func TestSecretsRotatedInARowAllSign(t *testing.T) {
	r := newTarget(t)
	for range schema.MaxOldSecrets {
		r.Request(http.MethodPost, r.path+"/rotate-secret", nil).Want(http.StatusOK)
	}
	r.Request(http.MethodPost, r.path+"/rotate-secret", nil).WantError(http.StatusBadRequest, "invalid_state")
	r.try(true, r.queue(1)...)
	if n := strings.Count(r.got[0].Header.Get("X-Webhook-Signature"), "v1="); n != 1+schema.MaxOldSecrets {
		t.Errorf("%d signatures, want those of all %d secrets", n, 1+schema.MaxOldSecrets)
	}
	if unix, got := r.firstSignature(0); got != gatewaytest.WebhookSignature(r.secret, unix, r.bodies[0]) {
		t.Error("the first signature is not of the oldest secret")
	}
	r.Request(http.MethodPost, r.path+"/rotate-secret", `{"overlapSeconds": 0}`).Want(http.StatusOK)
	r.Request(http.MethodPost, r.path+"/rotate-secret", nil).Want(http.StatusOK)
}
