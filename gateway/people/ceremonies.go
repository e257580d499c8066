package people

import (
	"context"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/schema/people"
)

// ceremonyStore keeps what browsers have begun and not ended.
type ceremonyStore interface {
	// BeginCeremony is RateLimitExceeded where too many sign-ins have begun in a network, and Unavailable where as
	// many wait as may.
	BeginCeremony(ctx context.Context, ceremony people.Ceremony) error
	// TakeCeremony ends one, or is people.ErrCeremonyOver.
	TakeCeremony(ctx context.Context, hash [32]byte) (people.Ceremony, error)
}

// open begins the ceremony of a token in the browser of a request.
func (s *sessions) open(c *gin.Context, token string, kind people.CeremonyKind, provider string) error {
	r := admission.RequestOf(c)
	begun := people.Ceremony{Kind: kind, Provider: provider, Address: r.Address.String()}
	begun.Hash, _ = people.HashToken(token)
	if kind != people.SignsInByProvider && r.Session != nil && r.Genuine() == nil { // a passkey may be to show who its user is
		begun.User, begun.Session = r.Session.User.ID, r.Session.ID
	}
	if err := s.Store.BeginCeremony(c.Request.Context(), begun); err != nil {
		return err
	}
	s.Cookies.SetCeremony(c, token)
	return nil
}

// close ends the ceremony of a request's browser, which has to be of a kind, and of the session that it was begun
// in if there was one. The error is people.ErrCeremonyOver where there is none.
func (s *sessions) close(c *gin.Context, kind people.CeremonyKind) (token string, begun people.Ceremony, err error) {
	token, hash, ok := s.Cookies.Ceremony(c.Request)
	if !ok {
		return "", begun, people.ErrCeremonyOver
	}
	s.Cookies.ClearCeremony(c)
	begun, err = s.Store.TakeCeremony(c.Request.Context(), hash)
	if err != nil {
		return "", begun, err
	}
	if begun.Kind != kind || !isOfSession(begun, admission.RequestOf(c)) {
		return "", begun, people.ErrCeremonyOver
	}
	return token, begun, nil
}

func isOfSession(begun people.Ceremony, r *admission.Request) bool {
	return begun.Session.IsZero() || r.Session != nil && r.Session.ID == begun.Session
}
