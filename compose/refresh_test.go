package compose_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/compose"
	"crier/connectors/simulators/googlebusiness"
	"crier/connectors/simulators/linkedin"
	"crier/connectors/simulators/pinterest"
	"crier/connectors/simulators/simulation"
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

// connectTokens connects a bluesky account by a pair of tokens.
func (w *world) connectTokens(handle string, credentials schema.Credentials) schema.AccountID {
	w.Helper()
	a := schema.Account{
		Platform: schema.Bluesky, NativeID: w.login(handle).DID, Name: handle, Server: w.config.Bases[schema.Bluesky],
	}
	return w.connectUnchecked(a, credentials)
}

// connectUnchecked connects an account whose credentials were found good an hour ago.
func (w *world) connectUnchecked(a schema.Account, credentials schema.Credentials) schema.AccountID {
	w.Helper()
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

func (w *world) timeline(post string) timeline {
	w.Helper()
	var got timeline
	if status := w.call(http.MethodGet, "/posts/"+post+"/attempts?limit=100", nil, &got); status != http.StatusOK {
		w.Fatalf("attempts: status %d", status)
	}
	return got
}

// trading is how a platform trades refresh tokens, in its simulator's words.
type trading struct {
	operation string
	scope     string
	once      bool // a refresh token is used up by a trade, whether its answer arrives or not
}

// tradings are of the platforms on which people consent to what has to be renewed by a refresh
// token.
var tradings = map[schema.Platform]trading{
	schema.Twitter:        {tokenCalls[schema.Twitter], "tweet.read tweet.write users.read media.write offline.access", true},
	schema.LinkedIn:       {tokenCalls[schema.LinkedIn], "r_organization_social,w_organization_social,r_organization_social_feed,w_organization_social_feed,rw_organization_admin", false},
	schema.YouTube:        {"POST /token", "https://www.googleapis.com/auth/youtube.force-ssl", false},
	schema.GoogleBusiness: {"POST /token", "https://www.googleapis.com/auth/business.manage", false},
	schema.Pinterest:      {"POST /v5/oauth/token", "boards:read boards:write pins:read pins:write", false},
	schema.TikTok:         {"POST /v2/oauth/token/{$}", "user.info.basic,video.publish", true},
}

const deadToken = "an.expired.token"

// withDeadTokens connects an account of each platform, or of some, the n-th of its kind, by an access token
// that its platform no longer takes and a refresh token that it does.
func (w *world) withDeadTokens(n int, expires time.Time, of ...schema.Platform) map[schema.Platform]schema.AccountID {
	w.Helper()
	handle, accounts := fmt.Sprintf("tokens%d.bsky.test", n), map[schema.Platform]schema.AccountID{}
	if len(of) == 0 {
		of = slices.Collect(maps.Keys(tradings))
		accounts[schema.Bluesky] = w.connectTokens(handle, schema.Credentials{
			AccessToken: deadToken, RefreshToken: w.login(handle).RefreshJWT, ExpiresAt: expires,
		})
	}
	for _, p := range of {
		trading := tradings[p]
		id, token := w.connect(p, n+1)[n], fmt.Sprintf("token-of-user-%d", n)
		var read struct {
			Account struct{ NativeID, Name string }
		}
		w.call(http.MethodGet, "/accounts/"+id.String(), nil, &read)
		ticket := func(kind string, until time.Time) string {
			return simulation.Ticket{Kind: kind, Account: token, Scope: trading.scope, Expires: until}.Issue()
		}
		credentials := schema.Credentials{
			AccessToken: ticket("access", time.Now().Add(-time.Hour)), ExpiresAt: expires, RefreshToken: ticket("refresh", time.Now().Add(time.Hour)),
			Scope: trading.scope, AppID: simulation.AppID,
		}
		switch p {
		case schema.LinkedIn:
			credentials.EntityID = linkedin.Organizations(token)[0]
		case schema.GoogleBusiness:
			credentials.EntityID = googlebusiness.Locations(token)[0]
		case schema.Pinterest:
			credentials.EntityID = pinterest.Boards(token)[0]
		}
		accounts[p] = w.connectUnchecked(schema.Account{Platform: p, NativeID: read.Account.NativeID, Name: read.Account.Name}, credentials)
	}
	return accounts
}

// finalsOf publishes to accounts, and returns what the post of each came to, and how, except for how
// platforms process media.
func (w *world) finalsOf(accounts map[schema.Platform]schema.AccountID) map[schema.Platform]string {
	w.Helper()
	posts, finals := map[schema.Platform]string{}, map[schema.Platform]string{}
	for p, account := range accounts {
		var answer postAnswer
		body := map[string]any{
			"content": "to " + account.String(), "publishNow": true, "mediaItems": w.smallestMedia(p), "platformSettings": smallestSettings(),
			"platforms": []any{map[string]any{"platform": p.String(), "accountId": account}},
		}
		if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
			w.Fatalf("creating a post of %s: %d %+v", p, status, answer.Error)
		}
		posts[p] = answer.Post.ID
	}
	w.eventually(90*time.Second, "the posts are done", func() bool { return w.done(slices.Collect(maps.Values(posts))) })
	for p, post := range posts {
		var read struct{ Post struct{ Status string } }
		w.call(http.MethodGet, "/posts/"+post, nil, &read)
		events := slices.DeleteFunc(w.timeline(post).events(p.String()), func(event string) bool { return event == "processing" })
		finals[p] = read.Post.Status + " after " + strings.Join(events, ", ")
	}
	return finals
}

func (w *world) needsReconnect(account schema.AccountID) bool {
	w.Helper()
	var read struct{ Account struct{ NeedsReconnect bool } }
	w.call(http.MethodGet, "/accounts/"+account.String(), nil, &read)
	return read.Account.NeedsReconnect
}

// TestTokensAreRenewed is of every platform whose tokens are renewed by a refresh token.
func TestTokensAreRenewed(t *testing.T) {
	t.Parallel()
	// Without analytics, which reads how accounts do and may be who finds a token refused.
	w := newWorldWith(t, childConfig{Raced: true, Kafka: testKafka(t), Role: "gateway,delay,publish,comment,notify"})
	hook := w.receive("account.error", "post.failed")

	t.Run("before they expire", func(t *testing.T) {
		soon := time.Now().Add(10 * time.Second)
		accounts := w.withDeadTokens(0, soon)
		for p, account := range accounts {
			w.eventually(time.Minute, "the token of "+p.String()+" is renewed", func() bool { return w.expiry(account).After(soon) })
		}
		for p, final := range w.finalsOf(accounts) {
			if final != "posted after published" {
				t.Errorf("%s: a post is %s, want it published at once", p, final)
			}
		}
	})
	t.Run("once the platform refuses them", func(t *testing.T) {
		for p, final := range w.finalsOf(w.withDeadTokens(1, time.Time{})) {
			if final != "posted after deferred, published" {
				t.Errorf("%s: a post is %s, want it deferred, then published", p, final)
			}
		}
	})
	t.Run("also where the answer to that is lost, unless that uses them up", func(t *testing.T) {
		accounts := w.withDeadTokens(2, time.Time{})
		delete(accounts, schema.Bluesky) // its connector's own tests are about that
		for p := range accounts {
			w.inject(map[string]any{"platform": p.String(), "operation": tradings[p].operation, "lose": true})
		}
		for p, final := range w.finalsOf(accounts) {
			if isOver := tradings[p].once; strings.HasPrefix(final, "failed") != isOver || w.needsReconnect(accounts[p]) != isOver {
				t.Errorf("%s: a post is %s, to be connected again: %t; want that of it %t", p, final, w.needsReconnect(accounts[p]), isOver)
			}
		}
	})
	t.Run("with which Google tells what it has taken down", func(t *testing.T) { w.takeDown(t, hook) })
	t.Run("and where the new ones are refused too, the account has ended", func(t *testing.T) {
		accounts := w.withDeadTokens(3, time.Time{}, schema.Twitter)
		for _, operation := range []string{"POST /2/tweets", "GET /2/users/me"} {
			w.inject(map[string]any{"platform": "twitter", "operation": operation, "status": http.StatusUnauthorized, "times": 5})
		}
		if final := w.finalsOf(accounts)[schema.Twitter]; !strings.HasPrefix(final, "failed") || !w.needsReconnect(accounts[schema.Twitter]) {
			t.Errorf("a post is %s, and the account goes on", final)
		}
	})
	t.Run("and where they cannot be, the account's owner is told", func(t *testing.T) {
		account := w.connectTokens("gone.bsky.test", schema.Credentials{AccessToken: deadToken, RefreshToken: "a.revoked.token"})
		if final := w.finalsOf(map[schema.Platform]schema.AccountID{schema.Bluesky: account})[schema.Bluesky]; !strings.HasPrefix(final, "failed") {
			t.Errorf("a post is %s, want it failed", final)
		}
		w.eventually(time.Minute, "account.error is received", func() bool { return hook.has("", "account.error") != "" })
		if !w.needsReconnect(account) {
			t.Error("the account does not need to be connected again")
		}
	})
}

// takeDown publishes to google-business what is rejected after it was live.
func (w *world) takeDown(t *testing.T, hook *receiver) {
	const n, p = 3, schema.GoogleBusiness
	account := w.connect(p, n+1)[n]
	var answer postAnswer
	w.call(http.MethodPost, "/posts", map[string]any{
		"content": "A miracle cure", "publishNow": true, "mediaItems": w.smallestMedia(p), "platforms": []any{map[string]any{"platform": p.String(), "accountId": account}},
	}, &answer)
	id := answer.Post.ID
	status := func() string {
		w.call(http.MethodGet, "/posts/"+id, nil, &answer)
		return answer.Post.Status
	}
	w.eventually(time.Minute, "the post is live", func() bool { return status() == "posted" })
	time.Sleep(4 * time.Second) // until the simulator rejects it
	w.withDeadTokens(n, time.Now().Add(4*time.Second), p)
	w.eventually(time.Minute, "the post is found to be taken down", func() bool { return status() == "failed" && hook.has(id, "post.failed") != "" })
	if code := answer.Post.Platforms[0].Error.Code; code != "platform_refused" {
		t.Errorf("it failed as %s", code)
	}
	if events := w.timeline(id).events(p.String()); !slices.Equal(events, []string{"failed"}) {
		t.Errorf("its timeline has %v", events)
	}
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
