package people_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway"
	"crier/gateway/accounts"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
)

func TestSessionTellsWhoIsSignedIn(t *testing.T) {
	a := gatewaytest.New(t)
	a.Request(http.MethodGet, "/session", nil).WantError(http.StatusForbidden, "forbidden") // a key is nobody
	a.RequestWith("", http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	session := ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session")
	for path, want := range map[string]any{
		"user.email": "ada@example.com", "user.name": "ada", "user.isOperator": false, "workspace.id": a.Workspace.String(), "workspace.name": "acme",
		"workspace.role": "owner", "workspace.brandIds": nil, "test": false, "workspaces.0.id": a.Workspace.String(), "csrfToken": ada.CSRFToken,
	} {
		if got := session.Dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if ada.Do(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Value == nil {
		t.Error("a member sees no posts")
	}
	ada.Do(http.MethodDelete, "/session", nil).Want(http.StatusOK)
	ada.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
}

func TestSessionCookieIsOutOfReach(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddUser("ada", people.Membership{})
	got := a.RequestWith("", http.MethodPost, "/session", `{"email": " Ada@Example.com", "password": "`+gatewaytest.Password+`"}`)
	got.WantError(http.StatusBadRequest, "validation_error")
	got = a.RequestWith("", http.MethodPost, "/session", `{"email": "Ada@Example.com", "password": "`+gatewaytest.Password+`"}`)
	got.Want(http.StatusCreated)
	cookie := got.Header.Get("Set-Cookie")
	for _, part := range []string{"__Host-crier_session=", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax", "; Max-Age=2592000"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("cookie %q lacks %q", cookie, part)
		}
	}
	token, _, _ := strings.Cut(strings.TrimPrefix(cookie, "__Host-crier_session="), ";")
	if n := a.QueryInt(`select count(*) from sessions s where s::text like '%` + token + `%'`); n != 0 || len(token) != 43 {
		t.Errorf("token %q is stored %d times", token, n)
	}
	if got.Header.Get("Cache-Control") != "no-store" {
		t.Error("the answer may be kept")
	}
}

func TestSessionBeginsAnewAtEachSignIn(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Viewer, "ada")
	before := *ada
	ada.Do(http.MethodPost, "/session", `{"email": "ada@example.com", "password": "`+gatewaytest.Password+`"}`).Want(http.StatusCreated)
	if before.Cookie == ada.Cookie || before.CSRFToken == ada.CSRFToken {
		t.Error("the token is the one before")
	}
	before.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
	ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK)
}

// TestSignInTellsNothingOfUsers compares what is said of somebody who is there with what is said of nobody.
func TestSignInTellsNothingOfUsers(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddUser("ada", people.Membership{})
	var messages []string
	for _, email := range []string{"ada@example.com", "nobody@example.com"} {
		for range people.AttemptsByEmail {
			got := a.RequestWith("", http.MethodPost, "/session", `{"email": "`+email+`", "password": "wrong words of mine"}`)
			got.WantError(http.StatusUnauthorized, "unauthorized")
			messages = append(messages, string(got.Body))
		}
		got := a.RequestWith("", http.MethodPost, "/session", `{"email": "`+email+`", "password": "`+gatewaytest.Password+`"}`)
		got.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
		if got.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	for _, other := range messages[1:] {
		if other != messages[0] {
			t.Fatalf("%s\n%s", messages[0], other)
		}
	}
}

// TestSignInByAPasswordThatChangesMeanwhile has the password changed after it was looked at, and before the
// session begins: else whoever knew it would go on beyond the change.
func TestSignInByAPasswordThatChangesMeanwhile(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Viewer, "ada")
	attempt := people.Attempt{Email: "ada@example.com", Address: "203.0.113.7/32"}
	counted, err := a.People().CountAttempt(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	changed := `{"currentPassword": "` + gatewaytest.Password + `", "newPassword": "other words of mine"}`
	ada.Do(http.MethodPatch, "/me/password", changed).Want(http.StatusOK)
	late := people.NewSession{ID: schema.NewID[schema.SessionID](a.Now()), Hash: [32]byte{1}, Address: attempt.Address, At: a.Now()}
	if err := a.People().SignIn(t.Context(), late, attempt, counted); schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("SignIn = %v", err)
	}
	if n := a.QueryInt(`select count(*) from sessions`); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// TestPasswordIsNotChangedByASessionThatHasEnded has the session end after it was looked at.
func TestPasswordIsNotChangedByASessionThatHasEnded(t *testing.T) {
	a := gatewaytest.New(t)
	user := a.AddUser("ada", people.Membership{})
	err := a.People().ChangePassword(t.Context(), user.ID, "stored", schema.NewID[schema.SessionID](a.Now()), [32]byte{1})
	if schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("ChangePassword = %v", err)
	}
	a.SignIn("ada")
}

// TestSignInByOthersDoesNotLockAUserOut has others of her network use up what it has, and what her address has. In the
// browser that she has signed in from before, that is nothing to her.
func TestSignInByOthersDoesNotLockAUserOut(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	ada, bob := a.SignInMember(a.Workspace, people.Viewer, "ada"), a.SignInMember(a.Workspace, people.Viewer, "bob")
	const right, wrong = `{"email": "ada@example.com", "password": "` + gatewaytest.Password + `"}`, `{"email": "ada@example.com", "password": "wrong words of mine"}`
	for range people.AttemptsByEmail {
		a.RequestWith("", http.MethodPost, "/session", wrong).WantError(http.StatusUnauthorized, "unauthorized")
	}
	a.RequestWith("", http.MethodPost, "/session", right).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	a.Exec(`update request_windows set used = $1 where subject = 'sign-in from 127.0.0.1/32'`, people.AttemptsByAddress)

	ada.Do(http.MethodDelete, "/session", nil).Want(http.StatusOK)
	ada.Do(http.MethodPost, "/session", wrong).WantError(http.StatusUnauthorized, "unauthorized")
	ada.Do(http.MethodPost, "/session", right).Want(http.StatusCreated)
	for name, cookie := range map[string]string{"known for another": bob.Browser, "made up": "__Host-crier_browser=YWRh", "no text": "__Host-crier_browser=?"} {
		guest := &gatewaytest.Session{API: a, Browser: cookie}
		if got := guest.Do(http.MethodPost, "/session", right); got.Status != http.StatusTooManyRequests {
			t.Errorf("a browser that is %s: %d", name, got.Status)
		}
	}

	// Whoever has taken her browser has as many attempts there as anybody else.
	for range people.AttemptsByBrowser {
		ada.Do(http.MethodPost, "/session", wrong).WantError(http.StatusUnauthorized, "unauthorized")
	}
	ada.Do(http.MethodPost, "/session", right).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	a.Exec(`delete from request_windows where subject like 'sign-in with %'`)
	before := *ada
	ada.Do(http.MethodPost, "/session", right).Want(http.StatusCreated)
	a.Advance(people.BrowserLife + time.Second)
	before.Do(http.MethodPost, "/session", right).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
}

// sealless is a vault that seals nothing more.
type sealless struct{ accounts.Vault }

func (sealless) SealText(string, string) ([]byte, error) {
	return nil, errors.New("the keyset is away")
}

// TestSignInStandsWhereItsBrowserCannotBeRemembered would else leave a session behind an error, and a link used up.
func TestSignInStandsWhereItsBrowserCannotBeRemembered(t *testing.T) {
	a := gatewaytest.New(t, func(c *gateway.Config) { c.Platforms.Vault = sealless{c.Platforms.Vault} })
	ada := a.SignInMember(a.Workspace, people.Viewer, "ada")
	ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK)
	if ada.Browser != "" || !strings.Contains(a.Logs.String(), "the keyset is away") {
		t.Errorf("the browser is %q, the log %s", ada.Browser, a.Logs)
	}
}

func TestSessionsOfOneNetworkAreBounded(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddUser("ada", people.Membership{})
	a.SignIn("ada")
	a.Exec(`insert into request_windows (subject, began_at, used) values ('sign-in from 127.0.0.1/32', now(), $1)
		on conflict (subject) do update set used = excluded.used`, people.AttemptsByAddress)
	got := a.RequestWith("", http.MethodPost, "/session", `{"email": "ada@example.com", "password": "`+gatewaytest.Password+`"}`)
	got.WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
}

func TestSessionEndsInEveryGatewayAtOnce(t *testing.T) {
	a := gatewaytest.New(t)
	other := a.Replica()
	for name, end := range map[string]func(*gatewaytest.Session){
		"signed out": func(v *gatewaytest.Session) { v.Do(http.MethodDelete, "/session", nil).Want(http.StatusOK) },
		"ended from another": func(*gatewaytest.Session) {
			elsewhere := a.SignIn("ada")
			all := elsewhere.Do(http.MethodGet, "/sessions", nil).Want(http.StatusOK).At("sessions")
			for i := range all.Len() {
				if all.At(i, "isCurrent").Value != true {
					elsewhere.Do(http.MethodDelete, "/sessions/"+all.At(i, "id").Text(), nil).Want(http.StatusOK)
				}
			}
		},
		"another password": func(*gatewaytest.Session) {
			elsewhere := a.SignIn("ada")
			before := *elsewhere
			elsewhere.Do(http.MethodPatch, "/me/password", `{"currentPassword": "`+gatewaytest.Password+`", "newPassword": "other words of mine"}`).Want(http.StatusOK)
			before.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
			elsewhere.Do(http.MethodGet, "/session", nil).Want(http.StatusOK)
		},
		"the user is gone": func(*gatewaytest.Session) {
			if err := a.People().RemoveUser(t.Context(), "ada@example.com"); err != nil {
				t.Fatal(err)
			}
		},
		"idle for three days": func(*gatewaytest.Session) { a.Exec(`update sessions set seen_at = now() - interval '73 hours'`) },
		"a month old":         func(*gatewaytest.Session) { a.Exec(`update sessions set expires_at = now()`) },
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			v := a.SignInMember(a.Workspace, people.Admin, "ada")
			v.On(other).Do(http.MethodGet, "/posts", nil).Want(http.StatusOK)
			before := *v
			end(v)
			for _, gateway := range []*gatewaytest.API{a, other} {
				before.On(gateway).Do(http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
			}
		})
	}
}

func TestSessionLosesItsWorkspaceWithTheMembership(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Admin, "ada")
	a.Exec(`update memberships set role = 1`)
	ada.Do(http.MethodGet, "/keys", nil).WantError(http.StatusForbidden, "forbidden")
	ada.Do(http.MethodGet, "/posts", nil).Want(http.StatusOK)
	a.Exec(`delete from memberships`)
	ada.Do(http.MethodGet, "/posts", nil).WantError(http.StatusForbidden, "forbidden")
	if session := ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session"); session.At("workspace").Value != nil || session.At("workspaces").Len() != 0 {
		t.Errorf("session = %v", session.Value)
	}
}

func TestSessionRefusesForgedRequests(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Editor, "ada")
	for name, tt := range map[string]struct {
		csrf    string
		headers []string
		taken   bool
	}{
		"a page of crier's own":       {ada.CSRFToken, []string{"Sec-Fetch-Site", "same-origin"}, true},
		"by its origin":               {ada.CSRFToken, []string{"Origin", "https://crier.example"}, true},
		"no browser":                  {ada.CSRFToken, nil, true},
		"without the token":           {"", []string{"Sec-Fetch-Site", "same-origin"}, false},
		"another token":               {people.CSRFToken("x"), nil, false},
		"another site":                {ada.CSRFToken, []string{"Sec-Fetch-Site", "cross-site"}, false},
		"a neighbour of the site":     {ada.CSRFToken, []string{"Sec-Fetch-Site", "same-site"}, false},
		"another site, by its origin": {ada.CSRFToken, []string{"Origin", "https://evil.example"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			headers := append([]string{"Cookie", ada.Cookie, "X-CSRF-Token", tt.csrf}, tt.headers...)
			got := a.RequestWith("", http.MethodPost, "/brands", `{"name": "`+name+`"}`, headers...)
			if tt.taken {
				got.Want(http.StatusCreated)
			} else {
				got.WantError(http.StatusForbidden, "forbidden")
			}
			a.RequestWith("", http.MethodGet, "/brands", nil, headers...).Want(http.StatusOK)
		})
	}
	a.RequestWith("", http.MethodPost, "/session", `{"email": "ada@example.com", "password": "`+gatewaytest.Password+`"}`, "Sec-Fetch-Site", "cross-site").
		WantError(http.StatusForbidden, "forbidden")
}

func TestSessionWorksOnTheSandbox(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Editor, "ada")
	ada.Do(http.MethodPost, "/brands", `{"name": "live"}`).Want(http.StatusCreated)
	turned := ada.Do(http.MethodPatch, "/session", `{"test": true}`).Want(http.StatusOK).At("session")
	if turned.At("test").Value != true || turned.At("workspace", "id").Text() != a.Workspace.String() {
		t.Errorf("session = %v", turned.Value)
	}
	if n := ada.Do(http.MethodGet, "/brands", nil).Want(http.StatusOK).At("brands").Len(); n != 0 {
		t.Errorf("the sandbox has %d brands", n)
	}
	ada.Do(http.MethodPost, "/brands", `{"name": "test"}`).Want(http.StatusCreated)
	ada.Do(http.MethodPatch, "/session", `{"test": false}`).Want(http.StatusOK)
	if brands := ada.Do(http.MethodGet, "/brands", nil).Want(http.StatusOK).At("brands"); brands.Len() != 1 || brands.At(0, "name").Text() != "live" {
		t.Errorf("brands = %v", brands.Value)
	}
}

// TestSessionRefusesWhatIsMeantElsewhere has one tab of a browser turn the session that another goes on to use.
func TestSessionRefusesWhatIsMeantElsewhere(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Editor, "ada")
	ada.Do(http.MethodPatch, "/session", `{"test": true}`).Want(http.StatusOK)
	scope := a.Workspace.String() + "/test"
	ada.Do(http.MethodPost, "/brands", `{"name": "test"}`, "X-Crier-Scope", scope).Want(http.StatusCreated)

	ada.Do(http.MethodPatch, "/session", `{"test": false}`, "X-Crier-Scope", scope).Want(http.StatusOK)
	for _, refused := range []*gatewaytest.Response{
		ada.Do(http.MethodPost, "/brands", `{"name": "stray"}`, "X-Crier-Scope", scope),
		ada.Do(http.MethodGet, "/brands", nil, "X-Crier-Scope", scope),
		ada.Do(http.MethodGet, "/brands", nil, "X-Crier-Scope", schema.NewID[schema.WorkspaceID](a.Now()).String()+"/live"),
		ada.Do(http.MethodGet, "/brands", nil, "X-Crier-Scope", "live"),
	} {
		if code := refused.WantError(http.StatusForbidden, "forbidden").At("details", 0, "code").Value; code != "scope_changed" {
			t.Errorf("the detail is %v, want scope_changed", code)
		}
	}
	ada.Do(http.MethodGet, "/session", nil, "X-Crier-Scope", scope).Want(http.StatusOK)
	live := a.Workspace.String() + "/live"
	if n := ada.Do(http.MethodGet, "/brands", nil, "X-Crier-Scope", live).Want(http.StatusOK).At("brands").Len(); n != 0 {
		t.Errorf("live has %d brands, want none", n)
	}
	a.Request(http.MethodGet, "/brands", nil, "X-Crier-Scope", scope).Want(http.StatusOK) // of a key
}

func TestSessionTurnsToOwnWorkspacesOnly(t *testing.T) {
	a := gatewaytest.New(t)
	others, _ := a.CreateWorkspace("others", "operator", schema.Read)
	second, _ := a.CreateWorkspace("second", "operator", schema.Read)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	a.AddUser("ada", people.Membership{Workspace: second, Role: people.Viewer})
	for _, id := range []string{others.String(), schema.NewID[schema.WorkspaceID](a.Now()).String()} {
		ada.Do(http.MethodPatch, "/session", `{"workspaceId": "`+id+`"}`).WantError(http.StatusNotFound, "not_found")
	}
	ada.Do(http.MethodPatch, "/session", `{"workspaceId": "acme"}`).WantError(http.StatusBadRequest, "validation_error")
	turned := ada.Do(http.MethodPatch, "/session", `{"workspaceId": "`+second.String()+`"}`).Want(http.StatusOK).At("session")
	if turned.At("workspace", "role").Text() != "viewer" || turned.At("workspaces").Len() != 2 {
		t.Errorf("session = %v", turned.Value)
	}
	ada.Do(http.MethodPost, "/brands", `{"name": "x"}`).WantError(http.StatusForbidden, "forbidden")
	if session := a.SignIn("ada").Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session"); session.At("workspace", "name").Text() != "second" {
		t.Errorf("a new session works on %v, want where the last one did", session.At("workspace").Value)
	}
}

func TestSessionsOfMembersHaveAWindowOfTheirOwn(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	small, _ := a.CreateWorkspace("small", "free", schema.Read)
	ada := a.SignInMember(small, people.Viewer, "ada")
	for range 40 { // a key of the plan has 30
		ada.Do(http.MethodGet, "/posts", nil).Want(http.StatusOK)
	}
	got := ada.Do(http.MethodGet, "/posts", nil)
	if limit, left := got.Header.Get("X-RateLimit-Limit"), got.Header.Get("X-RateLimit-Remaining"); limit != "600" || left != "559" {
		t.Errorf("limit %s, remaining %s", limit, left)
	}
}

func TestSessionsRepeatedRequestsAreTheMembersAlone(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "acme")
	ada, bob := a.SignInMember(a.Workspace, people.Editor, "ada"), a.SignInMember(a.Workspace, people.Editor, "bob")
	create := func(v *gatewaytest.Session) string {
		v.Helper()
		return v.Do(http.MethodPost, "/posts", `{"content": "once", "platforms": ["mastodon"], "status": "draft"}`, "Idempotency-Key", "k").
			Want(http.StatusCreated).At("post", "id").Text()
	}
	first := create(ada)
	if again := create(a.SignIn("ada")); again != first {
		t.Error("another session of hers does not know the request")
	}
	if other := create(bob); other == first {
		t.Error("his request is taken for hers")
	}
}

func TestAuthorsMakeDraftsAlone(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "acme")
	ada, bob := a.SignInMember(a.Workspace, people.Author, "ada"), a.SignInMember(a.Workspace, people.Editor, "bob")
	const post, thread = `{"content": "once", "platforms": ["mastodon"]`, `{"posts": [{"content": "1"}, {"content": "2"}], "platforms": ["mastodon"]`
	for _, mode := range []string{`, "publishNow": true}`, `, "scheduledFor": "` + a.In(48*time.Hour) + `"}`} {
		ada.Do(http.MethodPost, "/posts", post+mode).WantError(http.StatusBadRequest, "validation_error")
		ada.Do(http.MethodPost, "/threads", thread+mode).WantError(http.StatusBadRequest, "validation_error")
	}
	ada.Do(http.MethodPost, "/threads", thread+`, "status": "draft"}`).Want(http.StatusCreated)
	later := `{"status": "scheduled", "scheduledFor": "` + a.In(48*time.Hour) + `"}`
	draft := ada.Do(http.MethodPost, "/posts", post+`, "status": "draft"}`).Want(http.StatusCreated).At("post", "id").Text()
	ada.Do(http.MethodPatch, "/posts/"+draft, `{"content": "twice"}`).Want(http.StatusOK)
	ada.Do(http.MethodPatch, "/posts/"+draft, later).WantError(http.StatusForbidden, "forbidden")
	bob.Do(http.MethodPatch, "/posts/"+draft, later).Want(http.StatusOK)
	ada.Do(http.MethodPatch, "/posts/"+draft, `{"content": "thrice"}`).WantError(http.StatusForbidden, "forbidden")
}

func TestPeopleSignInByALinkOnce(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.AddUser("ada", people.Membership{Workspace: a.Workspace, Role: people.Viewer})
	old := a.SignIn("ada")
	token := a.CreateLink(ada.ID)
	v := &gatewaytest.Session{API: a}
	v.Do(http.MethodPost, "/session/link", `{"token": "`+token+`", "password": "too short"}`).WantError(http.StatusBadRequest, "validation_error")
	v.Do(http.MethodPost, "/session/link", `{"token": "`+token+`"}`).Want(http.StatusCreated)
	old.Do(http.MethodGet, "/session", nil).Want(http.StatusOK)
	a.RequestWith("", http.MethodPost, "/session/link", `{"token": "`+token+`"}`).WantError(http.StatusUnauthorized, "unauthorized")
	a.RequestWith("", http.MethodPost, "/session/link", `{"token": "x"}`).WantError(http.StatusUnauthorized, "unauthorized")
	for _, without := range []string{`{"token": ""}`, `{"token": " "}`, `{}`} {
		details := a.RequestWith("", http.MethodPost, "/session/link", without).WantError(http.StatusBadRequest, "validation_error").At("details")
		if details.Len() != 1 || details.At(0, "field").Text() != "token" {
			t.Errorf("%s: details = %v", without, details.Value)
		}
	}
	v.Do(http.MethodPost, "/session/link", `{"token": "`+a.CreateLink(ada.ID)+`", "password": "other words of mine"}`).Want(http.StatusCreated)
	old.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
	expired := a.CreateLink(ada.ID)
	a.Exec(`update sign_in_links set expires_at = now()`)
	a.RequestWith("", http.MethodPost, "/session/link", `{"token": "`+expired+`"}`).WantError(http.StatusUnauthorized, "unauthorized")
}

func TestPeopleBeginWithAnOwner(t *testing.T) {
	a := gatewaytest.New(t)
	a.RequestWith("", http.MethodPost, "/keys/register", `{"name": "Registered", "email": "x@example.com"}`).Want(http.StatusCreated)
	tokens := []string{a.CreateLink(schema.UserID{}), a.CreateLink(schema.UserID{})}
	body := func(token string) string {
		return fmt.Sprintf(`{"token": %q, "email": "Ada@example.com", "name": "Ada", "password": %q}`, token, gatewaytest.Password)
	}
	v := &gatewaytest.Session{API: a}
	failure := v.Do(http.MethodPost, "/session/link", `{"token": "`+tokens[0]+`"}`).WantError(http.StatusBadRequest, "validation_error")
	if failure.At("details").Len() != 3 {
		t.Errorf("details = %v", failure.At("details").Value)
	}
	v.Do(http.MethodPost, "/session/link", body(tokens[0])).Want(http.StatusCreated)
	session := v.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session")
	if session.Dotted("user.isOperator") != true || session.Dotted("workspace.name") != "acme" || session.Dotted("workspace.role") != "owner" || session.At("workspaces").Len() != 1 {
		t.Errorf("session = %v", session.Value)
	}
	if rows := a.AuditRows(v.Do(http.MethodGet, "/audit/installation", nil).Want(http.StatusOK)); !slices.Contains(rows, "user.add; user; Ada; Ada; operator:  → yes") {
		t.Errorf("the installation's log has %q", rows)
	}
	if rows := a.AuditRows(v.Do(http.MethodGet, "/audit", nil).Want(http.StatusOK)); !slices.Equal(rows, []string{"member.join; user; Ada; Ada; role:  → owner"}) {
		t.Errorf("the workspace's log has %q", rows)
	}
	a.RequestWith("", http.MethodPost, "/session/link", body(tokens[1])).WantError(http.StatusUnauthorized, "unauthorized")
	a.SignIn("ada")
}
