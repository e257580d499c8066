package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestARepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := a.In(8 * time.Minute)
	body := fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "scheduledFor": %q}`, at)
	same := fmt.Sprintf("{\n \"scheduledFor\": %q, \"platforms\": [ \"mastodon\" ], \"content\": \"\\u0078\" }", at)
	first := a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", "k1")
	first.Want(http.StatusCreated)
	if first.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the first answer says that it is a repetition")
	}
	for name, tt := range map[string]struct {
		body  string
		later time.Duration
	}{
		"the same":                       {body, 0},
		"written differently":            {same, 0},
		"when its time is too close":     {body, 5 * time.Minute},
		"when its time has passed":       {same, 20 * time.Minute},
		"when its time has long passed ": {body, 20 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			a.Ahead.Store(int64(tt.later))
			defer a.Ahead.Store(0)
			again := a.Request(http.MethodPost, "/posts", tt.body, "Idempotency-Key", "k1")
			again.Want(http.StatusCreated)
			if !bytes.Equal(again.Body, first.Body) {
				t.Errorf("answer:\n%s\nfirst:\n%s", again.Body, first.Body)
			}
			if again.Header.Get("Idempotency-Replayed") != "true" {
				t.Error("the answer does not say that it is a repetition")
			}
		})
	}
	if n := a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Len(); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

func TestARepetitionOutlivesItsAccount(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	first := a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
	a.Exec(`delete from accounts`)
	a.Ahead.Store(int64(2 * time.Second)) // past what is remembered of accounts
	again := a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
	if again.Status != http.StatusCreated || !bytes.Equal(first.Body, again.Body) {
		t.Errorf("answer = %d %s, want %s", again.Status, again.Body, first.Body)
	}
}

func TestAKeyUsedForAnotherRequestIsAConflict(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", "k").Want(http.StatusCreated)
	other := strings.Replace(body, `"x"`, `"y"`, 1)
	a.Request(http.MethodPost, "/posts", other, "Idempotency-Key", "k").WantError(http.StatusConflict, "idempotency_conflict")
	a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+body+`]}`, "Idempotency-Key", "k").WantError(http.StatusConflict, "idempotency_conflict")
	another := a.NewKey(a.Workspace, schema.Write)
	a.RequestWith(another, http.MethodPost, "/posts", other, "Idempotency-Key", "k").Want(http.StatusCreated)
}

func TestOnlyAnswersOfSuccessAreKept(t *testing.T) {
	a := gatewaytest.New(t)
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", "k").WantError(http.StatusBadRequest, "validation_error")
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	got := a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
	got.Want(http.StatusCreated)
	if got.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the failure was kept")
	}
}

func TestABulkIsRepeatedAsAWhole(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	for name, body := range map[string]string{
		"one succeeds": `{"posts": [{"content": "x", "platforms": ["mastodon"], "publishNow": true}, {}]}`,
		"none does":    `{"posts": [{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			first := a.Request(http.MethodPost, "/posts/bulk", body, "Idempotency-Key", name)
			again := a.Request(http.MethodPost, "/posts/bulk", body, "Idempotency-Key", name)
			again.Want(http.StatusCreated)
			if !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("answer:\n%s\nfirst:\n%s", again.Body, first.Body)
			}
		})
	}
	if n := a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Len(); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

// TestIdenticalRequestsAtOnceMakeOnePost has it done under each of ten thousand keys with CRIER_TEST_FULL.
func TestIdenticalRequestsAtOnceMakeOnePost(t *testing.T) {
	a := gatewaytest.New(t)
	keys := 2
	if postgrestest.FullSize() {
		keys = 10_000
	}
	const aDay, days = 50, 80 // posts that an account takes, and days that one may schedule for
	var account schema.AccountID
	for k := range keys {
		if k%(aDay*days) == 0 {
			account = a.AddAccount(a.Workspace, schema.Mastodon, fmt.Sprint("@", k))
		}
		at := a.In(time.Duration(2+k/aDay%days) * 24 * time.Hour)
		sendAtOnce(a, fmt.Sprint("key-", k), fmt.Sprintf(`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": %q}], "scheduledFor": %q}`, account, at))
	}
	if n := a.QueryInt(`select count(*) from posts`); n != keys {
		t.Errorf("%d posts, want %d", n, keys)
	}
}

// sendAtOnce sends one request a hundred times at once: each gets the same answer.
func sendAtOnce(a *gatewaytest.API, key, body string) {
	a.Helper()
	answers := make([]string, 100)
	var callers sync.WaitGroup
	for i := range answers {
		callers.Go(func() {
			got := a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", key)
			answers[i] = fmt.Sprint(got.Status, string(got.Body))
		})
	}
	callers.Wait()
	for i, got := range answers {
		if got != answers[0] || !strings.HasPrefix(got, "201") {
			a.Fatalf("answer %d = %s, want %s", i, got, answers[0])
		}
	}
}

func TestIdempotencyKeysAreBounded(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	for name, key := range map[string]string{"empty": "", "256 characters": strings.Repeat("k", 256), "not printable": "a\tb", "not ASCII": "schlüssel"} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", key).WantError(http.StatusBadRequest, "validation_error")
		})
	}
	a.Request(http.MethodPost, "/posts", body, "Idempotency-Key", strings.Repeat("k", 255)).Want(http.StatusCreated)
}
