package graph

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

// How long the tokens of instagram and threads last, and how old one has to be to be refreshed
// (developers.facebook.com/docs/instagram-platform/reference/access_token,
// -/refresh_access_token, docs/threads/get-started/long-lived-tokens).
const (
	shortLife  = time.Hour
	longLife   = 60 * Day
	refreshAge = Day
)

// Token names whom it is of, its kind and when it was made: "name~l1760000000". What was not
// given out by a simulator is taken for a long-lived one of an unknown age.
type Token struct {
	Name   string
	kind   byte
	issued time.Time // zero: not known
}

const (
	mark      = "~"
	shortKind = 's'
	longKind  = 'l'
)

// ReadToken reads one as a call has it.
func ReadToken(text string) Token {
	if i := strings.LastIndex(text, mark); i >= 0 && len(text) > i+2 {
		if seconds, err := strconv.ParseInt(text[i+2:], 10, 64); err == nil {
			return Token{Name: text[:i], kind: text[i+1], issued: time.Unix(seconds, 0)}
		}
	}
	return Token{Name: text, kind: longKind}
}

// String is the token as it is given out.
func (t Token) String() string {
	return t.Name + mark + string(t.kind) + strconv.FormatInt(t.issued.Unix(), 10)
}

// IsExpired reports whether the token's life is over.
func (t Token) IsExpired(now time.Time) bool {
	life := longLife
	if t.kind == shortKind {
		life = shortLife
	}
	return !t.issued.IsZero() && !now.Before(t.issued.Add(life))
}

// Tokens gives out the tokens of instagram and threads.
type Tokens struct {
	World  *simulation.World
	Prefix string // of the platform's grant types
	Ending simulation.Ending
}

// Short returns the token of an hour that a consent is worth.
func (t Tokens) Short(name string) Token {
	return Token{Name: name, kind: shortKind, issued: t.World.Now()}
}

// Account returns whose token it is, or why it is refused.
func (t Tokens) Account(text string) (*simulation.Account, *Error) {
	switch token := ReadToken(text); {
	case token.Name == "":
		return nil, NoToken()
	case token.IsExpired(t.World.Now()):
		return nil, ExpiredToken()
	default:
		return t.World.Account(token.Name), nil
	}
}

// Exchange trades a short-lived token for a long-lived one.
func (t Tokens) Exchange(rw http.ResponseWriter, r *http.Request) {
	switch {
	case r.FormValue("grant_type") != t.Prefix+"_exchange_token":
		Invalid("grant_type").WriteTo(rw)
	case r.FormValue("client_secret") != simulation.AppSecret:
		WrongSecret().WriteTo(rw)
	default:
		t.giveLong(rw, r)
	}
}

// Refresh trades a long-lived token that is a day old for one that lasts as long again.
func (t Tokens) Refresh(rw http.ResponseWriter, r *http.Request) {
	token := ReadToken(r.FormValue("access_token"))
	switch {
	case r.FormValue("grant_type") != t.Prefix+"_refresh_token":
		Invalid("grant_type").WriteTo(rw)
	case token.kind != longKind:
		Invalid("the access token is short-lived").WriteTo(rw)
	case t.World.Now().Before(token.issued.Add(refreshAge)):
		Invalid("the access token is not 24 hours old").WriteTo(rw)
	default:
		t.giveLong(rw, r)
	}
}

func (t Tokens) giveLong(rw http.ResponseWriter, r *http.Request) {
	old := r.FormValue("access_token")
	account, refused := t.Account(old)
	if refused != nil {
		refused.WriteTo(rw)
		return
	}
	if end := t.World.EndOf(account.ID); end != simulation.Alive && end != simulation.ScopeWithdrawn {
		t.Ending.Refuse(rw, end)
		return
	}
	given := Token{Name: ReadToken(old).Name, kind: longKind, issued: t.World.Now()}
	Answer(rw, http.StatusOK, map[string]any{
		"access_token": given.String(), "token_type": "bearer", "expires_in": int(longLife.Seconds()),
	})
}
