package people

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/identity/password"
	"crier/schema"
	"crier/schema/people"
)

// maxAgent bounds what is kept of how a program calls itself, in bytes.
const maxAgent = 300

// signIn begins a session for an address and its password. What is refused does not tell whether there is
// such a user.
func (s *sessions) signIn(c *gin.Context, f *body.Form) error {
	email, given := f.Email("email"), givenPassword(f, "password")
	f.Require("email")
	f.Require("password")
	if err := f.Finish(); err != nil {
		return err
	}
	attempt := people.Attempt{Email: people.Email(email), Address: admission.RequestOf(c).Address.String(), Browser: s.browser(c)}
	credentials, err := s.Store.CountAttempt(c.Request.Context(), attempt)
	if err != nil {
		return err
	}
	matches, err := s.Passwords.Matches(c.Request.Context(), given, credentials.Password)
	if err != nil {
		return err
	}
	if !matches {
		return people.ErrWrongPassword
	}
	session, token, err := s.begin(c)
	if err != nil {
		return err
	}
	session.Means = people.WithPassword
	if err := s.Store.SignIn(c.Request.Context(), session, attempt, credentials); err != nil {
		return err
	}
	return s.welcome(c, credentials.User, token, "you are signed in")
}

// givenPassword reads a password that is checked, whatever it is.
func givenPassword(f *body.Form, name string) string {
	text, _ := f.Text(name, password.Max*maxUTF8)
	return text
}

// maxUTF8 is how many bytes a character takes at most.
const maxUTF8 = 4

// newPassword reads a password that is to be stored.
func newPassword(f *body.Form, name string) string {
	text, ok := f.Text(name, password.Max*maxUTF8)
	if wrong := password.Check(text); ok && wrong != "" {
		f.Fail(name, body.CodeInvalidValue, wrong)
	}
	return text
}

// givenToken reads a token that somebody was given, and returns its hash. What else the request needs may follow from
// what the token is of, so that a request without one fails at once.
func givenToken(f *body.Form) (hash [32]byte, err error) {
	token, ok := f.Text("token", body.MaxShort)
	f.Require("token")
	if ok && strings.TrimSpace(token) == "" {
		f.Fail("token", body.CodeInvalidValue, "must not be empty")
	}
	hash, _ = people.HashToken(strings.TrimSpace(token))
	return hash, f.Report.Err()
}

// redeem begins a session for whoever has a link, and uses that up. The first owner says who they are.
func (s *sessions) redeem(c *gin.Context, f *body.Form) error {
	hash, err := givenToken(f)
	if err != nil {
		return err
	}
	link, err := s.Store.Link(c.Request.Context(), hash)
	if err != nil {
		return err
	}
	user := link.User
	r := people.Redemption{Hash: hash, At: s.Now().UTC().Truncate(time.Millisecond)}
	chosen := newPassword(f, "password")
	if user.IsZero() {
		user = schema.NewID[schema.UserID](r.At)
		r.ID, r.Email, r.Name = user, people.Email(f.Email("email")), f.GivenName()
		f.Require("email")
		f.Require("name")
		f.Require("password")
	}
	if err := f.Finish(); err != nil {
		return err
	}
	if chosen != "" {
		if r.Password, err = s.Passwords.Hash(c.Request.Context(), chosen); err != nil {
			return err
		}
	}
	session, sessionToken, err := s.begin(c)
	if err != nil {
		return err
	}
	session.Means = people.WithLink
	if err := s.Store.Redeem(c.Request.Context(), r, session); err != nil {
		return err
	}
	return s.welcome(c, user, sessionToken, "you are signed in; the link is used up")
}

// begin makes a session of nobody yet, and its token.
func (s *sessions) begin(c *gin.Context) (n people.NewSession, token string, err error) {
	if token, err = people.NewToken(s.Random); err != nil {
		return n, "", err
	}
	now := s.Now().UTC().Truncate(time.Millisecond)
	hash, _ := people.HashToken(token)
	return people.NewSession{
		ID: schema.NewID[schema.SessionID](now), Hash: hash, Replaces: s.Cookies.Replaced(c.Request), At: now,
		Address: admission.RequestOf(c).Address.String(), Agent: agentOf(c),
	}, token, nil
}

func agentOf(c *gin.Context) string {
	agent := strings.ToValidUTF8(strings.ReplaceAll(c.Request.UserAgent(), "\x00", ""), "")
	if len(agent) > maxAgent {
		agent = strings.ToValidUTF8(agent[:maxAgent], "")
	}
	return agent
}

type welcomeResponse struct {
	Success   bool   `json:"success"`
	Message   string `json:"message"`
	CSRFToken string `json:"csrfToken"`
}

func (s *sessions) welcome(c *gin.Context, user schema.UserID, token, message string) error {
	s.Cookies.Set(c, token)
	if err := s.remember(c, user); err != nil { // the session stands all the same
		s.Logger.ErrorContext(c.Request.Context(), "the browser of a sign-in will not be known again", admission.About(c), slog.Any("err", err))
	}
	return answer.JSON(c, http.StatusCreated, welcomeResponse{Success: true, Message: message, CSRFToken: people.CSRFToken(token)})
}
