package people_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
)

// letters sends what is due, and returns it.
func letters(a *gatewaytest.API) (sent []people.Letter) {
	a.Helper()
	store := postgres.NewMail(a.Store, rand.Reader)
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

// letterTo is the only one that is due.
func letterTo(a *gatewaytest.API, kind people.MailKind, recipient string) people.Letter {
	a.Helper()
	sent := letters(a)
	if len(sent) != 1 || sent[0].Kind != kind || sent[0].Recipient != recipient {
		a.Fatalf("sent %+v, want %v to %s", sent, kind, recipient)
	}
	return sent[0]
}

// anHourPasses lets mail go once more.
func anHourPasses(a *gatewaytest.API) {
	a.Helper()
	a.Exec(`update mails set sent_at = sent_at - interval '1 hour', due_at = due_at - interval '1 hour'`)
}

func isProven(v *gatewaytest.Session) bool {
	v.Helper()
	return v.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session", "user", "isEmailConfirmed").Value == true
}

func TestInvitationsGoByMailAndProveAnAddress(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	invitation := ada.Do(http.MethodPost, "/invitations", `{"email": "Bob@example.com", "role": "editor"}`).Want(http.StatusCreated).At("invitation")
	if invitation.At("isMailed").Value != true {
		t.Error("it does not say that it goes by mail")
	}
	letter := letterTo(a, people.MailInvitation, "bob@example.com")
	if letter.Workspace != "acme" || letter.By != "ada" || letter.Role != people.Editor || letter.Token == invitation.At("token").Text() || letter.Refusing == "" {
		t.Errorf("letter = %+v", letter)
	}
	bob := &gatewaytest.Session{API: a}
	bob.Do(http.MethodPost, "/invitations/accept", accepting(letter.Token)).Want(http.StatusCreated)
	if !isProven(bob) {
		t.Error("whoever got the mail has not proven the address")
	}
	token := invite(ada, "eve@example.com", people.Viewer)
	eve := &gatewaytest.Session{API: a}
	eve.Do(http.MethodPost, "/invitations/accept", accepting(token)).Want(http.StatusCreated)
	if isProven(eve) {
		t.Error("the token that the inviter saw proves an address")
	}
	if sent := letters(a); len(sent) != 0 {
		t.Errorf("an invitation that was accepted is sent: %+v", sent)
	}
	// Another one within the hour waits, and is the one that works.
	invite(ada, "carol@example.com", people.Viewer)
	first := letterTo(a, people.MailInvitation, "carol@example.com")
	invite(ada, "carol@example.com", people.Editor)
	if sent := letters(a); len(sent) != 0 {
		t.Errorf("two within an hour: %+v", sent)
	}
	anHourPasses(a)
	second := letterTo(a, people.MailInvitation, "carol@example.com")
	carol := &gatewaytest.Session{API: a}
	carol.Do(http.MethodPost, "/invitations/accept", accepting(first.Token)).WantError(http.StatusUnauthorized, "unauthorized")
	carol.Do(http.MethodPost, "/invitations/accept", accepting(second.Token)).Want(http.StatusCreated)
}

func TestInvitationsByMailAreBounded(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	for n := range people.MaxInvited + 1 {
		invitation := ada.Do(http.MethodPost, "/invitations", fmt.Sprintf(`{"email": "u%d@example.com", "role": "viewer"}`, n)).Want(http.StatusCreated).At("invitation")
		if mailed := invitation.At("isMailed").Value == true; mailed != (n < people.MaxInvited) {
			t.Fatalf("invitation %d: isMailed = %t", n, mailed)
		}
	}
	for n := range people.MaxUnknown + 1 {
		workspace, _ := a.CreateWorkspace(fmt.Sprintf("w%d", n), "operator", schema.Read)
		invitation := a.SignInMember(workspace, people.Owner, fmt.Sprintf("o%d", n)).
			Do(http.MethodPost, "/invitations", `{"email": "victim@example.com", "role": "viewer"}`).Want(http.StatusCreated).At("invitation")
		if mailed := invitation.At("isMailed").Value == true; mailed != (n < people.MaxUnknown) {
			t.Errorf("invitation %d to one address: isMailed = %t", n, mailed)
		}
	}
}

func TestPasswordsAreResetByMail(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	anybody := &gatewaytest.Session{API: a}
	of := func(email string) *gatewaytest.Response {
		return anybody.Do(http.MethodPost, "/session/reset", fmt.Sprintf(`{"email": %q}`, email))
	}
	known, unknown := of("ADA@example.com").Want(http.StatusAccepted), of("nobody@example.com").Want(http.StatusAccepted)
	if known.At("message").Text() != unknown.At("message").Text() {
		t.Error("the answers differ")
	}
	letter := letterTo(a, people.MailReset, "ada@example.com")
	if letter.Refusing != "" {
		t.Error("a reset can be refused")
	}
	if n := a.QueryInt(`select count(*) from sign_in_links l where l::text like '%` + letter.Token + `%'`); n != 0 {
		t.Error("the token is stored")
	}
	if n := a.QueryInt(`select extract(epoch from max(expires_at) - now())::int from sign_in_links`); n < 3000 || n > 3600 {
		t.Errorf("the link works for %d s", n)
	}
	of("ada@example.com").Want(http.StatusAccepted)
	if sent := letters(a); len(sent) != 0 {
		t.Errorf("two within an hour: %+v", sent)
	}
	body := fmt.Sprintf(`{"token": %q, "password": "quite another one"}`, letter.Token)
	anybody.Do(http.MethodPost, "/session/link", body).Want(http.StatusCreated)
	ada.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized")
	(&gatewaytest.Session{API: a}).Do(http.MethodPost, "/session/link", body).WantError(http.StatusUnauthorized, "unauthorized")
	(&gatewaytest.Session{API: a}).Do(http.MethodPost, "/session", `{"email": "ada@example.com", "password": "quite another one"}`).Want(http.StatusCreated)
	for range people.ResetsByEmail {
		of("nobody@example.com")
	}
	of("nobody@example.com").WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	for n := range people.ResetsByAddress {
		of(fmt.Sprintf("u%d@example.com", n))
	}
	of("other@example.com").WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
}

func TestAddressesAreChangedByWhoGetsTheirMail(t *testing.T) {
	a := gatewaytest.New(t)
	ada, eve := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(a.Workspace, people.Viewer, "eve")
	ada.Do(http.MethodPatch, "/me/mail", `{"postsFailed": false}`).Want(http.StatusOK)
	ada.Do(http.MethodPost, "/me/email", `{"email": "new@example.com"}`).WantError(http.StatusBadRequest, "validation_error")
	change := fmt.Sprintf(`{"email": "New@example.com", "currentPassword": %q}`, gatewaytest.Password)
	ada.Do(http.MethodPost, "/me/email", change).Want(http.StatusAccepted)
	letter := letterTo(a, people.MailAddress, "new@example.com")
	proof := fmt.Sprintf(`{"token": %q}`, letter.Token)
	eve.Do(http.MethodPost, "/me/email/confirm", proof).WantError(http.StatusUnauthorized, "unauthorized")
	ada.Do(http.MethodPost, "/me/email/confirm", proof).Want(http.StatusOK)
	ada.Do(http.MethodPost, "/me/email/confirm", proof).WantError(http.StatusUnauthorized, "unauthorized")
	if session := ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session"); session.Dotted("user.email") != "new@example.com" {
		t.Errorf("session = %v", session.Value)
	}
	if mail := ada.Do(http.MethodGet, "/me/mail", nil).Want(http.StatusOK).At("mail"); mail.At("postsFailed").Value != false {
		t.Errorf("mail = %v", mail.Value)
	}
	letterTo(a, people.MailAddressChanged, "ada@example.com")
	a.Exec(`update users set is_operator = true`)
	records := strings.Join(a.AuditRows(ada.Do(http.MethodGet, "/audit/installation?action=email", nil).Want(http.StatusOK)), "\n")
	if !strings.Contains(records, "email.change; user; ada; ; email:  → changed") || strings.Contains(records, "@") {
		t.Errorf("the audit log tells %s", records)
	}
	// Somebody else's address is proven in vain.
	ada.Do(http.MethodPost, "/me/email", fmt.Sprintf(`{"email": "eve@example.com", "currentPassword": %q}`, gatewaytest.Password)).Want(http.StatusAccepted)
	taken := letterTo(a, people.MailAddress, "eve@example.com")
	ada.Do(http.MethodPost, "/me/email/confirm", fmt.Sprintf(`{"token": %q}`, taken.Token)).WantError(http.StatusBadRequest, "invalid_state")
}

// suspend suspends a key of the workspace, once more if need be.
func suspend(a *gatewaytest.API, id schema.KeyID) {
	a.Helper()
	a.Exec(`update api_keys set suspended_until = null`)
	key := schema.Key{ID: id, Workspace: a.Workspace, Name: "eager", RequestsPerMinute: 1}
	if until, err := a.GatewayStore.CountRefusals(a.Context(), key, key.Patience()+1); err != nil || until.IsZero() {
		a.Fatalf("suspended until %v, %v", until, err)
	}
}

// TestKeysAreToldOfToWhomeverTheyConcern has keys that a registration made, and one that a member did.
func TestKeysAreToldOfToWhomeverTheyConcern(t *testing.T) {
	a := gatewaytest.New(t)
	_, id := a.IssueKey(a.Workspace, schema.Read, false)
	a.Exec(`update workspaces set email = 'acme@example.com' where id = $1`, a.Workspace.Bytes())
	suspend(a, id)
	letterTo(a, people.MailSuspension, "acme@example.com")
	anHourPasses(a)
	a.SignInMember(a.Workspace, people.Viewer, "bob")
	a.Exec(`update api_keys set made_by = (select id from users) where id = $1`, id.Bytes())
	suspend(a, id)
	letterTo(a, people.MailSuspension, "bob@example.com") // there are members: the registration's address is theirs no more

	store, notice := postgres.NewMail(a.Store, rand.Reader), people.Notice{ID: schema.NoticeID{1}, Subject: "An end", Text: "It ends."}
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
	for _, letter := range letters(a) {
		recipients = append(recipients, letter.Recipient)
	}
	if want := []string{"acme@example.com", "bob@example.com"}; !slices.Equal(slices.Sorted(slices.Values(recipients)), want) {
		t.Errorf("told are %q, want %q", recipients, want)
	}
}

func TestMailIsChosenAndRefused(t *testing.T) {
	a := gatewaytest.New(t)
	ada, bob := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(a.Workspace, people.Viewer, "bob")
	mail := bob.Do(http.MethodGet, "/me/mail", nil).Want(http.StatusOK).At("mail")
	if mail.At("postsFailed").Value != false || mail.At("keysSuspended").Value != nil {
		t.Errorf("a viewer gets %v", mail.Value)
	}
	bob.Do(http.MethodPatch, "/me/mail", `{"keysSuspended": true}`).WantError(http.StatusBadRequest, "validation_error")
	_, id := a.IssueKey(a.Workspace, schema.Read, false)
	suspend(a, id)
	letter := letterTo(a, people.MailSuspension, "ada@example.com")
	if len(letter.Keys) != 1 || letter.About != a.Workspace {
		t.Errorf("letter = %+v", letter)
	}
	suspend(a, id)
	if sent := letters(a); len(sent) != 0 {
		t.Errorf("two within an hour: %+v", sent)
	}
	anHourPasses(a)
	letterTo(a, people.MailSuspension, "ada@example.com")
	link := fmt.Sprintf("/mail/unsubscribe?token=%s&kind=%s&workspace=%s", letter.Refusing, letter.Kind, letter.About)
	page := a.RequestWith("", http.MethodGet, link, nil)
	if page.Status != http.StatusOK || !strings.Contains(string(page.Body), "ada@example.com") || strings.Contains(string(page.Body), "<script") {
		t.Errorf("page: %d %s", page.Status, page.Body)
	}
	if mail := ada.Do(http.MethodGet, "/me/mail", nil).Want(http.StatusOK).At("mail"); mail.At("keysSuspended").Value != true {
		t.Error("opening the page has ended it")
	}
	for range 2 { // by one click, from a server, twice
		response := a.Send(http.MethodPost, a.URL+"/api/v1"+link, strings.NewReader("List-Unsubscribe=One-Click"), "Content-Type", "application/x-www-form-urlencoded")
		if response.Status != http.StatusOK {
			t.Fatalf("%d %s", response.Status, response.Body)
		}
	}
	if mail := ada.Do(http.MethodGet, "/me/mail", nil).Want(http.StatusOK).At("mail"); mail.At("keysSuspended").Value != false || mail.At("postsFailed").Value != true {
		t.Errorf("ada gets %v", mail.Value)
	}
	anHourPasses(a)
	suspend(a, id)
	if sent := letters(a); len(sent) != 0 {
		t.Errorf("who wants none gets %+v", sent)
	}
	for name, wrong := range map[string]string{
		"a token of nobody": "token=" + strings.Repeat("A", 43) + "&kind=posts_failed", "no token": "kind=posts_failed", "a kind that cannot be refused": "token=" + letter.Refusing + "&kind=reset",
		"no kind": "token=" + letter.Refusing, "no workspace": "token=" + letter.Refusing + "&kind=posts_failed&workspace=x", "nonsense": "%zz",
	} {
		if got := a.RequestWith("", http.MethodPost, "/mail/unsubscribe?"+wrong, nil); got.Status != http.StatusNotFound {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
}

func TestASuspensionIsSeenAndEnded(t *testing.T) {
	a := gatewaytest.New(t)
	workspace, _ := a.CreateWorkspace("small", "free", schema.Admin)
	ada := a.SignInMember(workspace, people.Admin, "ada")
	secret, id := a.IssueKey(workspace, schema.Admin, false)
	key := schema.Key{ID: id, Workspace: workspace, Name: "eager", RequestsPerMinute: 1}
	if _, err := a.GatewayStore.CountRefusals(t.Context(), key, key.Patience()+1); err != nil {
		t.Fatal(err)
	}
	path := "/keys/" + id.String()
	seen := ada.Do(http.MethodGet, path, nil).Want(http.StatusOK).At("key")
	if seen.Dotted("suspension.reason") == nil || seen.Dotted("suspension.until") != seen.Dotted("suspendedUntil") || seen.Dotted("suspension.since") == nil {
		t.Errorf("key = %v", seen.Value)
	}
	a.RequestWith(secret, http.MethodPost, path+"/unsuspend", nil).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	_, other := a.CreateWorkspace("other", "operator", schema.Admin)
	a.RequestWith(other, http.MethodPost, path+"/unsuspend", nil).WantError(http.StatusNotFound, "not_found")
	for range 2 {
		if k := ada.Do(http.MethodPost, path+"/unsuspend", nil).Want(http.StatusOK).At("key"); k.At("suspension").Value != nil || k.At("suspendedUntil").Value != nil {
			t.Errorf("key = %v", k.Value)
		}
	}
	if n := a.QueryInt(`select count(*) from request_windows where subject like 'refused %'`); n != 0 {
		t.Error("what it was suspended for is counted still")
	}
	records := a.AuditRows(ada.Do(http.MethodGet, "/audit?action=key.unsuspend", nil).Want(http.StatusOK))
	if len(records) != 1 || !strings.HasPrefix(records[0], "key.unsuspend; user; ada; ") {
		t.Errorf("the audit log tells %q", records)
	}
}
