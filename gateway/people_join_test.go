package gateway_test

import (
	"net/http"
	"testing"

	"crier/schema/people"
)

func TestTheAuditLogSaysFromWhereSomebodyJoined(t *testing.T) {
	a := newAPI(t)
	token := a.member(a.workspace, people.Owner, "ada").invite("bob@example.com", people.Viewer)
	(&visitor{api: a}).ask(http.MethodPost, "/invitations/accept", accepting(token)).want(http.StatusCreated)
	if n := a.number(`select count(*) from audit where action = 'member.join' and actor = 1 and address <> ''`); n != 1 {
		t.Errorf("%d rows name the user and their network", n)
	}
}
