package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
)

// TestMembersPostsAreOfTheDashboard has lists of the API leave out what a member made, unless asked for all.
func TestMembersPostsAreOfTheDashboard(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "acme")
	ada := a.SignInMember(a.Workspace, people.Editor, "ada")
	const post = `{"content": "lighthouse", "platforms": ["mastodon"], "status": "draft"}`
	theirs := a.Request(http.MethodPost, "/posts", post).Want(http.StatusCreated).At("post", "id").Text()
	created := ada.Do(http.MethodPost, "/posts", post).Want(http.StatusCreated).At("post")
	hers := created.At("id").Text()
	if created.At("isApiPost").Value != false {
		t.Errorf("post = %v", created.Value)
	}
	for query, want := range map[string][]string{
		"": {theirs}, "?source=api": {theirs}, "?source=all": {hers, theirs}, "?source=all&sort=createdAt": {theirs, hers},
		"?source=all&platform=mastodon": {hers, theirs}, "?source=all&status=draft": {hers, theirs},
		"?q=light": {theirs}, "?source=all&q=light": {hers, theirs},
	} {
		found := ada.Do(http.MethodGet, "/posts"+query, nil).Want(http.StatusOK)
		if found.At("posts").Len() != len(want) || found.At("pagination", "total").Value != float64(len(want)) && query[:min(3, len(query))] != "?q=" {
			t.Errorf("%q finds %v", query, found.At("posts").Value)
			continue
		}
		for i, id := range want {
			if found.At("posts", i, "id").Text() != id {
				t.Errorf("%q: %s stands at %d", query, found.At("posts", i, "id").Text(), i)
			}
		}
	}
	a.Request(http.MethodGet, "/posts/"+hers, nil).Want(http.StatusOK)
	a.Request(http.MethodGet, "/posts?source=dashboard", nil).WantError(http.StatusBadRequest, "validation_error")
}

func TestMembersAccountsAreOfTheDashboard(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Admin, "ada")
	ada.Do(http.MethodPatch, "/session", `{"test": true}`).Want(http.StatusOK)
	brand := ada.Do(http.MethodPost, "/brands", `{"name": "b"}`).Want(http.StatusCreated).At("brand", "id").Text()
	connect := `{"botToken": "1:token", "chatId": "@hers", "brandId": "` + brand + `"}`
	account := ada.Do(http.MethodPost, "/connect/telegram/channels", connect).Want(http.StatusCreated).At("accounts", 0)
	if account.At("source").Text() != "dashboard" || account.At("brandId").Text() != brand {
		t.Errorf("account = %v", account.Value)
	}
	if n := ada.Do(http.MethodGet, "/accounts", nil).Want(http.StatusOK).At("accounts").Len(); n != 1 {
		t.Errorf("%d accounts", n)
	}
	if n := ada.Do(http.MethodGet, "/accounts?brandId="+brand, nil).Want(http.StatusOK).At("accounts").Len(); n != 0 {
		t.Errorf("%d accounts beside a brand", n)
	}
}

// TestALinkOfAMembersIsOfTheDashboard has somebody else connect by the link that a member has asked for.
func TestALinkOfAMembersIsOfTheDashboard(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Admin, "ada")
	p := a.Person()
	page := ada.Do(http.MethodGet, "/connect/mastodon", nil).Want(http.StatusOK).At("authUrl").Text()
	p.Attach(p.Allow(p.Open(page), "alice"))
	if source := a.WantAccounts(1).At("source").Text(); source != "dashboard" {
		t.Errorf("source = %s", source)
	}
	p.Attach(p.Allow(p.Begin("mastodon", ""), "alice")) // a key, and the account stays what it is
	if source := a.WantAccounts(1).At("source").Text(); source != "dashboard" {
		t.Errorf("connected again, source = %s", source)
	}
	records := a.AuditRows(a.Request(http.MethodGet, "/audit?action=account.connect", nil).Want(http.StatusOK))
	if len(records) != 2 || !strings.HasPrefix(records[0], "account.connect; key; test; ") || !strings.HasPrefix(records[1], "account.connect; user; ada; ") {
		t.Errorf("the audit log tells %q", records)
	}
}
