package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway"
	"crier/identity/oidc"
	"crier/schema/people"
)

func TestProvidersAreListed(t *testing.T) {
	i := newIssuer(t)
	a := newAPI(t, i.offered)
	got := a.callWith("", http.MethodGet, "/session/providers", nil).want(http.StatusOK)
	if got.at("providers", 0, "name").text() != "acme" || got.at("providers", 0, "title").text() != "Acme" || got.at("passkeys").value != true {
		t.Errorf("providers = %v", got.value)
	}
	a.callWith("", http.MethodPost, "/session/providers/other", nil).fails(http.StatusNotFound, "not_found")
}

func TestPasskeysNeedAnAddressThatBrowsersTakeThemAt(t *testing.T) {
	a := newAPI(t, func(c *gateway.Config) { c.Addresses.PublicURL = "http://127.0.0.1:8080" })
	if got := a.callWith("", http.MethodGet, "/session/providers", nil).want(http.StatusOK); got.at("passkeys").value != false {
		t.Errorf("providers = %v", got.value)
	}
	a.callWith("", http.MethodPost, "/session/passkey/challenge", nil).fails(http.StatusBadRequest, "invalid_state")
}

func TestProviderMakesMembersOfGroups(t *testing.T) {
	i := newIssuer(t)
	a := newAPI(t, i.offered)
	owner := a.member(a.workspace, people.Owner, "owner")
	ada := &visitor{api: a}
	if page := ada.enter(); page != "/sign-in?refused=not_let_in" {
		t.Fatalf("without a group: %s", page)
	}
	roleIs := func(want any) {
		t.Helper()
		session := ada.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session")
		if got := session.dotted("workspace.role"); got != want || session.dotted("method") != "provider" || session.dotted("provider") != "acme" {
			t.Errorf("session = %v, want the role %v", session.value, want)
		}
	}
	enter := func(want any, groups ...string) {
		t.Helper()
		i.become("ada", groups...)
		if page := ada.enter(); page != "/" {
			t.Fatalf("sent to %s", page)
		}
		roleIs(want)
	}
	enter("editor", "writers", "readers", "others")
	elsewhere := *ada
	ada.cookie = ""
	enter("viewer", "readers")
	if elsewhere.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session").dotted("workspace.role") != "viewer" {
		t.Error("the role holds in one browser alone")
	}
	ada.cookie = ""
	enter(nil) // no group any more
	elsewhere.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
	enter("editor", "writers")
	if n := a.number(`select count(*) from users where email = 'ada@example.com' and password is null and confirmed_at is not null and name = 'Ada L'`); n != 1 {
		t.Errorf("%d users", n)
	}
	// What people give is theirs to change.
	owner.ask(http.MethodPatch, "/members/"+a.userID("ada"), `{"role": "admin"}`).want(http.StatusOK)
	enter("admin", "readers")
	enter("admin")
	owner.ask(http.MethodDelete, "/members/"+a.userID("ada"), nil).want(http.StatusOK)
	// The last owner stays.
	ada.cookie = ""
	enter("owner", "leads")
	ada.ask(http.MethodDelete, "/members/"+a.userID("owner"), nil).want(http.StatusOK)
	enter("owner", "readers")
	enter("owner")
	told := a.audited(ada.ask(http.MethodGet, "/audit?action=member&limit=100", nil).want(http.StatusOK))
	by := "; system; groups of " + i.URL + "; Ada L; role: "
	for _, want := range []string{"member.join" + by + " → editor", "member.change" + by + "editor → viewer", "member.remove" + by + "viewer → "} {
		if !slices.Contains(told, want) {
			t.Errorf("%q is not told in %q", want, told)
		}
	}
}

func TestProviderLinksInASessionAlone(t *testing.T) {
	i := newIssuer(t)
	a := newAPI(t, i.offered)
	a.member(a.workspace, people.Owner, "owner")
	a.user("ada", people.Membership{Workspace: a.workspace, Role: people.Viewer})
	i.become("ada", "writers")
	stranger := &visitor{api: a}
	if page := stranger.enter(); page != "/sign-in?refused=address_taken" {
		t.Fatalf("an address that a user has: %s", page)
	}
	ada := a.signedIn("ada")
	link := func(v *visitor) string {
		return v.signInAt(v.ask(http.MethodPost, "/me/identities", `{"provider": "acme"}`).want(http.StatusCreated).at("url").text())
	}
	// Another browser has what the address says, and even the cookie, but not the session.
	address := link(ada)
	stranger.ceremony = ada.ceremony
	if page := stranger.comeBack(address); page != "/sign-in?refused=signed_out" {
		t.Errorf("without the session: %s", page)
	}
	if page := ada.comeBack(link(ada)); page != "/you" {
		t.Fatalf("linked: %s", page)
	}
	listed := ada.ask(http.MethodGet, "/me/identities", nil).want(http.StatusOK).at("identities")
	id := listed.at(0, "id").text()
	if listed.size() != 1 || listed.at(0, "provider").text() != "acme" || listed.at(0, "email").text() != "ada@example.com" || listed.at(0, "issuer").text() != i.URL {
		t.Errorf("identities = %v", listed.value)
	}
	if page := stranger.enter(); page != "/" || stranger.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session").dotted("user.id") != a.userID("ada") {
		t.Errorf("by the identity: %s", page)
	}
	// It is nobody else's, and a user has one of an issuer.
	eve := a.member(a.workspace, people.Viewer, "eve")
	if page := eve.comeBack(link(eve)); page != "/you?refused=linked_to_another" {
		t.Errorf("another's identity: %s", page)
	}
	i.become("grace", "leads")
	if page := ada.comeBack(link(ada)); page != "/you?refused=has_another" {
		t.Errorf("a second one: %s", page)
	}
	// What its groups gave goes with it.
	if page := eve.comeBack(link(eve)); page != "/you" {
		t.Errorf("linked: %s", page)
	}
	a.exec(`delete from memberships where user_id = (select id from users where name = 'eve')`)
	if page := eve.comeBack(link(eve)); page != "/you" || eve.ask(http.MethodPatch, "/session", `{"workspaceId": "`+a.workspace.String()+`"}`).want(http.StatusOK).at("session").dotted("workspace.role") != "owner" {
		t.Errorf("linked again: %s", page)
	}
	own := eve.ask(http.MethodGet, "/me/identities", nil).want(http.StatusOK).at("identities", 0, "id").text()
	eve.ask(http.MethodDelete, "/me/identities/"+own, nil).want(http.StatusOK)
	eve.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
	a.exec(`update users set password = null`)
	ada.ask(http.MethodDelete, "/me/identities/"+id, nil).fails(http.StatusBadRequest, "invalid_state")
	ada.addPasskey(newAuthenticator())
	ada.ask(http.MethodDelete, "/me/identities/"+id, nil).want(http.StatusOK)
	a.exec(`update users set is_operator = true`)
	told := a.audited(ada.ask(http.MethodGet, "/audit/installation?action=identity", nil).want(http.StatusOK))
	for _, want := range []string{"identity.link; user; ada; ada; identity:  → " + i.URL, "identity.unlink; user; ada; ada; identity: " + i.URL + " → "} {
		if !slices.Contains(told, want) {
			t.Errorf("%q is not told in %q", want, told)
		}
	}
}

// TestProviderAnswersTheBrowserThatAsked sends what an issuer answers from elsewhere, again, too late, and changed.
func TestProviderAnswersTheBrowserThatAsked(t *testing.T) {
	i := newIssuer(t)
	i.become("ada", "writers")
	a := newAPI(t, i.offered)
	ada, eve := &visitor{api: a}, &visitor{api: a}
	refused := func(what, page string, want people.Reason) {
		t.Helper()
		if page != "/sign-in?refused="+string(want) {
			t.Errorf("%s: %s", what, page)
		}
	}
	address := ada.signInAt(ada.depart())
	refused("another browser", eve.comeBack(address), people.ReasonForeign)
	eve.depart()
	refused("another browser that has begun too", eve.comeBack(address), people.ReasonForeign)
	refused("a forged state", ada.comeBack(withParameter(ada, address, "state", "forged")), people.ReasonForeign)
	cookie := ada.ceremony
	if page := ada.comeBack(address); page != "/" { // what was forged has not ended it
		t.Fatalf("sent to %s", page)
	}
	ada.ceremony = cookie
	refused("again", ada.comeBack(address), people.ReasonOver)
	address = ada.signInAt(ada.depart())
	a.exec(`update ceremonies set expires_at = now()`)
	refused("too late", ada.comeBack(address), people.ReasonOver)
	refused("another nonce", ada.comeBack(ada.signInAt(withParameter(ada, ada.depart(), "nonce", "other"))), people.ReasonUnverified)
	refused("another browser's code", ada.comeBack(withParameter(ada, ada.signInAt(ada.depart()), "code", codeOf(eve.signInAt(eve.depart())))), people.ReasonOver)
	refused("no code", ada.comeBack(strings.Replace(ada.signInAt(ada.depart()), "code=", "error=access_denied&x=", 1)), people.ReasonDenied)
	refused("an answer in another issuer's name", ada.comeBack(withParameter(ada, ada.signInAt(ada.depart()), "iss", "https://other.example")), people.ReasonUnverified)
	i.users["ada"].Email = ""
	a.exec(`delete from users`)
	refused("no address", ada.enter(), people.ReasonNoAddress)
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
	a := newAPI(t, func(c *gateway.Config) {
		c.Providers = []*oidc.Provider{oidc.New(s, http.DefaultTransport, time.Now)}
	})
	a.callWith("", http.MethodGet, "/session/providers", nil).want(http.StatusOK)
	got := a.callWith("", http.MethodPost, "/session/providers/acme", nil).want(http.StatusServiceUnavailable)
	if message := got.at("error", "message").text(); !strings.Contains(message, "Acme cannot be reached") {
		t.Errorf("message = %q", message)
	}
	if n := a.number(`select count(*) from request_windows where subject like 'sign-in%'`); n != 0 {
		t.Error("an issuer that is down uses up attempts")
	}
	a.member(a.workspace, people.Viewer, "ada")
}
