package gateway_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/people"
)

// audited are the rows of a page of the audit log, as action, kind and name of the actor, name of the thing
// and its changes.
func (a *api) audited(answered tree) (rows []string) {
	all := answered.at("records")
	for i := range all.size() {
		r := all.at(i)
		row := []string{r.at("action").text(), r.at("actor", "kind").text(), textOf(r.at("actor", "name")), textOf(r.at("subject", "name"))}
		changes := r.at("changes")
		for n := range changes.size() {
			row = append(row, changes.at(n, "field").text()+": "+textOf(changes.at(n, "before"))+" → "+textOf(changes.at(n, "after")))
		}
		rows = append(rows, strings.Join(row, "; "))
	}
	return rows
}

func textOf(t tree) string {
	text, _ := t.value.(string)
	return text
}

// TestAuditTellsWhoChangedWhat makes changes as a member, by a key and by a device, and reads what is told.
func TestAuditTellsWhoChangedWhat(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	brand := ada.ask(http.MethodPost, "/brands", `{"name": "Harbour"}`).want(http.StatusCreated).at("brand", "id").text()
	a.call(http.MethodPatch, "/brands/"+brand, `{"name": "Quay"}`).want(http.StatusOK)
	a.call(http.MethodPatch, "/brands/"+brand, `{"name": ""}`).fails(http.StatusBadRequest, "validation_error")
	ada.ask(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`)
	begun := a.begin("write")
	ada.ask(http.MethodPost, "/device/"+begun.UserCode+"/approve", nil).want(http.StatusOK)
	device := a.poll(begun.DeviceCode).AccessToken
	a.callWith(device, http.MethodDelete, "/brands/"+brand, nil).want(http.StatusOK)
	a.callWith(device, http.MethodDelete, "/brands/"+brand, nil).fails(http.StatusNotFound, "not_found")
	secret := ada.ask(http.MethodPost, "/keys", `{"name": "deploy", "permissions": ["write"]}`).want(http.StatusCreated).at("key", "secret").text()
	want := []string{
		"key.create; user; ada; deploy; permission:  → read, write",
		"brand.delete; device; terminal; Quay",
		"key.create; user; ada; terminal; permission:  → read, write",
		"device.approve; user; ada; terminal; permission:  → read, write; address:  → 127.0.0.1/32",
		"brand.rename; key; test; Quay; name: Harbour → Quay",
		"brand.create; user; ada; Harbour",
	}
	got := a.audited(ada.ask(http.MethodGet, "/audit", nil).want(http.StatusOK))
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := a.number(`select count(*) from audit a where a::text like '%` + secret + `%' or a::text like '%` + device + `%'`); n != 0 {
		t.Error("a secret is told")
	}
	for query, n := range map[string]int{
		"actor=user": 4, "actor=device": 1, "action=key": 2, "action=key.create": 2, "action=ke": 0, "subject=" + brand: 3, "subject=brand": 3,
		"from=2030-01-01T00:00:00Z": 0, "to=2020-01-01T00:00:00Z": 0, "actor=key&subject=brand": 1,
	} {
		if got := a.audited(a.call(http.MethodGet, "/audit?"+query, nil).want(http.StatusOK)); len(got) != n {
			t.Errorf("%s: %q", query, got)
		}
	}
	a.call(http.MethodGet, "/audit?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", nil).fails(http.StatusBadRequest, "validation_error")
	var paged []string
	for path := "/audit?limit=4"; path != ""; {
		page := a.call(http.MethodGet, path, nil).want(http.StatusOK)
		paged, path = append(paged, a.audited(page)...), ""
		if next := textOf(page.at("nextCursor")); next != "" {
			path = "/audit?limit=4&cursor=" + next
		}
	}
	if !slices.Equal(paged, want) {
		t.Errorf("by pages: %q", paged)
	}
}

func TestAuditIsOfOneWorkspaceAndReadAlone(t *testing.T) {
	a := newAPI(t)
	a.call(http.MethodPost, "/brands", `{"name": "Harbour"}`).want(http.StatusCreated)
	_, other := a.tenant("other", "operator", schema.Admin)
	if got := a.audited(a.callWith(other, http.MethodGet, "/audit", nil).want(http.StatusOK)); len(got) != 0 {
		t.Errorf("another workspace reads %q", got)
	}
	page := a.call(http.MethodGet, "/audit?limit=1", nil).want(http.StatusOK)
	id := page.at("records", 0, "id").text()
	for _, method := range []string{http.MethodDelete, http.MethodPatch, http.MethodPut, http.MethodPost} {
		if got := a.call(method, "/audit/"+id, `{}`); got.status/100 != 4 {
			t.Errorf("%s: %d", method, got.status)
		}
		if got := a.call(method, "/audit", `{}`); got.status/100 != 4 {
			t.Errorf("%s: %d", method, got.status)
		}
	}
	a.callWith(a.newKey(a.workspace, schema.Write), http.MethodGet, "/audit", nil).fails(http.StatusForbidden, "forbidden")
	a.call(http.MethodGet, "/audit/installation", nil).fails(http.StatusForbidden, "forbidden")
	ada := a.member(a.workspace, people.Owner, "ada")
	ada.ask(http.MethodGet, "/audit/installation", nil).fails(http.StatusForbidden, "forbidden")
	a.exec(`update users set is_operator = true`)
	if got := a.audited(ada.ask(http.MethodGet, "/audit/installation", nil).want(http.StatusOK)); !slices.Contains(got, "session.begin; user; ada; ; by:  → password") {
		t.Errorf("the operator reads %q", got)
	}
}

// TestAuditOfKeysTellsNoPosts holds that what keys create costs nothing more.
func TestAuditOfKeysTellsNoPosts(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "ann")
	draft := `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`
	byKey := a.call(http.MethodPost, "/posts", draft).want(http.StatusCreated).at("post", "id").text()
	a.call(http.MethodPatch, "/posts/"+byKey, `{"content": "y"}`).want(http.StatusOK)
	a.call(http.MethodDelete, "/posts/"+byKey, nil).want(http.StatusOK)
	if n := a.number(`select count(*) from audit`); n != 0 {
		t.Fatalf("%d rows", n)
	}
	ada := a.member(a.workspace, people.Editor, "ada")
	made := ada.ask(http.MethodPost, "/posts", draft).want(http.StatusCreated).at("post", "id").text()
	ada.ask(http.MethodPatch, "/posts/"+made, `{"content": "y"}`).want(http.StatusOK)
	ada.ask(http.MethodDelete, "/posts/"+made, nil).want(http.StatusOK)
	want := []string{"post.delete; user; ada; ; status:  → draft", "post.update; user; ada; ; content:  → changed", "post.create; user; ada; ; status:  → draft"}
	if got := a.audited(a.call(http.MethodGet, "/audit?subject="+made, nil).want(http.StatusOK)); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestAuditTellsOfEveryKindOfThing makes a change of each, in the words of the API.
func TestAuditTellsOfEveryKindOfThing(t *testing.T) {
	a := newAPI(t)
	account := a.connect(a.workspace, schema.Mastodon, "ann")
	ada := a.member(a.workspace, people.Owner, "ada")
	grace := a.user("grace", people.Membership{Workspace: a.workspace, Role: people.Viewer})
	made := func(path, body, kind string) string {
		t.Helper()
		return ada.ask(http.MethodPost, path, body).want(http.StatusCreated).at(kind, "id").text()
	}
	queue := made("/queues", `{"name": "q", "timezone": "UTC", "slots": [{"day": "monday", "time": "09:00"}]}`, "queue")
	webhook := made("/webhooks", `{"url": "https://hooks.example/a?secret=1", "events": ["post.published"]}`, "webhook")
	monitor := made("/feeds/keywords", `{"name": "m", "include": ["coffee"], "platforms": ["bluesky"]}`, "monitor")
	key := made("/keys", `{"name": "k", "permissions": ["read"]}`, "key")
	for _, r := range []struct{ method, path, body string }{
		{http.MethodPatch, "/queues/" + queue, `{"name": "r"}`}, {http.MethodDelete, "/queues/" + queue, ""},
		{http.MethodPatch, "/webhooks/" + webhook, `{"isActive": false}`}, {http.MethodPost, "/webhooks/" + webhook + "/rotate-secret", "{}"},
		{http.MethodDelete, "/webhooks/" + webhook, ""},
		{http.MethodPatch, "/feeds/keywords/" + monitor, `{"include": ["tea"]}`}, {http.MethodDelete, "/feeds/keywords/" + monitor, ""},
		{http.MethodPost, "/keys/" + key + "/rotate", "{}"}, {http.MethodDelete, "/keys/" + key, ""},
		{http.MethodPut, "/connect/redirects", `{"redirects": ["https://app.example/done"]}`},
		{http.MethodPatch, "/accounts/" + account.String(), `{"name": "ann b"}`}, {http.MethodDelete, "/accounts/" + account.String(), ""},
		{http.MethodPost, "/deletions", `{"workspace": true}`},
		{http.MethodPatch, "/members/" + grace.ID.String(), `{"role": "editor"}`}, {http.MethodDelete, "/members/" + grace.ID.String(), ""},
		{http.MethodPost, "/invitations", `{"email": "alan@example.com", "role": "author"}`},
		{http.MethodPost, "/connect/telegram/channels", `{"botToken": "1:token", "chatId": "@some_channel"}`},
	} {
		var body any
		if r.body != "" {
			body = r.body
		}
		if got := ada.ask(r.method, r.path, body); got.status/100 != 2 {
			t.Errorf("%s %s: %d %s", r.method, r.path, got.status, got.body)
		}
	}
	got := a.audited(a.call(http.MethodGet, "/audit?limit=100", nil).want(http.StatusOK))
	text := strings.Join(got, "\n")
	for _, want := range []string{
		"queue.create; user; ada; q", "queue.update; user; ada; r; name: q → r", "queue.delete; user; ada; r",
		"webhook.create; user; ada; https://hooks.example/a", "webhook.update; user; ada; https://hooks.example/a; active: true → false",
		"webhook.rotate_secret", "webhook.delete; user; ada; https://hooks.example/a", "monitor.create; user; ada; m", "keywords: coffee → tea", "monitor.delete; user; ada; m",
		"key.rotate; user; ada; k; key: ", "key.revoke; user; ada; k", "workspace.redirects; user; ada; acme; redirects:  → https://app.example/done",
		"account.update; user; ada; ann b on mastodon; name: ann → ann b", "account.disconnect; user; ada; ann b on mastodon", "deletion.ask; user; ada",
		"member.change; user; ada; grace; role: viewer → editor", "member.remove; user; ada; grace; role: editor → ",
		"invitation.create; user; ada; alan@example.com; role:  → author", "account.connect; user; ada",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing tells of %q", want)
		}
	}
	if strings.Contains(text, "secret=1") || strings.Contains(text, "1:token") {
		t.Errorf("a secret is told:\n%s", text)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestAuditIsExported(t *testing.T) {
	a := newAPI(t)
	a.call(http.MethodPost, "/brands", `{"name": "=1+1"}`).want(http.StatusCreated)
	// More than a page of an export.
	a.exec(`
		insert into audit (id, at, workspace_id, actor, actor_id, actor_name, address, action, subject, subject_id, subject_name, changes)
		select gen_random_uuid(), now() - n * interval '1 second', $1, 3, '', 'k', '', 'brand.create', 'brand', n::text, '', '[]' from generate_series(1, 1500) n`,
		a.workspace.Bytes())
	got := a.call(http.MethodGet, "/audit/export?format=csv", nil)
	rows, err := csv.NewReader(strings.NewReader(string(got.body))).ReadAll()
	if err != nil || len(rows) != 1+1501 || rows[1][9] != "'=1+1" {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got = a.call(http.MethodGet, "/audit/export?subject=brand&to="+a.in(-1000*time.Second), nil)
	each := strings.Split(strings.TrimSpace(string(got.body)), "\n")
	var last struct{ ID, Action string }
	if err := json.Unmarshal([]byte(each[len(each)-1]), &last); err != nil || last.Action != "brand.create" || len(each) < 450 || len(each) > 501 {
		t.Errorf("%d rows, the last %+v, %v", len(each), last, err)
	}
	a.call(http.MethodGet, "/audit/export?format=xml", nil).fails(http.StatusBadRequest, "validation_error")
}

func TestAuditForgetsTheNamesOfThoseWhoAreRemoved(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	ada.ask(http.MethodPost, "/brands", `{"name": "Harbour"}`).want(http.StatusCreated)
	ada.ask(http.MethodDelete, "/session", nil).want(http.StatusOK)
	if err := a.people().RemoveUser(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	if got := a.audited(a.call(http.MethodGet, "/audit", nil).want(http.StatusOK)); !slices.Equal(got, []string{"brand.create; user; a removed user; Harbour"}) {
		t.Errorf("got %q", got)
	}
	if n := a.number(`select count(*) from audit a where a::text ~ '\mada\M' or actor = 2 and a::text like '%127.0.0.1%'`); n != 0 {
		t.Errorf("%d rows name her", n)
	}
}

func TestAuditTellsWhatCrierDoes(t *testing.T) {
	a := newAPI(t)
	_, id := a.issueKey(a.workspace, schema.Read, false)
	key := schema.Key{ID: id, Workspace: a.workspace, Name: "eager", RequestsPerMinute: 1}
	if until, err := a.keys.CountRefusals(t.Context(), key, key.Patience()+1); err != nil || until.IsZero() {
		t.Fatalf("suspended until %v, %v", until, err)
	}
	got := a.audited(a.call(http.MethodGet, "/audit?actor=system", nil).want(http.StatusOK))
	if len(got) != 1 || !strings.HasPrefix(got[0], "key.suspend; system; crier; eager; suspended until:  → 20") {
		t.Errorf("got %q", got)
	}
}
