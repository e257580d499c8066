package people_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
)

// TestNobodyReachesAnothersPeople tries every route of people with ids of another workspace, in the session of
// an owner: the answer is the one for ids that exist nowhere, nothing changes, and nothing of it is listed.
func TestNobodyReachesAnothersPeople(t *testing.T) {
	a := gatewaytest.New(t)
	second, _ := a.CreateWorkspace("second", "operator", schema.Read)
	ada, eve := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(second, people.Owner, "eve")
	a.SignInMember(a.Workspace, people.Viewer, "bob")
	invite(ada, "ofada@example.com", people.Viewer)
	session := ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session", "id").Text()
	invitation := ada.Do(http.MethodGet, "/invitations", nil).Want(http.StatusOK).At("invitations", 0, "id").Text()
	authenticator := newAuthenticator()
	passkey := addPasskey(ada, authenticator).At("passkey", "id").Text()
	identity := schema.NewID[schema.IdentityID](a.Now())
	a.Exec(`insert into identities values ($1, (select id from users where email = 'ada@example.com'), 'https://login.example', 'ofada', '', now(), now())`, identity.Bytes())
	ids := map[string][2]string{ // another's, and one that exists nowhere
		"/sessions/:id":      {session, schema.NewID[schema.SessionID](a.Now()).String()},
		"/me/passkeys/:id":   {passkey, schema.NewID[schema.PasskeyID](a.Now()).String()},
		"/me/identities/:id": {identity.String(), schema.NewID[schema.IdentityID](a.Now()).String()},
		"/members/:id":       {a.UserID("bob"), schema.NewID[schema.UserID](a.Now()).String()},
		"/invitations/:id":   {invitation, schema.NewID[schema.InvitationID](a.Now()).String()},
	}
	const rows = `select count(*) from (select id from sessions union all select user_id from memberships where role <> 4 union all select id from invitations union all select id from passkeys union all select id from identities) all_rows`
	before := a.QueryInt(rows)
	for _, r := range a.Gateway.Handler().(*gin.Engine).Routes() {
		path := strings.TrimPrefix(r.Path, "/api/v1")
		// A device is nobody's until it is approved, and then it is gone; issuers are the server's.
		if !gatewaytest.IsPeopleRoute(path) || strings.HasPrefix(path, "/device/") || strings.HasPrefix(path, "/session/providers/") {
			continue
		}
		if !strings.Contains(path, ":") {
			if r.Method == http.MethodGet {
				if got := eve.Do(r.Method, path, nil); got.Status != http.StatusOK || strings.Contains(string(got.Body), "ofada") || strings.Contains(string(got.Body), a.Workspace.String()) {
					t.Errorf("GET %s: %d %s", path, got.Status, got.Body)
				}
			}
			continue
		}
		pair, ok := ids[path]
		if !ok {
			t.Fatalf("%s has no ids here", path)
		}
		var answers []string
		for _, id := range pair {
			got := eve.Do(r.Method, strings.Replace(path, ":id", id, 1), `{"role": "admin", "name": "mine"}`)
			got.WantError(http.StatusNotFound, "not_found")
			answers = append(answers, strings.ReplaceAll(string(got.Body), id, "ID"))
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %s tells: %q", r.Method, path, slices.Compact(answers))
		}
	}
	if after := a.QueryInt(rows); after != before {
		t.Errorf("%d rows, and %d before", after, before)
	}
}
