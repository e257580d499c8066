package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	virtual "github.com/descope/virtualwebauthn"
	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
)

// authenticator is a device with one passkey, on which its owner shows who they are.
type authenticator struct {
	device virtual.Authenticator
	key    virtual.Credential
	site   virtual.RelyingParty // whose page asks
}

func newAuthenticator() *authenticator {
	return &authenticator{
		device: virtual.NewAuthenticator(), key: virtual.NewCredential(virtual.KeyTypeEC2),
		site: virtual.RelyingParty{ID: "crier.example", Name: "crier", Origin: "https://crier.example"},
	}
}

// create makes the passkey that a page asks for.
func (d *authenticator) create(v *visitor, options tree) json.RawMessage {
	v.Helper()
	asked, err := virtual.ParseAttestationOptions(textOfJSON(v, options))
	if err != nil {
		v.Fatal(err)
	}
	d.device.Options.UserHandle = []byte(asked.UserID)
	return json.RawMessage(virtual.CreateAttestationResponse(d.site, d.device, d.key, *asked))
}

// get shows the passkey to a page that asks for one. It counts each use.
func (d *authenticator) get(v *visitor, options tree) json.RawMessage {
	v.Helper()
	asked, err := virtual.ParseAssertionOptions(textOfJSON(v, options))
	if err != nil {
		v.Fatal(err)
	}
	d.key.Counter++
	return json.RawMessage(virtual.CreateAssertionResponse(d.site, d.device, d.key, *asked))
}

func textOfJSON(v *visitor, t tree) string {
	encoded, err := json.Marshal(t.value)
	if err != nil {
		v.Fatal(err)
	}
	return string(encoded)
}

// addPasskey adds an authenticator's passkey to the user of a session.
func (v *visitor) addPasskey(d *authenticator) tree {
	v.Helper()
	options := v.ask(http.MethodPost, "/me/passkeys/challenge", nil).want(http.StatusCreated).at("options")
	return v.ask(http.MethodPost, "/me/passkeys", map[string]any{"name": "ofada", "credential": d.create(v, options)}).want(http.StatusCreated)
}

// show signs somebody in by a passkey.
func (v *visitor) show(d *authenticator) *answer {
	v.Helper()
	options := v.ask(http.MethodPost, "/session/passkey/challenge", nil).want(http.StatusCreated).at("options")
	return v.ask(http.MethodPost, "/session/passkey", map[string]any{"credential": d.get(v, options)})
}

func TestPasskeySignsIn(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	device := newAuthenticator()
	id := ada.addPasskey(device).at("passkey", "id").text()
	if got := ada.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session", "method").value; got != "password" {
		t.Errorf("method = %v", got)
	}
	a.exec(`update users set password = null`)
	elsewhere := &visitor{api: a}
	elsewhere.show(device).want(http.StatusCreated)
	session := elsewhere.ask(http.MethodGet, "/session", nil).want(http.StatusOK).at("session")
	for path, want := range map[string]any{"user.email": "ada@example.com", "method": "passkey", "provider": nil, "workspace.role": "owner"} {
		if got := session.dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	before := *elsewhere
	elsewhere.show(device).want(http.StatusCreated)
	before.ask(http.MethodGet, "/session", nil).fails(http.StatusUnauthorized, "unauthorized") // another session took its place
	ada.ask(http.MethodPatch, "/me/passkeys/"+id, `{"name": "Laptop"}`).want(http.StatusOK)
	listed := ada.ask(http.MethodGet, "/me/passkeys", nil).want(http.StatusOK).at("passkeys", 0)
	if listed.at("name").text() != "Laptop" || listed.at("lastUsedAt").value == nil || listed.at("isSynced").value != false {
		t.Errorf("passkey = %v", listed.value)
	}
	ada.ask(http.MethodDelete, "/me/passkeys/"+id, nil).fails(http.StatusBadRequest, "invalid_state") // the last way in
	ada.addPasskey(newAuthenticator())
	ada.ask(http.MethodDelete, "/me/passkeys/"+id, nil).want(http.StatusOK)
	elsewhere.show(device).fails(http.StatusUnauthorized, "unauthorized")
	a.exec(`update users set is_operator = true`)
	told := a.audited(ada.ask(http.MethodGet, "/audit/installation", nil).want(http.StatusOK))
	for _, want := range []string{
		"passkey.add; user; ada; ofada", "passkey.rename; user; ada; Laptop; name: ofada → Laptop", "passkey.remove; user; ada; Laptop", "session.begin; user; ada; ; by:  → passkey",
	} {
		if !slices.Contains(told, want) {
			t.Errorf("%q is not told in %q", want, told)
		}
	}
}

// TestPasskeyIsRefused shows what does not hold; all of it is refused in the same words but a copy.
func TestPasskeyIsRefused(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	device := newAuthenticator()
	ada.addPasskey(device)
	thief := &visitor{api: a}
	for name, change := range map[string]func(*authenticator){
		"nobody has shown who they are": func(d *authenticator) { d.device.Options.UserNotVerified = true },
		"nobody is there":               func(d *authenticator) { d.device.Options.UserNotPresent = true },
		"the page of another site":      func(d *authenticator) { d.site.Origin = "https://crier.example.evil.example" },
		"the passkey of another site":   func(d *authenticator) { d.site.ID = "evil.example" },
		"another user":                  func(d *authenticator) { d.device.Options.UserHandle = []byte("somebody") },
		"no user":                       func(d *authenticator) { d.device.Options.UserHandle = nil },
		"an unknown passkey":            func(d *authenticator) { d.key.ID = []byte("unknown") },
		"another key": func(d *authenticator) {
			id := d.key.ID
			d.key = virtual.NewCredential(virtual.KeyTypeEC2)
			d.key.ID = id
		},
		"one that may be copied now": func(d *authenticator) { d.device.Options.BackupEligible = true },
	} {
		t.Run(name, func(t *testing.T) {
			wrong := *device
			wrong.key.Counter = 100
			change(&wrong)
			got := thief.show(&wrong).want(http.StatusUnauthorized)
			if message := got.at("error", "message").text(); message != people.ErrNoPasskey.Message {
				t.Errorf("message = %q", message)
			}
		})
	}
	thief.ask(http.MethodPost, "/session/passkey", `{"credential": {}}`).fails(http.StatusUnauthorized, "unauthorized") // it has begun nothing
	thief.show(device).want(http.StatusCreated)
	copied := *device
	copied.key.Counter -= 2
	got := thief.show(&copied).want(http.StatusUnauthorized)
	if message := got.at("error", "message").text(); message != people.ErrCopiedPasskey.Message {
		t.Errorf("a copy: %q", message)
	}
}

// TestPasskeyAnswersItsChallengeOnce sends an answer again, from another browser, too late, and in another session.
func TestPasskeyAnswersItsChallengeOnce(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	device := newAuthenticator()
	ada.addPasskey(device)
	begin := func(v *visitor) any {
		options := v.ask(http.MethodPost, "/session/passkey/challenge", nil).want(http.StatusCreated).at("options")
		return map[string]any{"credential": device.get(v, options)}
	}
	browser := &visitor{api: a}
	shown := begin(browser)
	cookie := browser.ceremony
	browser.ask(http.MethodPost, "/session/passkey", shown).want(http.StatusCreated)
	browser.ceremony = cookie
	browser.ask(http.MethodPost, "/session/passkey", shown).fails(http.StatusUnauthorized, "unauthorized")

	other := &visitor{api: a}
	begin(other)
	other.ask(http.MethodPost, "/session/passkey", begin(browser)).fails(http.StatusUnauthorized, "unauthorized")

	late := begin(browser)
	a.exec(`update ceremonies set expires_at = now()`)
	browser.ask(http.MethodPost, "/session/passkey", late).fails(http.StatusUnauthorized, "unauthorized")

	options := ada.ask(http.MethodPost, "/me/passkeys/challenge", nil).want(http.StatusCreated).at("options")
	eve := a.member(a.workspace, people.Viewer, "eve")
	eve.ceremony = ada.ceremony
	addition := map[string]any{"name": "mine", "credential": newAuthenticator().create(ada, options)}
	eve.ask(http.MethodPost, "/me/passkeys", addition).fails(http.StatusUnauthorized, "unauthorized")
}

func TestPasskeyIsAddedOnce(t *testing.T) {
	a := newAPI(t)
	ada, eve := a.member(a.workspace, people.Owner, "ada"), a.member(a.workspace, people.Viewer, "eve")
	device := newAuthenticator()
	ada.addPasskey(device)
	options := ada.ask(http.MethodPost, "/me/passkeys/challenge", nil).want(http.StatusCreated).at("options")
	if options.at("excludeCredentials").size() != 1 || options.at("authenticatorSelection", "userVerification").text() != "required" ||
		options.at("authenticatorSelection", "residentKey").text() != "required" || options.at("rp", "id").text() != "crier.example" {
		t.Errorf("options = %v", options.value)
	}
	options = eve.ask(http.MethodPost, "/me/passkeys/challenge", nil).want(http.StatusCreated).at("options")
	eve.ask(http.MethodPost, "/me/passkeys", map[string]any{"name": "mine", "credential": device.create(eve, options)}).fails(http.StatusBadRequest, "invalid_state")
	wrong := newAuthenticator()
	wrong.device.Options.UserNotVerified = true
	options = eve.ask(http.MethodPost, "/me/passkeys/challenge", nil).want(http.StatusCreated).at("options")
	eve.ask(http.MethodPost, "/me/passkeys", map[string]any{"name": "mine", "credential": wrong.create(eve, options)}).fails(http.StatusBadRequest, "validation_error")
}

// TestSignInsThatBeginAreLimited counts them with wrong passwords, by network; a success gives its own back.
func TestSignInsThatBeginAreLimited(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	device := newAuthenticator()
	ada.addPasskey(device)
	for range 5 {
		(&visitor{api: a}).show(device).want(http.StatusCreated)
	}
	for range people.AttemptsByAddress {
		ada.ask(http.MethodPost, "/session/passkey/challenge", nil).want(http.StatusCreated)
	}
	ada.ask(http.MethodPost, "/session/passkey/challenge", nil).fails(http.StatusTooManyRequests, "rate_limit_exceeded")
	ada.ask(http.MethodPost, "/me/passkeys/challenge", nil).want(http.StatusCreated) // whoever is signed in is not a guest
}

// TestDoubtTakesEveryWayIn has the operator add somebody who became a user by an invitation: whoever took the
// address does not stay in by a passkey or an issuer.
func TestDoubtTakesEveryWayIn(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	device := newAuthenticator()
	ada.addPasskey(device)
	a.exec(`insert into identities select gen_random_uuid(), id, 'https://login.example', 'ofada', '', now(), now() from users`)
	a.exec(`update users set confirmed_at = null`)
	a.exec(`update memberships set given_by = 'https://login.example'`)
	added := people.User{ID: schema.NewUserID(a.now()), Email: "ada@example.com", Name: "ada", CreatedAt: a.now()}
	if _, err := a.people().AddUser(t.Context(), added, people.Membership{}); err != nil {
		t.Fatal(err)
	}
	if n := a.number(`select (select count(*) from passkeys) + (select count(*) from identities) + (select count(*) from memberships) + (select count(*) from sessions)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// TestDoubtWithdrawsWhatWasInvited has whoever took the address invite others by the role that an issuer gave: they
// would come back by it. What people have given stays, with what was invited by that.
func TestDoubtWithdrawsWhatWasInvited(t *testing.T) {
	a := newAPI(t)
	second, _ := a.tenant("second", "operator", schema.Read)
	ada := a.member(a.workspace, people.Admin, "ada")
	ada.invite("eve@example.com", people.Viewer)
	added := people.User{ID: schema.NewUserID(a.now()), Email: "ada@example.com", Name: "ada", CreatedAt: a.now()}
	if _, err := a.people().AddUser(t.Context(), added, people.Membership{Workspace: second, Role: people.Admin}); err != nil {
		t.Fatal(err)
	}
	ada.ask(http.MethodPatch, "/session", `{"workspaceId": "`+second.String()+`"}`).want(http.StatusOK)
	ada.invite("bob@example.com", people.Viewer)
	a.exec(`update users set confirmed_at = null`)
	a.exec(`update memberships set given_by = 'https://login.example' where workspace_id <> $1`, second.Bytes())
	if _, err := a.people().AddUser(t.Context(), added, people.Membership{}); err != nil {
		t.Fatal(err)
	}
	if n := a.number(`select count(*) from invitations where email = 'eve@example.com'`); n != 0 {
		t.Error("the invitation by the role that an issuer gave is left")
	}
	if n := a.number(`select count(*) from invitations where email = 'bob@example.com'`); n != 1 {
		t.Error("the invitation by the role that people gave is gone")
	}
}

// TestDoubtTakesSessionsThatBegin has whoever took the address sign in by their passkey at the moment in which the
// operator adds somebody.
func TestDoubtTakesSessionsThatBegin(t *testing.T) {
	a := newAPI(t)
	a.member(a.workspace, people.Owner, "ada").addPasskey(newAuthenticator())
	a.exec(`update users set confirmed_at = null`)
	signIn, err := pgx.Connect(t.Context(), a.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer signIn.Close(context.WithoutCancel(t.Context()))
	if _, err := signIn.Exec(t.Context(), `
		begin;
		update passkeys set used_at = now();
		insert into sessions (id, user_id, hash, address, agent, created_at, seen_at, expires_at)
		select gen_random_uuid(), id, sha256('new'), '', '', now(), now(), now() + interval '1 hour' from users`); err != nil {
		t.Fatal(err)
	}
	added := make(chan error, 1)
	go func() {
		_, err := a.people().AddUser(t.Context(), people.User{ID: schema.NewUserID(a.now()), Email: "ada@example.com", Name: "ada", CreatedAt: a.now()}, people.Membership{})
		added <- err
	}()
	for a.number(`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`) == 0 {
		select {
		case err := <-added:
			t.Fatalf("nothing waited for the sign-in: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if _, err := signIn.Exec(t.Context(), `commit`); err != nil {
		t.Fatal(err)
	}
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	if n := a.number(`select count(*) from sessions`); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func TestRemovedUserLeavesNoWayIn(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	passkey := ada.addPasskey(newAuthenticator()).at("passkey", "id").text()
	ada.ask(http.MethodPatch, "/me/passkeys/"+passkey, `{"name": "also ofada"}`).want(http.StatusOK)
	a.exec(`insert into identities select gen_random_uuid(), id, 'https://login.example', 'x', '', now(), now() from users`)
	ada.ask(http.MethodPost, "/me/passkeys/challenge", nil).want(http.StatusCreated)
	if err := a.people().RemoveUser(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	if n := a.number(`select (select count(*) from passkeys) + (select count(*) from identities) + (select count(*) from ceremonies) +
		(select count(*) from audit where audit::text like '%ofada%')`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// TestASessionThatHasEndedAddsNothing has a request pass admission just before a reset ends its session: whoever is
// turned out by that keeps no way in.
func TestASessionThatHasEndedAddsNothing(t *testing.T) {
	a := newAPI(t)
	user, gone := a.user("ada", people.Membership{}).ID, schema.NewSessionID(a.now())
	if err := a.people().AddPasskey(t.Context(), gone, people.Passkey{ID: schema.NewPasskeyID(a.now()), User: user}); schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("a passkey was added: %v", err)
	}
	refused, ok := errors.AsType[*people.SignInError](a.people().LinkIdentity(t.Context(), user, gone, people.Testimony{Issuer: "https://id.example", Subject: "1"}))
	if !ok || refused.Reason != people.ReasonSignedOut {
		t.Errorf("an identity was linked: %v", refused)
	}
	if _, err := a.people().ProveEmail(t.Context(), user, gone, [32]byte{1}); schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("an address was changed: %v", err)
	}
}
