package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	mastodonsim "crier/connectors/simulators/mastodon"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// eventTypes returns the types of the events that were announced, in order.
func (a *api) eventTypes() []schema.EventType {
	var types []schema.EventType
	for _, batch := range a.events() {
		for _, e := range batch.Events {
			types = append(types, e.Type)
		}
	}
	return types
}

func (a *api) wantEvents(want ...schema.EventType) {
	a.Helper()
	got := a.eventTypes()
	if len(got) != len(want) {
		a.Fatalf("events = %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			a.Fatalf("events = %v, want %v", got, want)
		}
	}
}

const blueskyLogin = `{"identifier": "alice.example.com", "password": "abcd-efgh-ijkl-mnop"}`

func TestConnectingChecksAndStores(t *testing.T) {
	for name, tt := range map[string]struct {
		path, body string
		list       bool
		platform   string
		shown      string
	}{
		"bluesky":  {"/connect/bluesky", blueskyLogin, false, "bluesky", "alice.example.com"},
		"mastodon": {"/connect/mastodon", `{"accessToken": "secret-token"}`, false, "mastodon", "@"},
		"telegram": {"/connect/telegram/channels", `{"botToken": "1:secret-token", "chatId": "@acme_news"}`, true, "telegram", "@acme_news"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			got := a.call(http.MethodPost, tt.path, tt.body)
			first := got.want(http.StatusCreated)
			account := first.at("account")
			if tt.list {
				account = first.at("accounts", 0)
			}
			if account.at("platform").text() != tt.platform || !strings.Contains(account.at("name").text(), tt.shown) {
				t.Errorf("account = %v", account)
			}
			if strings.Contains(string(got.body), "secret") || strings.Contains(string(got.body), "abcd-efgh") {
				t.Errorf("the answer shows the credentials: %s", got.body)
			}
			a.wantEvents(schema.AccountConnected)
			a.call(http.MethodPost, tt.path, tt.body).want(http.StatusOK) // the same again
			a.wantEvents(schema.AccountConnected)
			accounts := a.call(http.MethodGet, "/accounts", nil).want(http.StatusOK)
			if accounts.at("accounts").size() != 1 || accounts.at("accounts", 0, "id").text() != account.at("id").text() {
				t.Errorf("accounts = %v", accounts)
			}
			if strings.Contains(a.log.String(), "secret") {
				t.Errorf("the log shows the credentials: %s", a.log)
			}
		})
	}
}

// Handles that are copied from a page come with marks of direction and blanks (social-app #8451,
// bridgy-fed #1958, atproto.py #517).
func TestPastedCredentialsAreTidied(t *testing.T) {
	a := newAPI(t)
	for pasted, want := range map[string]string{
		"acme4.bsky.social ":                    "acme4.bsky.social",
		"\u2066acme6.bsky.social\u2069":         "acme6.bsky.social",
		" \u202a@acme7.bsky.social\u202c\u200b": "acme7.bsky.social",
	} {
		login, err := json.Marshal(map[string]string{"identifier": pasted, "password": " aaaa-bbbb-cccc-dddd\n"})
		if err != nil {
			t.Fatal(err)
		}
		name := a.call(http.MethodPost, "/connect/bluesky", string(login)).want(http.StatusCreated).at("account", "name").text()
		if name != want {
			t.Errorf("%+q is connected as %q", pasted, name)
		}
	}
}

func TestConnectingAgainBringsAnAccountBack(t *testing.T) {
	a := newAPI(t)
	id := a.call(http.MethodPost, "/connect/bluesky", blueskyLogin).want(http.StatusCreated).at("account", "id").text()
	a.exec(`update accounts set needs_reconnect = true`)
	if got := a.call(http.MethodGet, "/accounts/"+id, nil).want(http.StatusOK); got.at("account", "isConnected").value != false {
		t.Errorf("account = %v", got)
	}
	again := a.call(http.MethodPost, "/connect/bluesky", strings.Replace(blueskyLogin, "mnop", "qrst", 1)).want(http.StatusOK)
	if again.at("account", "id").text() != id || again.at("account", "needsReconnect").value != false {
		t.Errorf("account = %v, want %s back", again, id)
	}
	a.call(http.MethodDelete, "/accounts/"+id, nil).want(http.StatusOK)
	a.call(http.MethodGet, "/accounts/"+id, nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodDelete, "/accounts/"+id, nil).fails(http.StatusNotFound, "not_found")
	back := a.call(http.MethodPost, "/connect/bluesky", blueskyLogin).want(http.StatusCreated)
	if back.at("account", "id").text() != id {
		t.Errorf("account = %v, want %s back", back, id)
	}
	a.wantEvents(schema.AccountConnected, schema.AccountConnected, schema.AccountDisconnected, schema.AccountConnected)
}

func TestConnectingNamesTheFieldAtFault(t *testing.T) {
	a := newAPI(t)
	for name, tt := range map[string]struct {
		path, body string
		platform   schema.Platform
		fault      simulation.Fault
		field      string
	}{
		"no password":          {"/connect/bluesky", `{"identifier": "a.example.com"}`, 0, simulation.Fault{}, "password"},
		"a wrong password":     {"/connect/bluesky", blueskyLogin, schema.Bluesky, simulation.Fault{Operation: "com.atproto.server.createSession", Status: 401, Body: `{"error": "AuthenticationRequired", "message": "Invalid identifier or password"}`}, "password"},
		"a private server":     {"/connect/mastodon", `{"accessToken": "t", "server": "https://10.0.0.7"}`, 0, simulation.Fault{}, "server"},
		"a server in clear":    {"/connect/mastodon", `{"accessToken": "t", "server": "http://mastodon.example"}`, 0, simulation.Fault{}, "server"},
		"a server with a key":  {"/connect/mastodon", `{"accessToken": "t", "server": "https://u:p@mastodon.example"}`, 0, simulation.Fault{}, "server"},
		"a token of two lines": {"/connect/mastodon", `{"accessToken": "a\nb"}`, 0, simulation.Fault{}, "accessToken"},
		"an empty token":       {"/connect/telegram/channels", `{"botToken": "", "chatId": "@a"}`, 0, simulation.Fault{}, "botToken"},
		"a revoked token":      {"/connect/mastodon", `{"accessToken": "t"}`, schema.Mastodon, simulation.Fault{Status: 401}, "accessToken"},
		"a chat nowhere":       {"/connect/telegram/channels", `{"botToken": "1:a", "chatIds": ["@acme_news", "nowhere"]}`, 0, simulation.Fault{}, "chatIds[1]"},
		"no chat":              {"/connect/telegram/channels", `{"botToken": "1:a"}`, 0, simulation.Fault{}, "chatId"},
		"another's brand":      {"/connect/mastodon", `{"accessToken": "t", "brandId": "brand_01k9sr3q5wf2g8m7r4t0v1x2y3"}`, 0, simulation.Fault{}, "brandId"},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			if tt.platform != 0 {
				a.platforms.fail(tt.platform, tt.fault)
			}
			failed := a.call(http.MethodPost, tt.path, tt.body).fails(http.StatusBadRequest, "validation_error")
			if got := failed.at("details", 0, "field").text(); got != tt.field {
				t.Errorf("field = %s, want %s: %v", got, tt.field, failed)
			}
		})
	}
	if got := a.call(http.MethodGet, "/accounts", nil).want(http.StatusOK).at("accounts").size(); got != 0 {
		t.Errorf("%d accounts were stored", got)
	}
}

// Channels are checked some at a time: a bot of twenty is connected though its platform is slow.
func TestManySlowChannelsAreConnected(t *testing.T) {
	a := newAPI(t)
	chats := make([]string, 20)
	for i := range chats {
		chats[i] = fmt.Sprintf(`"@channel_%d"`, i)
	}
	a.platforms.fail(schema.Telegram, simulation.Fault{Operation: "getChat", Times: len(chats), Delay: 650})
	connected := a.call(http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:a", "chatIds": [`+strings.Join(chats, ",")+`]}`).want(http.StatusCreated).at("accounts")
	for i := range chats {
		if got := connected.at(i, "nativeId").text() + connected.at(i, "name").text(); !strings.Contains(got, fmt.Sprintf("@channel_%d", i)) {
			t.Errorf("account %d is %v", i, connected.at(i))
		}
	}
}

func TestAPlanLimitsItsAccounts(t *testing.T) {
	a := newAPI(t)
	_, key := a.tenant("small", "free", schema.Admin)
	connect := func(chats string) *answer {
		return a.callWith(key, http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:a", "chatIds": [`+chats+`]}`)
	}
	connect(`"@first", "@second", "@third"`).fails(http.StatusForbidden, "plan_limit_reached")
	connect(`"@first", "@second"`).want(http.StatusCreated)
	connect(`"@third"`).fails(http.StatusForbidden, "plan_limit_reached")
	connect(`"@first"`).want(http.StatusOK)
	accounts := a.callWith(key, http.MethodGet, "/accounts", nil).want(http.StatusOK)
	a.callWith(key, http.MethodDelete, "/accounts/"+accounts.at("accounts", 0, "id").text(), nil).want(http.StatusOK)
	connect(`"@third"`).want(http.StatusCreated)
}

func TestHealthIsThePlatforms(t *testing.T) {
	a := newAPI(t)
	id := a.call(http.MethodPost, "/connect/mastodon", `{"accessToken": "t"}`).want(http.StatusCreated).at("account", "id").text()
	health := func() tree {
		return a.call(http.MethodGet, "/accounts/"+id+"/health", nil).want(http.StatusOK).at("health")
	}
	if got := health(); got.at("status").text() != "healthy" {
		t.Errorf("health = %v", got)
	}
	a.postsAreHeldToTheServersLimits(health)
	a.platforms.fail(schema.Mastodon, simulation.Fault{Status: 503})
	if got := health(); got.at("status").text() != "error" || got.at("needsReconnect").value != false {
		t.Errorf("health behind a failing server = %v", got)
	}
	a.platforms.fail(schema.Mastodon, simulation.Fault{Status: 401})
	if got := health(); got.at("status").text() != "expired" || !strings.Contains(got.at("reconnectUrl").text(), "/connect/mastodon/reconnect?token=") {
		t.Errorf("health of a revoked token = %v", got)
	}
	a.wantEvents(schema.AccountConnected, schema.AccountError)
	a.call(http.MethodPost, "/connect/bluesky", blueskyLogin).want(http.StatusCreated)
	all := a.call(http.MethodGet, "/accounts/health", nil).want(http.StatusOK)
	for key, want := range map[string]float64{"total": 2, "healthy": 1, "expired": 1, "error": 0} {
		if got := all.at("summary", key).value; got != want {
			t.Errorf("%s = %v, want %v: %v", key, got, want, all)
		}
	}
}

// A check that takes all its time leaves enough to find the page where the account is connected again.
func TestAnAccountThatCannotBeCheckedNowHasItsPage(t *testing.T) {
	a := newAPI(t)
	id := a.call(http.MethodPost, "/connect/twitter", `{"accessToken": "t"}`).want(http.StatusCreated).at("account", "id").text()
	a.platforms.fail(schema.Twitter, simulation.Fault{Operation: "GET /2/users/me", Delay: 8000})
	health := a.call(http.MethodGet, "/accounts/"+id+"/health", nil).want(http.StatusOK).at("health")
	if address := health.at("reconnectUrl").text(); health.at("status").text() != "error" || !strings.Contains(address, "/connect/twitter/reconnect?token=") {
		t.Errorf("health = %v", health)
	}
}

// postsAreHeldToTheServersLimits has the server of the only account take other texts than it
// did, which a look at the account's health brings.
func (a *api) postsAreHeldToTheServersLimits(look func() tree) {
	a.Helper()
	validated := func(characters int) tree {
		return a.call(http.MethodPost, "/posts/validate", `{"content": "`+long(characters)+`", "platforms": ["mastodon"]}`).want(http.StatusOK).at("validation")
	}
	for _, most := range []int{5000, 300} {
		server := mastodonsim.Usual()
		server.Text = most
		mastodonsim.Allow(a.platforms.sandbox.World(schema.Mastodon), server)
		look()
		if got := validated(most); got.at("isValid").value != true || got.at("platforms", "mastodon", "maxLength").value != float64(most) {
			a.Errorf("%d characters: %v", most, got)
		}
		address := strings.TrimPrefix(a.platforms.bases[schema.Mastodon], "http://")
		host, _, _ := strings.Cut(address, "/")
		want := fmt.Sprintf("mastodon (%s) takes at most %d characters, the text has %d", host, most, most+1)
		if got := validated(most + 1); got.at("errors", 0, "message").text() != want {
			a.Errorf("one more: %v, want %q", got, want)
		}
		refused := a.call(http.MethodPost, "/posts", `{"content": "`+long(most+1)+`", "platforms": ["mastodon"], "status": "draft"}`).
			fails(http.StatusBadRequest, "validation_error")
		if got := refused.at("details", 0, "message").text(); got != want {
			a.Errorf("a creation is refused for %q, want %q", got, want)
		}
	}
}

// Who connects without a permission to read is told what is not read, until it is granted.
func TestHealthNamesWhatIsNotRead(t *testing.T) {
	a := newAPI(t)
	p := a.person()
	missing := func() tree {
		listed := a.wantAccounts(1)
		return a.call(http.MethodGet, "/accounts/"+listed.at("id").text()+"/health", nil).want(http.StatusOK).at("health")
	}
	fewer := url.Values{"crier_answer": {"allow"}, "crier_name": {"alice"}, "crier_scope": {"read:accounts read:statuses write:media write:statuses"}}
	p.attaches(p.Submit(p.begins("mastodon", ""), fewer))
	health := missing()
	if one := health.at("missingPermissions", 0); health.at("status").text() != "healthy" || one.at("what").text() != "mentions" ||
		one.at("permissions", 0).text() != "read:notifications" || one.at("partly").value != false || one.at("askedOnConsent").value != true {
		t.Errorf("health = %v", health)
	}
	p.attaches(p.allows(p.Open(health.at("reconnectUrl").text()), "alice"))
	if health := missing().value.(map[string]any); health["missingPermissions"] != nil || health["reconnectUrl"] != nil {
		t.Errorf("connected again, health = %v", health)
	}
}

func TestAWorkspaceHasUpToAThousandBrands(t *testing.T) {
	a := newAPI(t)
	last := a.call(http.MethodPost, "/brands", `{"name": "last"}`).want(http.StatusCreated).at("brand", "id").text()
	a.exec(`insert into brands (id, workspace_id, name, created_at, updated_at)
		select gen_random_uuid(), workspace_id, name || n, created_at, updated_at from brands, generate_series(1, 998) n`)
	a.call(http.MethodPost, "/brands", `{"name": "one more"}`).want(http.StatusCreated)
	a.call(http.MethodPost, "/brands", `{"name": "two more"}`).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodDelete, "/brands/"+last, nil).want(http.StatusOK)
	a.call(http.MethodPost, "/brands", `{"name": "two more"}`).want(http.StatusCreated)
}

func TestBrandsGroupAccounts(t *testing.T) {
	a := newAPI(t)
	brand := a.call(http.MethodPost, "/brands", `{"name": " Acme "}`).want(http.StatusCreated).at("brand", "id").text()
	a.call(http.MethodPost, "/brands", `{"name": "ACME"}`).fails(http.StatusBadRequest, "validation_error")
	a.call(http.MethodPatch, "/brands/"+brand, `{"name": "Acme Europe"}`).want(http.StatusOK)
	if got := a.call(http.MethodGet, "/brands", nil).want(http.StatusOK); got.at("brands").size() != 1 || got.at("brands", 0, "name").text() != "Acme Europe" {
		t.Errorf("brands = %v", got)
	}
	account := a.connect(a.workspace, schema.Mastodon, "alice").String()
	a.connect(a.workspace, schema.Mastodon, "bob")
	in := a.call(http.MethodPatch, "/accounts/"+account, `{"brandId": "`+brand+`"}`).want(http.StatusOK)
	if in.at("account", "brandName").text() != "Acme Europe" {
		t.Errorf("account = %v", in)
	}
	if got := a.call(http.MethodGet, "/accounts?brandId="+brand, nil).want(http.StatusOK).at("accounts").size(); got != 1 {
		t.Errorf("%d accounts of the brand, want 1", got)
	}
	a.call(http.MethodPost, "/posts", map[string]any{"content": "x", "platforms": []any{map[string]any{"platform": "mastodon", "accountId": account}},
		"status": "draft", "brandId": brand}).want(http.StatusCreated)
	a.call(http.MethodDelete, "/brands/"+brand, nil).want(http.StatusOK)
	a.call(http.MethodGet, "/brands/"+brand, nil).fails(http.StatusNotFound, "not_found")
	a.call(http.MethodPost, "/posts", map[string]any{"content": "y", "platforms": []any{map[string]any{"platform": "mastodon", "accountId": account}},
		"status": "draft", "brandId": brand}).fails(http.StatusBadRequest, "validation_error")
	if got := a.call(http.MethodGet, "/accounts/"+account, nil).want(http.StatusOK); got.at("account", "brandId").value != nil {
		t.Errorf("account = %v, want no brand", got)
	}
}

func TestPostsSeeAtOnceWhichAccountsThereAre(t *testing.T) {
	a := newAPI(t)
	post := func(n int, target any) *answer {
		return a.call(http.MethodPost, "/posts", map[string]any{"content": fmt.Sprint(n), "platforms": []any{target}, "status": "draft"})
	}
	first := a.call(http.MethodPost, "/connect/mastodon", `{"accessToken": "one"}`).want(http.StatusCreated).at("account", "id").text()
	post(1, "mastodon").want(http.StatusCreated)
	second := a.call(http.MethodPost, "/connect/mastodon", `{"accessToken": "two"}`).want(http.StatusCreated).at("account", "id").text()
	post(2, "mastodon").fails(http.StatusBadRequest, "account_ambiguous")
	a.call(http.MethodDelete, "/accounts/"+first, nil).want(http.StatusOK)
	post(3, map[string]any{"platform": "mastodon", "accountId": first}).fails(http.StatusBadRequest, "validation_error")
	if got := post(4, "mastodon").want(http.StatusCreated).at("post", "platforms", 0, "accountId").text(); got != second {
		t.Errorf("posted to %s, want %s, the only account left", got, second)
	}
}

func TestAccountsAndBrandsAreTheirWorkspaces(t *testing.T) {
	a := newAPI(t)
	brand := a.call(http.MethodPost, "/brands", `{"name": "Acme"}`).want(http.StatusCreated).at("brand", "id").text()
	account := a.connect(a.workspace, schema.Mastodon, "alice").String()
	other, key := a.tenant("other", "operator", schema.Admin)
	theirs := a.connect(other, schema.Mastodon, "mallory").String()
	for _, operation := range []struct{ method, path, body string }{
		{http.MethodGet, "/accounts/" + account, ""}, {http.MethodGet, "/accounts/" + account + "/health", ""},
		{http.MethodPatch, "/accounts/" + account, `{"name": "x"}`}, {http.MethodDelete, "/accounts/" + account, ""},
		{http.MethodGet, "/brands/" + brand, ""}, {http.MethodPatch, "/brands/" + brand, `{"name": "x"}`},
		{http.MethodDelete, "/brands/" + brand, ""},
	} {
		a.callWith(key, operation.method, operation.path, operation.body).fails(http.StatusNotFound, "not_found")
	}
	a.callWith(key, http.MethodPatch, "/accounts/"+theirs, `{"brandId": "`+brand+`"}`).fails(http.StatusBadRequest, "validation_error")
	if got := a.callWith(key, http.MethodGet, "/accounts?brandId="+brand, nil).want(http.StatusOK).at("accounts").size(); got != 0 {
		t.Errorf("%d accounts of another's brand", got)
	}
}
