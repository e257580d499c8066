package simulator

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulation"
)

// How long tokens last, and how old one has to be to be refreshed
// (developers.facebook.com/docs/threads/get-started/long-lived-tokens).
const (
	shortLife  = time.Hour
	longLife   = 60 * day
	refreshAge = day
)

// A token that the simulator gives out names whom it is of, its kind and when it was made:
// "name~l1760000000". Any other is taken for a long-lived one of an unknown age.
const (
	mark      = "~"
	shortKind = 's'
	longKind  = 'l'
)

type token struct {
	name   string
	kind   byte
	issued time.Time // zero: not known
}

func (t token) String() string {
	return t.name + mark + string(t.kind) + strconv.FormatInt(t.issued.Unix(), 10)
}

func (t token) isExpired(now time.Time) bool {
	life := longLife
	if t.kind == shortKind {
		life = shortLife
	}
	return !t.issued.IsZero() && !now.Before(t.issued.Add(life))
}

func readToken(text string) token {
	if i := strings.LastIndex(text, mark); i >= 0 && len(text) > i+2 {
		if seconds, err := strconv.ParseInt(text[i+2:], 10, 64); err == nil {
			return token{name: text[:i], kind: text[i+1], issued: time.Unix(seconds, 0)}
		}
	}
	return token{name: text, kind: longKind}
}

// accountOf returns whose token it is, or why it is not taken.
func (s *simulator) accountOf(text string) (*simulation.Account, *refusal) {
	switch t := readToken(text); {
	case t.name == "":
		return nil, noToken()
	case t.isExpired(s.world.Now()):
		return nil, expiredToken()
	default:
		return s.world.Account(t.name), nil
	}
}

// exchangeToken trades a short-lived token for a long-lived one.
func (s *simulator) exchangeToken(rw http.ResponseWriter, r *http.Request) {
	switch {
	case r.FormValue("grant_type") != "th_exchange_token":
		invalid("grant_type").writeTo(rw)
	case r.FormValue("client_secret") != simulation.AppSecret:
		bad(1, 0, "Error validating client secret.").writeTo(rw)
	default:
		s.giveLong(rw, r)
	}
}

// refreshToken trades a long-lived token that is a day old for one that lasts anew.
func (s *simulator) refreshToken(rw http.ResponseWriter, r *http.Request) {
	t := readToken(r.FormValue("access_token"))
	switch {
	case r.FormValue("grant_type") != "th_refresh_token":
		invalid("grant_type").writeTo(rw)
	case t.kind != longKind:
		invalid("the access token is short-lived").writeTo(rw)
	case s.world.Now().Before(t.issued.Add(refreshAge)):
		invalid("the access token is not 24 hours old").writeTo(rw)
	default:
		s.giveLong(rw, r)
	}
}

func (s *simulator) giveLong(rw http.ResponseWriter, r *http.Request) {
	old := r.FormValue("access_token")
	account, refused := s.accountOf(old)
	if refused != nil {
		refused.writeTo(rw)
		return
	}
	if end := s.world.EndOf(account.ID); end != simulation.Alive && end != simulation.ScopeWithdrawn {
		refuseEnded(rw, end)
		return
	}
	given := token{name: readToken(old).name, kind: longKind, issued: s.world.Now()}
	answer(rw, http.StatusOK, map[string]any{
		"access_token": given.String(), "token_type": "bearer", "expires_in": int(longLife.Seconds()),
	})
}
