package accounts_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestPagesAreChosenOverTheAPI(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	token := p.SelectionToken("alice")
	a.WantAccounts(0)
	path := "/connect/facebook/entities?selectionToken=" + token
	listed := a.Request(http.MethodGet, path, nil).Want(http.StatusOK)
	if listed.At("entities").Len() != 2 || listed.At("entities", 0, "kind").Text() != "page" {
		t.Fatalf("entities = %v", listed)
	}
	a.WantLimiWarning(path + "&limi=5")
	first, second := listed.At("entities", 0, "id").Text(), listed.At("entities", 1, "id").Text()
	choose := func(key, token string, further map[string]any, ids ...any) *gatewaytest.Response {
		body := map[string]any{"selectionToken": token, "entityIds": ids}
		for name, value := range further {
			body[name] = value
		}
		return a.RequestWith(key, http.MethodPost, "/connect/facebook/select", body)
	}
	_, stranger := a.CreateWorkspace("other", "operator", schema.Admin)
	for _, key := range []string{stranger, testKey(a)} {
		a.RequestWith(key, http.MethodGet, path, nil).WantError(http.StatusNotFound, "not_found")
		choose(key, token, nil, first).WantError(http.StatusNotFound, "not_found")
	}
	choose(a.Key, "forged", nil, first).WantError(http.StatusNotFound, "not_found")
	for name, tt := range map[string]struct {
		field   string
		further map[string]any
		ids     []any
	}{
		"none":            {field: "entityIds"},
		"another's page":  {field: "entityIds", ids: []any{first, "102938475610293"}},
		"no id":           {field: "entityIds[0]", ids: []any{true}},
		"too many":        {field: "entityIds", ids: slices.Repeat([]any{first}, 26)},
		"another's brand": {field: "brandId", ids: []any{first}, further: map[string]any{"brandId": "brand_01k9sr3q5wf2g8m7r4t0v1x2y3"}},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			failed := choose(a.Key, token, tt.further, tt.ids...).WantError(http.StatusBadRequest, "validation_error")
			if got := failed.At("details", 0, "field").Text(); got != tt.field {
				t.Errorf("field = %s, want %s: %v", got, tt.field, failed)
			}
		})
	}
	a.WantAccounts(0)
	connected := choose(a.Key, token, nil, first, second, first).Want(http.StatusOK)
	if connected.At("accounts").Len() != 2 || connected.At("accounts", 1, "nativeId").Text() != second {
		t.Errorf("connected = %v", connected)
	}
	a.WantAccounts(2)
	choose(a.Key, token, nil, first).WantError(http.StatusNotFound, "not_found") // it is over

	late := p.SelectionToken("alice")
	a.Exec(`update consents set expires_at = now() - interval '1 second'`)
	a.Request(http.MethodGet, "/connect/facebook/entities?selectionToken="+late, nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodGet, "/connect/facebook/entities", nil).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodGet, "/connect/mastodon/entities?selectionToken="+p.SelectionToken("alice"), nil).WantError(http.StatusNotFound, "not_found")
}

func testKey(a *gatewaytest.API) string {
	a.Helper()
	twin, err := a.Admin.Twin(a.Context(), a.Workspace)
	if err != nil {
		a.Fatal(err)
	}
	key, _ := a.IssueKey(twin, schema.Admin, true)
	return key
}

var boxPattern = regexp.MustCompile(`type="checkbox" name="entity" value="([^"]+)"`)

func TestPagesAreChosenOnAPage(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	choice := p.Attach(p.Allow(p.Begin("facebook", ""), "alice"))
	p.WantPage(choice, http.StatusOK, "Choose what to connect", "<strong>acme</strong>")
	p.WantPage(p.Submit(choice, url.Values{"decision": {"decline"}}), http.StatusBadRequest, "You declined")
	p.WantPage(p.Submit(choice, nil), http.StatusGone, "has ended")
	a.WantAccounts(0)
	choice = p.Attach(p.Allow(p.Begin("facebook", ""), "alice"))
	boxes := boxPattern.FindAllStringSubmatch(choice.Body, -1)
	if len(boxes) != 2 {
		t.Fatalf("%d pages to choose from: %s", len(boxes), choice.Body)
	}
	choice = p.Submit(choice, nil)
	p.WantPage(choice, http.StatusOK, "Choose at least one")
	p.WantPage(p.Submit(choice, url.Values{"entity": {"102938475610293"}}), http.StatusOK, "none of those you may choose")
	p.WantPage(p.Submit(choice, url.Values{"entity": {boxes[1][1]}}), http.StatusOK, "Connected", boxes[1][1])
	account := a.WantAccounts(1)
	p.WantPage(p.Submit(choice, url.Values{"entity": {boxes[0][1]}}), http.StatusGone, "has ended")

	// Connected again it needs no choice, and no other page's owner can do it.
	path := "/accounts/" + account.At("id").Text()
	a.Exec(`update accounts set needs_reconnect = true, ended = 1`)
	address := a.Request(http.MethodGet, path+"/health", nil).Want(http.StatusOK).At("health", "reconnectUrl").Text()
	p.WantPage(p.Attach(p.Allow(p.Open(address), "bob")), http.StatusOK, "allowed for "+account.At("name").Text())
	p.WantPage(p.Attach(p.Allow(p.Open(address), "alice")), http.StatusOK, "Connected again")
	if got := a.WantAccounts(1); got.At("isConnected").Value != true {
		t.Errorf("account = %v", got)
	}
}

// What a platform granted is not lost where it cannot be asked for a moment.
func TestAPersonTriesAgainWhereThePlatformCannotBeAsked(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	fails := func(page gatewaytest.Page, filled url.Values, fault simulation.Fault) gatewaytest.Page {
		t.Helper()
		a.Platforms.Inject(schema.Facebook, fault)
		failed := p.Submit(page, filled)
		p.WantPage(failed, http.StatusOK, "Not connected yet", "Try again")
		return failed
	}
	allowed := p.Allow(p.Begin("facebook", ""), "alice")
	failed := fails(allowed, url.Values{"decision": {"attach"}}, simulation.Fault{Operation: "GET /{version}/me/accounts", Status: http.StatusBadGateway})
	choice := p.Submit(failed, nil)
	p.WantPage(choice, http.StatusOK, "Choose what to connect")
	box := boxPattern.FindStringSubmatch(choice.Body)[1]
	failed = fails(choice, url.Values{"entity": {box}}, simulation.Fault{Operation: "GET /{version}/me", Status: http.StatusBadGateway})
	p.WantPage(p.Submit(failed, nil), http.StatusOK, "Connected", box)
	a.WantAccounts(1)

	choice = p.Attach(p.Allow(p.Begin("facebook", ""), "bob"))
	box = boxPattern.FindStringSubmatch(choice.Body)[1]
	fails(choice, url.Values{"entity": {box}}, simulation.Fault{Operation: "GET /{version}/me", Status: http.StatusTooManyRequests})
	if left := a.QueryInt(`select count(*) from consents`); left != 1 {
		t.Errorf("%d consents are open, want the one that has to wait", left)
	}
}

func TestAPersonWithoutPagesIsTold(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	question := p.Allow(p.Begin("facebook", ""), "alice")
	if err := a.Platforms.Sandbox.World(schema.Facebook).Inject(pagesFault(`{"data": []}`)); err != nil {
		t.Fatal(err)
	}
	p.WantPage(p.Attach(question), http.StatusBadRequest, "nothing on facebook that you may post to")
	token := p.SelectionToken("alice")
	for name, body := range map[string]string{"a page": "<html></html>", "another shape": `{"data": 7}`, "too much": strings.Repeat(" ", 2<<20)} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			if err := a.Platforms.Sandbox.World(schema.Facebook).Inject(pagesFault(body)); err != nil {
				t.Fatal(err)
			}
			a.Request(http.MethodGet, "/connect/facebook/entities?selectionToken="+token, nil).WantError(http.StatusServiceUnavailable, "unavailable")
		})
	}
	a.Request(http.MethodGet, "/connect/facebook/entities?selectionToken="+token, nil).Want(http.StatusOK) // nothing is lost
}

func pagesFault(body string) simulation.Fault {
	return simulation.Fault{Operation: "GET /{version}/me/accounts", Status: http.StatusOK, Body: body}
}
