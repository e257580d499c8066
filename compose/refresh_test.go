package compose_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier/compose"
	"crier/schema"
)

// session is what bluesky's simulator hands out at a login.
type session struct{ DID, RefreshJWT string }

func (w *world) login(handle string) session {
	w.Helper()
	document, err := json.Marshal(map[string]string{"identifier": handle, "password": "abcd-efgh-ijkl-mnop"})
	if err != nil {
		w.Fatal(err)
	}
	address := w.config.Bases[schema.Bluesky] + "/xrpc/com.atproto.server.createSession"
	response, err := w.client.Post(address, "application/json", bytes.NewReader(document))
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	var opened session
	if err := json.NewDecoder(response.Body).Decode(&opened); err != nil || opened.RefreshJWT == "" {
		w.Fatalf("opening a session: %d %v", response.StatusCode, err)
	}
	return opened
}

// connectTokens connects a bluesky account by a pair of tokens, found good an hour ago.
func (w *world) connectTokens(handle string, credentials schema.Credentials) schema.AccountID {
	w.Helper()
	a := schema.Account{
		Platform: schema.Bluesky, NativeID: w.login(handle).DID, Name: handle, Server: w.config.Bases[schema.Bluesky],
	}
	connected, err := compose.ConnectUnchecked(w.Context(), w.operator(), w.workspace, a, credentials)
	if err != nil {
		w.Fatal(err)
	}
	conn, err := w.tryPostgres(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(w.Context())
	if _, err := conn.Exec(w.Context(), `update accounts set checked_at = now() - interval '1 hour' where id = $1`, connected.ID); err != nil {
		w.Fatal(err)
	}
	return connected.ID
}

// finalOf publishes to an account and returns what its post came to.
func (w *world) finalOf(account schema.AccountID) (post string, status string) {
	w.Helper()
	var answer postAnswer
	body := map[string]any{"content": "to " + account.String(), "platforms": []any{map[string]any{"platform": "bluesky", "accountId": account}}, "publishNow": true}
	if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
		w.Fatalf("creating a post: %d", status)
	}
	w.eventually(60*time.Second, "the post is done", func() bool { return w.done([]string{answer.Post.ID}) })
	var read struct{ Post struct{ Status string } }
	w.call(http.MethodGet, "/posts/"+answer.Post.ID, nil, &read)
	return answer.Post.ID, read.Post.Status
}

func (w *world) timeline(post string) timeline {
	w.Helper()
	var got timeline
	if status := w.call(http.MethodGet, "/posts/"+post+"/attempts?limit=100", nil, &got); status != http.StatusOK {
		w.Fatalf("attempts: status %d", status)
	}
	return got
}

func TestTokensAreRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testKafka())
	hook := w.receive("account.error")
	const dead = "an.expired.token"

	t.Run("before they expire", func(t *testing.T) {
		soon := time.Now().Add(10 * time.Second)
		account := w.connectTokens("soon.bsky.test", schema.Credentials{
			AccessToken: dead, RefreshToken: w.login("soon.bsky.test").RefreshJWT, ExpiresAt: soon,
		})
		w.eventually(30*time.Second, "the token is renewed", func() bool { return w.expiry(account).After(soon) })
		post, status := w.finalOf(account)
		if events := w.timeline(post).events("bluesky"); status != "posted" || !slices.Equal(events, []string{"published"}) {
			t.Errorf("a post is %s after %v, want it published at once", status, events)
		}
	})
	t.Run("once the platform refuses them", func(t *testing.T) {
		account := w.connectTokens("refused.bsky.test", schema.Credentials{
			AccessToken: dead, RefreshToken: w.login("refused.bsky.test").RefreshJWT,
		})
		post, status := w.finalOf(account)
		if events := w.timeline(post).events("bluesky"); status != "posted" || !slices.Equal(events, []string{"deferred", "published"}) {
			t.Errorf("a post is %s after %v, want it deferred, then published", status, events)
		}
	})
	t.Run("and where they cannot be, the account's owner is told", func(t *testing.T) {
		account := w.connectTokens("gone.bsky.test", schema.Credentials{AccessToken: dead, RefreshToken: "a.revoked.token"})
		if _, status := w.finalOf(account); status != "failed" {
			t.Errorf("a post is %s, want it failed", status)
		}
		w.eventually(10*time.Second, "account.error is received", func() bool { return hook.has("", "account.error") != "" })
		var read struct{ Account struct{ NeedsReconnect bool } }
		if w.call(http.MethodGet, "/accounts/"+account.String(), nil, &read); !read.Account.NeedsReconnect {
			t.Error("the account does not need to be connected again")
		}
	})
}

// expiry is when an account's token expires, as stored.
func (w *world) expiry(account schema.AccountID) (at time.Time) {
	w.Helper()
	conn, err := w.tryPostgres(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(w.Context())
	if err := conn.QueryRow(w.Context(), `select expires_at from accounts where id = $1`, account).Scan(&at); err != nil {
		w.Fatal(err)
	}
	return at
}
