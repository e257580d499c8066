package people

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

const codeProofRequired = "proof_required"

// errProof is for what whoever finds a session that was left open must not do: it would outlast the session.
var errProof = &schema.Error{
	Kind: schema.Forbidden, Message: "this needs you to have shown who you are within ten minutes",
	Details: []schema.Detail{{Field: "session", Code: codeProofRequired, Message: "show who you are: POST /session/proof takes your password or a passkey; or sign in anew"}},
}

// proofsOf are by what the user of a session can show who they are.
func (s *sessions) proofsOf(ctx context.Context, session people.Session) ([]string, error) {
	proofs := []string{}
	if session.HasPassword {
		proofs = append(proofs, people.WithPassword.String())
	}
	if s.Verifier == nil {
		return proofs, nil
	}
	have, err := s.Store.Passkeys(ctx, session.User.ID)
	if len(have) > 0 {
		proofs = append(proofs, people.WithPasskey.String())
	}
	return proofs, err
}

// nothingToShow is what somebody is told who has no password to show.
func (s *sessions) nothingToShow(c *gin.Context) error {
	session := admission.RequestOf(c).Session
	proofs, err := s.proofsOf(c.Request.Context(), *session)
	if err != nil {
		return err
	}
	message := "you have neither a password nor a passkey to show: sign out and in anew, by a link, which POST /session/reset sends and crier users link prints"
	switch {
	case slices.Contains(proofs, people.WithPasskey.String()):
		message = "you have no password: show one of your passkeys as credential"
	case session.Means == people.WithProvider:
		message = "you have neither a password nor a passkey to show: sign out and in anew, at " + session.Provider
	}
	return &schema.Error{Kind: schema.Forbidden, Message: message, Details: []schema.Detail{{Field: "session", Code: codeProofRequired, Message: message}}}
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
	stored, err := s.Store.CountProof(c.Request.Context(), admission.RequestOf(c).Session.User.ID)
	if err != nil {
		return err
	}
	if stored == "" {
		return s.proven(c)
	}
	return s.match(c, field, given, stored)
}

func (s *sessions) match(c *gin.Context, field, given, stored string) error {
	matches, err := s.Passwords.Matches(c.Request.Context(), given, stored)
	if err == nil && !matches {
		err = schema.InvalidField(field, body.CodeInvalidValue, "is not the password that you have now")
	}
	return err
}

// prove takes what shows that whoever is signed in is still there: their password, or one of their passkeys.
func (s *sessions) prove(c *gin.Context, f *body.Form) error {
	prove := s.proveByPassword
	if _, ok := f.Find("credential"); ok {
		prove = s.proveByPasskey
	}
	if err := prove(c, f); err != nil {
		return err
	}
	return answer.Done(c, "for ten minutes you may change how you sign in")
}

func (s *sessions) proveByPassword(c *gin.Context, f *body.Form) error {
	given := givenPassword(f, "password")
	f.Require("password")
	if err := f.Finish(); err != nil {
		return err
	}
	session := admission.RequestOf(c).Session
	stored, err := s.Store.CountProof(c.Request.Context(), session.User.ID)
	if err != nil {
		return err
	}
	if stored == "" {
		return s.nothingToShow(c) // no password shows anything, and what was shown before does not last longer for it
	}
	if err := s.match(c, "password", given, stored); err != nil {
		return err
	}
	return s.Store.ProveByPassword(c.Request.Context(), session.User.ID, session.ID)
}

func (s *sessions) proveByPasskey(c *gin.Context, f *body.Form) error {
	keys := &passkeys{s}
	if err := keys.offered(); err != nil {
		return err
	}
	given := givenCredential(f)
	if err := f.Finish(); err != nil {
		return err
	}
	used, _, err := keys.verified(c, given)
	if err != nil {
		return err
	}
	session := admission.RequestOf(c).Session
	if used.User != session.User.ID {
		return people.ErrNoPasskey
	}
	return s.Store.ProveByPasskey(c.Request.Context(), used, session.ID)
}
