package simulation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"crier/schema/face"
)

// Consents are the pages on which a platform asks people whether an app may act for them,
// and the codes that they take back to it (RFC 6749, 4.1). How requests name their parameters
// and how answers are worded is the platform's to say.
type Consents struct {
	world    *World
	codeLife time.Duration
	fragment string

	mu    sync.Mutex
	codes map[string]Consent
}

// Consent is what an app asks a person for, and what it is granted.
type Consent struct {
	ClientID  string
	Redirect  string // redirect_uri
	State     string
	Scope     string // as the platform writes scopes
	Challenge string // of PKCE, S256; empty: none
	// Name is whom the person is: the account of the world that their token belongs to.
	Name  string
	until time.Time
}

// maxCodes bounds the codes that nobody redeems.
const maxCodes = 1000

// NewConsents makes the consents of a world. A code works for codeLife; fragment is what the
// platform puts at the end of the address it sends people back to, without the "#".
func NewConsents(w *World, codeLife time.Duration, fragment string) *Consents {
	return &Consents{world: w, codeLife: codeLife, fragment: fragment, codes: map[string]Consent{}}
}

var consentStyle = face.New(".entry .card { width: min(440px, 100%); } .entry form { display: flex; flex-direction: column; gap: var(--s4); }" +
	" .entry .asks { overflow-wrap: anywhere; } .entry .scopes { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s2); } .entry .scopes code { overflow-wrap: anywhere; }")

var consentPage = template.Must(template.New("").Funcs(consentStyle.Funcs()).Funcs(template.FuncMap{"short": short, "scopes": SplitScopes}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>{{.Platform}} (simulated)</title><style>{{style}}</style></head>
<body><main class="entry"><div class="card">
<div class="sign"><span class="mark big" data-platform="{{.Platform}}" aria-hidden="true">{{initial .Label}}</span> {{.Label}} <span class="pill warn">simulated</span></div>
<h1>Allow this app to act for you?</h1>
<p class="asks"><strong title="{{.Consent.ClientID}}">{{short .Consent.ClientID}}</strong> asks for</p>
<p class="scopes">{{range scopes .Consent.Scope}}<code>{{.}}</code> {{end}}</p>
<form method="post">
<label class="field"><span class="label">You are</span><input class="input" name="crier_name" value="person" required maxlength="40" pattern="[a-z0-9\-]+"></label>
<label class="field"><span class="label">Granted</span><input class="input" name="crier_scope" value="{{.Consent.Scope}}"><span class="hint">Take some out to see what the app does when a person grants less than it asks for.</span></label>
<div class="row"><button class="btn main" name="crier_answer" value="allow">Allow</button><button class="btn" name="crier_answer" value="deny" formnovalidate>Deny</button></div>
</form></div></main></body></html>`))

// short leaves the start and the end of a client id that is too long to be read: some are addresses, some a hundred
// signs.
func short(clientID string) string {
	const maximum, end = 48, 12
	if len(clientID) <= maximum {
		return clientID
	}
	return strings.ToValidUTF8(clientID[:maximum-end]+"…"+clientID[len(clientID)-end:], "")
}

// Ask answers the request that brings a person with the platform's page. Its form is sent to
// the same address, where Answer takes it.
func (c *Consents) Ask(rw http.ResponseWriter, consent Consent) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	consentPage.Execute(rw, map[string]any{"Platform": c.world.Platform(), "Label": c.world.Label(), "Consent": consent}) // fails only when the client is gone
}

// Answer sends the person back to the app: with a code, or with what the platform calls a
// refusal. It takes a form of Ask, with the request that the page was asked with.
func (c *Consents) Answer(rw http.ResponseWriter, r *http.Request, consent Consent, denied url.Values) {
	back := url.Values{}
	if r.PostFormValue("crier_answer") == "allow" {
		consent.Name = r.PostFormValue("crier_name")
		if _, given := r.PostForm["crier_scope"]; given {
			consent.Scope = r.PostFormValue("crier_scope")
		}
		back.Set("code", c.issue(consent))
	} else {
		back = denied
	}
	sendBack(rw, r, consent, back, c.fragment)
}

// SendBack sends the person back to the app at once, with what their request came to.
func SendBack(rw http.ResponseWriter, r *http.Request, consent Consent, back url.Values) {
	sendBack(rw, r, consent, back, "")
}

func sendBack(rw http.ResponseWriter, r *http.Request, consent Consent, back url.Values, fragment string) {
	if consent.State != "" {
		back.Set("state", consent.State)
	}
	target, err := url.Parse(consent.Redirect)
	if err != nil {
		http.Error(rw, "redirect_uri is no address", http.StatusBadRequest)
		return
	}
	query := target.Query()
	for name, values := range back {
		query[name] = values
	}
	target.RawQuery, target.Fragment = query.Encode(), fragment
	http.Redirect(rw, r, target.String(), http.StatusFound)
}

func (c *Consents) issue(granted Consent) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.world.Now()
	if len(c.codes) >= maxCodes {
		clear(c.codes)
	}
	code := rand.Text()
	granted.until = now.Add(c.codeLife)
	c.codes[code] = granted
	return code
}

// The reasons for which a code is not redeemed.
var (
	ErrCode     = errors.New("the code is unknown, used or too old")
	ErrRedirect = errors.New("the redirect_uri is not the one the code was asked with")
	ErrVerifier = errors.New("the code_verifier does not fit the code_challenge")
)

// Redeem uses a code up and returns what it grants.
func (c *Consents) Redeem(code, clientID, redirect, verifier string) (Consent, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	granted, ok := c.codes[code]
	delete(c.codes, code)
	switch sum := sha256.Sum256([]byte(verifier)); {
	case !ok || granted.ClientID != clientID || c.world.Now().After(granted.until):
		return Consent{}, ErrCode
	case granted.Redirect != redirect:
		return Consent{}, ErrRedirect
	case granted.Challenge != "" && granted.Challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		return Consent{}, ErrVerifier
	}
	return granted, nil
}

// grantedPrefix begins the tokens that are granted to a person by name.
const grantedPrefix = "granted."

// Token returns a new token of the person. All tokens of a name belong to one account.
func (c Consent) Token() string { return grantedPrefix + c.Name + "." + rand.Text() }

// Grantee returns the name that a token was granted to; granted is false for one that came
// otherwise.
func Grantee(token string) (name string, granted bool) {
	rest, granted := strings.CutPrefix(token, grantedPrefix)
	name, _, _ = strings.Cut(rest, ".")
	return name, granted
}

// ownerOf returns what names the account of a credential.
func ownerOf(credential string) string {
	if t, ok := ParseTicket(credential); ok {
		credential = t.Account
	}
	if name, granted := Grantee(credential); granted {
		return grantedPrefix + name
	}
	return credential
}

// SplitScopes reads a list of scopes, with commas or spaces between them.
func SplitScopes(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
