package simulator

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"crier/connectors/simulation"
)

const (
	codeLife   = 30 * time.Second
	accessLife = 2 * time.Hour
)

// The kinds of what the simulator hands out.
const (
	codeKind    = "code"
	accessKind  = "access"
	refreshKind = "refresh"
)

// ticket is what a code or a token says of itself, so that none has to be kept. A token of
// another form names an account by itself, and does not end.
type ticket struct {
	Kind      string    `json:"kind"`
	Account   string    `json:"account"` // what the world knows it by
	Scope     string    `json:"scope"`
	Expires   time.Time `json:"expires,omitzero"`
	Redirect  string    `json:"redirect,omitempty"`  // of a code
	Challenge string    `json:"challenge,omitempty"` // of a code, S256
	Number    string    `json:"number"`              // makes each another one
}

const ticketPrefix = "sandbox-x."

func (t ticket) String() string {
	encoded, err := json.Marshal(t)
	if err != nil {
		panic(err) // texts and a time
	}
	return ticketPrefix + base64.RawURLEncoding.EncodeToString(encoded)
}

func parseTicket(text string) (t ticket, ok bool) {
	encoded, ok := strings.CutPrefix(text, ticketPrefix)
	if !ok {
		return t, false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(encoded)
	return t, err == nil && json.Unmarshal(decoded, &t) == nil
}

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

// owner returns the account that a bearer token acts for.
func (t *tokens) owner(token string, now time.Time) (name string, ok bool) {
	if strings.TrimSpace(token) == "" || t.isSpent(token) {
		return "", false
	}
	held, isTicket := parseTicket(token)
	if !isTicket {
		return token, true
	}
	return held.Account, held.Kind == accessKind && now.Before(held.Expires)
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
	now := s.world.Now()
	kind, text := refreshKind, form.Get("refresh_token")
	if form.Get("grant_type") == "authorization_code" {
		kind, text = codeKind, form.Get("code")
	} else if form.Get("grant_type") != "refresh_token" {
		deny(rw, http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported.")
		return
	}
	held, ok := parseTicket(text)
	if !ok || held.Kind != kind || kind == codeKind && !held.isRedeemable(form, now) || !s.tokens.spend(text) {
		deny(rw, http.StatusBadRequest, "invalid_request", "Value passed for the token was invalid.")
		return
	}
	answer(rw, http.StatusOK, s.pair(held, now))
}

func (s *simulator) pair(held ticket, now time.Time) object {
	access := ticket{Kind: accessKind, Account: held.Account, Scope: held.Scope, Expires: now.Add(accessLife), Number: newID(s.world)}
	pair := object{
		"token_type": "bearer", "expires_in": int(accessLife.Seconds()), "scope": held.Scope, "access_token": access.String(),
	}
	if slices.Contains(strings.Fields(held.Scope), "offline.access") {
		refresh := ticket{Kind: refreshKind, Account: held.Account, Scope: held.Scope, Number: newID(s.world)}
		pair["refresh_token"] = refresh.String()
	}
	return pair
}

// isRedeemable tells whether a code is in time, and redeemed by who asked for it (RFC 7636).
func (t ticket) isRedeemable(form url.Values, now time.Time) bool {
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	return now.Before(t.Expires) && form.Get("redirect_uri") == t.Redirect &&
		base64.RawURLEncoding.EncodeToString(sum[:]) == t.Challenge
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
