package accounts_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
)

func TestAnAccountIsPausedAndResumed(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	id := a.AddAccount(a.Workspace, schema.Mastodon, "ann")
	path := "/accounts/" + id.String()
	admin := postgres.NewAdmin(a.Store)
	operators := schema.Hold{Kind: schema.AccountPaused, Account: id, Reason: "invoice"}
	want := func(by, reason string) {
		t.Helper()
		for _, account := range []gatewaytest.JSON{
			a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("account"), a.Request(http.MethodGet, "/accounts", nil).Want(http.StatusOK).At("accounts", 0),
		} {
			pause := account.At("paused")
			if pause.At("by").Text() != by || pause.At("reason").Text() != reason || (pause.Value == nil) != (by == "") {
				t.Errorf("the account shows %v, want one by %q for %q", pause.Value, by, reason)
			}
		}
	}
	for _, step := range []struct {
		name, operation, body string
		do                    func() error // instead
		status                int
		by, reason            string // then
	}{
		{"resumed though it is not paused", "/resume", "", nil, http.StatusOK, "", ""},
		{"paused without a reason", "/pause", "", nil, http.StatusOK, "member", ""},
		{"a reason comes later", "/pause", `{"reason": " the brand \n says nothing "}`, nil, http.StatusOK, "member", "the brand says nothing"},
		{"again, without one", "/pause", "{}", nil, http.StatusOK, "member", "the brand says nothing"},
		{"by the operator too", "", "", func() error { return admin.Pause(t.Context(), operators) }, 0, "operator", "invoice"},
		{"nobody lifts that", "/resume", "", nil, http.StatusConflict, "operator", "invoice"},
		{"once more by a member", "/pause", `{"reason": "other"}`, nil, http.StatusOK, "operator", "invoice"},
		{"the operator's is lifted", "", "", func() error { return admin.Resume(t.Context(), operators) }, 0, "member", "other"},
		{"and the member's", "/resume", "", nil, http.StatusOK, "", ""},
	} {
		t.Log(step.name)
		if step.do != nil {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
		} else if got := a.Request(http.MethodPost, path+step.operation, step.body); step.status == http.StatusConflict {
			got.WantError(step.status, "paused_by_operator")
		} else {
			got.Want(step.status)
		}
		want(step.by, step.reason)
	}
	if n := a.QueryInt(`select count(*) from holds`); n != 0 {
		t.Errorf("%d holds are left", n)
	}
}

func TestAReasonOfAPauseIsALine(t *testing.T) {
	a := gatewaytest.New(t)
	path := "/accounts/" + a.AddAccount(a.Workspace, schema.Mastodon, "ann").String() + "/pause"
	a.Request(http.MethodPost, path, `{"reason": "`+strings.Repeat("ü", 200)+`"}`).Want(http.StatusOK)
	for _, body := range []string{`{"reason": "` + strings.Repeat("ü", 201) + `"}`, `{"reason": 1}`, `{"reason": "\u001b[31m"}`, `[]`} {
		a.Request(http.MethodPost, path, body).WantError(http.StatusBadRequest, "validation_error")
	}
	if got := a.Request(http.MethodPost, path, `{"raeson": "x"}`).Want(http.StatusOK); !strings.Contains(got.At("warnings", 0, "message").Text(), "reason") {
		t.Errorf("a misspelt field has the warnings %v", got.At("warnings").Value)
	}
}

func TestWhatAPauseHoldsSaysSoWhereverItIsShown(t *testing.T) {
	a := gatewaytest.New(t)
	id := a.AddAccount(a.Workspace, schema.Mastodon, "ann").String()
	post := "/posts/" + a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "scheduledFor": "`+a.In(time.Hour)+`"}`).
		Want(http.StatusCreated).At("post", "id").Text()
	a.Request(http.MethodPost, "/accounts/"+id+"/pause", nil).Want(http.StatusOK)
	for name, shown := range map[string]gatewaytest.JSON{
		"read":          a.Request(http.MethodGet, post, nil).Want(http.StatusOK).At("post"),
		"listed":        a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts", 0),
		"changed":       a.Request(http.MethodPatch, post, `{"content": "y"}`).Want(http.StatusOK).At("post"),
		"left as it is": a.Request(http.MethodPatch, post, `{}`).Want(http.StatusOK).At("post"),
	} {
		if reason := shown.At("platforms", 0, "held", "reason").Text(); reason != "account_paused" {
			t.Errorf("%s: the post is held for %q", name, reason)
		}
	}
}
