package people_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
)

// invite makes an invitation and returns its token.
func invite(v *gatewaytest.Session, email string, role people.Role) string {
	v.Helper()
	invitation := v.Do(http.MethodPost, "/invitations", fmt.Sprintf(`{"email": %q, "role": %q}`, email, role)).Want(http.StatusCreated).At("invitation")
	return invitation.At("token").Text()
}

func accepting(token string) string {
	return fmt.Sprintf(`{"token": %q, "name": "Bob", "password": %q}`, token, gatewaytest.Password)
}

func TestMembersAreInvited(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	token := invite(ada, "Bob@example.com", people.Editor)
	if n := a.QueryInt(`select count(*) from invitations i where i::text like '%` + token + `%'`); n != 0 || len(token) != 43 {
		t.Errorf("token %q is stored %d times", token, n)
	}
	open := ada.Do(http.MethodGet, "/invitations", nil).Want(http.StatusOK).At("invitations")
	if open.Len() != 1 || open.Dotted("0.email") != "bob@example.com" || open.Dotted("0.role") != "editor" || open.Dotted("0.invitedBy") != a.UserID("ada") {
		t.Errorf("invitations = %v", open.Value)
	}
	bob := &gatewaytest.Session{API: a}
	missing := bob.Do(http.MethodPost, "/invitations/accept", `{"token": "`+token+`"}`).WantError(http.StatusBadRequest, "validation_error")
	if missing.At("details").Len() != 2 {
		t.Errorf("details = %v", missing.At("details").Value)
	}
	bob.Do(http.MethodPost, "/invitations/accept", accepting(token)).Want(http.StatusCreated)
	session := bob.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session")
	if session.Dotted("workspace.name") != "acme" || session.Dotted("workspace.role") != "editor" || session.Dotted("user.email") != "bob@example.com" {
		t.Errorf("session = %v", session.Value)
	}
	a.RequestWith("", http.MethodPost, "/invitations/accept", accepting(token)).WantError(http.StatusUnauthorized, "unauthorized")
	members := ada.Do(http.MethodGet, "/members", nil).Want(http.StatusOK).At("members")
	if members.Len() != 2 || members.Dotted("1.email") != "bob@example.com" || members.Dotted("1.role") != "editor" || members.Dotted("1.lastSeenAt") == nil {
		t.Errorf("members = %v", members.Value)
	}
	ada.Do(http.MethodPost, "/invitations", `{"email": "bob@example.com", "role": "viewer"}`).WantError(http.StatusBadRequest, "invalid_state")
	if n := ada.Do(http.MethodGet, "/invitations", nil).Want(http.StatusOK).At("invitations").Len(); n != 0 {
		t.Errorf("%d invitations are open", n)
	}
}

func TestInvitationsEnd(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	for name, end := range map[string]func(token string){
		"withdrawn": func(string) {
			id := ada.Do(http.MethodGet, "/invitations", nil).Want(http.StatusOK).At("invitations", 0, "id").Text()
			ada.Do(http.MethodDelete, "/invitations/"+id, nil).Want(http.StatusOK)
			ada.Do(http.MethodDelete, "/invitations/"+id, nil).WantError(http.StatusNotFound, "not_found")
		},
		"replaced": func(string) { invite(ada, "bob@example.com", people.Viewer) },
		"expired":  func(string) { a.Exec(`update invitations set expires_at = now()`) },
		"whoever made it may not any more": func(string) {
			carol := a.SignInMember(a.Workspace, people.Admin, "carol")
			a.Exec(`update invitations set invited_by = (select id from users where name = 'carol')`)
			ada.Do(http.MethodPatch, "/members/"+a.UserID("carol"), `{"role": "editor"}`).Want(http.StatusOK)
			carol.Do(http.MethodGet, "/members", nil).WantError(http.StatusForbidden, "forbidden")
		},
		"the operator lets whoever made it do less": func(string) {
			a.AddUser("erin", people.Membership{Workspace: a.Workspace, Role: people.Admin})
			a.Exec(`update invitations set invited_by = (select id from users where name = 'erin')`)
			a.AddUser("erin", people.Membership{Workspace: a.Workspace, Role: people.Editor})
		},
		"whoever made it is removed by the operator": func(string) {
			a.AddUser("dave", people.Membership{Workspace: a.Workspace, Role: people.Admin})
			a.Exec(`update invitations set invited_by = (select id from users where name = 'dave')`)
			if err := a.People().RemoveUser(t.Context(), "dave@example.com"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			token := invite(ada, "bob@example.com", people.Viewer)
			end(token)
			a.RequestWith("", http.MethodPost, "/invitations/accept", accepting(token)).WantError(http.StatusUnauthorized, "unauthorized")
		})
	}
}

// TestInvitationsOfUsersNeedTheirSession has a user of that address already: who knows the token is not them.
func TestInvitationsOfUsersNeedTheirSession(t *testing.T) {
	a := gatewaytest.New(t)
	second, _ := a.CreateWorkspace("second", "operator", schema.Read)
	ada, bob, eve := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(second, people.Viewer, "bob"), a.SignInMember(second, people.Viewer, "eve")
	token := invite(ada, "bob@example.com", people.Editor)
	body := accepting(token)
	a.RequestWith("", http.MethodPost, "/invitations/accept", body).WantError(http.StatusUnauthorized, "unauthorized")
	for _, of := range []string{token, invite(ada, "carol@example.com", people.Viewer)} { // a user, and nobody yet
		refused := eve.Do(http.MethodPost, "/invitations/accept", `{"token": "`+of+`"}`).WantError(http.StatusForbidden, "forbidden")
		if message := refused.At("message").Text(); !strings.Contains(message, "you are signed in as eve@example.com: sign out first") {
			t.Errorf("message = %q", message)
		}
	}
	bob.Do(http.MethodPost, "/invitations/accept", body, "X-CSRF-Token", "").WantError(http.StatusForbidden, "forbidden")
	bob.Do(http.MethodPost, "/invitations/accept", body, "Sec-Fetch-Site", "cross-site").WantError(http.StatusForbidden, "forbidden")
	bob.Do(http.MethodPost, "/invitations/accept", `{"token": "`+token+`"}`).Want(http.StatusCreated)
	if session := bob.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session"); session.Dotted("workspace.name") != "acme" || session.At("workspaces").Len() != 2 {
		t.Errorf("session = %v", session.Value)
	}
}

// TestTheOperatorMeansWhoHasTheAddress has somebody take an address before the operator adds who has it, or gives them
// a link.
func TestTheOperatorMeansWhoHasTheAddress(t *testing.T) {
	a := gatewaytest.New(t)
	second, _ := a.CreateWorkspace("second", "operator", schema.Read)
	eve := a.SignInMember(a.Workspace, people.Owner, "eve")
	for name, means := range map[string]func(email string){
		"added": func(email string) {
			bob := people.User{ID: schema.NewID[schema.UserID](a.Store.Now()), Email: email, Name: "Bob", CreatedAt: a.Store.Now()}
			if _, err := a.People().AddUser(t.Context(), bob, people.Membership{Workspace: second, Role: people.Owner}); err != nil {
				t.Fatal(err)
			}
		},
		"given a link": func(email string) {
			bob, err := a.People().UserOf(t.Context(), email)
			if err != nil {
				t.Fatal(err)
			}
			(&gatewaytest.Session{API: a}).Do(http.MethodPost, "/session/link", `{"token": "`+a.CreateLink(bob.ID)+`"}`).Want(http.StatusCreated)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			squatter, email := &gatewaytest.Session{API: a}, strings.ReplaceAll(name, " ", "-")+"@example.com"
			squatter.Do(http.MethodPost, "/invitations/accept", accepting(invite(eve, email, people.Viewer))).Want(http.StatusCreated)
			means(email)
			squatter.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
			squatter.Do(http.MethodPost, "/session", `{"email": "`+email+`", "password": "`+gatewaytest.Password+`"}`).WantError(http.StatusUnauthorized, "unauthorized")
		})
	}
}

func TestOwnersAreMadeByOwnersAlone(t *testing.T) {
	a := gatewaytest.New(t)
	ada, carol := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(a.Workspace, people.Admin, "carol")
	a.SignInMember(a.Workspace, people.Editor, "bob")
	owner, self, bob := "/members/"+a.UserID("ada"), "/members/"+a.UserID("carol"), "/members/"+a.UserID("bob")
	carol.Do(http.MethodPost, "/invitations", `{"email": "x@example.com", "role": "owner"}`).WantError(http.StatusForbidden, "forbidden")
	carol.Do(http.MethodPatch, bob, `{"role": "owner"}`).WantError(http.StatusForbidden, "forbidden")
	carol.Do(http.MethodPatch, self, `{"role": "owner"}`).WantError(http.StatusForbidden, "forbidden")
	carol.Do(http.MethodPatch, owner, `{"role": "viewer"}`).WantError(http.StatusForbidden, "forbidden")
	carol.Do(http.MethodDelete, owner, nil).WantError(http.StatusForbidden, "forbidden")
	carol.Do(http.MethodPatch, bob, `{"role": "admin"}`).Want(http.StatusOK)
	carol.Do(http.MethodPatch, bob, `{"role": "king"}`).WantError(http.StatusBadRequest, "validation_error")
	ada.Do(http.MethodPatch, owner, `{"role": "admin"}`).WantError(http.StatusBadRequest, "invalid_state")
	ada.Do(http.MethodDelete, owner, nil).WantError(http.StatusBadRequest, "invalid_state")
	ada.Do(http.MethodPatch, bob, `{"role": "owner"}`).Want(http.StatusOK)
	ada.Do(http.MethodDelete, owner, nil).Want(http.StatusOK)
	if n := a.QueryInt(`select count(*) from memberships where role = 5`); n != 1 {
		t.Errorf("%d owners", n)
	}
}

// TestWhoIsNoAdminAnyMoreManagesNoMembers has requests wait for the change of whoever sent them.
func TestWhoIsNoAdminAnyMoreManagesNoMembers(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	carol := a.AddUser("carol", people.Membership{Workspace: a.Workspace, Role: people.Owner})
	bob := a.AddUser("bob", people.Membership{Workspace: a.Workspace, Role: people.Viewer})
	requests := map[string]func() error{
		"invites": func() error {
			_, err := a.People().Invite(t.Context(), people.Invitation{
				ID: schema.NewID[schema.InvitationID](a.Now()), Workspace: a.Workspace, Email: "x@example.com", Role: people.Owner, InvitedBy: carol.ID,
				CreatedAt: a.Now(), ExpiresAt: a.Now().Add(people.InvitationLife),
			}, [32]byte{1})
			return err
		},
		"changes": func() error {
			return a.People().ChangeMember(t.Context(), people.MemberChange{Workspace: a.Workspace, By: carol.ID, User: bob.ID, Role: people.Admin})
		},
		"removes": func() error {
			return a.People().RemoveMember(t.Context(), people.MemberChange{Workspace: a.Workspace, By: carol.ID, User: bob.ID})
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
	ada.Do(http.MethodPatch, hers, `{"role": "editor"}`).Want(http.StatusOK)
	refused("demoted")
	ada.Do(http.MethodDelete, hers, nil).Want(http.StatusOK)
	refused("removed")
}

func TestMembersLeaveAtOnceInEveryGateway(t *testing.T) {
	a := gatewaytest.New(t)
	other := a.Replica()
	ada, bob := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(a.Workspace, people.Admin, "bob")
	key := bob.Do(http.MethodPost, "/keys", `{"name": "his", "permissions": ["read"]}`).Want(http.StatusCreated).At("key", "id").Text()
	bob.On(other).Do(http.MethodGet, "/posts", nil).Want(http.StatusOK)
	his := "/members/" + a.UserID("bob")
	ada.Do(http.MethodDelete, his+"?keys=all", nil).WantError(http.StatusBadRequest, "validation_error")
	ada.Do(http.MethodDelete, his+"?keys=end", nil).Want(http.StatusOK)
	for _, gateway := range []*gatewaytest.API{a, other} {
		bob.On(gateway).Do(http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
	}
	if rows := a.AuditRows(ada.Do(http.MethodGet, "/audit?action=key.revoke", nil).Want(http.StatusOK)); !slices.Equal(rows, []string{"key.revoke; user; ada; his"}) {
		t.Errorf("the log tells of %q", rows)
	}
	if ada.Do(http.MethodGet, "/keys/"+key, nil).Want(http.StatusOK).At("key", "revokedAt").Value == nil {
		t.Error("his key goes on")
	}
	ada.Do(http.MethodDelete, his, nil).WantError(http.StatusNotFound, "not_found")
	if again := a.SignIn("bob").Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session"); again.At("workspace").Value != nil {
		t.Errorf("session = %v", again.Value)
	}
}

func TestRegistrationsInviteTheirOwner(t *testing.T) {
	a := gatewaytest.New(t)
	registration := a.RequestWith("", http.MethodPost, "/keys/register", gatewaytest.RegistrationBody).Want(http.StatusCreated)
	v := &gatewaytest.Session{API: a}
	v.Do(http.MethodPost, "/invitations/accept", accepting(registration.At("ownerInvitation", "token").Text())).Want(http.StatusCreated)
	session := v.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session")
	if session.Dotted("workspace.id") != registration.At("workspace", "id").Text() || session.Dotted("workspace.role") != "owner" || session.Dotted("user.email") != "ada@acme.example" {
		t.Errorf("session = %v", session.Value)
	}
}

func TestTheAuditLogSaysFromWhereSomebodyJoined(t *testing.T) {
	a := gatewaytest.New(t)
	token := invite(a.SignInMember(a.Workspace, people.Owner, "ada"), "bob@example.com", people.Viewer)
	(&gatewaytest.Session{API: a}).Do(http.MethodPost, "/invitations/accept", accepting(token)).Want(http.StatusCreated)
	// In the workspace that he is a member of, and as a user in the log of the installation.
	const rows = `
		select count(*) from audit where subject = 'user' and actor_name = 'Bob' and address <> ''
			and (action = 'member.join' and workspace_id is not null or action = 'user.add' and workspace_id is null)`
	if n := a.QueryInt(rows); n != 2 {
		t.Errorf("%d rows name the user and their network, want 2", n)
	}
}

// TestTheAuditLogOfAWorkspaceTellsOfCommands has the operator add a member, change their role and remove the user.
func TestTheAuditLogOfAWorkspaceTellsOfCommands(t *testing.T) {
	a := gatewaytest.New(t)
	as := func(action string) context.Context {
		return people.WithAudited(t.Context(), people.Audited{Action: action, Actor: people.Actor{Kind: people.ByCommand, Name: "root"}})
	}
	for _, role := range []people.Role{people.Editor, people.Viewer, people.Viewer} {
		bob := people.User{ID: schema.NewID[schema.UserID](a.Now()), Email: "bob@example.com", Name: "Bob", CreatedAt: a.Now()}
		if _, err := a.People().AddUser(as("user.add"), bob, people.Membership{Workspace: a.Workspace, Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.People().RemoveUser(as("user.remove"), "bob@example.com"); err != nil {
		t.Fatal(err)
	}
	rows := a.AuditRows(a.Request(http.MethodGet, "/audit", nil).Want(http.StatusOK))
	slices.Sort(rows)
	want := []string{
		"member.change; command; root; a removed user; role: editor → viewer",
		"member.join; command; root; a removed user; role:  → editor",
		"member.remove; command; root; a removed user; role: viewer → ",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got %q", rows)
	}
	if n := a.QueryInt(`select count(*) from audit where action in ('user.add', 'user.remove') and workspace_id is null`); n != 4 {
		t.Errorf("%d rows of the installation, want 4", n)
	}
	for range 2 {
		if _, err := a.Admin.MakeWorkspace(as("key.create"), "made", "operator", true); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.QueryInt(`select count(*) from audit join workspaces w on w.id = workspace_id where action = 'workspace.create' and w.name = 'made' and w.live_id is null`); n != 1 {
		t.Errorf("%d rows tell of a workspace that a command has made, want 1", n)
	}
}
