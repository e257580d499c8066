package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/deletion"
)

func TestAWorkspaceIsDeletedOnTheSecondWord(t *testing.T) {
	a := gatewaytest.New(t)
	account := a.AddAccount(a.Workspace, schema.Mastodon, "me")
	a.Request(http.MethodPost, "/posts", `{"content":"hi","platforms":["mastodon"],"scheduledFor":"`+a.In(2*gateway.Lead)+`"}`).Want(http.StatusCreated)
	for _, wrong := range []string{`{}`, `{"workspace":false}`, `{"workspace":true,"accountId":"` + account.String() + `"}`, `{"accountId":"me"}`} {
		a.Request(http.MethodPost, "/deletions", wrong).WantError(http.StatusBadRequest, "validation_error")
	}
	a.RequestWith(a.NewKey(a.Workspace, schema.Write), http.MethodPost, "/deletions", `{"workspace":true}`).WantError(http.StatusForbidden, "forbidden")
	_, stranger := a.CreateWorkspace("other", "operator", schema.Admin)
	a.RequestWith(stranger, http.MethodPost, "/deletions", map[string]any{"accountId": account}).WantError(http.StatusNotFound, "not_found")

	created := a.Request(http.MethodPost, "/deletions", `{"workspace":true}`).Want(http.StatusCreated)
	if created.At("contents", "workspace").Text() != "acme" || created.At("contents", "openPosts").Value != 1.0 || created.At("contents", "accounts").Value != 1.0 {
		t.Errorf("contents = %v", created.At("contents"))
	}
	path := "/deletions/" + created.At("deletion", "id").Text()
	a.RequestWith("", http.MethodPost, path+"/confirm", `{"confirmation":"guessed"}`).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodPost, path+"/confirm", `{}`).WantError(http.StatusBadRequest, "validation_error")
	if status := a.RequestWith("", http.MethodGet, path, nil).Want(http.StatusOK); status.At("deletion", "status").Text() != "asked" {
		t.Errorf("it is %v before it is confirmed", status)
	}
	for range 2 { // the first answer may have been lost
		confirmed := a.RequestWith("", http.MethodPost, path+"/confirm", map[string]any{"confirmation": created.At("confirmation").Text()}).Want(http.StatusAccepted)
		if confirmed.At("deletion", "status").Text() != "removing" || confirmed.At("deletion", "stoppedAt").Text() == "" {
			t.Errorf("it is %v once it is confirmed", confirmed)
		}
	}
	if n := a.QueryInt(`select count(*) from holds where kind = 5`); n != 1 {
		t.Errorf("%d holds, want the workspace's", n)
	}
	page := a.RequestWith("", http.MethodGet, path, nil, "Accept", "text/html")
	if page.Status != http.StatusOK || !strings.Contains(string(page.Body), "Nothing goes out any more") {
		t.Errorf("a browser gets %d: %s", page.Status, page.Body)
	}
	a.Exec(`update deletions set asked_at = asked_at - interval '1 hour', status = 1`)
	a.RequestWith("", http.MethodPost, path+"/confirm", map[string]any{"confirmation": created.At("confirmation").Text()}).WantError(http.StatusNotFound, "not_found")
}

// The credentials are erased with the confirmation: whoever asks again has none to revoke.
func TestADeletionThatIsNotWaitedForRevokesAllTheSame(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	p.Attach(p.Allow(p.Begin("mastodon", ""), "alice"))
	post := a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`).Want(http.StatusCreated).At("post", "id").Text()
	id, err := schema.ParseID[schema.PostID](post)
	if err != nil {
		t.Fatal(err)
	}
	publish := postgres.NewPublish(a.Store, gatewaytest.NoComments)
	if claimed, err := publish.Claim(t.Context(), []schema.TargetRef{{Post: id, Version: 1}}); err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %v, %v", claimed, err) // a call in hand, which the deletion waits for
	}
	created := a.Request(http.MethodPost, "/deletions", `{"workspace": true}`).Want(http.StatusCreated)
	a.Platforms.Inject(schema.Mastodon, simulation.Fault{Operation: "POST /oauth/revoke", Status: 500}) // the log tells of it
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/api/v1/deletions/"+created.At("deletion", "id").Text()+"/confirm",
		strings.NewReader(`{"confirmation": "`+created.At("confirmation").Text()+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
		}
	})
	a.Eventually("it is confirmed", func() bool { return a.QueryInt(`select count(*) from deletions where confirmed_at is not null`) == 1 })
	leave()
	waiting.Wait()
	a.Eventually("the platform is told", func() bool { return strings.Contains(a.Logs.String(), "were not revoked") })
}

// TestMetaCallsForAPerson has the simulators send what Meta sends.
// other returns another character of base64 than one.
func other(digit byte) string {
	if digit == 'x' {
		return "y"
	}
	return "x"
}

func TestMetaCallsForAPerson(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	token := p.SelectionToken("alice")
	listed := a.Request(http.MethodGet, "/connect/facebook/entities?selectionToken="+token, nil).Want(http.StatusOK)
	a.Request(http.MethodPost, "/connect/facebook/select", map[string]any{
		"selectionToken": token, "entityIds": []any{listed.At("entities", 0, "id").Text()},
	}).Want(http.StatusOK)
	for _, platform := range []string{"instagram", "threads"} {
		for _, name := range []string{"alice", "bob"} {
			p.Attach(p.Allow(p.Begin(platform, ""), name))
		}
	}
	a.WantAccounts(5)
	for _, platform := range []schema.Platform{schema.Facebook, schema.Instagram, schema.Threads} {
		world := a.Platforms.Sandbox.World(platform)
		callback := a.URL + "/api/v1/connect/" + platform.String()
		person := map[schema.Platform]string{schema.Facebook: "user-alice"}[platform]
		if person == "" {
			person = "alice"
		}
		signed := world.SignedRequest(person)
		signature, document, _ := strings.Cut(signed, ".")
		_, another, _ := strings.Cut(world.SignedRequest("bob"), ".")
		for what, forged := range map[string]string{
			"nothing": "", "no signature": document, "another's": signed[:8] + other(signed[8]) + signed[9:], "of another app": "AAAA" + signed[4:],
			"of another person": signature + "." + another,
		} {
			response, err := http.PostForm(callback+"/delete-data", url.Values{"signed_request": {forged}})
			if err != nil {
				t.Fatal(err)
			}
			if response.Body.Close(); response.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s, %s: status = %d", platform, what, response.StatusCode)
			}
		}
		response, err := world.CallFor(t.Context(), person, callback+"/deauthorize")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", platform, response, err)
		}
		response.Body.Close()
		if n := a.QueryInt(`select count(*) from accounts where needs_reconnect and platform = ` + numberOf(platform)); n != 1 {
			t.Errorf("%s: %d accounts have ended, want alice's", platform, n)
		}
		response, err = world.CallFor(t.Context(), person, callback+"/delete-data")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", platform, response, err)
		}
		var confirmation struct {
			URL  string `json:"url"`
			Code string `json:"confirmation_code"`
		}
		if err := json.NewDecoder(response.Body).Decode(&confirmation); err != nil || !strings.HasSuffix(confirmation.URL, "/deletions/"+confirmation.Code) {
			t.Fatalf("%s: %+v, %v", platform, confirmation, err)
		}
		response.Body.Close()
		if status := a.RequestWith("", http.MethodGet, "/deletions/"+confirmation.Code, nil).Want(http.StatusOK); status.At("deletion", "status").Text() != "stopping" {
			t.Errorf("%s: it is %v", platform, status)
		}
	}
	deletions := deletion.New(a.Store.DB, 0)
	for range 200 {
		if _, _, err := deletions.Delete(t.Context(), func(context.Context, schema.Erasure) (int64, error) { return 0, nil }); err != nil {
			t.Fatal(err)
		}
		a.Exec(`update deletions set worked_at = now() where worked_at > now()`)
	}
	if n := a.QueryInt(`select count(*) from deletions where status <> 4`); n != 0 {
		t.Errorf("%d deletions are not done", n)
	}
	a.WantAccounts(2)
	world := a.Platforms.Sandbox.World(schema.Threads)
	response, err := world.CallFor(t.Context(), "stranger", a.URL+"/api/v1/connect/threads/delete-data")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("somebody of whom there is nothing: %v, %v", response, err)
	}
	response.Body.Close()
}

func numberOf(p schema.Platform) string { return strconv.Itoa(int(p)) }
