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
	"crier/schema"
	"crier/schema/postgres"
)

func TestAWorkspaceIsDeletedOnTheSecondWord(t *testing.T) {
	a := newAPI(t)
	account := a.connect(a.workspace, schema.Mastodon, "me")
	a.call(http.MethodPost, "/posts", `{"content":"hi","platforms":["mastodon"],"scheduledFor":"`+a.in(2*gateway.Lead)+`"}`).want(http.StatusCreated)
	for _, wrong := range []string{`{}`, `{"workspace":false}`, `{"workspace":true,"accountId":"` + account.String() + `"}`, `{"accountId":"me"}`} {
		a.call(http.MethodPost, "/deletions", wrong).fails(http.StatusBadRequest, "validation_error")
	}
	a.callWith(a.newKey(a.workspace, schema.Write), http.MethodPost, "/deletions", `{"workspace":true}`).fails(http.StatusForbidden, "forbidden")
	_, stranger := a.tenant("other", "operator", schema.Admin)
	a.callWith(stranger, http.MethodPost, "/deletions", map[string]any{"accountId": account}).fails(http.StatusNotFound, "not_found")

	asked := a.call(http.MethodPost, "/deletions", `{"workspace":true}`).want(http.StatusCreated)
	if asked.at("contents", "workspace").text() != "acme" || asked.at("contents", "openPosts").value != 1.0 || asked.at("contents", "accounts").value != 1.0 {
		t.Errorf("contents = %v", asked.at("contents"))
	}
	path := "/deletions/" + asked.at("deletion", "id").text()
	a.callWith("", http.MethodPost, path+"/confirm", `{"confirmation":"guessed"}`).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodPost, path+"/confirm", `{}`).fails(http.StatusBadRequest, "validation_error")
	if status := a.callWith("", http.MethodGet, path, nil).want(http.StatusOK); status.at("deletion", "status").text() != "asked" {
		t.Errorf("it is %v before it is confirmed", status)
	}
	for range 2 { // the first answer may have been lost
		confirmed := a.callWith("", http.MethodPost, path+"/confirm", map[string]any{"confirmation": asked.at("confirmation").text()}).want(http.StatusAccepted)
		if confirmed.at("deletion", "status").text() != "removing" || confirmed.at("deletion", "stoppedAt").text() == "" {
			t.Errorf("it is %v once it is confirmed", confirmed)
		}
	}
	if n := a.number(`select count(*) from holds where kind = 5`); n != 1 {
		t.Errorf("%d holds, want the workspace's", n)
	}
	page := a.callWith("", http.MethodGet, path, nil, "Accept", "text/html")
	if page.status != http.StatusOK || !strings.Contains(string(page.body), "Nothing goes out any more") {
		t.Errorf("a browser gets %d: %s", page.status, page.body)
	}
	a.exec(`update deletions set asked_at = asked_at - interval '1 hour', status = 1`)
	a.callWith("", http.MethodPost, path+"/confirm", map[string]any{"confirmation": asked.at("confirmation").text()}).fails(http.StatusNotFound, "not_found")
}

// The credentials are erased with the confirmation: whoever asks again has none to revoke.
func TestADeletionThatIsNotWaitedForRevokesAllTheSame(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	p.attaches(p.allows(p.begins("mastodon", ""), "alice"))
	post := a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`).want(http.StatusCreated).at("post", "id").text()
	id, err := schema.ParsePostID(post)
	if err != nil {
		t.Fatal(err)
	}
	publish := postgres.NewPublish(a.store, noComments)
	if claimed, err := publish.Claim(t.Context(), []schema.TargetRef{{Post: id, Version: 1}}); err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %v, %v", claimed, err) // a call in hand, which the deletion waits for
	}
	asked := a.call(http.MethodPost, "/deletions", `{"workspace": true}`).want(http.StatusCreated)
	a.platforms.fail(schema.Mastodon, simulation.Fault{Operation: "POST /oauth/revoke", Status: 500}) // the log tells of it
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/api/v1/deletions/"+asked.at("deletion", "id").text()+"/confirm",
		strings.NewReader(`{"confirmation": "`+asked.at("confirmation").text()+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
		}
	})
	a.eventually("it is confirmed", func() bool { return a.number(`select count(*) from deletions where confirmed_at is not null`) == 1 })
	leave()
	waiting.Wait()
	a.eventually("the platform is told", func() bool { return strings.Contains(a.log.String(), "were not revoked") })
}

// TestMetaCallsForAPerson has the simulators send what Meta sends.
// other returns another character of base64 than one.
func other(one byte) string {
	if one == 'x' {
		return "y"
	}
	return "x"
}

func TestMetaCallsForAPerson(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	token := p.selects("alice")
	listed := a.call(http.MethodGet, "/connect/facebook/entities?selectionToken="+token, nil).want(http.StatusOK)
	a.call(http.MethodPost, "/connect/facebook/select", map[string]any{
		"selectionToken": token, "entityIds": []any{listed.at("entities", 0, "id").text()},
	}).want(http.StatusOK)
	for _, platform := range []string{"instagram", "threads"} {
		for _, name := range []string{"alice", "bob"} {
			p.attaches(p.allows(p.begins(platform, ""), name))
		}
	}
	a.wantAccounts(5)
	for _, platform := range []schema.Platform{schema.Facebook, schema.Instagram, schema.Threads} {
		world := a.platforms.sandbox.World(platform)
		callback := a.url + "/api/v1/connect/" + platform.String()
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
		if n := a.number(`select count(*) from accounts where needs_reconnect and platform = ` + numberOf(platform)); n != 1 {
			t.Errorf("%s: %d accounts have ended, want alice's", platform, n)
		}
		response, err = world.CallFor(t.Context(), person, callback+"/delete-data")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", platform, response, err)
		}
		var said struct {
			URL  string `json:"url"`
			Code string `json:"confirmation_code"`
		}
		if err := json.NewDecoder(response.Body).Decode(&said); err != nil || !strings.HasSuffix(said.URL, "/deletions/"+said.Code) {
			t.Fatalf("%s: %+v, %v", platform, said, err)
		}
		response.Body.Close()
		if status := a.callWith("", http.MethodGet, "/deletions/"+said.Code, nil).want(http.StatusOK); status.at("deletion", "status").text() != "stopping" {
			t.Errorf("%s: it is %v", platform, status)
		}
	}
	deletions := postgres.NewDeletions(a.store, 0)
	for range 200 {
		if _, _, err := deletions.Delete(t.Context(), func(context.Context, schema.Erasure) (int64, error) { return 0, nil }); err != nil {
			t.Fatal(err)
		}
		a.exec(`update deletions set worked_at = now() where worked_at > now()`)
	}
	if n := a.number(`select count(*) from deletions where status <> 4`); n != 0 {
		t.Errorf("%d deletions are not done", n)
	}
	a.wantAccounts(2)
	world := a.platforms.sandbox.World(schema.Threads)
	response, err := world.CallFor(t.Context(), "stranger", a.url+"/api/v1/connect/threads/delete-data")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("somebody of whom there is nothing: %v, %v", response, err)
	}
	response.Body.Close()
}

func numberOf(p schema.Platform) string { return strconv.Itoa(int(p)) }
