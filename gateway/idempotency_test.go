package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

func TestARepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	at := a.in(8 * time.Minute)
	body := fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "scheduledFor": %q}`, at)
	same := fmt.Sprintf("{\n \"scheduledFor\": %q, \"platforms\": [ \"mastodon\" ], \"content\": \"\\u0078\" }", at)
	first := a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k1")
	first.want(http.StatusCreated)
	if first.header.Get("Idempotency-Replayed") != "" {
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
			a.under(t)
			a.ahead.Store(int64(tt.later))
			defer a.ahead.Store(0)
			again := a.call(http.MethodPost, "/posts", tt.body, "Idempotency-Key", "k1")
			again.want(http.StatusCreated)
			if !bytes.Equal(again.body, first.body) {
				t.Errorf("answer:\n%s\nfirst:\n%s", again.body, first.body)
			}
			if again.header.Get("Idempotency-Replayed") != "true" {
				t.Error("the answer does not say that it is a repetition")
			}
		})
	}
	if n := a.call(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").size(); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

func TestARepetitionOutlivesItsAccount(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	first := a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
	a.exec(`delete from accounts`)
	a.ahead.Store(int64(2 * time.Second)) // past what is remembered of accounts
	again := a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
	if again.status != http.StatusCreated || !bytes.Equal(first.body, again.body) {
		t.Errorf("answer = %d %s, want %s", again.status, again.body, first.body)
	}
}

func TestAKeyUsedForAnotherRequestIsAConflict(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k").want(http.StatusCreated)
	other := strings.Replace(body, `"x"`, `"y"`, 1)
	a.call(http.MethodPost, "/posts", other, "Idempotency-Key", "k").fails(http.StatusConflict, "idempotency_conflict")
	a.call(http.MethodPost, "/posts/bulk", `{"posts": [`+body+`]}`, "Idempotency-Key", "k").fails(http.StatusConflict, "idempotency_conflict")
	another := a.newKey(a.workspace, schema.Write)
	a.callWith(another, http.MethodPost, "/posts", other, "Idempotency-Key", "k").want(http.StatusCreated)
}

func TestOnlyAnswersOfSuccessAreKept(t *testing.T) {
	a := newAPI(t)
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k").fails(http.StatusBadRequest, "validation_error")
	a.connect(a.workspace, schema.Mastodon, "@a")
	got := a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
	got.want(http.StatusCreated)
	if got.header.Get("Idempotency-Replayed") != "" {
		t.Error("the failure was kept")
	}
}

func TestABulkIsRepeatedAsAWhole(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	for name, body := range map[string]string{
		"one succeeds": `{"posts": [{"content": "x", "platforms": ["mastodon"], "publishNow": true}, {}]}`,
		"none does":    `{"posts": [{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			first := a.call(http.MethodPost, "/posts/bulk", body, "Idempotency-Key", name)
			again := a.call(http.MethodPost, "/posts/bulk", body, "Idempotency-Key", name)
			again.want(http.StatusCreated)
			if !bytes.Equal(first.body, again.body) || again.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("answer:\n%s\nfirst:\n%s", again.body, first.body)
			}
		})
	}
	if n := a.call(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").size(); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

func TestIdenticalRequestsAtOnceMakeOnePost(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	const atOnce = 50
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	bodies := make([]string, atOnce)
	var callers sync.WaitGroup
	for i := range atOnce {
		callers.Go(func() {
			got := a.call(http.MethodPost, "/posts", body, "Idempotency-Key", "k")
			bodies[i] = fmt.Sprint(got.status, string(got.body))
		})
	}
	callers.Wait()
	for i, got := range bodies {
		if got != bodies[0] || !strings.HasPrefix(got, "201") {
			t.Errorf("answer %d = %s, want %s", i, got, bodies[0])
		}
	}
	if n := a.call(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").size(); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

func TestIdempotencyKeysAreBounded(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	body := `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`
	for name, key := range map[string]string{"empty": "", "256 characters": strings.Repeat("k", 256), "not printable": "a\tb", "not ASCII": "schlüssel"} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			a.call(http.MethodPost, "/posts", body, "Idempotency-Key", key).fails(http.StatusBadRequest, "validation_error")
		})
	}
	a.call(http.MethodPost, "/posts", body, "Idempotency-Key", strings.Repeat("k", 255)).want(http.StatusCreated)
}
