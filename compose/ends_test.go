package compose_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/simulators/googlebusiness"
	"crier/connectors/simulators/pinterest"
	"crier/schema"
)

// endedAccount is an account that ends in one way of the table.
type endedAccount struct {
	platform schema.Platform
	cause    string
	want     schema.EndTraits
	path     string
	login    map[string]any

	id    schema.AccountID
	posts []string
}

// everyEnd connects an account for each end that a platform of those with a simulator has.
func (w *world) everyEnd() (all []*endedAccount) {
	w.Helper()
	for _, simulator := range catalog.Simulators() {
		platform := simulator.Platform
		for i, end := range slices.Sorted(maps.Keys(simulator.Ending.Ends)) {
			cause := string(end)
			a := &endedAccount{platform: platform, cause: cause, want: simulator.Ending.Ends[end].End.Traits()}
			switch platform {
			case schema.Mastodon:
				a.path, a.login = "/connect/mastodon", map[string]any{"accessToken": "token-to-be-" + cause}
			case schema.Bluesky:
				a.path, a.login = "/connect/bluesky", map[string]any{"identifier": cause + ".bsky.test", "password": "abcd-efgh-ijkl-mnop"}
			case schema.Telegram:
				a.path, a.login = "/connect/telegram/channels", map[string]any{"botToken": fmt.Sprintf("%d:%035d", 5000+i, i), "chatId": fmt.Sprintf("@to_be_ended%d", i)}
			case schema.GoogleBusiness:
				token := "token-to-be-" + cause
				a.path, a.login = "/connect/google-business", map[string]any{"accessToken": token, "entityId": googlebusiness.Locations(token)[0]}
			case schema.Pinterest:
				token := "token-to-be-" + cause
				a.path, a.login = "/connect/pinterest", map[string]any{"accessToken": token, "entityId": pinterest.Boards(token)[0]}
			default:
				a.path, a.login = "/connect/"+platform.String(), map[string]any{"accessToken": "token-to-be-" + cause}
			}
			a.id = w.connectOne(a.path, a.login)
			all = append(all, a)
		}
	}
	return all
}

// end ends the account on its platform, or takes its end back.
func (w *world) end(a *endedAccount, cause string) {
	w.Helper()
	var read struct{ Account struct{ NativeID string } }
	w.call(http.MethodGet, "/accounts/"+a.id.String(), nil, &read)
	document, err := json.Marshal(map[string]string{"platform": a.platform.String(), "account": read.Account.NativeID, "end": cause})
	if err != nil {
		w.Fatal(err)
	}
	response, err := w.client.Post(w.simulators+"/_control/ends", "application/json", bytes.NewReader(document))
	if err != nil {
		w.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		w.Fatalf("ending %s: %d", document, response.StatusCode)
	}
}

func (w *world) publishNowTo(a *endedAccount, n int) {
	w.Helper()
	for i := range n {
		var answer postAnswer
		body := map[string]any{"content": fmt.Sprintf("%s %d", a.cause, i), "publishNow": true, "mediaItems": w.smallestMedia(a.platform), "platformSettings": smallestSettings(), "platforms": []any{map[string]any{"platform": a.platform, "accountId": a.id}}}
		if status := w.call(http.MethodPost, "/posts", body, &answer); status != http.StatusCreated {
			w.Fatalf("creating a post of %s: %d %+v", a.platform, status, answer.Error)
		}
		a.posts = append(a.posts, answer.Post.ID)
	}
}

// accountEvents counts what is told of accounts: by account, event and code.
type accountEvents struct {
	mu   sync.Mutex
	seen map[string]bool // by event id
	n    map[string]int
}

func (w *world) receiveAccounts() *accountEvents {
	w.Helper()
	r := &accountEvents{seen: map[string]bool{}, n: map[string]int{}}
	w.receiveBy(r, "account.error", "account.connected")
	return r
}

func (r *accountEvents) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	var event struct {
		ID, Event string
		Data      struct {
			Account struct{ ID string }
			Error   struct{ Code string }
		}
	}
	if json.NewDecoder(request.Body).Decode(&event) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[event.ID] {
		return
	}
	r.seen[event.ID] = true
	r.n[event.Data.Account.ID+" "+event.Event+" "+event.Data.Error.Code]++
	r.n[event.Data.Account.ID+" "+event.Event]++
}

func (r *accountEvents) of(account schema.AccountID, event string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n[account.String()+" "+event]
}

func TestEveryEndOfAnAccountIsToldOnceAndUndone(t *testing.T) {
	besideOthers(t)
	const each = 15
	w := newWorld(t, testKafka(t))
	events := w.receiveAccounts()
	accounts := w.everyEnd()
	for _, a := range accounts {
		w.end(a, a.cause)
		w.publishNowTo(a, each)
	}
	type problem struct{ Code, Message string }
	for _, a := range accounts {
		name := a.platform.String() + " " + a.cause
		w.eventually(time.Minute, name+": it is told and its posts are done", func() bool {
			return events.of(a.id, "account.error") > 0 && w.done(a.posts)
		})
		var read struct {
			Account struct {
				IsConnected, NeedsReconnect bool
				Error                       problem
			}
		}
		w.call(http.MethodGet, "/accounts/"+a.id.String(), nil, &read)
		if got := read.Account; got.IsConnected || got.NeedsReconnect != a.want.Reconnect || got.Error.Code != a.want.Code || got.Error.Message == "" {
			t.Errorf("%s: the account is %+v, want %+v", name, got, a.want)
		}
		for _, id := range a.posts {
			var post struct {
				Post struct{ Platforms []struct{ Error problem } }
			}
			w.call(http.MethodGet, "/posts/"+id, nil, &post)
			if got := post.Post.Platforms[0].Error; got.Code != a.want.Code || got.Message == "" {
				t.Errorf("%s: a post failed with %+v, want %s", name, got, a.want.Code)
				break
			}
		}
		w.end(a, "")
		a.posts = nil
		if a.want.Passes {
			var health struct{ Health struct{ Status string } }
			if w.call(http.MethodGet, "/accounts/"+a.id.String()+"/health", nil, &health); health.Health.Status != "healthy" {
				t.Errorf("%s: once it works again its health is %s", name, health.Health.Status)
			}
		} else if again := w.connectOne(a.path, a.login); again != a.id {
			t.Errorf("%s: connected again as another", name)
		}
		w.publishNowTo(a, 1)
	}
	for _, a := range accounts {
		name := a.platform.String() + " " + a.cause
		w.eventually(time.Minute, name+": the next post is done", func() bool { return w.done(a.posts) && events.of(a.id, "account.connected") == 2 })
		var post struct{ Post struct{ Status string } }
		if w.call(http.MethodGet, "/posts/"+a.posts[0], nil, &post); post.Post.Status != "posted" {
			t.Errorf("%s: a post after it is %s", name, post.Post.Status)
		}
		if n, right := events.of(a.id, "account.error"), events.of(a.id, "account.error "+a.want.Code); n != 1 || right != 1 {
			t.Errorf("%s: told %d times, %d of them as %s", name, n, right, a.want.Code)
		}
	}
}
