package gateway_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

// person is somebody with a browser who connects accounts.
type person struct {
	*api
	*gatewaytest.Browser
	asker string // the key of the workspace that asks for the account
}

func (a *api) person() *person {
	return &person{a, &gatewaytest.Browser{TB: a.TB, Served: map[string]string{"https://crier.example": a.url}}, a.key}
}

// begins asks for the platform's page and opens it. The query follows the platform's name.
func (p *person) begins(platform, query string) gatewaytest.Page {
	p.api.Helper()
	begun := p.callWith(p.asker, http.MethodGet, "/connect/"+platform+query, nil).want(http.StatusOK)
	return p.Open(begun.at("authUrl").text())
}

// allows consents on a platform's page, and is on ours.
func (p *person) allows(page gatewaytest.Page, name string) gatewaytest.Page {
	p.api.Helper()
	return p.Submit(page, url.Values{"crier_answer": {"allow"}, "crier_name": {name}})
}

func (p *person) attaches(page gatewaytest.Page) gatewaytest.Page {
	p.api.Helper()
	return p.Submit(page, url.Values{"decision": {"attach"}})
}

// wantShown fails the test unless a page of ours has the status and the texts.
func (p *person) wantShown(page gatewaytest.Page, status int, texts ...string) {
	p.api.Helper()
	if page.Status != status {
		p.api.Fatalf("%s: status %d, want %d: %s", page.URL, page.Status, status, page.Body)
	}
	for _, text := range texts {
		if !strings.Contains(page.Body, text) {
			p.api.Errorf("%s does not say %q: %s", page.URL, text, page.Body)
		}
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || !strings.Contains(policy, "; base-uri 'none'; frame-ancestors 'none'; form-action 'self'") {
		p.api.Errorf("policy = %q", policy)
	}
	if page.Header.Get("Cache-Control") != "no-store" || page.Header.Get("Referrer-Policy") != "no-referrer" {
		p.api.Errorf("header = %v", page.Header)
	}
}

func (a *api) wantAccounts(n int) tree {
	a.Helper()
	listed := a.call(http.MethodGet, "/accounts", nil).want(http.StatusOK)
	if got := listed.at("accounts").size(); got != n {
		a.Fatalf("%d accounts, want %d: %v", got, n, listed)
	}
	return listed.at("accounts", 0)
}

func TestAPersonConnectsAnAccount(t *testing.T) {
	for platform, called := range map[string]string{"mastodon": "Mastodon", "twitter": "X"} {
		t.Run(platform, func(t *testing.T) {
			a := newAPI(t)
			p := a.person()
			question := p.allows(p.begins(platform, ""), "alice")
			p.wantShown(question, http.StatusOK, "<strong>acme</strong>", " on "+called)
			a.wantAccounts(0) // consent alone attaches nothing
			p.wantShown(p.attaches(question), http.StatusOK, "Connected", "acme")
			account := a.wantAccounts(1)
			if account.at("platform").text() != platform || !strings.Contains(question.Body, account.at("name").text()) {
				t.Errorf("account = %v, asked for %s", account, question.Body)
			}
			a.wantEvents(schema.AccountConnected)
			p.wantShown(p.attaches(question), http.StatusGone, "has ended") // the form once more
			if log := a.log.String(); strings.Contains(log, "state=") || strings.Contains(log, "granted.") {
				t.Errorf("the log has secrets: %s", log)
			}
		})
	}
}

// sentTo fails the test unless the browser was sent to an address, and returns with what.
func (p *person) sentTo(page gatewaytest.Page, address string) url.Values {
	p.api.Helper()
	query := page.URL.Query()
	if page.Status != 0 || page.URL.Scheme+"://"+page.URL.Host+page.URL.Path != address {
		p.api.Fatalf("the browser is at %s: %d %s", page.URL, page.Status, page.Body)
	}
	return query
}

const landing = "https://app.example/connected"

func (a *api) allowLanding(further ...string) {
	a.Helper()
	a.call(http.MethodPut, "/connect/redirects", map[string]any{"redirects": append([]string{landing}, further...)}).want(http.StatusOK)
}

func TestAPersonEndsWhereTheirSiteWantsThem(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	a.allowLanding(landing + "?kept=1")
	if got := a.call(http.MethodGet, "/connect/redirects", nil).want(http.StatusOK).at("redirects"); got.size() != 2 || got.at(0).text() != landing {
		t.Errorf("redirects = %v", got)
	}
	query := p.sentTo(p.attaches(p.allows(p.begins("mastodon", "?redirect="+url.QueryEscape(landing+"?kept=1")), "alice")), landing)
	account := a.wantAccounts(1)
	if query.Get("connected") != "true" || query.Get("accountId") != account.at("id").text() || query.Get("platform") != "mastodon" || query.Get("kept") != "1" {
		t.Errorf("sent back with %v", query)
	}
	denied := p.Submit(p.begins("mastodon", "?redirect="+landing), url.Values{"crier_answer": {"deny"}})
	if query := p.sentTo(denied, landing); query.Get("error") != "access_denied" || query.Get("error_description") == "" || query.Has("connected") {
		t.Errorf("sent back with %v", query)
	}
	for name, address := range map[string]string{
		"another address": "https://evil.example/", "more of it": landing + "/more", "with a query": landing + "?x=1", "no address": "javascript:alert(1)",
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			failed := a.call(http.MethodGet, "/connect/mastodon?redirect="+url.QueryEscape(address), nil).fails(http.StatusBadRequest, "validation_error")
			if failed.at("details", 0, "code").text() != "redirect_not_allowed" {
				t.Errorf("failed = %v", failed)
			}
		})
	}
	for name, address := range map[string]any{
		"in clear": "http://app.example/", "a path": "/connected", "a script": "javascript:alert(1)", "a fragment": landing + "#x",
		"a user": "https://user@app.example/", "no text": 7,
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			failed := a.call(http.MethodPut, "/connect/redirects", map[string]any{"redirects": []any{address}}).fails(http.StatusBadRequest, "validation_error")
			if failed.at("details", 0, "field").text() != "redirects[0]" {
				t.Errorf("failed = %v", failed)
			}
		})
	}
}

func TestAPlatformsAnswerIsLookedInto(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	const token = "POST /oauth/token"
	huge := `{"access_token":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, tt := range []struct { // an order in which no breaker opens: an answer of the platform after every second fault
		name   string
		fault  simulation.Fault
		filled url.Values
		shown  string
	}{
		{name: "the person refuses", filled: url.Values{"crier_answer": {"deny"}}, shown: "You did not allow it"},
		{name: "a page in place of JSON", fault: simulation.Fault{Operation: token, Status: 200, Body: `<html><script>alert(1)</script></html>`}, shown: "could not be understood"},
		{name: "nothing", fault: simulation.Fault{Operation: token, Status: 200, Body: " "}, shown: "could not be understood"},
		{name: "the code is refused", fault: simulation.Fault{Operation: token, Status: 400, Body: `{"error":"invalid_grant","error_description":"The grant is invalid"}`}, shown: "The grant is invalid"},
		{name: "another shape", fault: simulation.Fault{Operation: token, Status: 200, Body: `[{"access_token":[]}]`}, shown: "could not be understood"},
		{name: "no token", fault: simulation.Fault{Operation: token, Status: 200, Body: `{}`}, shown: "has no token"},
		{name: "the app is forgotten", fault: simulation.Fault{Operation: token, Status: 401, Body: `{"error":"invalid_client","error_description":"unknown client"}`}, shown: "unknown client"},
		{name: "too much", fault: simulation.Fault{Operation: token, Status: 200, Body: huge}, shown: "could not be understood"},
		{name: "nobody's token", fault: simulation.Fault{Operation: "GET /api/v1/accounts/verify_credentials", Status: 401, Body: `{"error":"The access token is invalid"}`}, shown: "The access token is invalid"},
		{name: "a fault", fault: simulation.Fault{Operation: token, Status: 500}, shown: "Not connected"},
		{name: "a scope is missing", filled: url.Values{"crier_scope": {"read:accounts read:statuses write:media"}}, shown: "these permissions were not granted: write:statuses"},
		{name: "a lost answer", fault: simulation.Fault{Operation: token, Lose: true}, shown: "Not connected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a.under(t)
			consent := p.begins("mastodon", "")
			if tt.fault.Operation != "" {
				a.platforms.fail(schema.Mastodon, tt.fault)
			}
			filled := url.Values{"crier_answer": {"allow"}, "crier_name": {"bob"}}
			for key, value := range tt.filled {
				filled[key] = value
			}
			ended := p.Submit(consent, filled)
			p.wantShown(ended, http.StatusBadRequest, tt.shown)
			if strings.Contains(ended.Body, "<script>") {
				t.Errorf("the platform's page is ours: %s", ended.Body)
			}
		})
	}
	a.wantAccounts(0)
	if left := a.number(`select count(*) from consents`); left != 0 {
		t.Errorf("%d consents are left", left)
	}
	question := p.allows(p.begins("mastodon", ""), "bob") // and all of that can be begun again
	p.wantShown(p.attaches(question), http.StatusOK, "Connected")
	a.wantAccounts(1)
}

func TestAPlatformThatCannotBeAskedIsTold(t *testing.T) {
	a := newAPI(t)
	const register = "POST /api/v1/apps"
	begin := func(query string, fault simulation.Fault) *answer {
		if fault.Operation != "" {
			a.platforms.fail(schema.Mastodon, fault)
		}
		return a.call(http.MethodGet, "/connect/mastodon"+query, nil)
	}
	for name, tt := range map[string]struct {
		query, field string
	}{
		"a private server": {"?server=https://10.0.0.7", "server"}, "a name of one": {"?server=internal.example", "server"},
		"this machine": {"?server=https://localhost", "server"}, "in clear": {"?server=http://mastodon.example", "server"},
		"with a user": {"?server=https://u:p@mastodon.example", "server"}, "another's brand": {"?brandId=brand_01k9sr3q5wf2g8m7r4t0v1x2y3", "brandId"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			failed := begin(tt.query, simulation.Fault{}).fails(http.StatusBadRequest, "validation_error")
			if got := failed.at("details", 0, "field").text(); got != tt.field {
				t.Errorf("field = %s: %v", got, failed)
			}
		})
	}
	for name, fault := range map[string]simulation.Fault{
		"a page":    {Operation: register, Status: 200, Body: "<html></html>"},
		"nothing":   {Operation: register, Status: 200, Body: " "},
		"no app":    {Operation: register, Status: 200, Body: "{}"},
		"too much":  {Operation: register, Status: 200, Body: strings.Repeat(" ", 2<<20)},
		"a fault":   {Operation: register, Status: 502},
		"too often": {Operation: register, Status: 429, Header: map[string]string{"Retry-After": "17"}},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			got := begin("", fault)
			got.fails(http.StatusServiceUnavailable, "unavailable")
			if wait := got.header.Get("Retry-After"); wait == "" || name == "too often" && wait != "17" {
				t.Errorf("Retry-After = %q", wait)
			}
		})
	}
	begin("", simulation.Fault{Operation: register, Status: 422, Body: `{"error":"no apps here"}`}).fails(http.StatusBadRequest, "validation_error")
	begin("", simulation.Fault{}).want(http.StatusOK)
	a.call(http.MethodGet, "/connect/bluesky", nil).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodGet, "/connect/twitter?server=https://x.example", nil).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodGet, "/connect/myspace", nil).fails(http.StatusNotFound, "not_found")
}

func TestAStateWorksOnceAndForItsOwn(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	consented := func() *url.URL { // where the platform sends the person back to
		page := p.begins("mastodon", "")
		p.Served["https://crier.example"] = a.url + "/nowhere"
		defer func() { p.Served["https://crier.example"] = a.url }()
		return p.allows(page, "alice").URL
	}
	withQuery := func(u *url.URL, name, value string) string {
		changed := *u
		query := changed.Query()
		query.Set(name, value)
		changed.RawQuery = query.Encode()
		return changed.String()
	}
	back := consented()
	p.wantShown(p.Open(withQuery(back, "state", "forged")), http.StatusGone, "has ended")
	p.wantShown(p.Open(strings.Replace(back.String(), "/mastodon/", "/twitter/", 1)), http.StatusGone, "has ended")
	p.wantShown(p.Open(back.String()), http.StatusOK, "<strong>acme</strong>")
	p.wantShown(p.Open(back.String()), http.StatusGone, "has ended") // replayed

	a.exec(`update consents set expires_at = now() - interval '1 second' where stage = $1`, schema.ConsentGranted)
	late := consented()
	a.exec(`update consents set expires_at = now() - interval '1 second'`)
	p.wantShown(p.Open(late.String()), http.StatusGone, "more than ten minutes")

	p.wantShown(p.Open(withQuery(consented(), "code", "")+"&error=invalid_scope"), http.StatusBadRequest, "invalid_scope")
	p.wantShown(p.Open(withQuery(consented(), "code", "")+"&error=%3Cscript%3E"), http.StatusBadRequest, "without a permission")
	p.wantShown(p.Open(withQuery(consented(), "code", "guessed")), http.StatusBadRequest, "Not connected")

	both := consented()
	var asked, gone atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			switch page := p.Open(both.String()); page.Status {
			case http.StatusOK:
				asked.Add(1)
			case http.StatusGone:
				gone.Add(1)
			}
		})
	}
	wait.Wait()
	if asked.Load() != 1 || gone.Load() != 3 {
		t.Errorf("of four callbacks at once %d are asked and %d too late", asked.Load(), gone.Load())
	}
	a.wantAccounts(0)
}

func TestAPersonDeclines(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	lost := func() { // the log tells of a revocation that fails
		a.platforms.fail(schema.Mastodon, simulation.Fault{Operation: "POST /oauth/revoke", Status: 500})
	}
	lost()
	question := p.allows(p.begins("mastodon", ""), "alice")
	p.wantShown(p.Submit(question, url.Values{"decision": {"decline"}}), http.StatusBadRequest, "You declined")
	p.wantShown(p.attaches(question), http.StatusGone, "has ended")
	a.wantAccounts(0)
	if n := strings.Count(a.log.String(), "were not revoked"); n != 1 {
		t.Errorf("%d revocations", n)
	}
	p.attaches(p.allows(p.begins("mastodon", ""), "alice"))
	again := p.allows(p.begins("mastodon", ""), "alice") // what is connected needs what she granted
	p.wantShown(p.Submit(again, url.Values{"decision": {"decline"}}), http.StatusBadRequest, "You declined")
	if n := strings.Count(a.log.String(), "were not revoked"); n != 1 {
		t.Errorf("%d revocations", n)
	}
	a.wantAccounts(1)
}

func TestAnAccountOfAnotherWorkspaceIsRefused(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	p.attaches(p.allows(p.begins("mastodon", ""), "alice"))
	_, a.key = a.tenant("other", "operator", schema.Admin)
	p.asker = a.key
	p.wantShown(p.allows(p.begins("mastodon", ""), "alice"), http.StatusBadRequest, "connected in another workspace")
	a.wantAccounts(0)
	question := p.allows(p.begins("mastodon", ""), "bob")
	p.wantShown(question, http.StatusOK, "<strong>other</strong>")
	a.exec(`update accounts set native_id = (select native_id || 'x' from accounts limit 1)`) // hers is elsewhere by now
	p.wantShown(p.attaches(question), http.StatusOK, "Connected")
}

func TestReconnecting(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	p.attaches(p.allows(p.begins("mastodon", ""), "alice"))
	account := a.wantAccounts(1)
	path := "/accounts/" + account.at("id").text()
	a.platforms.fail(schema.Mastodon, simulation.Fault{Operation: "GET /api/v1/accounts/verify_credentials", Status: 401})
	health := a.call(http.MethodGet, path+"/health", nil).want(http.StatusOK).at("health")
	address := health.at("reconnectUrl").text()
	if health.at("status").text() != "expired" || address == "" {
		t.Fatalf("health = %v", health)
	}
	p.Open(address) // as often as it is opened

	wrong := p.allows(p.Open(address), "bob")
	p.wantShown(wrong, http.StatusOK, "Not connected", "allowed for "+account.at("name").text(), "Try again")
	for _, code := range []string{"access_denied", "connect_failed", "other"} { // anybody can write into the address
		forged := p.Open(address + "&error=" + code + "&error_description=Telephone+us")
		p.wantShown(forged, http.StatusOK, "Not connected", "Try again")
		if strings.Contains(forged.Body, "Telephone") {
			t.Errorf("the page says what stands in its address: %s", forged.Body)
		}
	}
	a.wantAccounts(1)

	back := p.attaches(p.allows(p.Open(address), "alice"))
	p.wantShown(back, http.StatusOK, "Connected again", account.at("name").text())
	if _, token, _ := strings.Cut(address, "token="); !strings.HasSuffix(back.URL.Path, "/connect/mastodon/reconnect") || back.URL.Query().Get("token") != token {
		t.Errorf("it ends at %s, want %s", back.URL, address)
	}
	if got := a.call(http.MethodGet, path, nil).want(http.StatusOK); got.at("account", "isConnected").value != true {
		t.Errorf("account = %v", got)
	}
	a.wantEvents(schema.AccountConnected, schema.AccountError, schema.AccountConnected)

	a.allowLanding()
	query := p.sentTo(p.attaches(p.allows(p.Open(address+"&redirect="+landing), "alice")), landing)
	if query.Get("connected") != "true" || query.Get("accountId") != account.at("id").text() {
		t.Errorf("sent back with %v", query)
	}
	if page := p.Open(address + "&redirect=https://evil.example/"); page.Status != http.StatusBadRequest {
		t.Errorf("another redirect: %d %s", page.Status, page.Body)
	}
	for _, token := range []string{"", "x", strings.Repeat("0", 32), strings.Repeat("z", 32)} {
		p.wantShown(p.Open("https://crier.example/api/v1/connect/mastodon/reconnect?token="+token), http.StatusGone, "has ended")
	}
	p.wantShown(p.Open(strings.Replace(address, "mastodon", "twitter", 1)), http.StatusGone, "has ended")
	a.call(http.MethodDelete, path, nil).want(http.StatusOK)
	p.wantShown(p.Open(address), http.StatusGone, "has ended")
}

func TestPagesOfConnectingAreLimitedByAddress(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	p := a.person()
	const address = "https://crier.example/api/v1/connect/mastodon/callback?state=x"
	for range 600 {
		if page := p.Open(address); page.Status != http.StatusGone {
			t.Fatalf("%d %s", page.Status, page.Body)
		}
	}
	if page := p.Open(address); page.Status != http.StatusTooManyRequests || page.Header.Get("Retry-After") != "30" {
		t.Errorf("%d, Retry-After %q: %s", page.Status, page.Header.Get("Retry-After"), page.Body)
	}
}

func TestWaysToConnect(t *testing.T) {
	a := newAPI(t)
	ways := a.call(http.MethodGet, "/connect", nil).want(http.StatusOK).at("platforms")
	want := map[string]string{
		"twitter": "oauth true", "mastodon": "oauth true", "facebook": "oauth true", "bluesky": "app_password true", "telegram": "bot_token true",
		"linkedin": "oauth false CRIER_LINKEDIN_CLIENT_ID", "tiktok": "oauth true", "youtube": "oauth true", "pinterest": "oauth true",
	}
	for i := range ways.size() {
		way := ways.at(i)
		words := strings.SplitN(want[way.at("platform").text()], " ", 3)
		if len(words) < 2 {
			continue
		}
		delete(want, way.at("platform").text())
		if way.at("method").text() != words[0] || way.at("configured").value != (words[1] == "true") ||
			!strings.Contains(way.at("message").text(), strings.Join(words[2:], "")) {
			t.Errorf("way = %v, want %v", way, words)
		}
	}
	if ways.size() != len(schema.Platforms()) || len(want) > 0 {
		t.Errorf("%d ways, without %v", ways.size(), want)
	}
	failed := a.call(http.MethodGet, "/connect/linkedin", nil).fails(http.StatusBadRequest, "validation_error")
	if !strings.Contains(failed.at("message").text(), "CRIER_LINKEDIN_CLIENT_ID") {
		t.Errorf("failed = %v", failed)
	}
}
