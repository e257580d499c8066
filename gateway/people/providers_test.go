package people_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/identity/oidc"
	"crier/schema/people"
)

func TestProvidersAreListed(t *testing.T) {
	i := newIssuer(t)
	a := gatewaytest.New(t, i.offered)
	got := a.RequestWith("", http.MethodGet, "/session/providers", nil).Want(http.StatusOK)
	if got.At("providers", 0, "name").Text() != "acme" || got.At("providers", 0, "title").Text() != "Acme" || got.At("passkeys").Value != true {
		t.Errorf("providers = %v", got.Value)
	}
	a.RequestWith("", http.MethodPost, "/session/providers/other", nil).WantError(http.StatusNotFound, "not_found")
}

func TestPasskeysNeedAnAddressThatBrowsersTakeThemAt(t *testing.T) {
	a := gatewaytest.New(t, func(c *gateway.Config) { c.Addresses.PublicURL = "http://127.0.0.1:8080" })
	if got := a.RequestWith("", http.MethodGet, "/session/providers", nil).Want(http.StatusOK); got.At("passkeys").Value != false {
		t.Errorf("providers = %v", got.Value)
	}
	a.RequestWith("", http.MethodPost, "/session/passkey/challenge", nil).WantError(http.StatusBadRequest, "invalid_state")
}

func TestProviderMakesMembersOfGroups(t *testing.T) {
	i := newIssuer(t)
	a := gatewaytest.New(t, i.offered)
	owner := a.SignInMember(a.Workspace, people.Owner, "owner")
	ada := &gatewaytest.Session{API: a}
	if page := enter(ada); page != "/sign-in?refused=not_let_in" {
		t.Fatalf("without a group: %s", page)
	}
	roleIs := func(want any) {
		t.Helper()
		session := ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session")
		if got := session.Dotted("workspace.role"); got != want || session.Dotted("method") != "provider" || session.Dotted("provider") != "acme" {
			t.Errorf("session = %v, want the role %v", session.Value, want)
		}
	}
	enter := func(want any, groups ...string) {
		t.Helper()
		i.become("ada", groups...)
		if page := enter(ada); page != "/" {
			t.Fatalf("sent to %s", page)
		}
		roleIs(want)
	}
	enter("editor", "writers", "readers", "others")
	elsewhere := *ada
	ada.Cookie = ""
	enter("viewer", "readers")
	if elsewhere.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session").Dotted("workspace.role") != "viewer" {
		t.Error("the role holds in one browser alone")
	}
	ada.Cookie = ""
	enter(nil) // no group any more
	elsewhere.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
	if line := a.Logs.String(); !strings.Contains(line, "groups have ended memberships") || !strings.Contains(line, `"workspaces":["`+a.Workspace.String()+`"]`) {
		t.Errorf("the log does not tell which memberships have ended:\n%s", line)
	}
	enter("editor", "writers")
	if n := a.QueryInt(`select count(*) from users where email = 'ada@example.com' and password is null and confirmed_at is not null and name = 'Ada L'`); n != 1 {
		t.Errorf("%d users", n)
	}
	// What people give is theirs to change.
	owner.Do(http.MethodPatch, "/members/"+a.UserID("ada"), `{"role": "admin"}`).Want(http.StatusOK)
	enter("admin", "readers")
	enter("admin")
	owner.Do(http.MethodDelete, "/members/"+a.UserID("ada"), nil).Want(http.StatusOK)
	// The last owner stays.
	ada.Cookie = ""
	enter("owner", "leads")
	ada.Do(http.MethodDelete, "/members/"+a.UserID("owner"), nil).Want(http.StatusOK)
	enter("owner", "readers")
	enter("owner")
	records := a.AuditRows(ada.Do(http.MethodGet, "/audit?action=member&limit=100", nil).Want(http.StatusOK))
	by := "; system; groups of " + i.URL + "; Ada L; role: "
	for _, want := range []string{"member.join" + by + " → editor", "member.change" + by + "editor → viewer", "member.remove" + by + "viewer → "} {
		if !slices.Contains(records, want) {
			t.Errorf("%q is not told in %q", want, records)
		}
	}
}

func TestProviderLinksInASessionAlone(t *testing.T) {
	i := newIssuer(t)
	a := gatewaytest.New(t, i.offered)
	a.SignInMember(a.Workspace, people.Owner, "owner")
	a.AddUser("ada", people.Membership{Workspace: a.Workspace, Role: people.Viewer})
	i.become("ada", "writers")
	stranger := &gatewaytest.Session{API: a}
	if page := enter(stranger); page != "/sign-in?refused=address_taken" {
		t.Fatalf("an address that a user has: %s", page)
	}
	ada := a.SignIn("ada")
	link := func(v *gatewaytest.Session) string {
		return signInAt(v, v.Do(http.MethodPost, "/me/identities", `{"provider": "acme"}`).Want(http.StatusCreated).At("url").Text())
	}
	// Another browser has what the address says, and even the cookie, but not the session.
	address := link(ada)
	stranger.Ceremony = ada.Ceremony
	if page := comeBack(stranger, address); page != "/sign-in?refused=signed_out" {
		t.Errorf("without the session: %s", page)
	}
	if page := comeBack(ada, link(ada)); page != "/you" {
		t.Fatalf("linked: %s", page)
	}
	listed := ada.Do(http.MethodGet, "/me/identities", nil).Want(http.StatusOK).At("identities")
	id := listed.At(0, "id").Text()
	if listed.Len() != 1 || listed.At(0, "provider").Text() != "acme" || listed.At(0, "email").Text() != "ada@example.com" || listed.At(0, "issuer").Text() != i.URL {
		t.Errorf("identities = %v", listed.Value)
	}
	if page := enter(stranger); page != "/" || stranger.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session").Dotted("user.id") != a.UserID("ada") {
		t.Errorf("by the identity: %s", page)
	}
	// It is nobody else's, and a user has one of an issuer.
	eve := a.SignInMember(a.Workspace, people.Viewer, "eve")
	if page := comeBack(eve, link(eve)); page != "/you?refused=linked_to_another" {
		t.Errorf("another's identity: %s", page)
	}
	i.become("grace", "leads")
	if page := comeBack(ada, link(ada)); page != "/you?refused=has_another" {
		t.Errorf("a second one: %s", page)
	}
	// What its groups gave goes with it.
	if page := comeBack(eve, link(eve)); page != "/you" {
		t.Errorf("linked: %s", page)
	}
	a.Exec(`delete from memberships where user_id = (select id from users where name = 'eve')`)
	if page := comeBack(eve, link(eve)); page != "/you" || eve.Do(http.MethodPatch, "/session", `{"workspaceId": "`+a.Workspace.String()+`"}`).Want(http.StatusOK).At("session").Dotted("workspace.role") != "owner" {
		t.Errorf("linked again: %s", page)
	}
	own := eve.Do(http.MethodGet, "/me/identities", nil).Want(http.StatusOK).At("identities", 0, "id").Text()
	eve.Do(http.MethodDelete, "/me/identities/"+own, nil).Want(http.StatusOK)
	eve.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
	a.Exec(`update users set password = null`)
	ada.Do(http.MethodDelete, "/me/identities/"+id, nil).WantError(http.StatusBadRequest, "invalid_state")
	addPasskey(ada, newAuthenticator())
	ada.Do(http.MethodDelete, "/me/identities/"+id, nil).Want(http.StatusOK)
	a.Exec(`update users set is_operator = true`)
	records := a.AuditRows(ada.Do(http.MethodGet, "/audit/installation?action=identity", nil).Want(http.StatusOK))
	for _, want := range []string{"identity.link; user; ada; ada; identity:  → " + i.URL, "identity.unlink; user; ada; ada; identity: " + i.URL + " → "} {
		if !slices.Contains(records, want) {
			t.Errorf("%q is not told in %q", want, records)
		}
	}
}

// TestProviderAnswersTheBrowserThatAsked sends what an issuer answers from elsewhere, again, too late, and changed.
func TestProviderAnswersTheBrowserThatAsked(t *testing.T) {
	i := newIssuer(t)
	i.become("ada", "writers")
	a := gatewaytest.New(t, i.offered)
	ada, eve := &gatewaytest.Session{API: a}, &gatewaytest.Session{API: a}
	refused := func(what, page string, want people.Reason) {
		t.Helper()
		if page != "/sign-in?refused="+string(want) {
			t.Errorf("%s: %s", what, page)
		}
	}
	address := signInAt(ada, depart(ada))
	refused("another browser", comeBack(eve, address), people.ReasonForeign)
	depart(eve)
	refused("another browser that has begun too", comeBack(eve, address), people.ReasonForeign)
	refused("a forged state", comeBack(ada, withParameter(ada, address, "state", "forged")), people.ReasonForeign)
	cookie := ada.Ceremony
	if page := comeBack(ada, address); page != "/" { // what was forged has not ended it
		t.Fatalf("sent to %s", page)
	}
	ada.Ceremony = cookie
	refused("again", comeBack(ada, address), people.ReasonOver)
	address = signInAt(ada, depart(ada))
	a.Exec(`update ceremonies set expires_at = now()`)
	refused("too late", comeBack(ada, address), people.ReasonOver)
	refused("another nonce", comeBack(ada, signInAt(ada, withParameter(ada, depart(ada), "nonce", "other"))), people.ReasonUnverified)
	refused("another browser's code", comeBack(ada, withParameter(ada, signInAt(ada, depart(ada)), "code", codeOf(signInAt(eve, depart(eve))))), people.ReasonOver)
	refused("no code", comeBack(ada, strings.Replace(signInAt(ada, depart(ada)), "code=", "error=access_denied&x=", 1)), people.ReasonDenied)
	refused("an answer in another issuer's name", comeBack(ada, withParameter(ada, signInAt(ada, depart(ada)), "iss", "https://other.example")), people.ReasonUnverified)
	i.users["ada"].Email = ""
	a.Exec(`delete from users`)
	refused("no address", enter(ada), people.ReasonNoAddress)
}

func codeOf(address string) string {
	_, rest, _ := strings.Cut(address, "code=")
	code, _, _ := strings.Cut(rest, "&")
	return code
}

// TestProviderThatIsDown keeps nobody from a password.
func TestProviderThatIsDown(t *testing.T) {
	i := newIssuer(t)
	s := i.settings()
	i.Close()
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Providers = []*oidc.Provider{oidc.New(s, http.DefaultTransport, time.Now)}
	})
	a.RequestWith("", http.MethodGet, "/session/providers", nil).Want(http.StatusOK)
	got := a.RequestWith("", http.MethodPost, "/session/providers/acme", nil).Want(http.StatusServiceUnavailable)
	if message := got.At("error", "message").Text(); !strings.Contains(message, "Acme cannot be reached") {
		t.Errorf("message = %q", message)
	}
	if n := a.QueryInt(`select count(*) from request_windows where subject like 'sign-in%'`); n != 0 {
		t.Error("an issuer that is down uses up attempts")
	}
	a.SignInMember(a.Workspace, people.Viewer, "ada")
}
