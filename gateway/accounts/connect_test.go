package accounts_test

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

func TestAPersonConnectsAnAccount(t *testing.T) {
	for platform, called := range map[string]string{"mastodon": "Mastodon", "twitter": "X"} {
		t.Run(platform, func(t *testing.T) {
			a := gatewaytest.New(t)
			p := a.Person()
			question := p.Allow(p.Begin(platform, ""), "alice")
			p.WantPage(question, http.StatusOK, "<strong>acme</strong>", " on "+called)
			a.WantAccounts(0) // consent alone attaches nothing
			p.WantPage(p.Attach(question), http.StatusOK, "Connected", "acme")
			account := a.WantAccounts(1)
			if account.At("platform").Text() != platform || !strings.Contains(question.Body, account.At("name").Text()) {
				t.Errorf("account = %v, asked for %s", account, question.Body)
			}
			wantEvents(a, schema.AccountConnected)
			p.WantPage(p.Attach(question), http.StatusGone, "has ended") // the form once more
			if log := a.Logs.String(); strings.Contains(log, "state=") || strings.Contains(log, "granted.") {
				t.Errorf("the log has secrets: %s", log)
			}
		})
	}
}

func allowLanding(a *gatewaytest.API, further ...string) {
	a.Helper()
	a.Request(http.MethodPut, "/connect/redirects", map[string]any{"redirects": append([]string{gatewaytest.Landing}, further...)}).Want(http.StatusOK)
}

func TestAPersonEndsWhereTheirSiteWantsThem(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	allowLanding(a, gatewaytest.Landing+"?kept=1")
	if got := a.Request(http.MethodGet, "/connect/redirects", nil).Want(http.StatusOK).At("redirects"); got.Len() != 2 || got.At(0).Text() != gatewaytest.Landing {
		t.Errorf("redirects = %v", got)
	}
	query := p.WantRedirect(p.Attach(p.Allow(p.Begin("mastodon", "?redirect="+url.QueryEscape(gatewaytest.Landing+"?kept=1")), "alice")), gatewaytest.Landing)
	account := a.WantAccounts(1)
	if query.Get("connected") != "true" || query.Get("accountId") != account.At("id").Text() || query.Get("platform") != "mastodon" || query.Get("kept") != "1" {
		t.Errorf("sent back with %v", query)
	}
	denied := p.Submit(p.Begin("mastodon", "?redirect="+gatewaytest.Landing), url.Values{"crier_answer": {"deny"}})
	if query := p.WantRedirect(denied, gatewaytest.Landing); query.Get("error") != "access_denied" || query.Get("error_description") == "" || query.Has("connected") {
		t.Errorf("sent back with %v", query)
	}
	for name, address := range map[string]string{
		"another address": "https://evil.example/", "more of it": gatewaytest.Landing + "/more", "with a query": gatewaytest.Landing + "?x=1", "no address": "javascript:alert(1)",
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			failed := a.Request(http.MethodGet, "/connect/mastodon?redirect="+url.QueryEscape(address), nil).WantError(http.StatusBadRequest, "validation_error")
			if failed.At("details", 0, "code").Text() != "redirect_not_allowed" {
				t.Errorf("failed = %v", failed)
			}
		})
	}
	for name, address := range map[string]any{
		"in clear": "http://app.example/", "a path": "/connected", "a script": "javascript:alert(1)", "a fragment": gatewaytest.Landing + "#x",
		"a user": "https://user@app.example/", "no text": 7,
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			failed := a.Request(http.MethodPut, "/connect/redirects", map[string]any{"redirects": []any{address}}).WantError(http.StatusBadRequest, "validation_error")
			if failed.At("details", 0, "field").Text() != "redirects[0]" {
				t.Errorf("failed = %v", failed)
			}
		})
	}
}

func TestAPlatformsAnswerIsLookedInto(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	const token = "POST /oauth/token"
	huge := `{"access_token":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, tt := range []struct { // an order in which no breaker opens: an answer of the platform after every second fault
		name   string
		fault  simulation.Fault
		filled url.Values
		page   string
	}{
		{name: "the person refuses", filled: url.Values{"crier_answer": {"deny"}}, page: "You did not allow it"},
		{name: "a page in place of JSON", fault: simulation.Fault{Operation: token, Status: 200, Body: `<html><script>alert(1)</script></html>`}, page: "could not be understood"},
		{name: "nothing", fault: simulation.Fault{Operation: token, Status: 200, Body: " "}, page: "could not be understood"},
		{name: "the code is refused", fault: simulation.Fault{Operation: token, Status: 400, Body: `{"error":"invalid_grant","error_description":"The grant is invalid"}`}, page: "The grant is invalid"},
		{name: "another shape", fault: simulation.Fault{Operation: token, Status: 200, Body: `[{"access_token":[]}]`}, page: "could not be understood"},
		{name: "no token", fault: simulation.Fault{Operation: token, Status: 200, Body: `{}`}, page: "has no token"},
		{name: "the app is forgotten", fault: simulation.Fault{Operation: token, Status: 401, Body: `{"error":"invalid_client","error_description":"unknown client"}`}, page: "unknown client"},
		{name: "too much", fault: simulation.Fault{Operation: token, Status: 200, Body: huge}, page: "could not be understood"},
		{name: "nobody's token", fault: simulation.Fault{Operation: "GET /api/v1/accounts/verify_credentials", Status: 401, Body: `{"error":"The access token is invalid"}`}, page: "The access token is invalid"},
		{name: "a fault", fault: simulation.Fault{Operation: token, Status: 500}, page: "Not connected"},
		{name: "a scope is missing", filled: url.Values{"crier_scope": {"read:accounts read:statuses write:media"}}, page: "these permissions were not granted: write:statuses"},
		{name: "a lost answer", fault: simulation.Fault{Operation: token, Lose: true}, page: "Not connected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a.Under(t)
			consent := p.Begin("mastodon", "")
			if tt.fault.Operation != "" {
				a.Platforms.Inject(schema.Mastodon, tt.fault)
			}
			filled := url.Values{"crier_answer": {"allow"}, "crier_name": {"bob"}}
			for key, value := range tt.filled {
				filled[key] = value
			}
			ended := p.Submit(consent, filled)
			p.WantPage(ended, http.StatusBadRequest, tt.page)
			if strings.Contains(ended.Body, "<script>") {
				t.Errorf("the platform's page is ours: %s", ended.Body)
			}
		})
	}
	a.WantAccounts(0)
	if left := a.QueryInt(`select count(*) from consents`); left != 0 {
		t.Errorf("%d consents are left", left)
	}
	question := p.Allow(p.Begin("mastodon", ""), "bob") // and all of that can be begun again
	p.WantPage(p.Attach(question), http.StatusOK, "Connected")
	a.WantAccounts(1)
}

func TestAPlatformThatCannotBeAskedIsTold(t *testing.T) {
	a := gatewaytest.New(t)
	const register = "POST /api/v1/apps"
	begin := func(query string, fault simulation.Fault) *gatewaytest.Response {
		if fault.Operation != "" {
			a.Platforms.Inject(schema.Mastodon, fault)
		}
		return a.Request(http.MethodGet, "/connect/mastodon"+query, nil)
	}
	for name, tt := range map[string]struct {
		query, field string
	}{
		"a private server": {"?server=https://10.0.0.7", "server"}, "a name of one": {"?server=internal.example", "server"},
		"this machine": {"?server=https://localhost", "server"}, "in clear": {"?server=http://mastodon.example", "server"},
		"with a user": {"?server=https://u:p@mastodon.example", "server"}, "another's brand": {"?brandId=brand_01k9sr3q5wf2g8m7r4t0v1x2y3", "brandId"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			failed := begin(tt.query, simulation.Fault{}).WantError(http.StatusBadRequest, "validation_error")
			if got := failed.At("details", 0, "field").Text(); got != tt.field {
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
			a.Under(t)
			got := begin("", fault)
			got.WantError(http.StatusServiceUnavailable, "unavailable")
			if wait := got.Header.Get("Retry-After"); wait == "" || name == "too often" && wait != "17" {
				t.Errorf("Retry-After = %q", wait)
			}
		})
	}
	begin("", simulation.Fault{Operation: register, Status: 422, Body: `{"error":"no apps here"}`}).WantError(http.StatusBadRequest, "validation_error")
	begin("", simulation.Fault{}).Want(http.StatusOK)
	a.Request(http.MethodGet, "/connect/bluesky", nil).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodGet, "/connect/twitter?server=https://x.example", nil).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodGet, "/connect/myspace", nil).WantError(http.StatusNotFound, "not_found")
}

func TestAStateWorksOnceAndForItsOwn(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	consented := func() *url.URL { // where the platform sends the person back to
		page := p.Begin("mastodon", "")
		p.Served["https://crier.example"] = a.URL + "/nowhere"
		defer func() { p.Served["https://crier.example"] = a.URL }()
		return p.Allow(page, "alice").URL
	}
	withQuery := func(u *url.URL, name, value string) string {
		changed := *u
		query := changed.Query()
		query.Set(name, value)
		changed.RawQuery = query.Encode()
		return changed.String()
	}
	back := consented()
	p.WantPage(p.Open(withQuery(back, "state", "forged")), http.StatusGone, "has ended")
	p.WantPage(p.Open(strings.Replace(back.String(), "/mastodon/", "/twitter/", 1)), http.StatusGone, "has ended")
	p.WantPage(p.Open(back.String()), http.StatusOK, "<strong>acme</strong>")
	p.WantPage(p.Open(back.String()), http.StatusGone, "has ended") // replayed

	a.Exec(`update consents set expires_at = now() - interval '1 second' where stage = $1`, schema.ConsentGranted)
	late := consented()
	a.Exec(`update consents set expires_at = now() - interval '1 second'`)
	p.WantPage(p.Open(late.String()), http.StatusGone, "more than ten minutes")

	p.WantPage(p.Open(withQuery(consented(), "code", "")+"&error=invalid_scope"), http.StatusBadRequest, "invalid_scope")
	p.WantPage(p.Open(withQuery(consented(), "code", "")+"&error=%3Cscript%3E"), http.StatusBadRequest, "without a permission")
	p.WantPage(p.Open(withQuery(consented(), "code", "guessed")), http.StatusBadRequest, "Not connected")

	both := consented()
	var exchanges, gone atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			switch page := p.Open(both.String()); page.Status {
			case http.StatusOK:
				exchanges.Add(1)
			case http.StatusGone:
				gone.Add(1)
			}
		})
	}
	wait.Wait()
	if exchanges.Load() != 1 || gone.Load() != 3 {
		t.Errorf("of four callbacks at once %d are asked and %d too late", exchanges.Load(), gone.Load())
	}
	a.WantAccounts(0)
}

func TestAPersonDeclines(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	lost := func() { // the log tells of a revocation that fails
		a.Platforms.Inject(schema.Mastodon, simulation.Fault{Operation: "POST /oauth/revoke", Status: 500})
	}
	lost()
	question := p.Allow(p.Begin("mastodon", ""), "alice")
	p.WantPage(p.Submit(question, url.Values{"decision": {"decline"}}), http.StatusBadRequest, "You declined")
	p.WantPage(p.Attach(question), http.StatusGone, "has ended")
	a.WantAccounts(0)
	if n := strings.Count(a.Logs.String(), "were not revoked"); n != 1 {
		t.Errorf("%d revocations", n)
	}
	p.Attach(p.Allow(p.Begin("mastodon", ""), "alice"))
	again := p.Allow(p.Begin("mastodon", ""), "alice") // what is connected needs what she granted
	p.WantPage(p.Submit(again, url.Values{"decision": {"decline"}}), http.StatusBadRequest, "You declined")
	if n := strings.Count(a.Logs.String(), "were not revoked"); n != 1 {
		t.Errorf("%d revocations", n)
	}
	a.WantAccounts(1)
}

func TestAnAccountOfAnotherWorkspaceIsRefused(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	p.Attach(p.Allow(p.Begin("mastodon", ""), "alice"))
	_, a.Key = a.CreateWorkspace("other", "operator", schema.Admin)
	p.WorkspaceKey = a.Key
	p.WantPage(p.Allow(p.Begin("mastodon", ""), "alice"), http.StatusBadRequest, "connected in another workspace")
	a.WantAccounts(0)
	question := p.Allow(p.Begin("mastodon", ""), "bob")
	p.WantPage(question, http.StatusOK, "<strong>other</strong>")
	a.Exec(`update accounts set native_id = (select native_id || 'x' from accounts limit 1)`) // hers is elsewhere by now
	p.WantPage(p.Attach(question), http.StatusOK, "Connected")
}

func TestReconnecting(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	p.Attach(p.Allow(p.Begin("mastodon", ""), "alice"))
	account := a.WantAccounts(1)
	path := "/accounts/" + account.At("id").Text()
	a.Platforms.Inject(schema.Mastodon, simulation.Fault{Operation: "GET /api/v1/accounts/verify_credentials", Status: 401})
	health := a.Request(http.MethodGet, path+"/health", nil).Want(http.StatusOK).At("health")
	address := health.At("reconnectUrl").Text()
	if health.At("status").Text() != "expired" || address == "" {
		t.Fatalf("health = %v", health)
	}
	p.Open(address) // as often as it is opened

	wrong := p.Allow(p.Open(address), "bob")
	p.WantPage(wrong, http.StatusOK, "Not connected", "allowed for "+account.At("name").Text(), "Try again")
	for _, code := range []string{"access_denied", "connect_failed", "other"} { // anybody can write into the address
		forged := p.Open(address + "&error=" + code + "&error_description=Telephone+us")
		p.WantPage(forged, http.StatusOK, "Not connected", "Try again")
		if strings.Contains(forged.Body, "Telephone") {
			t.Errorf("the page says what stands in its address: %s", forged.Body)
		}
	}
	a.WantAccounts(1)

	back := p.Attach(p.Allow(p.Open(address), "alice"))
	p.WantPage(back, http.StatusOK, "Connected again", account.At("name").Text())
	if _, token, _ := strings.Cut(address, "token="); !strings.HasSuffix(back.URL.Path, "/connect/mastodon/reconnect") || back.URL.Query().Get("token") != token {
		t.Errorf("it ends at %s, want %s", back.URL, address)
	}
	if got := a.Request(http.MethodGet, path, nil).Want(http.StatusOK); got.At("account", "isConnected").Value != true {
		t.Errorf("account = %v", got)
	}
	wantEvents(a, schema.AccountConnected, schema.AccountError, schema.AccountConnected)

	allowLanding(a)
	query := p.WantRedirect(p.Attach(p.Allow(p.Open(address+"&redirect="+gatewaytest.Landing), "alice")), gatewaytest.Landing)
	if query.Get("connected") != "true" || query.Get("accountId") != account.At("id").Text() {
		t.Errorf("sent back with %v", query)
	}
	if page := p.Open(address + "&redirect=https://evil.example/"); page.Status != http.StatusBadRequest {
		t.Errorf("another redirect: %d %s", page.Status, page.Body)
	}
	for _, token := range []string{"", "x", strings.Repeat("0", 32), strings.Repeat("z", 32)} {
		p.WantPage(p.Open("https://crier.example/api/v1/connect/mastodon/reconnect?token="+token), http.StatusGone, "has ended")
	}
	p.WantPage(p.Open(strings.Replace(address, "mastodon", "twitter", 1)), http.StatusGone, "has ended")
	a.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
	p.WantPage(p.Open(address), http.StatusGone, "has ended")
}

func TestPagesOfConnectingAreLimitedByAddress(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	p := a.Person()
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
	a := gatewaytest.New(t)
	ways := a.Request(http.MethodGet, "/connect", nil).Want(http.StatusOK).At("platforms")
	want := map[string]string{
		"twitter": "oauth true", "mastodon": "oauth true", "facebook": "oauth true", "bluesky": "app_password true", "telegram": "bot_token true",
		"linkedin": "oauth false CRIER_LINKEDIN_CLIENT_ID", "tiktok": "oauth true", "youtube": "oauth true", "pinterest": "oauth true",
	}
	for i := range ways.Len() {
		way := ways.At(i)
		words := strings.SplitN(want[way.At("platform").Text()], " ", 3)
		if len(words) < 2 {
			continue
		}
		delete(want, way.At("platform").Text())
		if way.At("method").Text() != words[0] || way.At("configured").Value != (words[1] == "true") ||
			!strings.Contains(way.At("message").Text(), strings.Join(words[2:], "")) {
			t.Errorf("way = %v, want %v", way, words)
		}
	}
	if ways.Len() != len(schema.Platforms()) || len(want) > 0 {
		t.Errorf("%d ways, without %v", ways.Len(), want)
	}
	failed := a.Request(http.MethodGet, "/connect/linkedin", nil).WantError(http.StatusBadRequest, "validation_error")
	if !strings.Contains(failed.At("message").Text(), "CRIER_LINKEDIN_CLIENT_ID") {
		t.Errorf("failed = %v", failed)
	}
}
