package simulator

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulation"
)

// codeLife is how long a code works
// (developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions).
const codeLife = time.Hour

// The permissions there are; none is had without the first.
const basicScope = "threads_basic"

func knownScopes() []string {
	return []string{
		basicScope, "threads_content_publish", "threads_manage_replies", "threads_read_replies", "threads_manage_insights",
		"threads_manage_mentions", "threads_keyword_search", "threads_delete", "threads_location_tagging",
	}
}

// authorize shows the page of consent and takes what the person answers.
func (s *simulator) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{ClientID: q.Get("client_id"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope")}
	redirect, err := url.Parse(asked.Redirect)
	scopes := splitScopes(asked.Scope)
	switch {
	case asked.ClientID != simulation.AppID:
		refuseConsent(rw, "Invalid platform app")
	case err != nil || !redirect.IsAbs():
		refuseConsent(rw, "Invalid redirect_uri")
	case q.Get("response_type") != "code":
		refuseConsent(rw, "Only response type \"code\" is allowed")
	case !slices.Contains(scopes, basicScope) || slices.ContainsFunc(scopes, func(one string) bool { return !slices.Contains(knownScopes(), one) }):
		refuseConsent(rw, "Invalid scope")
	case r.Method == http.MethodPost:
		s.consents.Answer(rw, r, asked, url.Values{
			"error": {"access_denied"}, "error_reason": {"user_denied"}, "error_description": {"The user denied your request."},
		})
	default:
		s.consents.Ask(rw, asked)
	}
}

// splitScopes reads a list with commas, or spaces, between its items.
func splitScopes(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// redeemCode trades the code of a consent for a short-lived token.
func (s *simulator) redeemCode(rw http.ResponseWriter, r *http.Request) {
	switch {
	case r.FormValue("client_id") != simulation.AppID:
		refuseConsent(rw, "Invalid platform app")
		return
	case r.FormValue("client_secret") != simulation.AppSecret:
		bad(1, 0, "Error validating client secret.").writeTo(rw)
		return
	case r.FormValue("grant_type") != "authorization_code":
		refuseConsent(rw, "Invalid grant_type")
		return
	}
	granted, err := s.consents.Redeem(r.FormValue("code"), simulation.AppID, r.FormValue("redirect_uri"), "")
	switch {
	case errors.Is(err, simulation.ErrRedirect):
		refuseConsent(rw, "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request")
	case err != nil:
		refuseConsent(rw, "Matching code was not found or was already used")
	default:
		s.giveShort(rw, granted)
	}
}

func (s *simulator) giveShort(rw http.ResponseWriter, granted simulation.Consent) {
	given := token{name: granted.Token(), kind: shortKind, issued: s.world.Now()}
	account := s.world.Account(given.name)
	keptOf(account).consent(splitScopes(granted.Scope))
	answer(rw, http.StatusOK, map[string]any{"access_token": given.String(), "user_id": account.ID})
}

// inspect tells of a token what it is good for. The simulator's people are testers of the app,
// who alone may ask (developers.facebook.com/docs/threads/troubleshooting/debug-access-token).
func (s *simulator) inspect(v visit) {
	inspected := readToken(v.param("input_token"))
	if inspected.name == "" {
		v.fail(invalid("input_token"))
		return
	}
	account := s.world.Account(inspected.name)
	answer(v.rw, http.StatusOK, map[string]any{"data": map[string]any{
		"type": "USER", "application": "crier", "is_valid": !inspected.isExpired(s.world.Now()), "user_id": account.ID,
		"scopes": keptOf(account).consented(),
	}})
}

// consent keeps what a person has granted, to all tokens that they have.
func (k *kept) consent(scopes []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.scopes = scopes
}

func (k *kept) consented() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.scopes == nil {
		return knownScopes()
	}
	return k.scopes
}

// refuseConsent answers as the page of consent and the redemption of codes do.
func refuseConsent(rw http.ResponseWriter, message string) {
	answer(rw, http.StatusBadRequest, map[string]any{"error_type": "OAuthException", "code": http.StatusBadRequest, "error_message": message})
}
