package gateway_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
)

// mails sends what is due, and returns it.
func (a *api) mails() (sent []people.Letter) {
	a.Helper()
	store := postgres.NewMail(a.store, rand.Reader)
	for more := true; more; {
		var err error
		if more, err = store.Address(a.Context()); err != nil {
			a.Fatal(err)
		}
	}
	for {
		m, found, err := store.Claim(a.Context(), time.Minute)
		if err != nil {
			a.Fatal(err)
		}
		if !found {
			return sent
		}
		letter, found, err := store.Letter(a.Context(), m)
		if err != nil {
			a.Fatal(err)
		}
		ending := people.MailIdle
		if found {
			sent, ending = append(sent, letter), people.MailSent
		}
		if err := store.Finish(a.Context(), people.Delivered{Mail: m, Ending: ending}); err != nil {
			a.Fatal(err)
		}
	}
}

// mail is the only one that is due.
func (a *api) mail(kind people.MailKind, recipient string) people.Letter {
	a.Helper()
	sent := a.mails()
	if len(sent) != 1 || sent[0].Kind != kind || sent[0].Recipient != recipient {
		a.Fatalf("sent %+v, want %v to %s", sent, kind, recipient)
	}
	return sent[0]
}

// anHourPasses lets mail go once more.
func (a *api) anHourPasses() {
	a.Helper()
	a.exec(`update mails set sent_at = sent_at - interval '1 hour', due_at = due_at - interval '1 hour'`)
}

func (v *visitor) isProven() bool {
	v.Helper()
	return v.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session", "user", "isEmailConfirmed").value == true
}

func TestInvitationsGoByMailAndProveAnAddress(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	made := ada.ask(http.MethodPost, "/invitations", `{"email": "Bob@example.com", "role": "editor"}`).want(http.StatusCreated).at("invitation")
	if made.at("isMailed").value != true {
		t.Error("it does not say that it goes by mail")
	}
	letter := a.mail(people.MailInvitation, "bob@example.com")
	if letter.Workspace != "acme" || letter.By != "ada" || letter.Role != people.Editor || letter.Token == made.at("token").text() || letter.Refusing == "" {
		t.Errorf("letter = %+v", letter)
	}
	bob := &visitor{api: a}
	bob.ask(http.MethodPost, "/invitations/accept", accepting(letter.Token)).want(http.StatusCreated)
	if !bob.isProven() {
		t.Error("whoever got the mail has not proven the address")
	}
	shown := ada.invite("eve@example.com", people.Viewer)
	eve := &visitor{api: a}
	eve.ask(http.MethodPost, "/invitations/accept", accepting(shown)).want(http.StatusCreated)
	if eve.isProven() {
		t.Error("the token that the inviter saw proves an address")
	}
	if sent := a.mails(); len(sent) != 0 {
		t.Errorf("an invitation that was accepted is sent: %+v", sent)
	}
	// Another one within the hour waits, and is the one that works.
	ada.invite("carol@example.com", people.Viewer)
	first := a.mail(people.MailInvitation, "carol@example.com")
	ada.invite("carol@example.com", people.Editor)
	if sent := a.mails(); len(sent) != 0 {
		t.Errorf("two within an hour: %+v", sent)
	}
	a.anHourPasses()
	second := a.mail(people.MailInvitation, "carol@example.com")
	carol := &visitor{api: a}
	carol.ask(http.MethodPost, "/invitations/accept", accepting(first.Token)).fails(http.StatusUnauthorized, "unauthorized")
	carol.ask(http.MethodPost, "/invitations/accept", accepting(second.Token)).want(http.StatusCreated)
}

func TestInvitationsByMailAreBounded(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	for n := range people.MaxInvited + 1 {
		made := ada.ask(http.MethodPost, "/invitations", fmt.Sprintf(`{"email": "u%d@example.com", "role": "viewer"}`, n)).want(http.StatusCreated).at("invitation")
		if mailed := made.at("isMailed").value == true; mailed != (n < people.MaxInvited) {
			t.Fatalf("invitation %d: isMailed = %t", n, mailed)
		}
	}
	for n := range people.MaxUnknown + 1 {
		workspace, _ := a.tenant(fmt.Sprintf("w%d", n), "operator", schema.Read)
		made := a.member(workspace, people.Owner, fmt.Sprintf("o%d", n)).
			ask(http.MethodPost, "/invitations", `{"email": "victim@example.com", "role": "viewer"}`).want(http.StatusCreated).at("invitation")
		if mailed := made.at("isMailed").value == true; mailed != (n < people.MaxUnknown) {
			t.Errorf("invitation %d to one address: isMailed = %t", n, mailed)
		}
	}
}

func TestPasswordsAreResetByMail(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	anybody := &visitor{api: a}
	of := func(email string) *answer {
		return anybody.ask(http.MethodPost, "/session/reset", fmt.Sprintf(`{"email": %q}`, email))
	}
	known, unknown := of("ADA@example.com").want(http.StatusAccepted), of("nobody@example.com").want(http.StatusAccepted)
	if known.at("message").text() != unknown.at("message").text() {
		t.Error("the answers differ")
	}
	letter := a.mail(people.MailReset, "ada@example.com")
	if letter.Refusing != "" {
		t.Error("a reset can be refused")
	}
	if n := a.number(`select count(*) from sign_in_links l where l::text like '%` + letter.Token + `%'`); n != 0 {
		t.Error("the token is stored")
	}
	if n := a.number(`select extract(epoch from max(expires_at) - now())::int from sign_in_links`); n < 3000 || n > 3600 {
		t.Errorf("the link works for %d s", n)
	}
	of("ada@example.com").want(http.StatusAccepted)
	if sent := a.mails(); len(sent) != 0 {
		t.Errorf("two within an hour: %+v", sent)
	}
	body := fmt.Sprintf(`{"token": %q, "password": "quite another one"}`, letter.Token)
	anybody.ask(http.MethodPost, "/session/link", body).want(http.StatusCreated)
	ada.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized")
	(&visitor{api: a}).ask(http.MethodPost, "/session/link", body).fails(http.StatusUnauthorized, "unauthorized")
	(&visitor{api: a}).ask(http.MethodPost, "/session", `{"email": "ada@example.com", "password": "quite another one"}`).want(http.StatusCreated)
	for range people.ResetsByEmail {
		of("nobody@example.com")
	}
	of("nobody@example.com").fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	for n := range people.ResetsByAddress {
		of(fmt.Sprintf("u%d@example.com", n))
	}
	of("other@example.com").fails(http.StatusTooManyRequests, "rate_limit_exceeded")
}

func TestAddressesAreChangedByWhoGetsTheirMail(t *testing.T) {
	a := newAPI(t)
	ada, eve := a.member(a.workspace, people.Owner, "ada"), a.member(a.workspace, people.Viewer, "eve")
	ada.ask(http.MethodPatch, "/me/mail", `{"postsFailed": false}`).want(http.StatusOK)
	ada.ask(http.MethodPost, "/me/email", `{"email": "new@example.com"}`).fails(http.StatusBadRequest, "validation_error")
	change := fmt.Sprintf(`{"email": "New@example.com", "currentPassword": %q}`, words)
	ada.ask(http.MethodPost, "/me/email", change).want(http.StatusAccepted)
	letter := a.mail(people.MailAddress, "new@example.com")
	proof := fmt.Sprintf(`{"token": %q}`, letter.Token)
	eve.ask(http.MethodPost, "/me/email/confirm", proof).fails(http.StatusUnauthorized, "unauthorized")
	ada.ask(http.MethodPost, "/me/email/confirm", proof).want(http.StatusOK)
	ada.ask(http.MethodPost, "/me/email/confirm", proof).fails(http.StatusUnauthorized, "unauthorized")
	if session := ada.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session"); session.dotted("user.email") != "new@example.com" {
		t.Errorf("session = %v", session.value)
	}
	if mail := ada.ask(http.MethodGet, "/me/mail", nil).want(http.StatusOK).at("mail"); mail.at("postsFailed").value != false {
		t.Errorf("mail = %v", mail.value)
	}
	a.mail(people.MailAddressChanged, "ada@example.com")
	a.exec(`update users set is_operator = true`)
	told := strings.Join(a.audited(ada.ask(http.MethodGet, "/audit/installation?action=email", nil).want(http.StatusOK)), "\n")
	if !strings.Contains(told, "email.change; user; ada; ; email:  → changed") || strings.Contains(told, "@") {
		t.Errorf("the audit log tells %s", told)
	}
	// Somebody else's address is proven in vain.
	ada.ask(http.MethodPost, "/me/email", fmt.Sprintf(`{"email": "eve@example.com", "currentPassword": %q}`, words)).want(http.StatusAccepted)
	taken := a.mail(people.MailAddress, "eve@example.com")
	ada.ask(http.MethodPost, "/me/email/confirm", fmt.Sprintf(`{"token": %q}`, taken.Token)).fails(http.StatusBadRequest, "invalid_state")
}

// suspend suspends a key of the workspace, once more if need be.
func (a *api) suspend(id schema.KeyID) {
	a.Helper()
	a.exec(`update api_keys set suspended_until = null`)
	key := schema.Key{ID: id, Workspace: a.workspace, Name: "eager", RequestsPerMinute: 1}
	if until, err := a.keys.CountRefusals(a.Context(), key, key.Patience()+1); err != nil || until.IsZero() {
		a.Fatalf("suspended until %v, %v", until, err)
	}
}

// TestKeysAreToldOfToWhomeverTheyConcern has keys that a registration made, and one that a member did.
func TestKeysAreToldOfToWhomeverTheyConcern(t *testing.T) {
	a := newAPI(t)
	_, id := a.issueKey(a.workspace, schema.Read, false)
	a.exec(`update workspaces set email = 'acme@example.com' where id = $1`, a.workspace.Bytes())
	a.suspend(id)
	a.mail(people.MailSuspension, "acme@example.com")
	a.anHourPasses()
	a.member(a.workspace, people.Viewer, "bob")
	a.exec(`update api_keys set made_by = (select id from users) where id = $1`, id.Bytes())
	a.suspend(id)
	a.mail(people.MailSuspension, "bob@example.com") // there are members: the registration's address is theirs no more

	store, notice := postgres.NewMail(a.store, rand.Reader), people.Notice{ID: schema.NoticeID{1}, Subject: "An end", Text: "It ends."}
	if err := store.PutNotice(t.Context(), notice); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time everybody has it
		for after, more := (schema.KeyID{}), true; more; more = !after.IsZero() {
			_, last, full, err := store.Notify(t.Context(), notice.ID, after)
			if err != nil || full {
				t.Fatal(full, err)
			}
			after = last
		}
	}
	var recipients []string
	for _, letter := range a.mails() {
		recipients = append(recipients, letter.Recipient)
	}
	if want := []string{"acme@example.com", "bob@example.com"}; !slices.Equal(slices.Sorted(slices.Values(recipients)), want) {
		t.Errorf("told are %q, want %q", recipients, want)
	}
}

func TestMailIsChosenAndRefused(t *testing.T) {
	a := newAPI(t)
	ada, bob := a.member(a.workspace, people.Owner, "ada"), a.member(a.workspace, people.Viewer, "bob")
	mail := bob.ask(http.MethodGet, "/me/mail", nil).want(http.StatusOK).at("mail")
	if mail.at("postsFailed").value != false || mail.at("keysSuspended").value != nil {
		t.Errorf("a viewer gets %v", mail.value)
	}
	bob.ask(http.MethodPatch, "/me/mail", `{"keysSuspended": true}`).fails(http.StatusBadRequest, "validation_error")
	_, id := a.issueKey(a.workspace, schema.Read, false)
	a.suspend(id)
	letter := a.mail(people.MailSuspension, "ada@example.com")
	if len(letter.Keys) != 1 || letter.About != a.workspace {
		t.Errorf("letter = %+v", letter)
	}
	a.suspend(id)
	if sent := a.mails(); len(sent) != 0 {
		t.Errorf("two within an hour: %+v", sent)
	}
	a.anHourPasses()
	a.mail(people.MailSuspension, "ada@example.com")
	link := fmt.Sprintf("/mail/unsubscribe?token=%s&kind=%s&workspace=%s", letter.Refusing, letter.Kind, letter.About)
	page := a.callWith("", http.MethodGet, link, nil)
	if page.status != http.StatusOK || !strings.Contains(string(page.body), "ada@example.com") || strings.Contains(string(page.body), "<script") {
		t.Errorf("page: %d %s", page.status, page.body)
	}
	if mail := ada.ask(http.MethodGet, "/me/mail", nil).want(http.StatusOK).at("mail"); mail.at("keysSuspended").value != true {
		t.Error("opening the page has ended it")
	}
	for range 2 { // by one click, from a server, twice
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/api/v1"+link, strings.NewReader("List-Unsubscribe=One-Click"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", response, err)
		}
		response.Body.Close()
	}
	if mail := ada.ask(http.MethodGet, "/me/mail", nil).want(http.StatusOK).at("mail"); mail.at("keysSuspended").value != false || mail.at("postsFailed").value != true {
		t.Errorf("ada gets %v", mail.value)
	}
	a.anHourPasses()
	a.suspend(id)
	if sent := a.mails(); len(sent) != 0 {
		t.Errorf("who wants none gets %+v", sent)
	}
	for name, wrong := range map[string]string{
		"a token of nobody": "token=" + strings.Repeat("A", 43) + "&kind=posts_failed", "no token": "kind=posts_failed", "a kind that cannot be refused": "token=" + letter.Refusing + "&kind=reset",
		"no kind": "token=" + letter.Refusing, "no workspace": "token=" + letter.Refusing + "&kind=posts_failed&workspace=x", "nonsense": "%zz",
	} {
		if got := a.callWith("", http.MethodPost, "/mail/unsubscribe?"+wrong, nil); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", name, got.status)
		}
	}
}

func TestASuspensionIsSeenAndEnded(t *testing.T) {
	a := newAPI(t)
	workspace, _ := a.tenant("small", "free", schema.Admin)
	ada := a.member(workspace, people.Admin, "ada")
	secret, id := a.issueKey(workspace, schema.Admin, false)
	key := schema.Key{ID: id, Workspace: workspace, Name: "eager", RequestsPerMinute: 1}
	if _, err := a.keys.CountRefusals(t.Context(), key, key.Patience()+1); err != nil {
		t.Fatal(err)
	}
	path := "/keys/" + id.String()
	seen := ada.ask(http.MethodGet, path, nil).want(http.StatusOK).at("key")
	if seen.dotted("suspension.reason") == nil || seen.dotted("suspension.until") != seen.dotted("suspendedUntil") || seen.dotted("suspension.since") == nil {
		t.Errorf("key = %v", seen.value)
	}
	a.callWith(secret, http.MethodPost, path+"/unsuspend", nil).fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	_, other := a.tenant("other", "operator", schema.Admin)
	a.callWith(other, http.MethodPost, path+"/unsuspend", nil).fails(http.StatusNotFound, "not_found")
	for range 2 {
		if k := ada.ask(http.MethodPost, path+"/unsuspend", nil).want(http.StatusOK).at("key"); k.at("suspension").value != nil || k.at("suspendedUntil").value != nil {
			t.Errorf("key = %v", k.value)
		}
	}
	if n := a.number(`select count(*) from request_windows where subject like 'refused %'`); n != 0 {
		t.Error("what it was suspended for is counted still")
	}
	told := a.audited(ada.ask(http.MethodGet, "/audit?action=key.unsuspend", nil).want(http.StatusOK))
	if len(told) != 1 || !strings.HasPrefix(told[0], "key.unsuspend; user; ada; ") {
		t.Errorf("the audit log tells %q", told)
	}
}
