package twitter

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"crier/connectors/simulators/simulation"
)

const (
	codeLife   = 30 * time.Second
	accessLife = 2 * time.Hour
)

// The kinds of what the simulator hands out.
const (
	accessKind  = "access"
	refreshKind = "refresh"
)

// tokens remembers which tickets are used up or revoked. It does not outlive the process.
type tokens struct {
	mu    sync.Mutex
	spent map[string]bool
}

// spend uses a ticket up; false: it was before.
func (t *tokens) spend(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.spent[text] {
		return false
	}
	if t.spent == nil {
		t.spent = map[string]bool{}
	}
	t.spent[text] = true
	return true
}

func (t *tokens) isSpent(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spent[text]
}

// isAlive reports whether a bearer token acts for its account.
func (t *tokens) isAlive(token string, now time.Time) bool {
	if strings.TrimSpace(token) == "" || t.isSpent(token) {
		return false
	}
	held, isTicket := simulation.ParseTicket(token)
	return !isTicket || held.Kind == accessKind && now.Before(held.Expires)
}

// maxState is how long a state may be.
const maxState = 500

func knownScopes() []string {
	return []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access", "tweet.moderate.write"}
}

// authorize shows the page of consent and takes what the person answers
// (docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code). X tells an app
// nothing of a request that it cannot make out: the page says so.
func (s *simulator) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	asked := simulation.Consent{
		ClientID: q.Get("client_id"), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope"), Challenge: q.Get("code_challenge"),
	}
	scopes := strings.Fields(asked.Scope)
	redirect, err := url.Parse(asked.Redirect)
	switch {
	case q.Get("response_type") != "code" || asked.ClientID != simulation.AppID || err != nil || !redirect.IsAbs(),
		asked.State == "" || len(asked.State) > maxState || asked.Challenge == "" || q.Get("code_challenge_method") != "S256",
		len(scopes) == 0 || slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(knownScopes(), scope) }):
		http.Error(rw, "Something went wrong: the app was given no access.", http.StatusBadRequest)
	case r.Method == http.MethodPost:
		s.consents.Answer(rw, r, asked, url.Values{"error": {"access_denied"}})
	default:
		s.consents.Ask(rw, asked)
	}
}

// denial is how the token endpoint refuses (RFC 6749, 5.2). What X says to a token or a code
// that it does not take is an invalid_request.
type denial struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

func deny(rw http.ResponseWriter, status int, code, description string) {
	answer(rw, status, denial{code, description})
}

// token trades a code or a refresh token for a pair of tokens. It refreshes only what was
// consented to with offline.access.
func (s *simulator) token(rw http.ResponseWriter, r *http.Request) {
	form, ok := readApp(rw, r)
	if !ok {
		return
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		granted, err := s.consents.Redeem(form.Get("code"), simulation.AppID, form.Get("redirect_uri"), form.Get("code_verifier"))
		if err != nil {
			deny(rw, http.StatusBadRequest, "invalid_request", wordingOf(err))
			return
		}
		answer(rw, http.StatusOK, pair(granted.Token(), granted.Scope, s.world.Now()))
	case "refresh_token":
		held, ok := simulation.ParseTicket(form.Get("refresh_token"))
		if !ok || held.Kind != refreshKind || !s.tokens.spend(form.Get("refresh_token")) {
			deny(rw, http.StatusBadRequest, "invalid_request", "Value passed for the token was invalid.")
			return
		}
		answer(rw, http.StatusOK, pair(held.Account, held.Scope, s.world.Now()))
	default:
		deny(rw, http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported.")
	}
}

// wordingOf is what X says to a code that it does not take, as reported in
// github.com/plhery/node-twitter-api-v2, issue 496, and
// github.com/xdevplatform/twitter-api-typescript-sdk, issue 26.
func wordingOf(err error) string {
	switch {
	case errors.Is(err, simulation.ErrRedirect):
		return "Value passed for the redirect uri did not match the uri of the authorization code."
	case errors.Is(err, simulation.ErrVerifier):
		return "Value passed for the code verifier did not match the code challenge."
	default:
		return "Value passed for the authorization code was invalid."
	}
}

func pair(account, scope string, now time.Time) object {
	access := simulation.Ticket{Kind: accessKind, Account: account, Scope: scope, Expires: now.Add(accessLife)}
	pair := object{
		"token_type": "bearer", "expires_in": int(accessLife.Seconds()), "scope": scope, "access_token": access.Issue(),
	}
	if slices.Contains(strings.Fields(scope), "offline.access") {
		pair["refresh_token"] = simulation.Ticket{Kind: refreshKind, Account: account, Scope: scope}.Issue()
	}
	return pair
}

// readApp reads a form of the app, which proves itself by Basic, or as a public client names
// itself.
func readApp(rw http.ResponseWriter, r *http.Request) (url.Values, bool) {
	r.Body = http.MaxBytesReader(rw, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		deny(rw, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return nil, false
	}
	id, secret, isBasic := r.BasicAuth()
	switch {
	case isBasic && (id != simulation.AppID || secret != simulation.AppSecret):
		deny(rw, http.StatusUnauthorized, "invalid_client", "The client is not known.")
		return nil, false
	case !isBasic && r.PostForm.Get("client_id") != simulation.AppID:
		deny(rw, http.StatusUnauthorized, "unauthorized_client", "Missing valid authorization header")
		return nil, false
	}
	return r.PostForm, true
}

// revoke ends a token; one that has ended already is no error.
func (s *simulator) revoke(rw http.ResponseWriter, r *http.Request) {
	form, ok := readApp(rw, r)
	if !ok {
		return
	}
	s.tokens.spend(form.Get("token"))
	answer(rw, http.StatusOK, object{"revoked": true})
}
