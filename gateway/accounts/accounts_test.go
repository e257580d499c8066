package accounts_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	mastodonsim "crier/connectors/simulators/mastodon"
	"crier/connectors/simulators/simulation"
	"crier/gateway/gatewaytest"
	"crier/schema"
)

// eventTypes returns the types of the events that were announced, in order.
func eventTypes(a *gatewaytest.API) []schema.EventType {
	var types []schema.EventType
	for _, batch := range a.Events() {
		for _, e := range batch.Events {
			types = append(types, e.Type)
		}
	}
	return types
}

func wantEvents(a *gatewaytest.API, want ...schema.EventType) {
	a.Helper()
	got := eventTypes(a)
	if len(got) != len(want) {
		a.Fatalf("events = %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			a.Fatalf("events = %v, want %v", got, want)
		}
	}
}

func TestConnectingChecksAndStores(t *testing.T) {
	for name, tt := range map[string]struct {
		path, body string
		list       bool
		platform   string
		profile    string
	}{
		"bluesky":  {"/connect/bluesky", gatewaytest.BlueskyLogin, false, "bluesky", "alice.example.com"},
		"mastodon": {"/connect/mastodon", `{"accessToken": "secret-token"}`, false, "mastodon", "@"},
		"telegram": {"/connect/telegram/channels", `{"botToken": "1:secret-token", "chatId": "@acme_news"}`, true, "telegram", "@acme_news"},
	} {
		t.Run(name, func(t *testing.T) {
			a := gatewaytest.New(t)
			got := a.Request(http.MethodPost, tt.path, tt.body)
			first := got.Want(http.StatusCreated)
			account := first.At("account")
			if tt.list {
				account = first.At("accounts", 0)
			}
			if account.At("platform").Text() != tt.platform || !strings.Contains(account.At("name").Text(), tt.profile) {
				t.Errorf("account = %v", account)
			}
			if strings.Contains(string(got.Body), "secret") || strings.Contains(string(got.Body), "abcd-efgh") {
				t.Errorf("the answer shows the credentials: %s", got.Body)
			}
			wantEvents(a, schema.AccountConnected)
			a.Request(http.MethodPost, tt.path, tt.body).Want(http.StatusOK) // the same again
			wantEvents(a, schema.AccountConnected)
			accounts := a.Request(http.MethodGet, "/accounts", nil).Want(http.StatusOK)
			if accounts.At("accounts").Len() != 1 || accounts.At("accounts", 0, "id").Text() != account.At("id").Text() {
				t.Errorf("accounts = %v", accounts)
			}
			if strings.Contains(a.Logs.String(), "secret") {
				t.Errorf("the log shows the credentials: %s", a.Logs)
			}
		})
	}
}

// Handles that are copied from a page come with marks of direction and blanks (social-app #8451,
// bridgy-fed #1958, atproto.py #517).
func TestPastedCredentialsAreTidied(t *testing.T) {
	a := gatewaytest.New(t)
	for pasted, want := range map[string]string{
		"acme4.bsky.social ":                    "acme4.bsky.social",
		"\u2066acme6.bsky.social\u2069":         "acme6.bsky.social",
		" \u202a@acme7.bsky.social\u202c\u200b": "acme7.bsky.social",
	} {
		login, err := json.Marshal(map[string]string{"identifier": pasted, "password": " aaaa-bbbb-cccc-dddd\n"})
		if err != nil {
			t.Fatal(err)
		}
		name := a.Request(http.MethodPost, "/connect/bluesky", string(login)).Want(http.StatusCreated).At("account", "name").Text()
		if name != want {
			t.Errorf("%+q is connected as %q", pasted, name)
		}
	}
}

func TestConnectingAgainBringsAnAccountBack(t *testing.T) {
	a := gatewaytest.New(t)
	id := a.Request(http.MethodPost, "/connect/bluesky", gatewaytest.BlueskyLogin).Want(http.StatusCreated).At("account", "id").Text()
	a.Exec(`update accounts set needs_reconnect = true`)
	if got := a.Request(http.MethodGet, "/accounts/"+id, nil).Want(http.StatusOK); got.At("account", "isConnected").Value != false {
		t.Errorf("account = %v", got)
	}
	again := a.Request(http.MethodPost, "/connect/bluesky", strings.Replace(gatewaytest.BlueskyLogin, "mnop", "qrst", 1)).Want(http.StatusOK)
	if again.At("account", "id").Text() != id || again.At("account", "needsReconnect").Value != false {
		t.Errorf("account = %v, want %s back", again, id)
	}
	a.Request(http.MethodDelete, "/accounts/"+id, nil).Want(http.StatusOK)
	a.Request(http.MethodGet, "/accounts/"+id, nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodDelete, "/accounts/"+id, nil).WantError(http.StatusNotFound, "not_found")
	back := a.Request(http.MethodPost, "/connect/bluesky", gatewaytest.BlueskyLogin).Want(http.StatusCreated)
	if back.At("account", "id").Text() != id {
		t.Errorf("account = %v, want %s back", back, id)
	}
	wantEvents(a, schema.AccountConnected, schema.AccountConnected, schema.AccountDisconnected, schema.AccountConnected)
}

func TestConnectingNamesTheFieldAtFault(t *testing.T) {
	a := gatewaytest.New(t)
	for name, tt := range map[string]struct {
		path, body string
		platform   schema.Platform
		fault      simulation.Fault
		field      string
	}{
		"no password":          {"/connect/bluesky", `{"identifier": "a.example.com"}`, 0, simulation.Fault{}, "password"},
		"a wrong password":     {"/connect/bluesky", gatewaytest.BlueskyLogin, schema.Bluesky, simulation.Fault{Operation: "com.atproto.server.createSession", Status: 401, Body: `{"error": "AuthenticationRequired", "message": "Invalid identifier or password"}`}, "password"},
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
			a.Under(t)
			if tt.platform != 0 {
				a.Platforms.Inject(tt.platform, tt.fault)
			}
			failed := a.Request(http.MethodPost, tt.path, tt.body).WantError(http.StatusBadRequest, "validation_error")
			if got := failed.At("details", 0, "field").Text(); got != tt.field {
				t.Errorf("field = %s, want %s: %v", got, tt.field, failed)
			}
		})
	}
	if got := a.Request(http.MethodGet, "/accounts", nil).Want(http.StatusOK).At("accounts").Len(); got != 0 {
		t.Errorf("%d accounts were stored", got)
	}
}

// Channels are checked some at a time: a bot of twenty is connected though its platform is slow.
func TestManySlowChannelsAreConnected(t *testing.T) {
	a := gatewaytest.New(t)
	chats := make([]string, 20)
	for i := range chats {
		chats[i] = fmt.Sprintf(`"@channel_%d"`, i)
	}
	a.Platforms.Inject(schema.Telegram, simulation.Fault{Operation: "getChat", Times: len(chats), Delay: 650})
	connected := a.Request(http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:a", "chatIds": [`+strings.Join(chats, ",")+`]}`).Want(http.StatusCreated).At("accounts")
	for i := range chats {
		if got := connected.At(i, "nativeId").Text() + connected.At(i, "name").Text(); !strings.Contains(got, fmt.Sprintf("@channel_%d", i)) {
			t.Errorf("account %d is %v", i, connected.At(i))
		}
	}
}

func TestAPlanLimitsItsAccounts(t *testing.T) {
	a := gatewaytest.New(t)
	_, key := a.CreateWorkspace("small", "free", schema.Admin)
	connect := func(chats string) *gatewaytest.Response {
		return a.RequestWith(key, http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:a", "chatIds": [`+chats+`]}`)
	}
	connect(`"@first", "@second", "@third"`).WantError(http.StatusForbidden, "plan_limit_reached")
	connect(`"@first", "@second"`).Want(http.StatusCreated)
	connect(`"@third"`).WantError(http.StatusForbidden, "plan_limit_reached")
	connect(`"@first"`).Want(http.StatusOK)
	accounts := a.RequestWith(key, http.MethodGet, "/accounts", nil).Want(http.StatusOK)
	a.RequestWith(key, http.MethodDelete, "/accounts/"+accounts.At("accounts", 0, "id").Text(), nil).Want(http.StatusOK)
	connect(`"@third"`).Want(http.StatusCreated)
}

func TestHealthIsThePlatforms(t *testing.T) {
	a := gatewaytest.New(t)
	id := a.Request(http.MethodPost, "/connect/mastodon", `{"accessToken": "t"}`).Want(http.StatusCreated).At("account", "id").Text()
	health := func() gatewaytest.JSON {
		return a.Request(http.MethodGet, "/accounts/"+id+"/health", nil).Want(http.StatusOK).At("health")
	}
	if got := health(); got.At("status").Text() != "healthy" {
		t.Errorf("health = %v", got)
	}
	postsAreHeldToTheServersLimits(a, health)
	a.Platforms.Inject(schema.Mastodon, simulation.Fault{Status: 503})
	if got := health(); got.At("status").Text() != "error" || got.At("needsReconnect").Value != false {
		t.Errorf("health behind a failing server = %v", got)
	}
	a.Platforms.Inject(schema.Mastodon, simulation.Fault{Status: 401})
	if got := health(); got.At("status").Text() != "expired" || !strings.Contains(got.At("reconnectUrl").Text(), "/connect/mastodon/reconnect?token=") {
		t.Errorf("health of a revoked token = %v", got)
	}
	wantEvents(a, schema.AccountConnected, schema.AccountError)
	a.Request(http.MethodPost, "/connect/bluesky", gatewaytest.BlueskyLogin).Want(http.StatusCreated)
	all := a.Request(http.MethodGet, "/accounts/health", nil).Want(http.StatusOK)
	for key, want := range map[string]float64{"total": 2, "healthy": 1, "expired": 1, "error": 0} {
		if got := all.At("summary", key).Value; got != want {
			t.Errorf("%s = %v, want %v: %v", key, got, want, all)
		}
	}
}

// A check that takes all its time leaves enough to find the page where the account is connected again.
func TestAnAccountThatCannotBeCheckedNowHasItsPage(t *testing.T) {
	a := gatewaytest.New(t)
	id := a.Request(http.MethodPost, "/connect/twitter", `{"accessToken": "t"}`).Want(http.StatusCreated).At("account", "id").Text()
	a.Platforms.Inject(schema.Twitter, simulation.Fault{Operation: "GET /2/users/me", Delay: 8000})
	health := a.Request(http.MethodGet, "/accounts/"+id+"/health", nil).Want(http.StatusOK).At("health")
	if address := health.At("reconnectUrl").Text(); health.At("status").Text() != "error" || !strings.Contains(address, "/connect/twitter/reconnect?token=") {
		t.Errorf("health = %v", health)
	}
}

// postsAreHeldToTheServersLimits has the server of the only account take other texts than it
// did, which a look at the account's health brings.
func postsAreHeldToTheServersLimits(a *gatewaytest.API, look func() gatewaytest.JSON) {
	a.Helper()
	validated := func(characters int) gatewaytest.JSON {
		return a.Request(http.MethodPost, "/posts/validate", `{"content": "`+gatewaytest.Zeros(characters)+`", "platforms": ["mastodon"]}`).Want(http.StatusOK).At("validation")
	}
	for _, maximum := range []int{5000, 300} {
		server := mastodonsim.Usual()
		server.Text = maximum
		mastodonsim.Allow(a.Platforms.Sandbox.World(schema.Mastodon), server)
		look()
		if got := validated(maximum); got.At("isValid").Value != true || got.At("platforms", "mastodon", "maxLength").Value != float64(maximum) {
			a.Errorf("%d characters: %v", maximum, got)
		}
		address := strings.TrimPrefix(a.Platforms.BaseURLs[schema.Mastodon], "http://")
		host, _, _ := strings.Cut(address, "/")
		want := fmt.Sprintf("mastodon (%s) takes at most %d characters, the text has %d", host, maximum, maximum+1)
		if got := validated(maximum + 1); got.At("errors", 0, "message").Text() != want {
			a.Errorf("one more: %v, want %q", got, want)
		}
		refused := a.Request(http.MethodPost, "/posts", `{"content": "`+gatewaytest.Zeros(maximum+1)+`", "platforms": ["mastodon"], "status": "draft"}`).
			WantError(http.StatusBadRequest, "validation_error")
		if got := refused.At("details", 0, "message").Text(); got != want {
			a.Errorf("a creation is refused for %q, want %q", got, want)
		}
	}
}

// Who connects without a permission to read is told what is not read, until it is granted.
func TestHealthNamesWhatIsNotRead(t *testing.T) {
	a := gatewaytest.New(t)
	p := a.Person()
	missing := func() gatewaytest.JSON {
		listed := a.WantAccounts(1)
		return a.Request(http.MethodGet, "/accounts/"+listed.At("id").Text()+"/health", nil).Want(http.StatusOK).At("health")
	}
	fewer := url.Values{"crier_answer": {"allow"}, "crier_name": {"alice"}, "crier_scope": {"read:accounts read:statuses write:media write:statuses"}}
	p.Attach(p.Submit(p.Begin("mastodon", ""), fewer))
	health := missing()
	if detail := health.At("missingPermissions", 0); health.At("status").Text() != "healthy" || detail.At("what").Text() != "mentions" ||
		detail.At("permissions", 0).Text() != "read:notifications" || detail.At("partly").Value != false || detail.At("askedOnConsent").Value != true {
		t.Errorf("health = %v", health)
	}
	p.Attach(p.Allow(p.Open(health.At("reconnectUrl").Text()), "alice"))
	if health := missing().Value.(map[string]any); health["missingPermissions"] != nil || health["reconnectUrl"] != nil {
		t.Errorf("connected again, health = %v", health)
	}
}

func TestAWorkspaceHasUpToAThousandBrands(t *testing.T) {
	a := gatewaytest.New(t)
	last := a.Request(http.MethodPost, "/brands", `{"name": "last"}`).Want(http.StatusCreated).At("brand", "id").Text()
	a.Exec(`insert into brands (id, workspace_id, name, created_at, updated_at)
		select gen_random_uuid(), workspace_id, name || n, created_at, updated_at from brands, generate_series(1, 998) n`)
	a.Request(http.MethodPost, "/brands", `{"name": "one more"}`).Want(http.StatusCreated)
	a.Request(http.MethodPost, "/brands", `{"name": "two more"}`).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodDelete, "/brands/"+last, nil).Want(http.StatusOK)
	a.Request(http.MethodPost, "/brands", `{"name": "two more"}`).Want(http.StatusCreated)
}

func TestBrandsGroupAccounts(t *testing.T) {
	a := gatewaytest.New(t)
	brand := a.Request(http.MethodPost, "/brands", `{"name": " Acme "}`).Want(http.StatusCreated).At("brand", "id").Text()
	a.Request(http.MethodPost, "/brands", `{"name": "ACME"}`).WantError(http.StatusBadRequest, "validation_error")
	a.Request(http.MethodPatch, "/brands/"+brand, `{"name": "Acme Europe"}`).Want(http.StatusOK)
	if got := a.Request(http.MethodGet, "/brands", nil).Want(http.StatusOK); got.At("brands").Len() != 1 || got.At("brands", 0, "name").Text() != "Acme Europe" {
		t.Errorf("brands = %v", got)
	}
	account := a.AddAccount(a.Workspace, schema.Mastodon, "alice").String()
	a.AddAccount(a.Workspace, schema.Mastodon, "bob")
	in := a.Request(http.MethodPatch, "/accounts/"+account, `{"brandId": "`+brand+`"}`).Want(http.StatusOK)
	if in.At("account", "brandName").Text() != "Acme Europe" {
		t.Errorf("account = %v", in)
	}
	if got := a.Request(http.MethodGet, "/accounts?brandId="+brand, nil).Want(http.StatusOK).At("accounts").Len(); got != 1 {
		t.Errorf("%d accounts of the brand, want 1", got)
	}
	a.Request(http.MethodPost, "/posts", map[string]any{"content": "x", "platforms": []any{map[string]any{"platform": "mastodon", "accountId": account}},
		"status": "draft", "brandId": brand}).Want(http.StatusCreated)
	a.Request(http.MethodDelete, "/brands/"+brand, nil).Want(http.StatusOK)
	a.Request(http.MethodGet, "/brands/"+brand, nil).WantError(http.StatusNotFound, "not_found")
	a.Request(http.MethodPost, "/posts", map[string]any{"content": "y", "platforms": []any{map[string]any{"platform": "mastodon", "accountId": account}},
		"status": "draft", "brandId": brand}).WantError(http.StatusBadRequest, "validation_error")
	if got := a.Request(http.MethodGet, "/accounts/"+account, nil).Want(http.StatusOK); got.At("account", "brandId").Value != nil {
		t.Errorf("account = %v, want no brand", got)
	}
}

func TestPostsSeeAtOnceWhichAccountsThereAre(t *testing.T) {
	a := gatewaytest.New(t)
	post := func(n int, target any) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/posts", map[string]any{"content": fmt.Sprint(n), "platforms": []any{target}, "status": "draft"})
	}
	first := a.Request(http.MethodPost, "/connect/mastodon", `{"accessToken": "one"}`).Want(http.StatusCreated).At("account", "id").Text()
	post(1, "mastodon").Want(http.StatusCreated)
	second := a.Request(http.MethodPost, "/connect/mastodon", `{"accessToken": "two"}`).Want(http.StatusCreated).At("account", "id").Text()
	post(2, "mastodon").WantError(http.StatusBadRequest, "account_ambiguous")
	a.Request(http.MethodDelete, "/accounts/"+first, nil).Want(http.StatusOK)
	post(3, map[string]any{"platform": "mastodon", "accountId": first}).WantError(http.StatusBadRequest, "validation_error")
	if got := post(4, "mastodon").Want(http.StatusCreated).At("post", "platforms", 0, "accountId").Text(); got != second {
		t.Errorf("posted to %s, want %s, the only account left", got, second)
	}
}

func TestAccountsAndBrandsAreTheirWorkspaces(t *testing.T) {
	a := gatewaytest.New(t)
	brand := a.Request(http.MethodPost, "/brands", `{"name": "Acme"}`).Want(http.StatusCreated).At("brand", "id").Text()
	account := a.AddAccount(a.Workspace, schema.Mastodon, "alice").String()
	other, key := a.CreateWorkspace("other", "operator", schema.Admin)
	theirs := a.AddAccount(other, schema.Mastodon, "mallory").String()
	for _, operation := range []struct{ method, path, body string }{
		{http.MethodGet, "/accounts/" + account, ""}, {http.MethodGet, "/accounts/" + account + "/health", ""},
		{http.MethodPatch, "/accounts/" + account, `{"name": "x"}`}, {http.MethodDelete, "/accounts/" + account, ""},
		{http.MethodPost, "/accounts/" + account + "/pause", ""}, {http.MethodPost, "/accounts/" + account + "/resume", ""},
		{http.MethodGet, "/brands/" + brand, ""}, {http.MethodPatch, "/brands/" + brand, `{"name": "x"}`},
		{http.MethodDelete, "/brands/" + brand, ""},
	} {
		a.RequestWith(key, operation.method, operation.path, operation.body).WantError(http.StatusNotFound, "not_found")
	}
	a.RequestWith(key, http.MethodPatch, "/accounts/"+theirs, `{"brandId": "`+brand+`"}`).WantError(http.StatusBadRequest, "validation_error")
	if got := a.RequestWith(key, http.MethodGet, "/accounts?brandId="+brand, nil).Want(http.StatusOK).At("accounts").Len(); got != 0 {
		t.Errorf("%d accounts of another's brand", got)
	}
}
