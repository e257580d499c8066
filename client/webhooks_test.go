package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"crier/client"
	"crier/client/webhook"
	"crier/schema"
)

// delivery is one that came.
type delivery struct {
	header http.Header
	body   []byte
}

func testWebhooks(t *testing.T, c *client.Client) {
	came := make(chan delivery, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- delivery{r.Header, body}
	}))
	defer receiver.Close()
	hook, err := c.Webhooks.Create(t.Context(), receiver.URL, client.EveryEvent()...)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(schema.EventTypes()); len(client.EveryEvent()) != n {
		t.Errorf("%d events are known, of %d that there are", len(client.EveryEvent()), n)
	}
	var last delivery
	for _, name := range client.EveryEvent() {
		if result, err := c.Webhooks.Test(t.Context(), hook.ID, name); err != nil || result.ResponseCode != http.StatusOK {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		last = <-came
		event, err := webhook.Verify(hook.Secret, last.header, last.body)
		if err != nil || event.Name != name || !event.Test || event.ID == "" || event.CreatedAt.IsZero() || aboutOf(event) == "" {
			t.Errorf("%s is %+v, %v", name, event, err)
		}
	}
	testSignatures(t, hook.Secret, last)
	testHandler(t, hook.Secret, last)
	if changed, err := c.Webhooks.Update(t.Context(), hook.ID, client.WebhookUpdate{IsActive: new(false)}); err != nil || changed.IsActive || len(changed.Events) != len(client.EveryEvent()) {
		t.Errorf("changed to false: %+v, %v", changed, err)
	}
	if err := c.Webhooks.Delete(t.Context(), hook.ID); err != nil {
		t.Error(err)
	}
	if hooks, err := c.Webhooks.List(t.Context()); err != nil || len(hooks) > 0 {
		t.Errorf("after its end: %+v, %v", hooks, err)
	}
}

// aboutOf is the id of what an event is about.
func aboutOf(e *client.Event) string {
	switch data := e.Data.(type) {
	case client.PostData:
		return data.Post.ID
	case client.ThreadData:
		return data.Thread.ID
	case client.AccountData:
		if (data.Error == nil) == (e.Name == client.EventAccountFailed) {
			return ""
		}
		return data.Account.ID
	case client.WebhookData:
		return data.Webhook.ID
	case client.FeedData:
		return data.Monitor.ID
	case client.ItemData:
		return data.Item.ID
	}
	return ""
}

func testSignatures(t *testing.T, secret string, d delivery) {
	own, standard := d.header.Clone(), d.header.Clone()
	for _, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		own.Del(name)
	}
	standard.Del("X-Webhook-Signature")
	replaced := d.header.Clone()
	replaced.Set("X-Webhook-Signature", d.header.Get("X-Webhook-Signature")+",v1="+string(bytes.Repeat([]byte("0"), 64)))
	other := "whsec_" + "bm90IHRoZSBzZWNyZXQgb2YgdGhpcyB3ZWJob29r"
	now, later, earlier := time.Now, in(time.Hour), in(-time.Hour)
	for name, tt := range map[string]struct {
		verifier webhook.Verifier
		header   http.Header
		body     []byte
		want     error
	}{
		"by X-Webhook-Signature":       {webhook.Verifier{Secret: secret, Now: now}, own, d.body, nil},
		"by Standard Webhooks":         {webhook.Verifier{Secret: secret}, standard, d.body, nil},
		"while a secret is replaced":   {webhook.Verifier{Secret: secret}, replaced, d.body, nil},
		"another secret":               {webhook.Verifier{Secret: other}, own, d.body, webhook.ErrSignature},
		"another secret, by Standard":  {webhook.Verifier{Secret: other}, standard, d.body, webhook.ErrSignature},
		"no secret":                    {webhook.Verifier{}, own, d.body, webhook.ErrSignature},
		"no secret, by Standard":       {webhook.Verifier{}, standard, d.body, webhook.ErrSignature},
		"no signature":                 {webhook.Verifier{Secret: secret}, http.Header{}, d.body, webhook.ErrSignature},
		"another body":                 {webhook.Verifier{Secret: secret}, own, append(d.body, ' '), webhook.ErrSignature},
		"another body, by Standard":    {webhook.Verifier{Secret: secret}, standard, append(d.body, ' '), webhook.ErrSignature},
		"an old time":                  {webhook.Verifier{Secret: secret, Now: later}, own, d.body, webhook.ErrTime},
		"an old time, by Standard":     {webhook.Verifier{Secret: secret, Now: later}, standard, d.body, webhook.ErrTime},
		"a time to come":               {webhook.Verifier{Secret: secret, Now: earlier}, own, d.body, webhook.ErrTime},
		"an old time that is accepted": {webhook.Verifier{Secret: secret, Now: later, Tolerance: 2 * time.Hour}, own, d.body, nil},
	} {
		if _, err := tt.verifier.Verify(tt.header, tt.body); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func in(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }

func testHandler(t *testing.T, secret string, d delivery) {
	var failing error
	handler := webhook.Verifier{Secret: secret}.Handler(func(context.Context, *client.Event) error { return failing })
	post := func(body []byte) int {
		request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		request.Header = d.header
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		return response.Code
	}
	if got := post(d.body); got != http.StatusNoContent {
		t.Errorf("taken: %d", got)
	}
	if got := post(append(d.body, ' ')); got != http.StatusUnauthorized {
		t.Errorf("changed on its way: %d", got)
	}
	if failing = errors.New("full"); post(d.body) != http.StatusInternalServerError {
		t.Error("what could not be taken will not come again")
	}
}
