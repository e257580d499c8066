package people

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// invitationStore keeps whom a workspace has asked to become members.
type invitationStore interface {
	// Invite reports whether the invitation goes by mail too, with a token of its own. It is Forbidden where the role that whoever invites has by then does not reach the invitation's, and
	// InvalidState where somebody is a member already, or there are too many.
	Invite(ctx context.Context, invitation people.Invitation, hash [32]byte) (mailed bool, err error)
	Invitations(ctx context.Context, workspace schema.WorkspaceID) ([]people.Invitation, error)
	// Withdraw is NotFound where the workspace has no such invitation.
	Withdraw(ctx context.Context, workspace schema.WorkspaceID, id schema.InvitationID) error
	// Invitation returns the one of a token, and the user of its address, if there is one. It is Unauthorized
	// where it cannot be accepted.
	Invitation(ctx context.Context, hash [32]byte) (people.Invitation, schema.UserID, error)
	// Join uses an invitation of a user up, and turns their session to its workspace.
	Join(ctx context.Context, hash [32]byte, user schema.UserID, session schema.SessionID) error
	// JoinAnew makes a user by an invitation, and begins their session. It is Unauthorized where there is such a
	// user by now.
	JoinAnew(ctx context.Context, user people.NewUser, session people.NewSession) error
}

// invitations is the resource of invitations.
type invitations struct{ *sessions }

func (i *invitations) routes() []admission.Route {
	return []admission.Route{
		admission.HandleMember(http.MethodPost, "/invitations", people.Admin, body.WithForm(i.create)),
		admission.HandleMember(http.MethodGet, "/invitations", people.Admin, body.WithoutParameters(i.list)),
		admission.HandleMember(http.MethodDelete, "/invitations/:id", people.Admin, body.WithID("invitation", i.withdraw)),
		admission.HandleVisitor(http.MethodPost, "/invitations/accept", body.WithForm(i.accept)),
	}
}

type invitationView struct {
	ID        schema.InvitationID `json:"id"`
	Email     string              `json:"email"`
	Role      people.Role         `json:"role"`
	Token     string              `json:"token,omitempty"` // only where it was made
	InvitedBy *schema.UserID      `json:"invitedBy"`       // null: a registration, or somebody who is gone
	CreatedAt answer.Moment       `json:"createdAt"`
	ExpiresAt answer.Moment       `json:"expiresAt"`
	IsMailed  bool                `json:"isMailed"` // it goes to the address by mail, with another token
}

func viewInvitation(i people.Invitation) invitationView {
	return invitationView{
		ID: i.ID, Email: i.Email, Role: i.Role, InvitedBy: answer.IDOrNull(i.InvitedBy),
		CreatedAt: answer.Moment(i.CreatedAt), ExpiresAt: answer.Moment(i.ExpiresAt), IsMailed: i.Mailed,
	}
}

// create invites somebody. Only this answer shows the token.
func (i *invitations) create(c *gin.Context, f *body.Form) error {
	email, role := f.Email("email"), givenRole(f)
	f.Require("email")
	if err := f.Finish(); err != nil {
		return err
	}
	token, err := people.NewToken(i.Random)
	if err != nil {
		return err
	}
	hash, _ := people.HashToken(token)
	now := i.Now().UTC().Truncate(time.Millisecond)
	session := admission.RequestOf(c).Session
	invitation := people.Invitation{
		ID: schema.NewID[schema.InvitationID](now), Workspace: session.Workspace, Email: people.Email(email), Role: role, InvitedBy: session.User.ID,
		CreatedAt: now, ExpiresAt: now.Add(people.InvitationLife),
	}
	if invitation.Mailed, err = i.Store.Invite(c.Request.Context(), invitation, hash); err != nil {
		return err
	}
	view := viewInvitation(invitation)
	view.Token = token
	c.Header("Cache-Control", "no-store")
	return answer.Named(c, http.StatusCreated, "invitation", view, f.Report.Warnings)
}

// list answers with the invitations that can be accepted.
func (i *invitations) list(c *gin.Context, warnings []schema.Detail) error {
	all, err := i.Store.Invitations(c.Request.Context(), admission.RequestOf(c).Session.Workspace)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "invitations", lists.Map(all, viewInvitation), warnings)
}

// withdraw ends an invitation.
func (i *invitations) withdraw(c *gin.Context, id schema.InvitationID) error {
	if err := i.Store.Withdraw(c.Request.Context(), admission.RequestOf(c).Session.Workspace, id); err != nil {
		return err
	}
	return answer.Done(c, "the invitation is withdrawn")
}

// accept makes whoever has an invitation's token a member. A user accepts in their own session; anybody
// else becomes a user by it.
func (i *invitations) accept(c *gin.Context, f *body.Form) error {
	hash, err := givenToken(f)
	if err != nil {
		return err
	}
	invitation, user, err := i.Store.Invitation(c.Request.Context(), hash)
	if err != nil {
		return err
	}
	if session := admission.RequestOf(c).Session; session != nil && session.User.ID != user {
		return &schema.Error{Kind: schema.Forbidden, Message: "this invitation is for " + invitation.Email + ", and you are signed in as " + session.User.Email + ": sign out first, then accept it"}
	}
	name, chosen := f.GivenName(), newPassword(f, "password")
	if user.IsZero() {
		f.Require("name")
		f.Require("password")
	}
	if err := f.Finish(); err != nil {
		return err
	}
	if !user.IsZero() {
		return i.join(c, hash, user)
	}
	return i.joinAnew(c, people.NewUser{ID: schema.NewID[schema.UserID](i.Now()), Email: invitation.Email, Name: name, Password: chosen, Invitation: hash})
}

// join makes the user of the session a member.
func (i *invitations) join(c *gin.Context, hash [32]byte, user schema.UserID) error {
	r := admission.RequestOf(c)
	if r.Session == nil {
		return people.ErrSignInFirst
	}
	if err := r.Genuine(); err != nil {
		return err
	}
	if err := i.Store.Join(c.Request.Context(), hash, user, r.Session.ID); err != nil {
		return err
	}
	return answer.JSON(c, http.StatusCreated, welcomeResponse{
		Success: true, Message: "you are a member, and your session works on the workspace", CSRFToken: i.Cookies.CSRF(c.Request),
	})
}

// joinAnew makes a user and begins their session.
func (i *invitations) joinAnew(c *gin.Context, u people.NewUser) error {
	stored, err := i.Passwords.Hash(c.Request.Context(), u.Password)
	if err != nil {
		return err
	}
	u.Password = stored
	session, token, err := i.begin(c)
	if err != nil {
		return err
	}
	session.Means = people.WithInvitation
	if err := i.Store.JoinAnew(c.Request.Context(), u, session); err != nil {
		return err
	}
	return i.welcome(c, u.ID, token, "you are a member, and signed in")
}
