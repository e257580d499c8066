package people

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

// errProof is for what whoever finds a session that was left open must not do: it would outlast the session.
var errProof = &schema.Error{
	Kind: schema.Forbidden, Message: "this needs you to have shown who you are within ten minutes",
	Details: []schema.Detail{{Field: "session", Code: "proof_required", Message: "show who you are: POST /session/proof takes your password or a passkey; or sign in anew"}},
}

// proven refuses where whoever is signed in has not shown of late who they are.
func (s *sessions) proven(c *gin.Context) error {
	if !admission.RequestOf(c).Session.IsProven(s.Now()) {
		return errProof
	}
	return nil
}

// confirm checks the password of whoever is signed in, which the request has in a field. Who has none has to have
// shown otherwise who they are.
func (s *sessions) confirm(c *gin.Context, field, given string) error {
	credentials, err := s.attempt(c)
	if err != nil {
		return err
	}
	if credentials.Password == "" {
		return s.proven(c)
	}
	return s.match(c, field, given, credentials)
}

// attempt counts that whoever is signed in shows a password, and returns what theirs is checked against.
func (s *sessions) attempt(c *gin.Context) (people.Credentials, error) {
	return s.Store.CountAttempt(c.Request.Context(), attemptOf(c))
}

func attemptOf(c *gin.Context) people.Attempt {
	r := admission.RequestOf(c)
	return people.Attempt{Email: r.Session.User.Email, Address: r.Address.String()}
}

func (s *sessions) match(c *gin.Context, field, given string, credentials people.Credentials) error {
	matches, err := s.Passwords.Matches(c.Request.Context(), given, credentials.Password)
	if err == nil && !matches {
		err = schema.InvalidField(field, body.CodeInvalidValue, "is not the password that you have now")
	}
	return err
}

// prove takes what shows that whoever is signed in is still there: their password, or one of their passkeys.
func (s *sessions) prove(c *gin.Context) error {
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	prove := s.proveByPassword
	if _, ok := f.Find("credential"); ok {
		prove = s.proveByPasskey
	}
	if err := prove(c, f); err != nil {
		return err
	}
	answer.JSON(c, http.StatusOK, answer.Message{Success: true, Message: "for ten minutes you may change how you sign in"})
	return nil
}

func (s *sessions) proveByPassword(c *gin.Context, f *body.Form) error {
	given := givenPassword(f, "password")
	f.Require("password")
	f.Finish()
	if err := f.Report.Err(); err != nil {
		return err
	}
	credentials, err := s.attempt(c)
	if err != nil {
		return err
	}
	if credentials.Password == "" {
		return errProof // no password shows anything, and what was shown before does not last longer for it
	}
	if err := s.match(c, "password", given, credentials); err != nil {
		return err
	}
	session := admission.RequestOf(c).Session
	return s.Store.ProveByPassword(c.Request.Context(), session.User.ID, session.ID, attemptOf(c))
}

func (s *sessions) proveByPasskey(c *gin.Context, f *body.Form) error {
	keys := &passkeys{s}
	if err := keys.offered(); err != nil {
		return err
	}
	given := givenCredential(f)
	f.Finish()
	if err := f.Report.Err(); err != nil {
		return err
	}
	used, err := keys.shown(c, given)
	if err != nil {
		return err
	}
	r := admission.RequestOf(c)
	if used.User != r.Session.User.ID {
		return people.ErrNoPasskey
	}
	return s.Store.ProveByPasskey(c.Request.Context(), used, r.Session.ID, r.Address.String())
}
