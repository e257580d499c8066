package graph

import (
	"net/http"
	"net/url"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// codeLife is how long a code works (developers.facebook.com/docs/instagram-platform/
// instagram-api-with-instagram-login/business-login,
// docs/threads/get-started/get-access-tokens-and-permissions).
const codeLife = time.Hour

// Login is where instagram and threads ask a person for consent, and redeem its code.
type Login struct{ *oauth.Flow }

// NewLogin makes the login of a world. It knows the scopes; none is had without the first.
func NewLogin(w *simulation.World, scopes []string) Login {
	texts := map[oauth.Wrong]string{
		oauth.WrongApp: "Invalid platform app", oauth.WrongTarget: "Invalid redirect_uri",
		oauth.WrongType: "Only response type \"code\" is allowed", oauth.WrongScope: "Invalid scope",
	}
	return Login{oauth.New(w, oauth.Page{
		CodeLife: codeLife, Fragment: "_", Scopes: scopes, Needed: scopes[0],
		Denied: url.Values{"error": {"access_denied"}, "error_reason": {"user_denied"}, "error_description": {"The user denied your request."}},
		Refuse: func(rw http.ResponseWriter, _ *http.Request, w oauth.Wrong, _ simulation.Consent) {
			refuseConsent(rw, texts[w])
		},
	}, oauth.Tokens{})}
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
	granted, wrong := l.Flow.Redeem(r, simulation.AppID)
	switch wrong {
	case oauth.Nothing:
	case oauth.WrongTarget:
		refuseConsent(rw, "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request")
	default:
		refuseConsent(rw, "Matching code was not found or was already used")
	}
	return granted, wrong == oauth.Nothing
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
