package people

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// identityStore keeps who users are at issuers.
type identityStore interface {
	Identities(ctx context.Context, user schema.UserID) ([]people.Identity, error)
	// SignInBy begins the session of whom an issuer knows, and makes them a user, and a member, where their groups
	// say so; left are the workspaces that they are no members of any more. It is a *people.SignInError where they are
	// not let in.
	SignInBy(ctx context.Context, testimony people.Testimony, session people.NewSession) (left []schema.WorkspaceID, err error)
	// LinkIdentity is a *people.SignInError where it is another user's, the user has another one of the issuer, or the
	// session has ended.
	LinkIdentity(ctx context.Context, user schema.UserID, session schema.SessionID, testimony people.Testimony) error
	// UnlinkIdentity is NotFound where the user has no such one, and InvalidState where they could not sign in any
	// more.
	UnlinkIdentity(ctx context.Context, user schema.UserID, id schema.IdentityID, ways people.Ways) error
}

// identities is the resource of identities.
type identities struct{ *sessions }

func (i *identities) routes() []admission.Route {
	return []admission.Route{
		admission.HandleMember(http.MethodGet, "/me/identities", people.Anyone, body.WithoutParameters(i.list)),
		admission.HandleMember(http.MethodPost, "/me/identities", people.Anyone, body.WithForm(i.link)),
		admission.HandleMember(http.MethodDelete, "/me/identities/:id", people.Anyone, body.WithID("identity", i.unlink)),
	}
}

type identityView struct {
	ID         schema.IdentityID `json:"id"`
	Provider   *string           `json:"provider"` // name; null: the server does not offer it any more
	Issuer     string            `json:"issuer"`
	Email      *string           `json:"email"`
	CreatedAt  answer.Moment     `json:"createdAt"`
	LastUsedAt answer.Moment     `json:"lastUsedAt"`
}

// list answers with the identities of whoever is signed in.
func (i *identities) list(c *gin.Context, warnings []schema.Detail) error {
	all, err := i.Store.Identities(c.Request.Context(), admission.RequestOf(c).Session.User.ID)
	if err != nil {
		return err
	}
	views := lists.Map(all, func(identity people.Identity) identityView {
		return identityView{
			ID: identity.ID, Provider: i.nameOf(identity.Issuer), Issuer: identity.Issuer, Email: answer.TextOrNull(identity.Email),
			CreatedAt: answer.Moment(identity.CreatedAt), LastUsedAt: answer.Moment(identity.UsedAt),
		}
	})
	return answer.Named(c, http.StatusOK, "identities", views, warnings)
}

// nameOf returns how an issuer is called here; nil where it is not offered.
func (s *sessions) nameOf(issuer string) *string {
	for _, p := range s.Providers {
		if p.Issuer() == issuer {
			return new(p.Name())
		}
	}
	return nil
}

// link answers with where the browser shows who its user is at an issuer.
func (i *identities) link(c *gin.Context, f *body.Form) error {
	if err := i.proven(c); err != nil {
		return err
	}
	name, _ := f.Text("provider", body.MaxShort)
	f.Require("provider")
	if err := f.Finish(); err != nil {
		return err
	}
	return i.depart(c, name, people.LinksIdentity, f.Report.Warnings)
}

// unlink takes an identity away, unless it is the last way to sign in.
func (i *identities) unlink(c *gin.Context, id schema.IdentityID) error {
	if err := i.Store.UnlinkIdentity(c.Request.Context(), admission.RequestOf(c).Session.User.ID, id, i.ways()); err != nil {
		return err
	}
	return answer.Done(c, "the identity is unlinked, with what its groups gave you")
}

// ways are those to sign in that are offered beside passwords.
func (s *sessions) ways() people.Ways {
	w := people.Ways{Passkeys: s.Verifier != nil, Issuers: []string{}}
	for _, p := range s.Providers {
		w.Issuers = append(w.Issuers, p.Issuer())
	}
	return w
}
