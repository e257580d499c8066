package people

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

// emailStore sends links by mail. What it sends is InvalidState where the installation sends no mail, and
// RateLimitExceeded where too much was asked for.
type emailStore interface {
	// AskReset does as much where there is no such user.
	AskReset(ctx context.Context, attempt people.Attempt) error
	AskEmail(ctx context.Context, user schema.UserID, email string) error
	// ProveEmail returns the address that is the user's from then on. It is Unauthorized where the token is not one of
	// theirs or the session has ended, and InvalidState where somebody else has the address.
	ProveEmail(ctx context.Context, user schema.UserID, session schema.SessionID, hash [32]byte) (email string, err error)
}

func (s *sessions) emailRoutes() []admission.Route {
	return []admission.Route{
		admission.HandleVisitor(http.MethodPost, "/session/reset", body.WithForm(s.reset)),
		admission.HandleMember(http.MethodPost, "/me/email", people.Anyone, body.WithForm(s.changeEmail)),
		admission.HandleMember(http.MethodPost, "/me/email/confirm", people.Anyone, body.WithForm(s.confirmEmail)),
	}
}

// reset sends a link to sign in by, where an address is a user's. The answer does not tell.
func (s *sessions) reset(c *gin.Context, f *body.Form) error {
	email := f.Email("email")
	f.Require("email")
	if err := f.Finish(); err != nil {
		return err
	}
	err := s.Store.AskReset(c.Request.Context(), people.Attempt{Email: people.Email(email), Address: admission.RequestOf(c).Address.String()})
	if err != nil {
		return err
	}
	return answer.JSON(c, http.StatusAccepted, answer.Message{
		Success: true, Message: "if this is the address of a user, a link is on its way: it works once, for an hour",
	})
}

// changeEmail sends a link to an address by which whoever is signed in wants to sign in from now on, or has to prove
// theirs. They show their password, if they have one.
func (s *sessions) changeEmail(c *gin.Context, f *body.Form) error {
	email, given := f.Email("email"), givenPassword(f, "currentPassword")
	f.Require("email")
	if err := f.Finish(); err != nil {
		return err
	}
	if err := s.confirm(c, "currentPassword", given); err != nil {
		return err
	}
	if err := s.Store.AskEmail(c.Request.Context(), admission.RequestOf(c).Session.User.ID, people.Email(email)); err != nil {
		return err
	}
	return answer.JSON(c, http.StatusAccepted, answer.Message{
		Success: true, Message: "a link is on its way to the address, which is yours once you have opened it; it works for a day",
	})
}

// confirmEmail changes the address of whoever is signed in to the one that they have got a link at.
func (s *sessions) confirmEmail(c *gin.Context, f *body.Form) error {
	hash, err := givenToken(f)
	if err != nil {
		return err
	}
	session := admission.RequestOf(c).Session
	email, err := s.Store.ProveEmail(c.Request.Context(), session.User.ID, session.ID, hash)
	if err != nil {
		return err
	}
	return answer.Done(c, "you sign in as "+email+" from now on")
}
