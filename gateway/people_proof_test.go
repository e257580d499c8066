package gateway_test

import (
	"fmt"
	"net/http"
	"testing"

	"crier/schema/people"
)

// elevenMinutesPass lets proofs of who somebody is run out.
func (a *api) elevenMinutesPass() {
	a.Helper()
	a.exec(`update sessions set created_at = created_at - interval '11 minutes', proven_at = proven_at - interval '11 minutes'`)
}

// wantsProof reports that something was refused until its user shows who they are.
func (v *visitor) wantsProof(method, path string, body any) {
	v.Helper()
	refused := v.ask(method, path, body).fails(http.StatusForbidden, "forbidden")
	if got := refused.at("details", 0, "code").value; got != "proof_required" {
		v.Errorf("%s %s: the detail is %v", method, path, got)
	}
}

func TestWhoFindsASessionOpenCannotStay(t *testing.T) {
	a := newAPI(t)
	ada := a.member(a.workspace, people.Owner, "ada")
	device := newAuthenticator()
	ada.addPasskey(device) // right after signing in
	a.elevenMinutesPass()
	ada.wantsProof(http.MethodPost, "/me/passkeys/challenge", nil)
	ada.wantsProof(http.MethodPost, "/me/identities", `{"provider": "acme"}`)
	ada.ask(http.MethodPost, "/session/proof", `{"password": "not hers, in any case"}`).fails(http.StatusBadRequest, "validation_error")
	ada.wantsProof(http.MethodPost, "/me/passkeys/challenge", nil)
	ada.ask(http.MethodPost, "/session/proof", fmt.Sprintf(`{"password": %q}`, words)).want(http.StatusOK)
	ada.addPasskey(newAuthenticator())

	a.elevenMinutesPass()
	show := func(d *authenticator) *answer {
		options := ada.ask(http.MethodPost, "/session/passkey/challenge", nil).want(http.StatusCreated).at("options")
		return ada.ask(http.MethodPost, "/session/proof", map[string]any{"credential": d.get(ada, options)})
	}
	bobs := newAuthenticator()
	a.member(a.workspace, people.Editor, "bob").addPasskey(bobs)
	show(bobs).fails(http.StatusUnauthorized, "unauthorized")
	ada.wantsProof(http.MethodPost, "/me/passkeys/challenge", nil)
	show(device).want(http.StatusOK)
	ada.addPasskey(newAuthenticator())

	// Who has no password has nothing to show with the request itself.
	a.elevenMinutesPass()
	a.exec(`update users set password = null`)
	ada.wantsProof(http.MethodPatch, "/me/password", fmt.Sprintf(`{"newPassword": %q}`, words))
	ada.wantsProof(http.MethodPost, "/me/email", `{"email": "ada@example.org"}`)
	ada.wantsProof(http.MethodPost, "/session/proof", `{"password": ""}`)
	show(device).want(http.StatusOK)
	ada.ask(http.MethodPatch, "/me/password", fmt.Sprintf(`{"newPassword": %q}`, words)).want(http.StatusOK)
}
