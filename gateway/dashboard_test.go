package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"crier/schema"
	"crier/schema/people"
)

// TestMembersPostsAreOfTheDashboard has lists of the API leave out what a member made, unless asked for all.
func TestMembersPostsAreOfTheDashboard(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "acme")
	ada := a.member(a.workspace, people.Editor, "ada")
	const post = `{"content": "lighthouse", "platforms": ["mastodon"], "status": "draft"}`
	theirs := a.call(http.MethodPost, "/posts", post).want(http.StatusCreated).at("post", "id").text()
	made := ada.ask(http.MethodPost, "/posts", post).want(http.StatusCreated).at("post")
	hers := made.at("id").text()
	if made.at("isApiPost").value != false {
		t.Errorf("post = %v", made.value)
	}
	for query, want := range map[string][]string{
		"": {theirs}, "?source=api": {theirs}, "?source=all": {hers, theirs}, "?source=all&sort=createdAt": {theirs, hers},
		"?source=all&platform=mastodon": {hers, theirs}, "?source=all&status=draft": {hers, theirs},
		"?q=light": {theirs}, "?source=all&q=light": {hers, theirs},
	} {
		found := ada.ask(http.MethodGet, "/posts"+query, nil).want(http.StatusOK)
		if found.at("posts").size() != len(want) || found.at("pagination", "total").value != float64(len(want)) && query[:min(3, len(query))] != "?q=" {
			t.Errorf("%q finds %v", query, found.at("posts").value)
			continue
		}
		for i, id := range want {
			if found.at("posts", i, "id").text() != id {
				t.Errorf("%q: %s stands at %d", query, found.at("posts", i, "id").text(), i)
			}
		}
	}
	a.call(http.MethodGet, "/posts/"+hers, nil).want(http.StatusOK)
	a.call(http.MethodGet, "/posts?source=dashboard", nil).fails(http.StatusBadRequest, "validation_error")
}

func TestMembersAccountsAreOfTheDashboard(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Admin, "ada")
	ada.ask(http.MethodPatch, "/session", `{"test": true}`).want(http.StatusOK)
	brand := ada.ask(http.MethodPost, "/brands", `{"name": "b"}`).want(http.StatusCreated).at("brand", "id").text()
	connect := `{"botToken": "1:token", "chatId": "@hers", "brandId": "` + brand + `"}`
	made := ada.ask(http.MethodPost, "/connect/telegram/channels", connect).want(http.StatusCreated).at("accounts", 0)
	if made.at("source").text() != "dashboard" || made.at("brandId").text() != brand {
		t.Errorf("account = %v", made.value)
	}
	if n := ada.ask(http.MethodGet, "/accounts", nil).want(http.StatusOK).at("accounts").size(); n != 1 {
		t.Errorf("%d accounts", n)
	}
	if n := ada.ask(http.MethodGet, "/accounts?brandId="+brand, nil).want(http.StatusOK).at("accounts").size(); n != 0 {
		t.Errorf("%d accounts beside a brand", n)
	}
}

// TestALinkOfAMembersIsOfTheDashboard has somebody else connect by the link that a member has asked for.
func TestALinkOfAMembersIsOfTheDashboard(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Admin, "ada")
	p := a.person()
	page := ada.ask(http.MethodGet, "/connect/mastodon", nil).want(http.StatusOK).at("authUrl").text()
	p.attaches(p.allows(p.Open(page), "alice"))
	if source := a.wantAccounts(1).at("source").text(); source != "dashboard" {
		t.Errorf("source = %s", source)
	}
	p.attaches(p.allows(p.begins("mastodon", ""), "alice")) // a key, and the account stays what it is
	if source := a.wantAccounts(1).at("source").text(); source != "dashboard" {
		t.Errorf("connected again, source = %s", source)
	}
	told := a.audited(a.call(http.MethodGet, "/audit?action=account.connect", nil).want(http.StatusOK))
	if len(told) != 2 || !strings.HasPrefix(told[0], "account.connect; key; test; ") || !strings.HasPrefix(told[1], "account.connect; user; ada; ") {
		t.Errorf("the audit log tells %q", told)
	}
}
