package oauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// The kinds of tickets.
const (
	accessKind  = "access"
	refreshKind = "refresh"
)

// What begins tokens that are no tickets.
const (
	refreshOf = "refresh-of-"
	renewed   = "renewed-"
)

const maxBytes = 1 << 20

// Flow is the OAuth of a world.
type Flow struct {
	world    *simulation.World
	page     Page
	tokens   Tokens
	consents *simulation.Consents
}

// New makes it. A platform that gives tokens of another kind uses Redeem, and no Tokens.
func New(w *simulation.World, p Page, t Tokens) *Flow {
	return &Flow{world: w, page: p, tokens: t, consents: simulation.NewConsents(w, p.CodeLife, p.Fragment)}
}

// Authorize shows the page of consent and takes what the person answers.
func (f *Flow) Authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	consent := simulation.Consent{ClientID: q.Get(f.clientID()), Redirect: q.Get("redirect_uri"), State: q.Get("state"), Scope: q.Get("scope")}
	if f.page.PKCE != Ignored {
		consent.Challenge = q.Get("code_challenge")
	}
	switch w := f.page.wrong(q, consent); {
	case w != Nothing:
		f.page.Refuse(rw, r, w, consent)
	case r.Method == http.MethodPost:
		f.consents.Answer(rw, r, consent, f.page.denied(r))
	default:
		f.consents.Ask(rw, consent)
	}
}

func (f *Flow) clientID() string {
	if f.page.ClientID != "" {
		return f.page.ClientID
	}
	return "client_id"
}

// Redeem uses up the code of a call, and returns what it grants.
func (f *Flow) Redeem(r *http.Request, client string) (granted simulation.Consent, w Wrong) {
	granted, err := f.consents.Redeem(r.FormValue("code"), client, r.FormValue("redirect_uri"), r.FormValue("code_verifier"))
	switch {
	case errors.Is(err, simulation.ErrRedirect):
		return granted, WrongTarget
	case errors.Is(err, simulation.ErrVerifier):
		return granted, WrongVerifier
	case err != nil:
		return granted, WrongCode
	default:
		return granted, Nothing
	}
}

// Token trades a code or a refresh token.
func (f *Flow) Token(rw http.ResponseWriter, r *http.Request) {
	if !f.Admit(rw, r) {
		return
	}
	switch grant := r.PostFormValue("grant_type"); grant {
	case "authorization_code":
		granted, w := f.Redeem(r, simulation.AppID)
		if w != Nothing {
			f.tokens.Deny(rw, w, grant)
			return
		}
		held := simulation.Ticket{Kind: refreshKind, Account: granted.Token(), Scope: granted.Scope}
		if f.tokens.Separator != "" {
			held.Scope = strings.Join(simulation.SplitScopes(granted.Scope), f.tokens.Separator)
		}
		f.hand(rw, grant, held, "")
	case "refresh_token":
		token := r.PostFormValue("refresh_token")
		held, ok := f.readRefreshToken(token)
		if !ok || f.tokens.Renewal == Once && !f.world.Revoke(token) {
			f.tokens.Deny(rw, WrongRefreshToken, grant)
			return
		}
		f.hand(rw, grant, held, token)
	default:
		f.tokens.Deny(rw, WrongGrant, grant)
	}
}

// Admit reads a form of the app, which has to show who it is; else it refuses the call.
func (f *Flow) Admit(rw http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(rw, r.Body, maxBytes)
	w := f.wrongApp(r)
	if w != Nothing {
		f.tokens.Deny(rw, w, "")
	}
	return w == Nothing
}

func (f *Flow) wrongApp(r *http.Request) Wrong {
	if err := r.ParseForm(); err != nil || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		return WrongForm
	}
	id, secret, isBasic := r.BasicAuth()
	switch {
	case f.tokens.Basic && !isBasic && !f.tokens.Public:
		return NoSecret
	case f.tokens.Basic && !isBasic && r.PostForm.Get(f.clientID()) != simulation.AppID:
		return NoSecret
	case f.tokens.Basic && !isBasic:
		return Nothing
	case !f.tokens.Basic:
		id, secret = r.PostForm.Get(f.clientID()), r.PostForm.Get("client_secret")
	}
	if id != simulation.AppID || secret != simulation.AppSecret {
		return WrongApp
	}
	return Nothing
}

// readRefreshToken reads a refresh token, of whatever form.
func (f *Flow) readRefreshToken(token string) (simulation.Ticket, bool) {
	now := f.world.Now()
	held, isTicket := simulation.ParseTicket(token)
	switch {
	case token == "" || f.world.Revoked(token):
		return held, false
	case isTicket:
		return held, held.Kind == refreshKind && !f.isOver(held) && (!f.tokens.Ends || !f.hasEnded(held))
	default:
		held = simulation.Ticket{Account: strings.TrimPrefix(token, refreshOf), Scope: f.tokens.Plain}
		if f.tokens.RefreshLife > 0 {
			held.Expires = now.Add(f.tokens.RefreshLife)
		}
		return held, f.tokens.Plain != "" && strings.HasPrefix(token, refreshOf)
	}
}

func (f *Flow) hasEnded(held simulation.Ticket) bool {
	return f.world.EndOf(f.world.Account(held.Account).ID) == simulation.Revoked
}

// isOver reports whether the time of a ticket is over, or all that its consent gave was revoked.
func (f *Flow) isOver(held simulation.Ticket) bool {
	return !held.Expires.IsZero() && !f.world.Now().Before(held.Expires) || f.world.Revoked(held.Account)
}

// hand answers with tokens; old is the refresh token that was traded, empty for a code.
func (f *Flow) hand(rw http.ResponseWriter, grant string, held simulation.Ticket, old string) {
	now, isTicket := f.world.Now(), held.Kind == refreshKind
	fields := map[string]any{"token_type": "Bearer", "expires_in": seconds(f.tokens.AccessLife), "scope": held.Scope}
	access := held
	access.Kind, access.Expires = accessKind, now.Add(f.tokens.AccessLife)
	fields["access_token"] = renewed + held.Account
	if isTicket {
		fields["access_token"] = access.Issue()
	}
	if f.tokens.RefreshLife > 0 && (held.Expires.IsZero() || f.tokens.Renewal == Renewed) {
		held.Expires = now.Add(f.tokens.RefreshLife)
	}
	if token := f.refreshToken(held, old); token != "" {
		fields["refresh_token"] = token
		if f.tokens.Expires != "" {
			fields[f.tokens.Expires] = seconds(held.Expires.Sub(now))
		}
	}
	if f.tokens.Complete != nil {
		f.tokens.Complete(fields, grant, held)
	}
	answer(rw, http.StatusOK, fields)
}

// refreshToken returns the one of an answer; empty: it has none.
func (f *Flow) refreshToken(held simulation.Ticket, old string) string {
	switch {
	case f.tokens.Offline != "" && !strings.Contains(held.Scope, f.tokens.Offline), f.tokens.Renewal == Silent && old != "":
		return ""
	case f.tokens.Renewal == Repeated && old != "":
		return old
	case held.Kind == refreshKind:
		return held.Issue()
	default:
		return refreshOf + held.Account
	}
}

func seconds(d time.Duration) int { return int(d.Seconds()) }

// Revoke ends a token. With all, it ends all that its consent gave.
func (f *Flow) Revoke(token string, all bool) {
	f.world.Revoke(token)
	if held, isTicket := simulation.ParseTicket(token); isTicket && all {
		f.world.Revoke(held.Account)
	}
}

// State is how a bearer token stands.
type State int

// The states.
const (
	Alive   State = iota
	Void          // it is none, or was revoked
	Expired       // its time is over
)

// Read returns what a bearer token says of itself: its scopes, where it is a ticket. One of another form
// may do everything, and does not end.
func (f *Flow) Read(token string) (held simulation.Ticket, isTicket bool, s State) {
	held, isTicket = simulation.ParseTicket(token)
	switch {
	case strings.TrimSpace(token) == "" || f.world.Revoked(token), isTicket && (held.Kind != accessKind || f.world.Revoked(held.Account)):
		return held, isTicket, Void
	case isTicket && !f.world.Now().Before(held.Expires):
		return held, true, Expired
	default:
		return held, isTicket, Alive
	}
}

// Owner names whose token it is.
func Owner(token string) string { return strings.TrimPrefix(token, renewed) }

func answer(rw http.ResponseWriter, status int, fields map[string]any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(fields) // fails only when the client is gone
}
