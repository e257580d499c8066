package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"crier/schema"
	"crier/schema/people"
)

// TestNobodyReachesAnothersPeople tries every route of people with ids of another workspace, in the session of
// an owner: the answer is the one for ids that exist nowhere, nothing changes, and nothing of it is listed.
func TestNobodyReachesAnothersPeople(t *testing.T) {
	a := newAPI(t)
	second, _ := a.tenant("second", "operator", schema.Read)
	ada, eve := a.member(a.workspace, people.Owner, "ada"), a.member(second, people.Owner, "eve")
	a.member(a.workspace, people.Viewer, "bob")
	ada.invite("ofada@example.com", people.Viewer)
	session := ada.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session", "id").text()
	invitation := ada.ask(http.MethodGet, "/invitations", nil).want(http.StatusOK).at("invitations", 0, "id").text()
	authenticator := newAuthenticator()
	passkey := ada.addPasskey(authenticator).at("passkey", "id").text()
	identity := schema.NewIdentityID(a.now())
	a.exec(`insert into identities values ($1, (select id from users where email = 'ada@example.com'), 'https://login.example', 'ofada', '', now(), now())`, identity.Bytes())
	ids := map[string][2]string{ // another's, and one that exists nowhere
		"/sessions/:id":      {session, schema.NewSessionID(a.now()).String()},
		"/me/passkeys/:id":   {passkey, schema.NewPasskeyID(a.now()).String()},
		"/me/identities/:id": {identity.String(), schema.NewIdentityID(a.now()).String()},
		"/members/:id":       {a.userID("bob"), schema.NewUserID(a.now()).String()},
		"/invitations/:id":   {invitation, schema.NewInvitationID(a.now()).String()},
	}
	const rows = `select count(*) from (select id from sessions union all select user_id from memberships where role <> 4 union all select id from invitations union all select id from passkeys union all select id from identities) all_rows`
	before := a.number(rows)
	for _, r := range a.engine.Handler().(*gin.Engine).Routes() {
		path := strings.TrimPrefix(r.Path, "/api/v1")
		// A device is nobody's until it is approved, and then it is gone; issuers are the server's.
		if !isOfPeople(path) || strings.HasPrefix(path, "/device/") || strings.HasPrefix(path, "/session/providers/") {
			continue
		}
		if !strings.Contains(path, ":") {
			if r.Method == http.MethodGet {
				if got := eve.ask(r.Method, path, nil); got.status != http.StatusOK || strings.Contains(string(got.body), "ofada") || strings.Contains(string(got.body), a.workspace.String()) {
					t.Errorf("GET %s: %d %s", path, got.status, got.body)
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
			got := eve.ask(r.Method, strings.Replace(path, ":id", id, 1), `{"role": "admin", "name": "mine"}`)
			got.fails(http.StatusNotFound, "not_found")
			answers = append(answers, strings.ReplaceAll(string(got.body), id, "ID"))
		}
		if answers[0] != answers[1] {
			t.Errorf("%s %s tells: %q", r.Method, path, slices.Compact(answers))
		}
	}
	if after := a.number(rows); after != before {
		t.Errorf("%d rows, and %d before", after, before)
	}
}
