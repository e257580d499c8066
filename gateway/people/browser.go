package people

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
	"crier/schema/people"
)

// ofBrowsers is what the cookies are sealed for by which browsers are known again.
const ofBrowsers = "browser that a user has signed in from"

// remember makes the browser of a request known as one that a user has signed in from: wrong passwords of others use
// up nothing there (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
func (s *sessions) remember(c *gin.Context, user schema.UserID) error {
	id, err := people.NewToken(s.Random)
	if err != nil {
		return err
	}
	sealed, err := s.Vault.SealText(ofBrowsers, strings.Join([]string{user.String(), id, s.Now().UTC().Format(time.RFC3339)}, " "))
	if err != nil {
		return fmt.Errorf("sealing who has signed in from a browser: %w", err)
	}
	s.Cookies.SetBrowser(c, base64.RawURLEncoding.EncodeToString(sealed))
	return nil
}

// browser returns that of a request, as one that its user has signed in from before. It is the zero one where nobody has,
// or it was long ago, or the cookie is not one of this server.
func (s *sessions) browser(c *gin.Context) (b people.Browser) {
	sealed, err := base64.RawURLEncoding.DecodeString(s.Cookies.Browser(c.Request))
	if err != nil {
		return b
	}
	text, err := s.Vault.OpenText(ofBrowsers, sealed)
	if err != nil {
		return b
	}
	parts := strings.Fields(text)
	if len(parts) != 3 { //nolint:mnd // as remember joins them
		return b
	}
	user, err := schema.ParseID[schema.UserID](parts[0])
	since, timeErr := time.Parse(time.RFC3339, parts[2])
	if err != nil || timeErr != nil || s.Now().After(since.Add(people.BrowserLife)) {
		return b
	}
	return people.Browser{User: user, ID: parts[1]}
}
