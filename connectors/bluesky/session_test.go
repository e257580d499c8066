package bluesky

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestManyCallersLogInOnce(t *testing.T) {
	s := newStage(t)
	var callers sync.WaitGroup
	errs := make(chan error, 50)
	for range cap(errs) {
		callers.Go(func() {
			_, err := s.connector.Publish(t.Context(), s.delivery("hello"))
			errs <- err
		})
	}
	callers.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Errorf("Publish: %v", err)
		}
	}
	s.wantCalls(t, createSession, 1)
	s.wantPosts(t, 50)
}

func TestManyCallersRefreshOnce(t *testing.T) {
	s := newStage(t)
	s.publish(t, s.delivery("first"))
	s.advance(accessLife + time.Minute)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if _, err := s.connector.Publish(t.Context(), s.delivery("later")); err != nil {
				t.Errorf("Publish: %v", err)
			}
		})
	}
	callers.Wait()
	s.wantCalls(t, createSession, 1)
	s.wantCalls(t, refreshSession, 1)
	s.wantPosts(t, 21)
}

func TestDeadRefreshTokenFallsBackToThePassword(t *testing.T) {
	s := newStage(t)
	s.publish(t, s.delivery("first"))
	s.advance(refreshLife + time.Minute)
	// An idle session would be forgotten here; this one continues with dead tokens.
	for _, l := range s.connector.sessions.logins {
		l.used = s.now()
	}
	s.publish(t, s.delivery("a quarter later"))
	s.wantCalls(t, refreshSession, 1)
	s.wantCalls(t, createSession, 2)
}

func TestFailingRefreshSpendsNoLogin(t *testing.T) {
	s := newStage(t)
	s.publish(t, s.delivery("first"))
	s.advance(accessLife + time.Minute)
	s.inject(t, simulation.Fault{Operation: refreshSession, Status: http.StatusBadGateway})
	_, err := s.connector.Publish(t.Context(), s.delivery("second"))
	connectortest.WantKind(t, err, schema.Retryable)
	s.publish(t, s.delivery("third"))
	s.wantCalls(t, createSession, 1)
	s.wantCalls(t, refreshSession, 2)
}

func TestWrongPasswordIsNotTriedAgainAtOnce(t *testing.T) {
	s := newStage(t)
	s.inject(t, simulation.Fault{Operation: createSession, Status: http.StatusUnauthorized})
	for range 5 {
		_, err := s.connector.Publish(t.Context(), s.delivery("hello"))
		connectortest.WantKind(t, err, schema.TokenDead)
	}
	s.wantCalls(t, createSession, 1)
	s.advance(refusedFor + time.Second)
	s.publish(t, s.delivery("the password was right after all"))
}

func TestAnotherPasswordIsTriedAtOnce(t *testing.T) {
	s := newStage(t)
	s.inject(t, simulation.Fault{Operation: createSession, Status: http.StatusUnauthorized})
	d := s.delivery("hello")
	_, err := s.connector.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.TokenDead)
	d.Credentials.Password = "qrst-uvwx-yzab-cdef"
	s.publish(t, d)
}

func TestLoginLimitIsRespected(t *testing.T) {
	s := newStage(t)
	s.publish(t, s.delivery("first"))
	for range 29 { // of 30 in 5 minutes
		s.raw(t, http.MethodPost, createSession, "", `{"identifier": "alice.example.com", "password": "p"}`)
	}
	s.connector = s.newConnector(t) // a process that starts again
	_, err := s.connector.Publish(t.Context(), s.delivery("second"))
	if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter < 4*time.Minute || e.RetryAfter > 5*time.Minute {
		t.Errorf("RetryAfter = %v, want the rest of 5 minutes", e.RetryAfter)
	}
	_, err = s.connector.Publish(t.Context(), s.delivery("third"))
	connectortest.WantKind(t, err, schema.RateLimited)
	s.wantCalls(t, createSession, 31)
	s.advance(5*time.Minute + time.Second)
	s.publish(t, s.delivery("fourth"))
}

func TestAccountThatCameWithTokens(t *testing.T) {
	s := newStage(t)
	_, _, answer := s.raw(t, http.MethodPost, createSession, "", `{"identifier": "alice.example.com", "password": "p"}`)
	tokens := schema.Credentials{AccessToken: answer["accessJwt"].(string), RefreshToken: answer["refreshJwt"].(string)}
	d := s.delivery("with the access token")
	d.Credentials = tokens
	s.publish(t, d)
	s.wantCalls(t, createSession, 1)

	s.advance(accessLife + time.Minute)
	d = s.delivery("with what it was refreshed to")
	d.Credentials = tokens
	_, err := s.connector.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.TokenDead)
	s.wantCalls(t, refreshSession, 0) // its outcome would be kept in memory only
	if d.Credentials, err = s.connector.Refresh(t.Context(), s.account, tokens); err != nil {
		t.Fatal(err)
	}
	if d.Credentials.RefreshToken == tokens.RefreshToken || !d.Credentials.ExpiresAt.After(s.now()) {
		t.Error("the refresh token was not rotated, or the new tokens expire at once")
	}
	s.publish(t, d)

	s.advance(refreshGrace + time.Minute)
	_, err = s.connector.Refresh(t.Context(), s.account, tokens)
	connectortest.WantKind(t, err, schema.TokenDead)
	s.wantPosts(t, 2)
}

func TestLostAnswerOfARefreshIsUnknown(t *testing.T) {
	s := newStage(t)
	_, _, answer := s.raw(t, http.MethodPost, createSession, "", `{"identifier": "alice.example.com", "password": "p"}`)
	tokens := schema.Credentials{AccessToken: answer["accessJwt"].(string), RefreshToken: answer["refreshJwt"].(string)}
	s.inject(t, simulation.Fault{Operation: refreshSession, Lose: true})
	_, err := s.connector.Refresh(t.Context(), s.account, tokens)
	connectortest.WantKind(t, err, schema.Unknown)
	if _, err := s.connector.Check(t.Context(), s.account, tokens); err != nil {
		t.Errorf("the old access token does not work: %v", err)
	}
}

func TestAccountWithoutCredentials(t *testing.T) {
	s := newStage(t)
	d := s.delivery("hello")
	d.Credentials = schema.Credentials{}
	_, err := s.connector.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.TokenDead)
}

func TestTokenThatIsRefusedForeverIsDead(t *testing.T) {
	s := newStage(t)
	_, err := s.connector.Publish(t.Context(), s.delivery("[crier:expired-token]"))
	connectortest.WantKind(t, err, schema.TokenDead)
	s.wantCalls(t, putRecord, 2)
}

func TestCheck(t *testing.T) {
	s := newStage(t)
	profile, err := s.connector.Check(t.Context(), s.account, password)
	if err != nil {
		t.Fatal(err)
	}
	if profile.Name != "alice.example.com" || profile.NativeID != s.didOf(t, "alice.example.com") || profile.Server != s.base {
		t.Errorf("profile = %+v", profile)
	}
	s.inject(t, simulation.Fault{Operation: createSession, Status: http.StatusUnauthorized,
		Body: `{"error": "AuthFactorTokenRequired", "message": "A sign in code has been sent"}`})
	_, err = s.connector.Check(t.Context(), s.account, schema.Credentials{Identifier: "bob.example.com", Password: "p"})
	connectortest.WantKind(t, err, schema.TokenDead)
}

func TestIdleSessionsAreForgotten(t *testing.T) {
	s := newStage(t)
	s.publish(t, s.delivery("alice"))
	s.advance(idleSession + time.Minute)
	d := s.delivery("bob")
	d.Credentials.Identifier = "bob.example.com"
	s.publish(t, d)
	if held := len(s.connector.sessions.logins); held != 1 {
		t.Errorf("%d sessions are held, want 1", held)
	}
}

func TestOwnServerOfAnAccount(t *testing.T) {
	const entryway = "https://bsky.social"
	for name, tt := range map[string]struct {
		document string
		answered string
		want     string
	}{
		"named":                     {`{"service": [{"id": "#atproto_pds", "serviceEndpoint": "https://pds.example.com/"}]}`, entryway, "https://pds.example.com"},
		"named with its DID":        {`{"service": [{"id": "did:plc:x#atproto_pds", "serviceEndpoint": "https://pds.example.com"}]}`, entryway, "https://pds.example.com"},
		"no document":               {`{}`, entryway, entryway},
		"other services only":       {`{"service": [{"id": "#bsky_notif", "serviceEndpoint": {"a": 1}}]}`, entryway, entryway},
		"tokens stay encrypted":     {`{"service": [{"id": "#atproto_pds", "serviceEndpoint": "http://pds.example.com"}]}`, entryway, entryway},
		"no address":                {`{"service": [{"id": "#atproto_pds", "serviceEndpoint": "file:///etc/passwd"}]}`, entryway, entryway},
		"a simulator, in the clear": {`{"service": [{"id": "#atproto_pds", "serviceEndpoint": "http://b"}]}`, "http://a", "http://b"},
	} {
		t.Run(name, func(t *testing.T) {
			var document didDocument
			if err := json.Unmarshal([]byte(tt.document), &document); err != nil {
				t.Fatal(err)
			}
			if got := document.pds(tt.answered); got != tt.want {
				t.Errorf("pds = %q, want %q", got, tt.want)
			}
		})
	}
}
