package people_test

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

	"crier/gateway/gatewaytest"
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
		device: virtual.NewAuthenticator(), key: newPasskey(),
		site: virtual.RelyingParty{ID: "crier.example", Name: "crier", Origin: "https://crier.example"},
	}
}

// newPasskey makes a passkey whose public key is 77 bytes of CBOR (RFC 9053, 7.1.1). The library leaves out the zeros
// that a coordinate begins with, one in 128 times, and what reads it then refuses the key.
func newPasskey() virtual.Credential {
	for {
		if c := virtual.NewCredential(virtual.KeyTypeEC2); len(c.Key.AttestationData()) == 77 {
			return c
		}
	}
}

// create makes the passkey that a page asks for.
func (d *authenticator) create(v *gatewaytest.Session, options gatewaytest.JSON) json.RawMessage {
	v.Helper()
	challenge, err := virtual.ParseAttestationOptions(textOfJSON(v, options))
	if err != nil {
		v.Fatal(err)
	}
	d.device.Options.UserHandle = []byte(challenge.UserID)
	return json.RawMessage(virtual.CreateAttestationResponse(d.site, d.device, d.key, *challenge))
}

// get shows the passkey to a page that asks for one. It counts each use.
func (d *authenticator) get(v *gatewaytest.Session, options gatewaytest.JSON) json.RawMessage {
	v.Helper()
	challenge, err := virtual.ParseAssertionOptions(textOfJSON(v, options))
	if err != nil {
		v.Fatal(err)
	}
	d.key.Counter++
	return json.RawMessage(virtual.CreateAssertionResponse(d.site, d.device, d.key, *challenge))
}

func textOfJSON(v *gatewaytest.Session, t gatewaytest.JSON) string {
	encoded, err := json.Marshal(t.Value)
	if err != nil {
		v.Fatal(err)
	}
	return string(encoded)
}

// addPasskey adds an authenticator's passkey to the user of a session.
func addPasskey(v *gatewaytest.Session, d *authenticator) gatewaytest.JSON {
	v.Helper()
	options := v.Do(http.MethodPost, "/me/passkeys/challenge", nil).Want(http.StatusCreated).At("options")
	return v.Do(http.MethodPost, "/me/passkeys", map[string]any{"name": "ofada", "credential": d.create(v, options)}).Want(http.StatusCreated)
}

// signInByPasskey signs somebody in by a passkey.
func signInByPasskey(v *gatewaytest.Session, d *authenticator) *gatewaytest.Response {
	v.Helper()
	options := v.Do(http.MethodPost, "/session/passkey/challenge", nil).Want(http.StatusCreated).At("options")
	return v.Do(http.MethodPost, "/session/passkey", map[string]any{"credential": d.get(v, options)})
}

func TestPasskeySignsIn(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	device := newAuthenticator()
	id := addPasskey(ada, device).At("passkey", "id").Text()
	if got := ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session", "method").Value; got != "password" {
		t.Errorf("method = %v", got)
	}
	a.Exec(`update users set password = null`)
	elsewhere := &gatewaytest.Session{API: a}
	signInByPasskey(elsewhere, device).Want(http.StatusCreated)
	session := elsewhere.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session")
	for path, want := range map[string]any{"user.email": "ada@example.com", "method": "passkey", "provider": nil, "workspace.role": "owner"} {
		if got := session.Dotted(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	before := *elsewhere
	signInByPasskey(elsewhere, device).Want(http.StatusCreated)
	before.Do(http.MethodGet, "/session", nil).WantError(http.StatusUnauthorized, "unauthorized") // another session took its place
	ada.Do(http.MethodPatch, "/me/passkeys/"+id, `{"name": "Laptop"}`).Want(http.StatusOK)
	listed := ada.Do(http.MethodGet, "/me/passkeys", nil).Want(http.StatusOK).At("passkeys", 0)
	if listed.At("name").Text() != "Laptop" || listed.At("lastUsedAt").Value == nil || listed.At("isSynced").Value != false {
		t.Errorf("passkey = %v", listed.Value)
	}
	ada.Do(http.MethodDelete, "/me/passkeys/"+id, nil).WantError(http.StatusBadRequest, "invalid_state") // the last way in
	addPasskey(ada, newAuthenticator())
	ada.Do(http.MethodDelete, "/me/passkeys/"+id, nil).Want(http.StatusOK)
	signInByPasskey(elsewhere, device).WantError(http.StatusUnauthorized, "unauthorized")
	a.Exec(`update users set is_operator = true`)
	records := a.AuditRows(ada.Do(http.MethodGet, "/audit/installation", nil).Want(http.StatusOK))
	for _, want := range []string{
		"passkey.add; user; ada; ofada", "passkey.rename; user; ada; Laptop; name: ofada → Laptop", "passkey.remove; user; ada; Laptop", "session.begin; user; ada; ; by:  → passkey",
	} {
		if !slices.Contains(records, want) {
			t.Errorf("%q is not told in %q", want, records)
		}
	}
}

// TestPasskeyIsRefused shows what does not hold; all of it is refused in the same words but a copy.
func TestPasskeyIsRefused(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	device := newAuthenticator()
	addPasskey(ada, device)
	thief := &gatewaytest.Session{API: a}
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
			d.key = newPasskey()
			d.key.ID = id
		},
		"one that may be copied now": func(d *authenticator) { d.device.Options.BackupEligible = true },
	} {
		t.Run(name, func(t *testing.T) {
			wrong := *device
			wrong.key.Counter = 100
			change(&wrong)
			got := signInByPasskey(thief, &wrong).Want(http.StatusUnauthorized)
			if message := got.At("error", "message").Text(); message != people.ErrNoPasskey.Message {
				t.Errorf("message = %q", message)
			}
		})
	}
	thief.Do(http.MethodPost, "/session/passkey", `{"credential": {}}`).WantError(http.StatusUnauthorized, "unauthorized") // it has begun nothing
	signInByPasskey(thief, device).Want(http.StatusCreated)
	copied := *device
	copied.key.Counter -= 2
	got := signInByPasskey(thief, &copied).Want(http.StatusUnauthorized)
	if message := got.At("error", "message").Text(); message != people.ErrCopiedPasskey.Message {
		t.Errorf("a copy: %q", message)
	}
}

// TestPasskeyAnswersItsChallengeOnce sends an answer again, from another browser, too late, and in another session.
func TestPasskeyAnswersItsChallengeOnce(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	device := newAuthenticator()
	addPasskey(ada, device)
	begin := func(v *gatewaytest.Session) any {
		options := v.Do(http.MethodPost, "/session/passkey/challenge", nil).Want(http.StatusCreated).At("options")
		return map[string]any{"credential": device.get(v, options)}
	}
	browser := &gatewaytest.Session{API: a}
	challenge := begin(browser)
	cookie := browser.Ceremony
	browser.Do(http.MethodPost, "/session/passkey", challenge).Want(http.StatusCreated)
	browser.Ceremony = cookie
	browser.Do(http.MethodPost, "/session/passkey", challenge).WantError(http.StatusUnauthorized, "unauthorized")

	other := &gatewaytest.Session{API: a}
	begin(other)
	other.Do(http.MethodPost, "/session/passkey", begin(browser)).WantError(http.StatusUnauthorized, "unauthorized")

	late := begin(browser)
	a.Exec(`update ceremonies set expires_at = now()`)
	browser.Do(http.MethodPost, "/session/passkey", late).WantError(http.StatusUnauthorized, "unauthorized")

	options := ada.Do(http.MethodPost, "/me/passkeys/challenge", nil).Want(http.StatusCreated).At("options")
	eve := a.SignInMember(a.Workspace, people.Viewer, "eve")
	eve.Ceremony = ada.Ceremony
	addition := map[string]any{"name": "mine", "credential": newAuthenticator().create(ada, options)}
	eve.Do(http.MethodPost, "/me/passkeys", addition).WantError(http.StatusUnauthorized, "unauthorized")
}

func TestPasskeyIsAddedOnce(t *testing.T) {
	a := gatewaytest.New(t)
	ada, eve := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(a.Workspace, people.Viewer, "eve")
	device := newAuthenticator()
	addPasskey(ada, device)
	options := ada.Do(http.MethodPost, "/me/passkeys/challenge", nil).Want(http.StatusCreated).At("options")
	if options.At("excludeCredentials").Len() != 1 || options.At("authenticatorSelection", "userVerification").Text() != "required" ||
		options.At("authenticatorSelection", "residentKey").Text() != "required" || options.At("rp", "id").Text() != "crier.example" {
		t.Errorf("options = %v", options.Value)
	}
	options = eve.Do(http.MethodPost, "/me/passkeys/challenge", nil).Want(http.StatusCreated).At("options")
	eve.Do(http.MethodPost, "/me/passkeys", map[string]any{"name": "mine", "credential": device.create(eve, options)}).WantError(http.StatusBadRequest, "invalid_state")
	wrong := newAuthenticator()
	wrong.device.Options.UserNotVerified = true
	options = eve.Do(http.MethodPost, "/me/passkeys/challenge", nil).Want(http.StatusCreated).At("options")
	eve.Do(http.MethodPost, "/me/passkeys", map[string]any{"name": "mine", "credential": wrong.create(eve, options)}).WantError(http.StatusBadRequest, "validation_error")
}

// TestSignInsThatBeginAreLimited counts them by network; a success gives its own back.
func TestSignInsThatBeginAreLimited(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	device := newAuthenticator()
	addPasskey(ada, device)
	for range 5 {
		signInByPasskey((&gatewaytest.Session{API: a}), device).Want(http.StatusCreated)
	}
	guest := &gatewaytest.Session{API: a}
	for range people.AttemptsByAddress {
		guest.Do(http.MethodPost, "/session/passkey/challenge", nil).Want(http.StatusCreated)
	}
	guest.Do(http.MethodPost, "/session/passkey/challenge", nil).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	// Whoever is signed in is no guest, if it is them, and gives back nothing of what guests have used up.
	ada.Do(http.MethodPost, "/me/passkeys/challenge", nil).Want(http.StatusCreated)
	ada.Do(http.MethodPost, "/session/passkey/challenge", nil, "X-CSRF-Token", "").WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	signInByPasskey(ada, device).Want(http.StatusCreated)
	guest.Do(http.MethodPost, "/session/passkey/challenge", nil).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	a.SignIn("ada") // nor do passwords count among these
}

// TestDoubtTakesEveryWayIn has the operator add somebody who became a user by an invitation: whoever took the
// address does not stay in by a passkey or an issuer.
func TestDoubtTakesEveryWayIn(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	device := newAuthenticator()
	addPasskey(ada, device)
	a.Exec(`insert into identities select gen_random_uuid(), id, 'https://login.example', 'ofada', '', now(), now() from users`)
	a.Exec(`update users set confirmed_at = null`)
	a.Exec(`update memberships set given_by = 'https://login.example'`)
	added := people.User{ID: schema.NewID[schema.UserID](a.Now()), Email: "ada@example.com", Name: "ada", CreatedAt: a.Now()}
	byCommand := people.WithAudited(t.Context(), people.Audited{Action: "user.add", Actor: people.Actor{Kind: people.ByCommand, Name: "root"}})
	if _, err := a.People().AddUser(byCommand, added, people.Membership{}); err != nil {
		t.Fatal(err)
	}
	if n := a.QueryInt(`select (select count(*) from passkeys) + (select count(*) from identities) + (select count(*) from memberships) + (select count(*) from sessions)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	if rows := a.AuditRows(a.Request(http.MethodGet, "/audit", nil).Want(http.StatusOK)); !slices.Equal(rows, []string{"member.remove; command; root; ada; role: owner → "}) {
		t.Errorf("the workspace's log has %q", rows)
	}
}

// TestDoubtWithdrawsWhatWasInvited has whoever took the address invite others by the role that an issuer gave: they
// would come back by it. What people have given stays, with what was invited by that.
func TestDoubtWithdrawsWhatWasInvited(t *testing.T) {
	a := gatewaytest.New(t)
	second, _ := a.CreateWorkspace("second", "operator", schema.Read)
	ada := a.SignInMember(a.Workspace, people.Admin, "ada")
	invite(ada, "eve@example.com", people.Viewer)
	added := people.User{ID: schema.NewID[schema.UserID](a.Now()), Email: "ada@example.com", Name: "ada", CreatedAt: a.Now()}
	if _, err := a.People().AddUser(t.Context(), added, people.Membership{Workspace: second, Role: people.Admin}); err != nil {
		t.Fatal(err)
	}
	ada.Do(http.MethodPatch, "/session", `{"workspaceId": "`+second.String()+`"}`).Want(http.StatusOK)
	invite(ada, "bob@example.com", people.Viewer)
	a.Exec(`update users set confirmed_at = null`)
	a.Exec(`update memberships set given_by = 'https://login.example' where workspace_id <> $1`, second.Bytes())
	if _, err := a.People().AddUser(t.Context(), added, people.Membership{}); err != nil {
		t.Fatal(err)
	}
	if n := a.QueryInt(`select count(*) from invitations where email = 'eve@example.com'`); n != 0 {
		t.Error("the invitation by the role that an issuer gave is left")
	}
	if n := a.QueryInt(`select count(*) from invitations where email = 'bob@example.com'`); n != 1 {
		t.Error("the invitation by the role that people gave is gone")
	}
}

// TestDoubtTakesSessionsThatBegin has whoever took the address sign in by their passkey at the moment in which the
// operator adds somebody.
func TestDoubtTakesSessionsThatBegin(t *testing.T) {
	a := gatewaytest.New(t)
	addPasskey(a.SignInMember(a.Workspace, people.Owner, "ada"), newAuthenticator())
	a.Exec(`update users set confirmed_at = null`)
	signIn, err := pgx.Connect(t.Context(), a.DatabaseURL)
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
		_, err := a.People().AddUser(t.Context(), people.User{ID: schema.NewID[schema.UserID](a.Now()), Email: "ada@example.com", Name: "ada", CreatedAt: a.Now()}, people.Membership{})
		added <- err
	}()
	for a.QueryInt(`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`) == 0 {
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
	if n := a.QueryInt(`select count(*) from sessions`); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func TestRemovedUserLeavesNoWayIn(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	passkey := addPasskey(ada, newAuthenticator()).At("passkey", "id").Text()
	ada.Do(http.MethodPatch, "/me/passkeys/"+passkey, `{"name": "also ofada"}`).Want(http.StatusOK)
	a.Exec(`insert into identities select gen_random_uuid(), id, 'https://login.example', 'x', '', now(), now() from users`)
	ada.Do(http.MethodPost, "/me/passkeys/challenge", nil).Want(http.StatusCreated)
	if err := a.People().RemoveUser(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	if n := a.QueryInt(`select (select count(*) from passkeys) + (select count(*) from identities) + (select count(*) from ceremonies) +
		(select count(*) from audit where audit::text like '%ofada%')`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// TestASessionThatHasEndedAddsNothing has a request pass admission just before a reset ends its session: whoever is
// turned out by that keeps no way in.
func TestASessionThatHasEndedAddsNothing(t *testing.T) {
	a := gatewaytest.New(t)
	user, gone := a.AddUser("ada", people.Membership{}).ID, schema.NewID[schema.SessionID](a.Now())
	if err := a.People().AddPasskey(t.Context(), gone, people.Passkey{ID: schema.NewID[schema.PasskeyID](a.Now()), User: user}); schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("a passkey was added: %v", err)
	}
	refused, ok := errors.AsType[*people.SignInError](a.People().LinkIdentity(t.Context(), user, gone, people.Testimony{Issuer: "https://id.example", Subject: "1"}))
	if !ok || refused.Reason != people.ReasonSignedOut {
		t.Errorf("an identity was linked: %v", refused)
	}
	if _, err := a.People().ProveEmail(t.Context(), user, gone, [32]byte{1}); schema.KindOf(err) != schema.Unauthorized {
		t.Errorf("an address was changed: %v", err)
	}
}
