package oauth

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// Page is the page of consent.
type Page struct {
	CodeLife time.Duration
	Fragment string     // that the address ends in which brings a code
	ClientID string     // name of the app's id; empty: client_id
	PKCE     PKCE       // always with SHA-256
	MaxState int        // that a state has to be there, and how long it may be; 0: it need not
	Denied   url.Values // what a person brings back who does not consent
	Left     url.Values // and one who does not even log in, which no button of the page does; nil: no difference

	Scopes      []string // that are known
	Needed      string   // a scope without which none is given; empty: there is none
	MayAskNone  bool     // no scope is one as well
	MayHaveType bool     // response_type may be left out

	// Unknown returns a scope that the app may not ask for; nil: one that is not of Scopes.
	Unknown func(simulation.Consent) string
	// Knows reports whether an app is known; nil: it is simulation.AppID.
	Knows func(simulation.Consent) bool
	// Fits looks at further parameters; nil: there are none.
	Fits func(url.Values) bool
	// Refuse answers a request that is wrong.
	Refuse func(rw http.ResponseWriter, r *http.Request, w Wrong, consent simulation.Consent)
}

// Tokens is what the token endpoint gives, and how it refuses.
type Tokens struct {
	AccessLife, RefreshLife time.Duration // of the latter 0: for ever
	Renewal                 Renewal
	// Plain is the scope of refresh tokens that no consent gave: that of "a" is "refresh-of-a", and what it
	// is traded for "renewed-a". Empty: there are none.
	Plain     string
	Offline   string // the scope without which there is no refresh token; empty: there is one always
	Separator string // between the scopes of an answer; empty: as they were asked for
	Expires   string // field of a refresh token's life; empty: there is none

	Basic    bool // the app proves itself by the header Authorization, else in the form
	Public   bool // or it names itself
	MaxBytes int64
	Ends     bool // an account whose consent was withdrawn has its refresh tokens refused
	// Complete adds to an answer; nil: nothing.
	Complete func(fields map[string]any, grant string, held simulation.Ticket)
	// Deny refuses a call.
	Deny func(rw http.ResponseWriter, w Wrong, grant string)
}

// Renewal is what becomes of a refresh token that is traded.
type Renewal int

// The ways.
const (
	Silent   Renewal = iota // it stays, and stands in the answer to a code alone
	Repeated                // it stays, and stands in each answer
	Renewed                 // there is another one, and the old works on
	Once                    // there is another one of the rest of its life, and the old does not work
)

// Denial is a refusal of RFC 6749, 5.2.
type Denial struct {
	Status            int
	Code, Description string
}

// Denials returns a Tokens' Deny: what it says to each, that of Nothing where there is none for what is
// wrong, with further fields.
func Denials(denials map[Wrong]Denial, further map[string]any) func(http.ResponseWriter, Wrong, string) {
	return func(rw http.ResponseWriter, w Wrong, _ string) {
		denial, ok := denials[w]
		if !ok {
			denial = denials[Nothing]
		}
		fields := map[string]any{"error": denial.Code, "error_description": denial.Description}
		maps.Copy(fields, further)
		answer(rw, denial.Status, fields)
	}
}

// PKCE is whether a platform takes it.
type PKCE int

// The ways.
const (
	Ignored PKCE = iota
	Taken
	Required
)

// Wrong is what is wrong with a request.
type Wrong int

// What is wrong.
const (
	Nothing Wrong = iota
	WrongForm
	WrongApp    // its id, or its secret
	NoSecret    // of an app that has not shown any
	WrongTarget // redirect_uri
	WrongType   // response_type
	WrongState
	WrongChallenge
	WrongParameters // further ones
	WrongScope
	WrongCode
	WrongVerifier
	WrongRefreshToken
	WrongGrant // grant_type
)

// Texts returns a Page's Refuse that shows a text: that of Nothing where there is none for what is wrong.
// "{scope}" in it is what was asked for.
func Texts(texts map[Wrong]string) func(http.ResponseWriter, *http.Request, Wrong, simulation.Consent) {
	return func(rw http.ResponseWriter, _ *http.Request, w Wrong, consent simulation.Consent) {
		text, ok := texts[w]
		if !ok {
			text = texts[Nothing]
		}
		http.Error(rw, strings.ReplaceAll(text, "{scope}", consent.Scope), http.StatusBadRequest)
	}
}

// wrong returns what is wrong with a request for the page.
func (p Page) wrong(q url.Values, consent simulation.Consent) Wrong {
	redirect, err := url.Parse(consent.Redirect)
	method := q.Get("code_challenge_method")
	switch {
	case !p.knows(consent):
		return WrongApp
	case err != nil || !redirect.IsAbs() || redirect.Fragment != "":
		return WrongTarget
	case q.Get("response_type") != "code" && (!p.MayHaveType || q.Has("response_type")):
		return WrongType
	case p.MaxState > 0 && (consent.State == "" || len(consent.State) > p.MaxState):
		return WrongState
	case p.PKCE == Required && consent.Challenge == "", consent.Challenge != "" && method != "S256":
		return WrongChallenge
	case p.Fits != nil && !p.Fits(q):
		return WrongParameters
	case !p.mayAsk(consent):
		return WrongScope
	default:
		return Nothing
	}
}

// denied returns what a person brings back who has not allowed anything.
func (p Page) denied(r *http.Request) url.Values {
	if p.Left != nil && r.PostFormValue("crier_answer") == "leave" {
		return maps.Clone(p.Left)
	}
	return maps.Clone(p.Denied)
}

func (p Page) knows(consent simulation.Consent) bool {
	if p.Knows != nil {
		return p.Knows(consent)
	}
	return consent.ClientID == simulation.AppID
}

func (p Page) mayAsk(consent simulation.Consent) bool {
	scopes := simulation.SplitScopes(consent.Scope)
	if len(scopes) == 0 && !p.MayAskNone || p.Needed != "" && !slices.Contains(scopes, p.Needed) {
		return false
	}
	if p.Unknown != nil {
		return p.Unknown(consent) == ""
	}
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(p.Scopes, scope) })
}
