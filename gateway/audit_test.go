package gateway_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
)

// TestAuditTellsWhoChangedWhat makes changes as a member, by a key and by a device, and reads what is told.
func TestAuditTellsWhoChangedWhat(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	brand := ada.Do(http.MethodPost, "/brands", `{"name": "Harbour"}`).Want(http.StatusCreated).At("brand", "id").Text()
	a.Request(http.MethodPatch, "/brands/"+brand, `{"name": "Quay"}`).Want(http.StatusOK)
	a.Request(http.MethodPatch, "/brands/"+brand, `{"name": ""}`).WantError(http.StatusBadRequest, "validation_error")
	ada.Do(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`)
	begun := a.BeginDevice("write")
	ada.Do(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).Want(http.StatusOK)
	device := a.PollDevice(begun.DeviceCode).AccessToken
	a.RequestWith(device, http.MethodDelete, "/brands/"+brand, nil).Want(http.StatusOK)
	a.RequestWith(device, http.MethodDelete, "/brands/"+brand, nil).WantError(http.StatusNotFound, "not_found")
	secret := ada.Do(http.MethodPost, "/keys", `{"name": "deploy", "permissions": ["write"]}`).Want(http.StatusCreated).At("key", "secret").Text()
	want := []string{
		"key.create; user; ada; deploy; permission:  → read, write",
		"brand.delete; device; terminal; Quay",
		"key.create; user; ada; terminal; permission:  → read, write",
		"device.approve; user; ada; terminal; permission:  → read, write; address:  → 127.0.0.1/32",
		"brand.rename; key; test; Quay; name: Harbour → Quay",
		"brand.create; user; ada; Harbour",
	}
	got := a.AuditRows(ada.Do(http.MethodGet, "/audit", nil).Want(http.StatusOK))
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := a.QueryInt(`select count(*) from audit where workspace_id is not null and address <> '127.0.0.1/32'`); n != 0 {
		t.Errorf("%d rows have another network than they came from", n)
	}
	if n := a.QueryInt(`select count(*) from audit a where a::text like '%` + secret + `%' or a::text like '%` + device + `%'`); n != 0 {
		t.Error("a secret is told")
	}
	for query, n := range map[string]int{
		"actor=user": 4, "actor=device": 1, "action=key": 2, "action=key.create": 2, "subject=" + brand: 3, "subject=brand": 3,
		"from=2030-01-01T00:00:00Z": 0, "to=2020-01-01T00:00:00Z": 0, "actor=key&subject=brand": 1,
		"actor=" + schema.NewID[schema.UserID](a.Now()).String(): 0, "action=webhook": 0,
	} {
		if got := a.AuditRows(a.Request(http.MethodGet, "/audit?"+query, nil).Want(http.StatusOK)); len(got) != n {
			t.Errorf("%s: %q", query, got)
		}
	}
	a.Request(http.MethodGet, "/audit?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", nil).WantError(http.StatusBadRequest, "validation_error")
	for query, named := range map[string]string{
		"actor=robot": "system, user, key, device, command, visitor", "actor=brand_1": "the id of a user or a key", "action=webhok.create": "did you mean webhook?",
		"action=ke": "account, brand, ", "action=key.": "key.create, key.revoke", "action=key.creates": "key.create, key.revoke", "action=.create": "account, brand, ",
	} {
		for _, path := range []string{"/audit?", "/audit/export?"} {
			refused := a.Request(http.MethodGet, path+query, nil).WantError(http.StatusBadRequest, "validation_error")
			if message := refused.At("details", 0, "message").Text(); !strings.Contains(message, named) {
				t.Errorf("%s%s: %q does not name %q", path, query, message, named)
			}
		}
	}
	var paged []string
	for path := "/audit?limit=4"; path != ""; {
		page := a.Request(http.MethodGet, path, nil).Want(http.StatusOK)
		paged, path = append(paged, a.AuditRows(page)...), ""
		if next := page.At("nextCursor").Text(); next != "" {
			path = "/audit?limit=4&cursor=" + next
		}
	}
	if !slices.Equal(paged, want) {
		t.Errorf("by pages: %q", paged)
	}
}

func TestAuditIsOfOneWorkspaceAndReadAlone(t *testing.T) {
	a := gatewaytest.New(t)
	a.Request(http.MethodPost, "/brands", `{"name": "Harbour"}`).Want(http.StatusCreated)
	_, other := a.CreateWorkspace("other", "operator", schema.Admin)
	if got := a.AuditRows(a.RequestWith(other, http.MethodGet, "/audit", nil).Want(http.StatusOK)); len(got) != 0 {
		t.Errorf("another workspace reads %q", got)
	}
	page := a.Request(http.MethodGet, "/audit?limit=1", nil).Want(http.StatusOK)
	id := page.At("records", 0, "id").Text()
	for _, method := range []string{http.MethodDelete, http.MethodPatch, http.MethodPut, http.MethodPost} {
		if got := a.Request(method, "/audit/"+id, `{}`); got.Status/100 != 4 {
			t.Errorf("%s: %d", method, got.Status)
		}
		if got := a.Request(method, "/audit", `{}`); got.Status/100 != 4 {
			t.Errorf("%s: %d", method, got.Status)
		}
	}
	a.RequestWith(a.NewKey(a.Workspace, schema.Write), http.MethodGet, "/audit", nil).WantError(http.StatusForbidden, "forbidden")
	a.Request(http.MethodGet, "/audit/installation", nil).WantError(http.StatusForbidden, "forbidden")
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	ada.Do(http.MethodGet, "/audit/installation", nil).WantError(http.StatusForbidden, "forbidden")
	a.Exec(`update users set is_operator = true`)
	if got := a.AuditRows(ada.Do(http.MethodGet, "/audit/installation", nil).Want(http.StatusOK)); !slices.Contains(got, "session.begin; user; ada; ; by:  → password") {
		t.Errorf("the operator reads %q", got)
	}
}

// TestAuditOfKeysTellsNoPosts holds that what keys create costs nothing more.
func TestAuditOfKeysTellsNoPosts(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "ann")
	draft := `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`
	byKey := a.Request(http.MethodPost, "/posts", draft).Want(http.StatusCreated).At("post", "id").Text()
	a.Request(http.MethodPatch, "/posts/"+byKey, `{"content": "y"}`).Want(http.StatusOK)
	a.Request(http.MethodDelete, "/posts/"+byKey, nil).Want(http.StatusOK)
	if n := a.QueryInt(`select count(*) from audit`); n != 0 {
		t.Fatalf("%d rows", n)
	}
	ada := a.SignInMember(a.Workspace, people.Editor, "ada")
	draftID := ada.Do(http.MethodPost, "/posts", draft).Want(http.StatusCreated).At("post", "id").Text()
	ada.Do(http.MethodPatch, "/posts/"+draftID, `{"content": "y"}`).Want(http.StatusOK)
	ada.Do(http.MethodDelete, "/posts/"+draftID, nil).Want(http.StatusOK)
	want := []string{"post.delete; user; ada; ; status:  → draft", "post.update; user; ada; ; content:  → changed", "post.create; user; ada; ; status:  → draft"}
	if got := a.AuditRows(a.Request(http.MethodGet, "/audit?subject="+draftID, nil).Want(http.StatusOK)); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestAuditTellsOfEveryKindOfThing makes a change of each, in the words of the API.
func TestAuditTellsOfEveryKindOfThing(t *testing.T) {
	a := gatewaytest.New(t)
	account := a.AddAccount(a.Workspace, schema.Mastodon, "ann")
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	grace := a.AddUser("grace", people.Membership{Workspace: a.Workspace, Role: people.Viewer})
	create := func(path, body, kind string) string {
		t.Helper()
		return ada.Do(http.MethodPost, path, body).Want(http.StatusCreated).At(kind, "id").Text()
	}
	queue := create("/queues", `{"name": "q", "timezone": "UTC", "slots": [{"day": "monday", "time": "09:00"}]}`, "queue")
	webhook := create("/webhooks", `{"url": "https://hooks.example/a?secret=1", "events": ["post.published"]}`, "webhook")
	monitor := create("/feeds/keywords", `{"name": "m", "include": ["coffee"], "platforms": ["bluesky"]}`, "monitor")
	key := create("/keys", `{"name": "k", "permissions": ["read"]}`, "key")
	for _, r := range []struct{ method, path, body string }{
		{http.MethodPatch, "/queues/" + queue, `{"name": "r"}`}, {http.MethodDelete, "/queues/" + queue, ""},
		{http.MethodPatch, "/webhooks/" + webhook, `{"isActive": false}`}, {http.MethodPost, "/webhooks/" + webhook + "/rotate-secret", "{}"},
		{http.MethodDelete, "/webhooks/" + webhook, ""},
		{http.MethodPatch, "/feeds/keywords/" + monitor, `{"include": ["tea"]}`}, {http.MethodDelete, "/feeds/keywords/" + monitor, ""},
		{http.MethodPost, "/keys/" + key + "/rotate", "{}"}, {http.MethodDelete, "/keys/" + key, ""},
		{http.MethodPut, "/connect/redirects", `{"redirects": ["https://app.example/done"]}`},
		{http.MethodPatch, "/accounts/" + account.String(), `{"name": "ann b"}`},
		{http.MethodPost, "/accounts/" + account.String() + "/pause", `{"reason": "silence"}`}, {http.MethodPost, "/accounts/" + account.String() + "/pause", ""},
		{http.MethodPost, "/accounts/" + account.String() + "/resume", ""}, {http.MethodPost, "/accounts/" + account.String() + "/resume", ""},
		{http.MethodDelete, "/accounts/" + account.String(), ""},
		{http.MethodPost, "/deletions", `{"workspace": true}`},
		{http.MethodPatch, "/members/" + grace.ID.String(), `{"role": "editor"}`}, {http.MethodDelete, "/members/" + grace.ID.String(), ""},
		{http.MethodPost, "/invitations", `{"email": "alan@example.com", "role": "author"}`},
		{http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:token", "chatId": "@some_channel"}`},
	} {
		var body any
		if r.body != "" {
			body = r.body
		}
		if got := ada.Do(r.method, r.path, body); got.Status/100 != 2 {
			t.Errorf("%s %s: %d %s", r.method, r.path, got.Status, got.Body)
		}
	}
	got := a.AuditRows(a.Request(http.MethodGet, "/audit?limit=100", nil).Want(http.StatusOK))
	text := strings.Join(got, "\n")
	for _, want := range []string{
		"queue.create; user; ada; q", "queue.update; user; ada; r; name: q → r", "queue.delete; user; ada; r",
		"webhook.create; user; ada; https://hooks.example/a", "webhook.update; user; ada; https://hooks.example/a; active: true → false",
		"webhook.rotate_secret", "webhook.delete; user; ada; https://hooks.example/a", "monitor.create; user; ada; m", "keywords: coffee → tea", "monitor.delete; user; ada; m",
		"key.rotate; user; ada; k; key: ", "key.revoke; user; ada; k", "workspace.redirects; user; ada; acme; redirects:  → https://app.example/done",
		"account.update; user; ada; ann b on mastodon; name: ann → ann b",
		"account.pause; user; ada; ann b on mastodon; reason:  → silence", "account.resume; user; ada; ann b on mastodon; reason: silence → ",
		"account.disconnect; user; ada; ann b on mastodon", "deletion.ask; user; ada",
		"member.change; user; ada; grace; role: viewer → editor", "member.remove; user; ada; grace; role: editor → ",
		"invitation.create; user; ada; alan@example.com; role:  → author", "account.connect; user; ada",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing tells of %q", want)
		}
	}
	if n := strings.Count(text, "account.pause") + strings.Count(text, "account.resume"); n != 2 {
		t.Errorf("%d rows tell of a pause and its end, want those that changed something", n)
	}
	if strings.Contains(text, "secret=1") || strings.Contains(text, "1:token") {
		t.Errorf("a secret is told:\n%s", text)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestAuditIsExported(t *testing.T) {
	a := gatewaytest.New(t)
	a.Request(http.MethodPost, "/brands", `{"name": "=1+1"}`).Want(http.StatusCreated)
	// More than a page of an export.
	a.Exec(`
		insert into audit (id, at, workspace_id, actor, actor_id, actor_name, address, action, subject, subject_id, subject_name, changes)
		select gen_random_uuid(), now() - n * interval '1 second', $1, 3, '', 'k', '', 'brand.create', 'brand', n::text, '', '[]' from generate_series(1, 1500) n`,
		a.Workspace.Bytes())
	got := a.Request(http.MethodGet, "/audit/export?format=csv", nil)
	rows, err := csv.NewReader(strings.NewReader(string(got.Body))).ReadAll()
	if err != nil || len(rows) != 1+1501 || rows[1][9] != "'=1+1" {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got = a.Request(http.MethodGet, "/audit/export?subject=brand&to="+a.In(-1000*time.Second), nil)
	each := strings.Split(strings.TrimSpace(string(got.Body)), "\n")
	var last struct{ ID, Action string }
	if err := json.Unmarshal([]byte(each[len(each)-1]), &last); err != nil || last.Action != "brand.create" || len(each) < 450 || len(each) > 501 {
		t.Errorf("%d rows, the last %+v, %v", len(each), last, err)
	}
	a.Request(http.MethodGet, "/audit/export?format=xml", nil).WantError(http.StatusBadRequest, "validation_error")
}

func TestAuditForgetsTheNamesOfThoseWhoAreRemoved(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	ada.Do(http.MethodPost, "/brands", `{"name": "Harbour"}`).Want(http.StatusCreated)
	ada.Do(http.MethodDelete, "/session", nil).Want(http.StatusOK)
	if err := a.People().RemoveUser(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	if got := a.AuditRows(a.Request(http.MethodGet, "/audit", nil).Want(http.StatusOK)); !slices.Equal(got, []string{"brand.create; user; a removed user; Harbour"}) {
		t.Errorf("got %q", got)
	}
	if n := a.QueryInt(`select count(*) from audit a where a::text ~ '\mada\M' or actor = 2 and a::text like '%127.0.0.1%'`); n != 0 {
		t.Errorf("%d rows name her", n)
	}
}

func TestAuditTellsWhatCrierDoes(t *testing.T) {
	a := gatewaytest.New(t)
	_, id := a.IssueKey(a.Workspace, schema.Read, false)
	key := schema.Key{ID: id, Workspace: a.Workspace, Name: "eager", RequestsPerMinute: 1}
	if until, err := a.GatewayStore.CountRefusals(t.Context(), key, key.Patience()+1); err != nil || until.IsZero() {
		t.Fatalf("suspended until %v, %v", until, err)
	}
	got := a.AuditRows(a.Request(http.MethodGet, "/audit?actor=system", nil).Want(http.StatusOK))
	if len(got) != 1 || !strings.HasPrefix(got[0], "key.suspend; system; crier; eager; suspended until:  → 20") {
		t.Errorf("got %q", got)
	}
}
