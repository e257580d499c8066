package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"crier/schema"
	"crier/schema/people"
)

// invite makes an invitation and returns its token.
func (v *visitor) invite(email string, role people.Role) string {
	v.Helper()
	made := v.ask(http.MethodPost, "/invitations", fmt.Sprintf(`{"email": %q, "role": %q}`, email, role)).want(http.StatusCreated).at("invitation")
	return made.at("token").text()
}

func accepting(token string) string {
	return fmt.Sprintf(`{"token": %q, "name": "Bob", "password": %q}`, token, words)
}

// id of a user by the name of these tests.
func (a *api) userID(name string) string {
	a.Helper()
	u, err := a.people().UserOf(a.Context(), name+"@example.com")
	if err != nil {
		a.Fatal(err)
	}
	return u.ID.String()
}

func TestMembersAreInvited(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	token := ada.invite("Bob@example.com", people.Editor)
	if n := a.number(`select count(*) from invitations i where i::text like '%` + token + `%'`); n != 0 || len(token) != 43 {
		t.Errorf("token %q is stored %d times", token, n)
	}
	open := ada.ask(http.MethodGet, "/invitations", nil).want(http.StatusOK).at("invitations")
	if open.size() != 1 || open.dotted("0.email") != "bob@example.com" || open.dotted("0.role") != "editor" || open.dotted("0.invitedBy") != a.userID("ada") {
		t.Errorf("invitations = %v", open.value)
	}
	bob := &visitor{api: a}
	missing := bob.ask(http.MethodPost, "/invitations/accept", `{"token": "`+token+`"}`).fails(http.StatusBadRequest, "validation_error")
	if missing.at("details").size() != 2 {
		t.Errorf("details = %v", missing.at("details").value)
	}
	bob.ask(http.MethodPost, "/invitations/accept", accepting(token)).want(http.StatusCreated)
	session := bob.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session")
	if session.dotted("workspace.name") != "acme" || session.dotted("workspace.role") != "editor" || session.dotted("user.email") != "bob@example.com" {
		t.Errorf("session = %v", session.value)
	}
	a.callWith("", http.MethodPost, "/invitations/accept", accepting(token)).fails(http.StatusUnauthorized, "unauthorized")
	members := ada.ask(http.MethodGet, "/members", nil).want(http.StatusOK).at("members")
	if members.size() != 2 || members.dotted("1.email") != "bob@example.com" || members.dotted("1.role") != "editor" || members.dotted("1.lastSeenAt") == nil {
		t.Errorf("members = %v", members.value)
	}
	ada.ask(http.MethodPost, "/invitations", `{"email": "bob@example.com", "role": "viewer"}`).fails(http.StatusBadRequest, "invalid_state")
	if n := ada.ask(http.MethodGet, "/invitations", nil).want(http.StatusOK).at("invitations").size(); n != 0 {
		t.Errorf("%d invitations are open", n)
	}
}

func TestInvitationsEnd(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	for name, end := range map[string]func(token string){
		"withdrawn": func(string) {
			id := ada.ask(http.MethodGet, "/invitations", nil).want(http.StatusOK).at("invitations", 0, "id").text()
			ada.ask(http.MethodDelete, "/invitations/"+id, nil).want(http.StatusOK)
			ada.ask(http.MethodDelete, "/invitations/"+id, nil).fails(http.StatusNotFound, "not_found")
		},
		"replaced": func(string) { ada.invite("bob@example.com", people.Viewer) },
		"expired":  func(string) { a.exec(`update invitations set expires_at = now()`) },
		"whoever made it may not any more": func(string) {
			carol := a.member(a.workspace, people.Admin, "carol")
			a.exec(`update invitations set invited_by = (select id from users where name = 'carol')`)
			ada.ask(http.MethodPatch, "/members/"+a.userID("carol"), `{"role": "editor"}`).want(http.StatusOK)
			carol.ask(http.MethodGet, "/members", nil).fails(http.StatusForbidden, "forbidden")
		},
		"the operator lets whoever made it do less": func(string) {
			a.user("erin", people.Membership{Workspace: a.workspace, Role: people.Admin})
			a.exec(`update invitations set invited_by = (select id from users where name = 'erin')`)
			a.user("erin", people.Membership{Workspace: a.workspace, Role: people.Editor})
		},
		"whoever made it is removed by the operator": func(string) {
			a.user("dave", people.Membership{Workspace: a.workspace, Role: people.Admin})
			a.exec(`update invitations set invited_by = (select id from users where name = 'dave')`)
			if err := a.people().RemoveUser(t.Context(), "dave@example.com"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			token := ada.invite("bob@example.com", people.Viewer)
			end(token)
			a.callWith("", http.MethodPost, "/invitations/accept", accepting(token)).fails(http.StatusUnauthorized, "unauthorized")
		})
	}
}

// TestInvitationsOfUsersNeedTheirSession has a user of that address already: who knows the token is not them.
func TestInvitationsOfUsersNeedTheirSession(t *testing.T) {
	a := newAPI(t)
	second, _ := a.tenant("second", "operator", schema.Read)
	ada, bob, eve := a.member(a.workspace, people.Owner, "ada"), a.member(second, people.Viewer, "bob"), a.member(second, people.Viewer, "eve")
	token := ada.invite("bob@example.com", people.Editor)
	body := accepting(token)
	a.callWith("", http.MethodPost, "/invitations/accept", body).fails(http.StatusUnauthorized, "unauthorized")
	eve.ask(http.MethodPost, "/invitations/accept", body).fails(http.StatusUnauthorized, "unauthorized")
	bob.ask(http.MethodPost, "/invitations/accept", body, "X-CSRF-Token", "").fails(http.StatusForbidden, "forbidden")
	bob.ask(http.MethodPost, "/invitations/accept", body, "Sec-Fetch-Site", "cross-site").fails(http.StatusForbidden, "forbidden")
	bob.ask(http.MethodPost, "/invitations/accept", `{"token": "`+token+`"}`).want(http.StatusCreated)
	if session := bob.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session"); session.dotted("workspace.name") != "acme" || session.at("workspaces").size() != 2 {
		t.Errorf("session = %v", session.value)
	}
}

// TestTheOperatorMeansWhoHasTheAddress has somebody take an address before the operator adds who has it, or gives them
// a link.
func TestTheOperatorMeansWhoHasTheAddress(t *testing.T) {
	a := newAPI(t)
	second, _ := a.tenant("second", "operator", schema.Read)
	eve := a.member(a.workspace, people.Owner, "eve")
	for name, means := range map[string]func(email string){
		"added": func(email string) {
			bob := people.User{ID: schema.NewUserID(a.store.Now()), Email: email, Name: "Bob", CreatedAt: a.store.Now()}
			if _, err := a.people().AddUser(t.Context(), bob, people.Membership{Workspace: second, Role: people.Owner}); err != nil {
				t.Fatal(err)
			}
		},
		"given a link": func(email string) {
			bob, err := a.people().UserOf(t.Context(), email)
			if err != nil {
				t.Fatal(err)
			}
			(&visitor{api: a}).ask(http.MethodPost, "/session/link", `{"token": "`+a.link(bob.ID)+`"}`).want(http.StatusCreated)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a.under(t)
			squatter, email := &visitor{api: a}, strings.ReplaceAll(name, " ", "-")+"@example.com"
			squatter.ask(http.MethodPost, "/invitations/accept", accepting(eve.invite(email, people.Viewer))).want(http.StatusCreated)
			means(email)
			squatter.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
			squatter.ask(http.MethodPost, "/session", `{"email": "`+email+`", "password": "`+words+`"}`).fails(http.StatusUnauthorized, "unauthorized")
		})
	}
}

func TestOwnersAreMadeByOwnersAlone(t *testing.T) {
	a := newAPI(t)
	ada, carol := a.member(a.workspace, people.Owner, "ada"), a.member(a.workspace, people.Admin, "carol")
	a.member(a.workspace, people.Editor, "bob")
	owner, self, bob := "/members/"+a.userID("ada"), "/members/"+a.userID("carol"), "/members/"+a.userID("bob")
	carol.ask(http.MethodPost, "/invitations", `{"email": "x@example.com", "role": "owner"}`).fails(http.StatusForbidden, "forbidden")
	carol.ask(http.MethodPatch, bob, `{"role": "owner"}`).fails(http.StatusForbidden, "forbidden")
	carol.ask(http.MethodPatch, self, `{"role": "owner"}`).fails(http.StatusForbidden, "forbidden")
	carol.ask(http.MethodPatch, owner, `{"role": "viewer"}`).fails(http.StatusForbidden, "forbidden")
	carol.ask(http.MethodDelete, owner, nil).fails(http.StatusForbidden, "forbidden")
	carol.ask(http.MethodPatch, bob, `{"role": "admin"}`).want(http.StatusOK)
	carol.ask(http.MethodPatch, bob, `{"role": "king"}`).fails(http.StatusBadRequest, "validation_error")
	ada.ask(http.MethodPatch, owner, `{"role": "admin"}`).fails(http.StatusBadRequest, "invalid_state")
	ada.ask(http.MethodDelete, owner, nil).fails(http.StatusBadRequest, "invalid_state")
	ada.ask(http.MethodPatch, bob, `{"role": "owner"}`).want(http.StatusOK)
	ada.ask(http.MethodDelete, owner, nil).want(http.StatusOK)
	if n := a.number(`select count(*) from memberships where role = 5`); n != 1 {
		t.Errorf("%d owners", n)
	}
}

// TestWhoIsNoAdminAnyMoreManagesNoMembers has requests wait for the change of whoever sent them.
func TestWhoIsNoAdminAnyMoreManagesNoMembers(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	carol := a.user("carol", people.Membership{Workspace: a.workspace, Role: people.Owner})
	bob := a.user("bob", people.Membership{Workspace: a.workspace, Role: people.Viewer})
	requests := map[string]func() error{
		"invites": func() error {
			_, err := a.people().Invite(t.Context(), people.Invitation{
				ID: schema.NewInvitationID(a.now()), Workspace: a.workspace, Email: "x@example.com", Role: people.Owner, InvitedBy: carol.ID,
				CreatedAt: a.now(), ExpiresAt: a.now().Add(people.InvitationLife),
			}, [32]byte{1})
			return err
		},
		"changes": func() error {
			return a.people().ChangeMember(t.Context(), people.MemberChange{Workspace: a.workspace, By: carol.ID, User: bob.ID, Role: people.Admin})
		},
		"removes": func() error {
			return a.people().RemoveMember(t.Context(), people.MemberChange{Workspace: a.workspace, By: carol.ID, User: bob.ID})
		},
	}
	refused := func(after string) {
		for name, request := range requests {
			if err := request(); schema.KindOf(err) != schema.Forbidden {
				t.Errorf("%s: %s = %v", after, name, err)
			}
		}
	}
	hers := "/members/" + carol.ID.String()
	ada.ask(http.MethodPatch, hers, `{"role": "editor"}`).want(http.StatusOK)
	refused("demoted")
	ada.ask(http.MethodDelete, hers, nil).want(http.StatusOK)
	refused("removed")
}

func TestMembersLeaveAtOnceInEveryGateway(t *testing.T) {
	a := newAPI(t)
	other := a.another()
	ada, bob := a.member(a.workspace, people.Owner, "ada"), a.member(a.workspace, people.Admin, "bob")
	key := bob.ask(http.MethodPost, "/keys", `{"name": "his", "permissions": ["read"]}`).want(http.StatusCreated).at("key", "id").text()
	bob.at(other).ask(http.MethodGet, "/posts", nil).want(http.StatusOK)
	his := "/members/" + a.userID("bob")
	ada.ask(http.MethodDelete, his+"?keys=all", nil).fails(http.StatusBadRequest, "validation_error")
	ada.ask(http.MethodDelete, his+"?keys=end", nil).want(http.StatusOK)
	for _, gateway := range []*api{a, other} {
		bob.at(gateway).ask(http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
	}
	if ada.ask(http.MethodGet, "/keys/"+key, nil).want(http.StatusOK).at("key", "revokedAt").value == nil {
		t.Error("his key goes on")
	}
	ada.ask(http.MethodDelete, his, nil).fails(http.StatusNotFound, "not_found")
	if again := a.signedIn("bob").ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session"); again.at("workspace").value != nil {
		t.Errorf("session = %v", again.value)
	}
}

func TestRegistrationsInviteTheirOwner(t *testing.T) {
	a := newAPI(t)
	made := a.callWith("", http.MethodPost, "/keys/register", acme).want(http.StatusCreated)
	v := &visitor{api: a}
	v.ask(http.MethodPost, "/invitations/accept", accepting(made.at("ownerInvitation", "token").text())).want(http.StatusCreated)
	session := v.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session")
	if session.dotted("workspace.id") != made.at("workspace", "id").text() || session.dotted("workspace.role") != "owner" || session.dotted("user.email") != "ada@acme.example" {
		t.Errorf("session = %v", session.value)
	}
}
