package graph

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"crier/connectors/simulators/simulation"
)

// codeLife is how long a code works (developers.facebook.com/docs/instagram-platform/
// instagram-api-with-instagram-login/business-login,
// docs/threads/get-started/get-access-tokens-and-permissions).
const codeLife = time.Hour

// Login is where instagram and threads ask a person for consent, and redeem its code.
type Login struct {
	consents *simulation.Consents
	scopes   []string
}

// NewLogin makes the login of a world. It knows the scopes; none is had without the first.
func NewLogin(w *simulation.World, scopes []string) Login {
	return Login{consents: simulation.NewConsents(w, codeLife, "_"), scopes: scopes}
}

// Authorize shows the page of consent and takes what the person answers.
func (l Login) Authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{ClientID: q.Get("client_id"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope")}
	redirect, err := url.Parse(asked.Redirect)
	scopes := simulation.SplitScopes(asked.Scope)
	switch {
	case asked.ClientID != simulation.AppID:
		refuseConsent(rw, "Invalid platform app")
	case err != nil || !redirect.IsAbs():
		refuseConsent(rw, "Invalid redirect_uri")
	case q.Get("response_type") != "code":
		refuseConsent(rw, "Only response type \"code\" is allowed")
	case !slices.Contains(scopes, l.scopes[0]) || slices.ContainsFunc(scopes, func(one string) bool { return !slices.Contains(l.scopes, one) }):
		refuseConsent(rw, "Invalid scope")
	case r.Method == http.MethodPost:
		l.consents.Answer(rw, r, asked, url.Values{
			"error": {"access_denied"}, "error_reason": {"user_denied"}, "error_description": {"The user denied your request."},
		})
	default:
		l.consents.Ask(rw, asked)
	}
}

// Redeem returns the consent that a call brings the code of. Otherwise it has answered the call
// with a refusal.
func (l Login) Redeem(rw http.ResponseWriter, r *http.Request) (granted simulation.Consent, ok bool) {
	switch {
	case r.FormValue("client_id") != simulation.AppID:
		refuseConsent(rw, "Invalid platform app")
		return granted, false
	case r.FormValue("client_secret") != simulation.AppSecret:
		WrongSecret().WriteTo(rw)
		return granted, false
	case r.FormValue("grant_type") != "authorization_code":
		refuseConsent(rw, "Invalid grant_type")
		return granted, false
	}
	granted, err := l.consents.Redeem(r.FormValue("code"), simulation.AppID, r.FormValue("redirect_uri"), "")
	switch {
	case errors.Is(err, simulation.ErrRedirect):
		refuseConsent(rw, "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request")
	case err != nil:
		refuseConsent(rw, "Matching code was not found or was already used")
	}
	return granted, err == nil
}

// Grant keeps what a person has granted, to all tokens that they have. It does not outlive the
// process.
func Grant(a *simulation.Account, scopes []string) { a.Data.Store(grantedKey, scopes) }

// Granted returns it; of one who was not asked here it is all.
func Granted(a *simulation.Account, all []string) []string {
	if scopes, ok := a.Data.Load(grantedKey); ok {
		return scopes.([]string)
	}
	return all
}

const grantedKey = "granted scopes"

// refuseConsent answers as the page of consent and the redemption of codes do.
func refuseConsent(rw http.ResponseWriter, message string) {
	Answer(rw, http.StatusBadRequest, map[string]any{"error_type": "OAuthException", "code": http.StatusBadRequest, "error_message": message})
}
