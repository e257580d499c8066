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

// memberStore keeps who belongs to a live workspace.
type memberStore interface {
	Members(ctx context.Context, workspace schema.WorkspaceID) ([]people.Member, error)
	// ChangeMember is Forbidden where the role that whoever asks has by then does not reach the member's, and
	// InvalidState for the last owner.
	ChangeMember(ctx context.Context, change people.MemberChange) error
	// RemoveMember ends the member's sessions on the workspace too. It fails as ChangeMember does.
	RemoveMember(ctx context.Context, change people.MemberChange) error
}

// members is the resource of members. It is of the live workspace, whatever side of it a session works on.
type members struct{ Config }

func (m *members) routes() []admission.Route {
	return []admission.Route{
		admission.HandleMember(http.MethodGet, "/members", people.Admin, body.WithoutParameters(m.list)),
		admission.HandleMember(http.MethodPatch, "/members/:id", people.Admin, m.change),
		admission.HandleMember(http.MethodDelete, "/members/:id", people.Admin, m.remove),
	}
}

type memberView struct {
	UserID     schema.UserID  `json:"userId"`
	Email      string         `json:"email"`
	Name       string         `json:"name"`
	Role       people.Role    `json:"role"`
	JoinedAt   answer.Moment  `json:"joinedAt"`
	LastSeenAt *answer.Moment `json:"lastSeenAt"` // in the workspace, by the sessions there are
}

func (m *members) list(c *gin.Context, warnings []schema.Detail) error {
	all, err := m.Store.Members(c.Request.Context(), admission.RequestOf(c).Session.Workspace)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "members", lists.Map(all, viewMember), warnings)
}

func viewMember(m people.Member) memberView {
	return memberView{
		UserID: m.User, Email: m.Email, Name: m.Name, Role: m.Role, JoinedAt: answer.Moment(m.JoinedAt), LastSeenAt: answer.MomentOrNull(m.SeenAt),
	}
}

// change gives a member another role, which holds from their next request.
func (m *members) change(c *gin.Context) error {
	wanted, err := named(c)
	if err != nil {
		return err
	}
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	wanted.Role = givenRole(f)
	if err := f.Finish(); err != nil {
		return err
	}
	if err := m.Store.ChangeMember(c.Request.Context(), wanted); err != nil {
		return err
	}
	return answer.Done(c, "the member is "+wanted.Role.String()+" now")
}

// remove ends a membership, and the member's API keys if that is asked for.
func (m *members) remove(c *gin.Context) error {
	wanted, err := named(c)
	if err != nil {
		return err
	}
	q := body.NewQuery(c)
	switch keys, given := q.Word("keys"); {
	case keys == "end":
		wanted.EndsKeys = true
	case given && keys != "keep":
		q.Report.Fail("keys", body.CodeInvalidValue, "must be end or keep")
	}
	if err := q.Finish(); err != nil {
		return err
	}
	if err := m.Store.RemoveMember(c.Request.Context(), wanted); err != nil {
		return err
	}
	return answer.Done(c, "the member is removed, and their sessions in the workspace have ended")
}

// named reads whom a request is about, and who asks.
func named(c *gin.Context) (people.MemberChange, error) {
	session := admission.RequestOf(c).Session
	user, err := body.PathID(c.Param("id"), "member", schema.ParseID[schema.UserID])
	return people.MemberChange{Workspace: session.Workspace, By: session.User.ID, User: user}, err
}

// givenRole reads a role, which is required.
func givenRole(f *body.Form) people.Role {
	f.Require("role")
	text, ok := f.Text("role", body.MaxShort)
	role, err := people.ParseRole(text)
	if ok && err != nil {
		f.Fail("role", body.CodeInvalidValue, "must be viewer, author, editor, admin or owner")
	}
	return role
}
