package people_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema/people"
)

// elevenMinutesPass lets proofs of who somebody is run out.
func elevenMinutesPass(a *gatewaytest.API) {
	a.Helper()
	a.Exec(`update sessions set created_at = created_at - interval '11 minutes', proven_at = proven_at - interval '11 minutes'`)
}

// wantsProof reports that something was refused until its user shows who they are.
func wantsProof(v *gatewaytest.Session, method, path string, body any) {
	v.Helper()
	refused := v.Do(method, path, body).WantError(http.StatusForbidden, "forbidden")
	if got := refused.At("details", 0, "code").Value; got != "proof_required" {
		v.Errorf("%s %s: the detail is %v", method, path, got)
	}
}

func TestWhoFindsASessionOpenCannotStay(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	device := newAuthenticator()
	proofs := func(want ...string) {
		t.Helper()
		if got := ada.Do(http.MethodGet, "/session", nil).Want(http.StatusOK).At("session", "proofs").Value; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("proofs = %v, want %v", got, want)
		}
	}
	proofs("password")
	addPasskey(ada, device) // right after signing in
	proofs("password", "passkey")
	elevenMinutesPass(a)
	wantsProof(ada, http.MethodPost, "/me/passkeys/challenge", nil)
	wantsProof(ada, http.MethodPost, "/me/identities", `{"provider": "acme"}`)
	ada.Do(http.MethodPost, "/session/proof", `{"password": "not hers, in any case"}`).WantError(http.StatusBadRequest, "validation_error")
	wantsProof(ada, http.MethodPost, "/me/passkeys/challenge", nil)
	ada.Do(http.MethodPost, "/session/proof", fmt.Sprintf(`{"password": %q}`, gatewaytest.Password)).Want(http.StatusOK)
	addPasskey(ada, newAuthenticator())

	elevenMinutesPass(a)
	show := func(d *authenticator) *gatewaytest.Response {
		options := ada.Do(http.MethodPost, "/session/passkey/challenge", nil).Want(http.StatusCreated).At("options")
		return ada.Do(http.MethodPost, "/session/proof", map[string]any{"credential": d.get(ada, options)})
	}
	bobs := newAuthenticator()
	addPasskey(a.SignInMember(a.Workspace, people.Editor, "bob"), bobs)
	show(bobs).WantError(http.StatusUnauthorized, "unauthorized")
	wantsProof(ada, http.MethodPost, "/me/passkeys/challenge", nil)
	show(device).Want(http.StatusOK)
	addPasskey(ada, newAuthenticator())

	// Who has no password has nothing to show with the request itself, and what they have shown lasts no longer for one.
	a.Exec(`update users set password = null`)
	toldToShow := func(want string) {
		t.Helper()
		wantsProof(ada, http.MethodPost, "/session/proof", `{"password": "anything"}`)
		refused := ada.Do(http.MethodPost, "/session/proof", `{"password": "anything"}`).WantError(http.StatusForbidden, "forbidden")
		if message := refused.At("message").Text(); !strings.Contains(message, want) {
			t.Errorf("message = %q, want %q", message, want)
		}
	}
	toldToShow("one of your passkeys")
	proofs("passkey")
	elevenMinutesPass(a)
	wantsProof(ada, http.MethodPatch, "/me/password", fmt.Sprintf(`{"newPassword": %q}`, gatewaytest.Password))
	wantsProof(ada, http.MethodPost, "/me/email", `{"email": "ada@example.org"}`)
	wantsProof(ada, http.MethodPost, "/session/proof", `{"password": ""}`)
	show(device).Want(http.StatusOK)
	ada.Do(http.MethodPatch, "/me/password", fmt.Sprintf(`{"newPassword": %q}`, gatewaytest.Password)).Want(http.StatusOK)

	// Who has neither signs in anew, as they did.
	a.Exec(`update users set password = null`)
	a.Exec(`delete from passkeys`)
	toldToShow("by a link")
	proofs()
	a.Exec(`update sessions set means = $1, provider = 'acme'`, people.WithProvider)
	toldToShow("anew, at acme")
}

// TestProofsAreTheUsersToUseUp has others of her network use up what it has of sign-ins, and then her session what it
// has of proofs.
func TestProofsAreTheUsersToUseUp(t *testing.T) {
	a := gatewaytest.New(t)
	ada := a.SignInMember(a.Workspace, people.Owner, "ada")
	a.Exec(`insert into request_windows (subject, began_at, used) select subject || ' from 127.0.0.1/32', now(), 1000 from unnest('{sign-in,sign-in begun}'::text[]) subject
		on conflict (subject) do update set used = excluded.used`)
	const right, wrong = `{"password": "` + gatewaytest.Password + `"}`, `{"password": "not hers, in any case"}`
	for range 2 {
		for range people.AttemptsInSession - 1 {
			ada.Do(http.MethodPost, "/session/proof", wrong).WantError(http.StatusBadRequest, "validation_error")
		}
		ada.Do(http.MethodPost, "/session/proof", right).Want(http.StatusOK)
	}
	for range people.AttemptsInSession {
		ada.Do(http.MethodPost, "/me/email", `{"email": "ada@example.org", "currentPassword": "not hers, in any case"}`).WantError(http.StatusBadRequest, "validation_error")
	}
	ada.Do(http.MethodPost, "/session/proof", right).WantError(http.StatusTooManyRequests, "rate_limit_exceeded")
	ada.Do(http.MethodPost, "/session", `{"email": "ada@example.com", "password": "`+gatewaytest.Password+`"}`).Want(http.StatusCreated)
}
