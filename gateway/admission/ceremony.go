package admission

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/schema/people"
)

// ceremonyCookie binds what has begun in a browser to it. Browsers send it along when an issuer sends them back,
// which is why it is as lax as the session's.
const ceremonyCookie = "crier_ceremony"

// SetCeremony gives a browser the token of the ceremony that it begins; one before is forgotten.
func (k Cookies) SetCeremony(c *gin.Context, token string) {
	k.set(c, k.named(ceremonyCookie), token, people.CeremonyLife)
}

// ClearCeremony takes it from the browser.
func (k Cookies) ClearCeremony(c *gin.Context) { k.set(c, k.named(ceremonyCookie), "", forgotten) }

// Ceremony returns the token of the ceremony of a request's browser; ok is false where it has begun none.
func (k Cookies) Ceremony(r *http.Request) (token string, hash [32]byte, ok bool) {
	cookie, err := r.Cookie(k.named(ceremonyCookie))
	if err != nil {
		return "", hash, false
	}
	hash, ok = people.HashToken(cookie.Value)
	return cookie.Value, hash, ok
}

// browserCookie tells who has signed in from a browser before. It outlasts their session, and begins none.
const browserCookie = "crier_browser"

// SetBrowser gives a browser the text by which it is known again.
func (k Cookies) SetBrowser(c *gin.Context, text string) {
	k.set(c, k.named(browserCookie), text, people.BrowserLife)
}

// Browser returns that text of a request's browser; empty without one.
func (k Cookies) Browser(r *http.Request) string {
	cookie, err := r.Cookie(k.named(browserCookie))
	if err != nil {
		return ""
	}
	return cookie.Value
}
