package gateway_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/identity/password"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
)

const words = "a few words of mine"

// visitor is a browser: it keeps its cookies, and sends the token that goes with the session's.
type visitor struct {
	*api
	cookie, csrf string
	ceremony     string // cookie of what it has begun
}

// ask sends what a page of crier's own sends.
func (v *visitor) ask(method, path string, body any, headers ...string) *answer {
	v.Helper()
	all := append([]string{"Cookie", v.cookies(), "X-CSRF-Token", v.csrf}, headers...)
	got := v.callWith("", method, path, body, all...)
	v.keep(got.header)
	var shown struct {
		CSRFToken string
		Session   struct{ CSRFToken string }
	}
	if json.Unmarshal(got.body, &shown) == nil {
		v.csrf = cmp.Or(shown.CSRFToken, shown.Session.CSRFToken, v.csrf)
	}
	return got
}

func (v *visitor) cookies() string { return v.cookie + "; " + v.ceremony }

// keep takes the cookies of an answer.
func (v *visitor) keep(header http.Header) {
	for _, set := range header.Values("Set-Cookie") {
		cookie, _, _ := strings.Cut(set, ";")
		if strings.Contains(cookie, "crier_ceremony=") {
			v.ceremony = cookie
		} else {
			v.cookie = cookie
		}
	}
}

// at is the same browser at another gateway.
func (v *visitor) at(a *api) *visitor { return &visitor{a, v.cookie, v.csrf, v.ceremony} }

// people is the store by which a test makes users.
func (a *api) people() *postgres.People { return postgres.NewPeople(a.store) }

// member makes a user who is a member of a workspace, with the password of these tests, and signs them in.
func (a *api) member(workspace schema.WorkspaceID, role people.Role, name string) *visitor {
	a.Helper()
	a.user(name, people.Membership{Workspace: workspace, Role: role})
	return a.signedIn(name)
}

func (a *api) user(name string, m people.Membership) people.User {
	a.Helper()
	u, err := a.people().AddUser(a.Context(), people.User{
		ID: schema.NewUserID(a.store.Now()), Email: name + "@example.com", Name: name, CreatedAt: a.store.Now(),
	}, m)
	if err != nil {
		a.Fatal(err)
	}
	a.exec(`update users set password = $2 where id = $1`, u.ID.Bytes(), storedWords())
	return u
}

// link makes a link that signs a user in, or makes the first owner, and returns its token.
func (a *api) link(user schema.UserID) string {
	a.Helper()
	token, err := people.NewToken(rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	hash, _ := people.HashToken(token)
	if err := a.people().CreateLink(a.Context(), people.Link{Hash: hash, User: user, ExpiresAt: a.store.Now().Add(people.LinkLife)}); err != nil {
		a.Fatal(err)
	}
	return token
}

// storedWords is what is stored of the password of these tests.
var storedWords = sync.OnceValue(func() string {
	hasher, err := password.New(rand.Reader)
	if err != nil {
		panic(err)
	}
	stored, err := hasher.Hash(context.Background(), words)
	if err != nil {
		panic(err)
	}
	return stored
})

func (a *api) signedIn(name string) *visitor {
	a.Helper()
	v := &visitor{api: a}
	v.ask(http.MethodPost, "/session", `{"email": "`+name+`@example.com", "password": "`+words+`"}`).want(http.StatusCreated)
	return v
}

func TestSessionTellsWhoIsSignedIn(t *testing.T) {
	a := newAPI(t)
	a.call(http.MethodGet, "/session", nil).fails(http.StatusForbidden, "forbidden") // a key is nobody
	a.callWith("", http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
	ada := a.member(a.workspace, people.Owner, "ada")
	session := ada.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session")
	for path, want := range map[string]any{
		"user.email": "ada@example.com", "user.name": "ada", "user.isOperator": false, "workspace.id": a.workspace.String(), "workspace.name": "acme",
		"workspace.role": "owner", "workspace.brandIds": nil, "test": false, "workspaces.0.id": a.workspace.String(), "csrfToken": ada.csrf,
	} {
		if got := session.dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if ada.ask(http.MethodGet, "/posts", nil).want(http.StatusOK).at("posts").value == nil {
		t.Error("a member sees no posts")
	}
	ada.ask(http.MethodDelete, "/session", nil).want(http.StatusOK)
	ada.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
}

func TestSessionCookieIsOutOfReach(t *testing.T) {
	a := newAPI(t)
	a.user("ada", people.Membership{})
	got := a.callWith("", http.MethodPost, "/session", `{"email": " Ada@Example.com", "password": "`+words+`"}`)
	got.fails(http.StatusBadRequest, "validation_error")
	got = a.callWith("", http.MethodPost, "/session", `{"email": "Ada@Example.com", "password": "`+words+`"}`)
	got.want(http.StatusCreated)
	cookie := got.header.Get("Set-Cookie")
	for _, part := range []string{"__Host-crier_session=", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax", "; Max-Age=2592000"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("cookie %q lacks %q", cookie, part)
		}
	}
	token, _, _ := strings.Cut(strings.TrimPrefix(cookie, "__Host-crier_session="), ";")
	if n := a.number(`select count(*) from sessions s where s::text like '%` + token + `%'`); n != 0 || len(token) != 43 {
		t.Errorf("token %q is stored %d times", token, n)
	}
	if got.header.Get("Cache-Control") != "no-store" {
		t.Error("the answer may be kept")
	}
}

func TestSessionBeginsAnewAtEachSignIn(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Viewer, "ada")
	before := *ada
	ada.ask(http.MethodPost, "/session", `{"email": "ada@example.com", "password": "`+words+`"}`).want(http.StatusCreated)
	if before.cookie == ada.cookie || before.csrf == ada.csrf {
		t.Error("the token is the one before")
	}
	before.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
	ada.ask(http.MethodGet, "/session", nil).want(http.StatusOK)
}

// TestSignInTellsNothingOfUsers compares what is said of somebody who is there with what is said of nobody.
func TestSignInTellsNothingOfUsers(t *testing.T) {
	a := newAPI(t)
	a.user("ada", people.Membership{})
	var said []string
	for _, email := range []string{"ada@example.com", "nobody@example.com"} {
		for range people.AttemptsByEmail {
			got := a.callWith("", http.MethodPost, "/session", `{"email": "`+email+`", "password": "wrong words of mine"}`)
			got.fails(http.StatusUnauthorized, "unauthorized")
			said = append(said, string(got.body))
		}
		got := a.callWith("", http.MethodPost, "/session", `{"email": "`+email+`", "password": "`+words+`"}`)
		got.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
		if got.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	for _, other := range said[1:] {
		if other != said[0] {
			t.Fatalf("%s\n%s", said[0], other)
		}
	}
}

// TestSignInByAPasswordThatChangesMeanwhile has the password changed after it was looked at, and before the
// session begins: else whoever knew it would go on beyond the change.
func TestSignInByAPasswordThatChangesMeanwhile(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Viewer, "ada")
	attempt := people.Attempt{Email: "ada@example.com", Address: "203.0.113.7/32"}
	shown, err := a.people().CountAttempt(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	changed := `{"currentPassword": "` + words + `", "newPassword": "other words of mine"}`
	ada.ask(http.MethodPatch, "/me/password", changed).want(http.StatusOK)
	late := people.NewSession{ID: schema.NewSessionID(a.now()), Hash: [32]byte{1}, Address: attempt.Address, At: a.now()}
	if err := a.people().SignIn(t.Context(), late, attempt, shown); schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("SignIn = %v", err)
	}
	if n := a.number(`select count(*) from sessions`); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// TestPasswordIsNotChangedByASessionThatHasEnded has the session end after it was looked at.
func TestPasswordIsNotChangedByASessionThatHasEnded(t *testing.T) {
	a := newAPI(t)
	user := a.user("ada", people.Membership{})
	err := a.people().ChangePassword(t.Context(), user.ID, "stored", schema.NewSessionID(a.now()), [32]byte{1})
	if schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("ChangePassword = %v", err)
	}
	a.signedIn("ada")
}

func TestSignInByOthersDoesNotLockAUserOut(t *testing.T) {
	a := newAPI(t)
	a.member(a.workspace, people.Viewer, "ada")
	wrong := `{"email": "ada@example.com", "password": "wrong words of mine"}`
	a.exec(`update sessions set address = '203.0.113.0/24'`)
	for range people.AttemptsByEmail {
		a.callWith("", http.MethodPost, "/session", wrong).fails(http.StatusUnauthorized, "unauthorized")
	}
	a.callWith("", http.MethodPost, "/session", wrong).fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	a.exec(`update sessions set address = '127.0.0.1/32'`) // she is signed in from here, as a key shows
	a.signedIn("ada")
}

func TestSessionsOfOneNetworkAreBounded(t *testing.T) {
	a := newAPI(t)
	a.user("ada", people.Membership{})
	a.signedIn("ada")
	a.exec(`insert into request_windows (subject, began_at, used) values ('sign-in from 127.0.0.1/32', now(), $1)
		on conflict (subject) do update set used = excluded.used`, people.AttemptsByAddress)
	got := a.callWith("", http.MethodPost, "/session", `{"email": "ada@example.com", "password": "`+words+`"}`)
	got.fails(http.StatusTooManyRequests, "rate_limit_exceeded")
}

func TestSessionEndsInEveryGatewayAtOnce(t *testing.T) {
	a := newAPI(t)
	other := a.another()
	for name, end := range map[string]func(*visitor){
		"signed out": func(v *visitor) { v.ask(http.MethodDelete, "/session", nil).want(http.StatusOK) },
		"ended from another": func(*visitor) {
			elsewhere := a.signedIn("ada")
			all := elsewhere.ask(http.MethodGet, "/sessions", nil).want(http.StatusOK).at("sessions")
			for i := range all.size() {
				if all.at(i, "isCurrent").value != true {
					elsewhere.ask(http.MethodDelete, "/sessions/"+all.at(i, "id").text(), nil).want(http.StatusOK)
				}
			}
		},
		"another password": func(*visitor) {
			elsewhere := a.signedIn("ada")
			before := *elsewhere
			elsewhere.ask(http.MethodPatch, "/me/password", `{"currentPassword": "`+words+`", "newPassword": "other words of mine"}`).want(http.StatusOK)
			before.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
			elsewhere.ask(http.MethodGet, "/session", nil).want(http.StatusOK)
		},
		"the user is gone": func(*visitor) {
			if err := a.people().RemoveUser(t.Context(), "ada@example.com"); err != nil {
				t.Fatal(err)
			}
		},
		"idle for three days": func(*visitor) { a.exec(`update sessions set seen_at = now() - interval '73 hours'`) },
		"a month old":         func(*visitor) { a.exec(`update sessions set expires_at = now()`) },
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			v := a.member(a.workspace, people.Admin, "ada")
			v.at(other).ask(http.MethodGet, "/posts", nil).want(http.StatusOK)
			before := *v
			end(v)
			for _, gateway := range []*api{a, other} {
				before.at(gateway).ask(http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
			}
		})
	}
}

func TestSessionLosesItsWorkspaceWithTheMembership(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Admin, "ada")
	a.exec(`update memberships set role = 1`)
	ada.ask(http.MethodGet, "/keys", nil).fails(http.StatusForbidden, "forbidden")
	ada.ask(http.MethodGet, "/posts", nil).want(http.StatusOK)
	a.exec(`delete from memberships`)
	ada.ask(http.MethodGet, "/posts", nil).fails(http.StatusForbidden, "forbidden")
	if session := ada.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session"); session.at("workspace").value != nil || session.at("workspaces").size() != 0 {
		t.Errorf("session = %v", session.value)
	}
}

func TestSessionRefusesForgedRequests(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Editor, "ada")
	for name, tt := range map[string]struct {
		csrf    string
		headers []string
		taken   bool
	}{
		"a page of crier's own":       {ada.csrf, []string{"Sec-Fetch-Site", "same-origin"}, true},
		"by its origin":               {ada.csrf, []string{"Origin", "https://crier.example"}, true},
		"no browser":                  {ada.csrf, nil, true},
		"without the token":           {"", []string{"Sec-Fetch-Site", "same-origin"}, false},
		"another token":               {people.CSRFToken("x"), nil, false},
		"another site":                {ada.csrf, []string{"Sec-Fetch-Site", "cross-site"}, false},
		"a neighbour of the site":     {ada.csrf, []string{"Sec-Fetch-Site", "same-site"}, false},
		"another site, by its origin": {ada.csrf, []string{"Origin", "https://evil.example"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			headers := append([]string{"Cookie", ada.cookie, "X-CSRF-Token", tt.csrf}, tt.headers...)
			got := a.callWith("", http.MethodPost, "/brands", `{"name": "`+name+`"}`, headers...)
			if tt.taken {
				got.want(http.StatusCreated)
			} else {
				got.fails(http.StatusForbidden, "forbidden")
			}
			a.callWith("", http.MethodGet, "/brands", nil, headers...).want(http.StatusOK)
		})
	}
	a.callWith("", http.MethodPost, "/session", `{"email": "ada@example.com", "password": "`+words+`"}`, "Sec-Fetch-Site", "cross-site").
		fails(http.StatusForbidden, "forbidden")
}

func TestSessionWorksOnTheSandbox(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Editor, "ada")
	ada.ask(http.MethodPost, "/brands", `{"name": "live"}`).want(http.StatusCreated)
	turned := ada.ask(http.MethodPatch, "/session", `{"test": true}`).want(http.StatusOK).at("session")
	if turned.at("test").value != true || turned.at("workspace", "id").text() != a.workspace.String() {
		t.Errorf("session = %v", turned.value)
	}
	if n := ada.ask(http.MethodGet, "/brands", nil).want(http.StatusOK).at("brands").size(); n != 0 {
		t.Errorf("the sandbox has %d brands", n)
	}
	ada.ask(http.MethodPost, "/brands", `{"name": "test"}`).want(http.StatusCreated)
	ada.ask(http.MethodPatch, "/session", `{"test": false}`).want(http.StatusOK)
	if brands := ada.ask(http.MethodGet, "/brands", nil).want(http.StatusOK).at("brands"); brands.size() != 1 || brands.at(0, "name").text() != "live" {
		t.Errorf("brands = %v", brands.value)
	}
}

func TestSessionTurnsToOwnWorkspacesOnly(t *testing.T) {
	a := newAPI(t)
	others, _ := a.tenant("others", "operator", schema.Read)
	second, _ := a.tenant("second", "operator", schema.Read)
	ada := a.member(a.workspace, people.Owner, "ada")
	a.user("ada", people.Membership{Workspace: second, Role: people.Viewer})
	for _, id := range []string{others.String(), schema.NewWorkspaceID(a.now()).String()} {
		ada.ask(http.MethodPatch, "/session", `{"workspaceId": "`+id+`"}`).fails(http.StatusNotFound, "not_found")
	}
	ada.ask(http.MethodPatch, "/session", `{"workspaceId": "acme"}`).fails(http.StatusBadRequest, "validation_error")
	turned := ada.ask(http.MethodPatch, "/session", `{"workspaceId": "`+second.String()+`"}`).want(http.StatusOK).at("session")
	if turned.at("workspace", "role").text() != "viewer" || turned.at("workspaces").size() != 2 {
		t.Errorf("session = %v", turned.value)
	}
	ada.ask(http.MethodPost, "/brands", `{"name": "x"}`).fails(http.StatusForbidden, "forbidden")
	if session := a.signedIn("ada").ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session"); session.at("workspace", "name").text() != "second" {
		t.Errorf("a new session works on %v, want where the last one did", session.at("workspace").value)
	}
}

func TestSessionsOfMembersHaveAWindowOfTheirOwn(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	small, _ := a.tenant("small", "free", schema.Read)
	ada := a.member(small, people.Viewer, "ada")
	for range 40 { // a key of the plan has 30
		ada.ask(http.MethodGet, "/posts", nil).want(http.StatusOK)
	}
	got := ada.ask(http.MethodGet, "/posts", nil)
	if limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining"); limit != "600" || left != "559" {
		t.Errorf("limit %s, remaining %s", limit, left)
	}
}

func TestSessionsRepeatedRequestsAreTheMembersAlone(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "acme")
	ada, bob := a.member(a.workspace, people.Editor, "ada"), a.member(a.workspace, people.Editor, "bob")
	create := func(v *visitor) string {
		v.Helper()
		return v.ask(http.MethodPost, "/posts", `{"content": "once", "platforms": ["mastodon"], "status": "draft"}`, "Idempotency-Key", "k").
			want(http.StatusCreated).at("post", "id").text()
	}
	first := create(ada)
	if again := create(a.signedIn("ada")); again != first {
		t.Error("another session of hers does not know the request")
	}
	if other := create(bob); other == first {
		t.Error("his request is taken for hers")
	}
}

func TestAuthorsMakeDraftsAlone(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "acme")
	ada, bob := a.member(a.workspace, people.Author, "ada"), a.member(a.workspace, people.Editor, "bob")
	const post, thread = `{"content": "once", "platforms": ["mastodon"]`, `{"posts": [{"content": "1"}, {"content": "2"}], "platforms": ["mastodon"]`
	for _, mode := range []string{`, "publishNow": true}`, `, "scheduledFor": "` + a.in(48*time.Hour) + `"}`} {
		ada.ask(http.MethodPost, "/posts", post+mode).fails(http.StatusBadRequest, "validation_error")
		ada.ask(http.MethodPost, "/threads", thread+mode).fails(http.StatusBadRequest, "validation_error")
	}
	ada.ask(http.MethodPost, "/threads", thread+`, "status": "draft"}`).want(http.StatusCreated)
	later := `{"status": "scheduled", "scheduledFor": "` + a.in(48*time.Hour) + `"}`
	draft := ada.ask(http.MethodPost, "/posts", post+`, "status": "draft"}`).want(http.StatusCreated).at("post", "id").text()
	ada.ask(http.MethodPatch, "/posts/"+draft, `{"content": "twice"}`).want(http.StatusOK)
	ada.ask(http.MethodPatch, "/posts/"+draft, later).fails(http.StatusForbidden, "forbidden")
	bob.ask(http.MethodPatch, "/posts/"+draft, later).want(http.StatusOK)
	ada.ask(http.MethodPatch, "/posts/"+draft, `{"content": "thrice"}`).fails(http.StatusForbidden, "forbidden")
}

func TestPeopleSignInByALinkOnce(t *testing.T) {
	a := newAPI(t)
	ada := a.user("ada", people.Membership{Workspace: a.workspace, Role: people.Viewer})
	old := a.signedIn("ada")
	token := a.link(ada.ID)
	v := &visitor{api: a}
	v.ask(http.MethodPost, "/session/link", `{"token": "`+token+`", "password": "too short"}`).fails(http.StatusBadRequest, "validation_error")
	v.ask(http.MethodPost, "/session/link", `{"token": "`+token+`"}`).want(http.StatusCreated)
	old.ask(http.MethodGet, "/session", nil).want(http.StatusOK)
	a.callWith("", http.MethodPost, "/session/link", `{"token": "`+token+`"}`).fails(http.StatusUnauthorized, "unauthorized")
	a.callWith("", http.MethodPost, "/session/link", `{"token": "x"}`).fails(http.StatusUnauthorized, "unauthorized")
	v.ask(http.MethodPost, "/session/link", `{"token": "`+a.link(ada.ID)+`", "password": "other words of mine"}`).want(http.StatusCreated)
	old.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
	expired := a.link(ada.ID)
	a.exec(`update sign_in_links set expires_at = now()`)
	a.callWith("", http.MethodPost, "/session/link", `{"token": "`+expired+`"}`).fails(http.StatusUnauthorized, "unauthorized")
}

func TestPeopleBeginWithAnOwner(t *testing.T) {
	a := newAPI(t)
	a.callWith("", http.MethodPost, "/keys/register", `{"name": "Registered", "email": "x@example.com"}`).want(http.StatusCreated)
	tokens := []string{a.link(schema.UserID{}), a.link(schema.UserID{})}
	body := func(token string) string {
		return fmt.Sprintf(`{"token": %q, "email": "Ada@example.com", "name": "Ada", "password": %q}`, token, words)
	}
	v := &visitor{api: a}
	failure := v.ask(http.MethodPost, "/session/link", `{"token": "`+tokens[0]+`"}`).fails(http.StatusBadRequest, "validation_error")
	if failure.at("details").size() != 3 {
		t.Errorf("details = %v", failure.at("details").value)
	}
	v.ask(http.MethodPost, "/session/link", body(tokens[0])).want(http.StatusCreated)
	session := v.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session")
	if session.dotted("user.isOperator") != true || session.dotted("workspace.name") != "acme" || session.dotted("workspace.role") != "owner" || session.at("workspaces").size() != 1 {
		t.Errorf("session = %v", session.value)
	}
	a.callWith("", http.MethodPost, "/session/link", body(tokens[1])).fails(http.StatusUnauthorized, "unauthorized")
	a.signedIn("ada")
}
