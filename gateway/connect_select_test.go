package gateway_test

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

// selects consents to facebook as somebody, and returns the token with which their pages are
// chosen.
func (p *person) selects(name string) string {
	p.api.Helper()
	p.callWith(p.asker, http.MethodPut, "/connect/redirects", map[string]any{"redirects": []string{landing}}).want(http.StatusOK)
	question := p.allows(p.begins("facebook", "?redirect="+landing), name)
	p.wantShown(question, http.StatusOK, "What you choose of yours on Facebook")
	query := p.sentTo(p.attaches(question), landing)
	if query.Get("selectionRequired") != "true" || query.Get("platform") != "facebook" {
		p.api.Fatalf("sent back with %v", query)
	}
	return query.Get("selectionToken")
}

func TestPagesAreChosenOverTheAPI(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	token := p.selects("alice")
	a.wantAccounts(0)
	path := "/connect/facebook/entities?selectionToken=" + token
	listed := a.call(http.MethodGet, path, nil).want(http.StatusOK)
	if listed.at("entities").size() != 2 || listed.at("entities", 0, "kind").text() != "page" {
		t.Fatalf("entities = %v", listed)
	}
	a.wantLimiTold(path + "&limi=5")
	first, second := listed.at("entities", 0, "id").text(), listed.at("entities", 1, "id").text()
	choose := func(key, token string, further map[string]any, ids ...any) *answer {
		body := map[string]any{"selectionToken": token, "entityIds": ids}
		for name, value := range further {
			body[name] = value
		}
		return a.callWith(key, http.MethodPost, "/connect/facebook/select", body)
	}
	_, stranger := a.tenant("other", "operator", schema.Admin)
	for _, key := range []string{stranger, a.testKey()} {
		a.callWith(key, http.MethodGet, path, nil).fails(http.StatusNotFound, "not_found")
		choose(key, token, nil, first).fails(http.StatusNotFound, "not_found")
	}
	choose(a.key, "forged", nil, first).fails(http.StatusNotFound, "not_found")
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
			a.under(t)
			failed := choose(a.key, token, tt.further, tt.ids...).fails(http.StatusBadRequest, "validation_error")
			if got := failed.at("details", 0, "field").text(); got != tt.field {
				t.Errorf("field = %s, want %s: %v", got, tt.field, failed)
			}
		})
	}
	a.wantAccounts(0)
	connected := choose(a.key, token, nil, first, second, first).want(http.StatusOK)
	if connected.at("accounts").size() != 2 || connected.at("accounts", 1, "nativeId").text() != second {
		t.Errorf("connected = %v", connected)
	}
	a.wantAccounts(2)
	choose(a.key, token, nil, first).fails(http.StatusNotFound, "not_found") // it is over

	late := p.selects("alice")
	a.exec(`update consents set expires_at = now() - interval '1 second'`)
	a.call(http.MethodGet, "/connect/facebook/entities?selectionToken="+late, nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodGet, "/connect/facebook/entities", nil).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodGet, "/connect/mastodon/entities?selectionToken="+p.selects("alice"), nil).fails(http.StatusNotFound, "not_found")
}

func (a *api) testKey() string {
	a.Helper()
	twin, err := a.admin.Twin(a.Context(), a.workspace)
	if err != nil {
		a.Fatal(err)
	}
	key, _ := a.issueKey(twin, schema.Admin, true)
	return key
}

var boxPattern = regexp.MustCompile(`type="checkbox" name="entity" value="([^"]+)"`)

func TestPagesAreChosenOnAPage(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	choice := p.attaches(p.allows(p.begins("facebook", ""), "alice"))
	p.wantShown(choice, http.StatusOK, "Choose what to connect", "<strong>acme</strong>")
	p.wantShown(p.Submit(choice, url.Values{"decision": {"decline"}}), http.StatusBadRequest, "You declined")
	p.wantShown(p.Submit(choice, nil), http.StatusGone, "has ended")
	a.wantAccounts(0)
	choice = p.attaches(p.allows(p.begins("facebook", ""), "alice"))
	boxes := boxPattern.FindAllStringSubmatch(choice.Body, -1)
	if len(boxes) != 2 {
		t.Fatalf("%d pages to choose from: %s", len(boxes), choice.Body)
	}
	choice = p.Submit(choice, nil)
	p.wantShown(choice, http.StatusOK, "Choose at least one")
	p.wantShown(p.Submit(choice, url.Values{"entity": {"102938475610293"}}), http.StatusOK, "none of those you may choose")
	p.wantShown(p.Submit(choice, url.Values{"entity": {boxes[1][1]}}), http.StatusOK, "Connected", boxes[1][1])
	account := a.wantAccounts(1)
	p.wantShown(p.Submit(choice, url.Values{"entity": {boxes[0][1]}}), http.StatusGone, "has ended")

	// Connected again it needs no choice, and no other page's owner can do it.
	path := "/accounts/" + account.at("id").text()
	a.exec(`update accounts set needs_reconnect = true, ended = 1`)
	address := a.call(http.MethodGet, path+"/health", nil).want(http.StatusOK).at("health", "reconnectUrl").text()
	p.wantShown(p.attaches(p.allows(p.Open(address), "bob")), http.StatusOK, "allowed for "+account.at("name").text())
	p.wantShown(p.attaches(p.allows(p.Open(address), "alice")), http.StatusOK, "Connected again")
	if got := a.wantAccounts(1); got.at("isConnected").value != true {
		t.Errorf("account = %v", got)
	}
}

// What a platform granted is not lost where it cannot be asked for a moment.
func TestAPersonTriesAgainWhereThePlatformCannotBeAsked(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	fails := func(page gatewaytest.Page, filled url.Values, fault simulation.Fault) gatewaytest.Page {
		t.Helper()
		a.platforms.fail(schema.Facebook, fault)
		failed := p.Submit(page, filled)
		p.wantShown(failed, http.StatusOK, "Not connected yet", "Try again")
		return failed
	}
	asked := p.allows(p.begins("facebook", ""), "alice")
	failed := fails(asked, url.Values{"decision": {"attach"}}, simulation.Fault{Operation: "GET /{version}/me/accounts", Status: http.StatusBadGateway})
	choice := p.Submit(failed, nil)
	p.wantShown(choice, http.StatusOK, "Choose what to connect")
	box := boxPattern.FindStringSubmatch(choice.Body)[1]
	failed = fails(choice, url.Values{"entity": {box}}, simulation.Fault{Operation: "GET /{version}/me", Status: http.StatusBadGateway})
	p.wantShown(p.Submit(failed, nil), http.StatusOK, "Connected", box)
	a.wantAccounts(1)

	choice = p.attaches(p.allows(p.begins("facebook", ""), "bob"))
	box = boxPattern.FindStringSubmatch(choice.Body)[1]
	fails(choice, url.Values{"entity": {box}}, simulation.Fault{Operation: "GET /{version}/me", Status: http.StatusTooManyRequests})
	if left := a.number(`select count(*) from consents`); left != 1 {
		t.Errorf("%d consents are open, want the one that has to wait", left)
	}
}

func TestAPersonWithoutPagesIsTold(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	question := p.allows(p.begins("facebook", ""), "alice")
	if err := a.platforms.sandbox.World(schema.Facebook).Inject(pagesFault(`{"data": []}`)); err != nil {
		t.Fatal(err)
	}
	p.wantShown(p.attaches(question), http.StatusBadRequest, "nothing on facebook that you may post to")
	token := p.selects("alice")
	for name, body := range map[string]string{"a page": "<html></html>", "another shape": `{"data": 7}`, "too much": strings.Repeat(" ", 2<<20)} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			if err := a.platforms.sandbox.World(schema.Facebook).Inject(pagesFault(body)); err != nil {
				t.Fatal(err)
			}
			a.call(http.MethodGet, "/connect/facebook/entities?selectionToken="+token, nil).fails(http.StatusServiceUnavailable, "unavailable")
		})
	}
	a.call(http.MethodGet, "/connect/facebook/entities?selectionToken="+token, nil).want(http.StatusOK) // nothing is lost
}

func pagesFault(body string) simulation.Fault {
	return simulation.Fault{Operation: "GET /{version}/me/accounts", Status: http.StatusOK, Body: body}
}
