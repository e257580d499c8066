package gatewaytest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// Password is that of every user of these tests.
const Password = "a few words of mine"

// Session is a browser that sends what crier's own pages send: it keeps its cookies, and sends the
// token that goes with the session's.
type Session struct {
	*API
	Cookie, CSRFToken string
	Ceremony          string // cookie of the ceremony it has begun
	Browser           string // cookie by which it is known as one that its user has signed in from
}

// Do makes a request as a page of crier's own does.
func (s *Session) Do(method, path string, body any, headers ...string) *Response {
	s.Helper()
	all := append([]string{"Cookie", s.Cookies(), "X-CSRF-Token", s.CSRFToken}, headers...)
	got := s.RequestWith("", method, path, body, all...)
	s.StoreCookies(got.Header)
	var session struct {
		CSRFToken string
		Session   struct{ CSRFToken string }
	}
	if json.Unmarshal(got.Body, &session) == nil {
		s.CSRFToken = cmp.Or(session.CSRFToken, session.Session.CSRFToken, s.CSRFToken)
	}
	return got
}

// Cookies are the value of the header Cookie.
func (s *Session) Cookies() string { return s.Cookie + "; " + s.Ceremony + "; " + s.Browser }

// StoreCookies stores the cookies of a response.
func (s *Session) StoreCookies(header http.Header) {
	for _, set := range header.Values("Set-Cookie") {
		cookie, _, _ := strings.Cut(set, ";")
		switch {
		case strings.Contains(cookie, "crier_ceremony="):
			s.Ceremony = cookie
		case strings.Contains(cookie, "crier_browser="):
			s.Browser = cookie
		default:
			s.Cookie = cookie
		}
	}
}

// On is the same browser at another gateway.
func (s *Session) On(a *API) *Session {
	return &Session{a, s.Cookie, s.CSRFToken, s.Ceremony, s.Browser}
}
