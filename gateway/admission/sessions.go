package admission

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/cache"
	"crier/schema"
	"crier/schema/people"
)

// sessionStore looks sessions up.
type sessionStore interface {
	// Session returns the session of a token's hash as it is now; the error is Unauthorized where it has
	// ended.
	Session(ctx context.Context, hash [32]byte) (people.Session, error)
}

// sessions finds out who is signed in. Each request asks the database: what has ended is refused at once,
// by every gateway.
type sessions struct {
	cookies Cookies
	origins *http.CrossOriginProtection
	found   *cache.Cache[[32]byte, people.Session] // for which of them were valid; none is used again
}

func newSessions(c Config) *sessions {
	s := &sessions{
		cookies: CookiesOf(c.PublicURL), origins: http.NewCrossOriginProtection(),
		found: cache.New(time.Second, maxKeys, c.Now, c.Store.Session),
	}
	if u, err := url.Parse(c.PublicURL); err == nil && u.Host != "" {
		_ = s.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host) // an origin, so it is taken
	}
	return s
}

// crossOrigin reports whether a browser says that the page of another site sends a request that may change
// something.
func (s *sessions) crossOrigin(r *http.Request) bool { return s.origins.Check(r) != nil }

// resume finds the session of a token. An address that has used up its requests causes no more queries,
// except for sessions that were valid a while ago.
func (a *admission) resume(c *gin.Context, r *Request, token string, now time.Time) error {
	hash, ok := people.HashToken(token)
	if !ok || !a.sessions.found.Knows(hash) && a.byAddress.add(r.Address, 0, now) >= requestsByAddress {
		return unauthorized("the session is not valid; sign in again")
	}
	session, err := a.sessions.found.Since(c.Request.Context(), hash, now)
	if err != nil {
		return err
	}
	r.Session, r.Key = &session, session.Key()
	r.forged = !isSafe(c.Request.Method) && subtle.ConstantTimeCompare([]byte(c.GetHeader(CSRFHeader)), []byte(people.CSRFToken(token))) == 0
	scope := c.GetHeader(ScopeHeader)
	r.turned = scope != "" && scope != scopeOf(session.Workspace, session.Sandbox)
	return nil
}

// CSRFHeader is the header in which a page sends the token of its session, with all that may change
// something.
const CSRFHeader = "X-Csrf-Token"

// ScopeHeader is the header in which a page says what it shows, as scopeOf has it. The session is the browser's,
// so that another of its pages may have turned it meanwhile.
const ScopeHeader = "X-Crier-Scope"

// scopeOf says what a session works on: "ws_…/live" or "ws_…/test".
func scopeOf(workspace schema.WorkspaceID, sandbox bool) string {
	if sandbox {
		return workspace.String() + "/test"
	}
	return workspace.String() + "/live"
}

func isSafe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// Cookies keep the tokens of sessions in browsers.
type Cookies struct{ secure bool }

// CookiesOf returns those of a server whose pages are below a URL. Over https browsers let no other host set
// them.
func CookiesOf(publicURL string) Cookies { return Cookies{strings.HasPrefix(publicURL, "https://")} }

func (k Cookies) name() string { return k.named("crier_session") }

func (k Cookies) named(name string) string {
	if k.secure {
		return "__Host-" + name
	}
	return name
}

// token returns the token of a request's session, valid or not; empty without one.
func (k Cookies) token(r *http.Request) string {
	cookie, err := r.Cookie(k.name())
	if err != nil {
		return ""
	}
	return cookie.Value
}

// Replaced returns the hash of the session that a browser had when it signs in; zero if it had none.
func (k Cookies) Replaced(r *http.Request) [32]byte {
	hash, _ := people.HashToken(k.token(r))
	return hash
}

// Set gives a browser the token of its session.
func (k Cookies) Set(c *gin.Context, token string) {
	k.set(c, k.name(), token, people.SessionLife)
}

// Clear takes it from the browser.
func (k Cookies) Clear(c *gin.Context) { k.set(c, k.name(), "", forgotten) }

// forgotten is the life of a cookie that the browser is to forget.
const forgotten = -time.Second

func (k Cookies) set(c *gin.Context, name, value string, life time.Duration) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life.Seconds()), HttpOnly: true, Secure: k.secure, SameSite: http.SameSiteLaxMode,
	})
	c.Header("Cache-Control", "no-store")
}

// CSRF returns the token that goes with a request's session.
func (k Cookies) CSRF(r *http.Request) string { return people.CSRFToken(k.token(r)) }
