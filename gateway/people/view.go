package people

import (
	"crier/gateway/answer"
	"crier/schema"
	"crier/schema/people"
)

type userView struct {
	ID         schema.UserID `json:"id"`
	Email      string        `json:"email"`
	Name       string        `json:"name"`
	IsOperator bool          `json:"isOperator"`
	IsProven   bool          `json:"isEmailConfirmed"` // the address is known to be theirs
}

// workspaceView is a workspace that somebody is a member of.
type workspaceView struct {
	ID       schema.WorkspaceID `json:"id"`
	Name     string             `json:"name"`
	Role     people.Role        `json:"role"`
	BrandIDs []schema.BrandID   `json:"brandIds"` // that the member is limited to: null, which is all
}

func viewWorkspace(m people.Membership) workspaceView {
	return workspaceView{ID: m.Workspace, Name: m.Name, Role: m.Role}
}

// currentView is the session of a request.
type currentView struct {
	ID         schema.SessionID `json:"id"`
	User       userView         `json:"user"`
	Workspace  *workspaceView   `json:"workspace"` // that it works on; null: the user is a member of none
	Test       bool             `json:"test"`      // it works on the workspace's sandbox
	Workspaces []workspaceView  `json:"workspaces"`
	Method     *string          `json:"method"`   // by which the user signed in; null: before that was told
	Provider   *string          `json:"provider"` // name of the issuer
	Proofs     []string         `json:"proofs"`   // by which the user can show who they are
	CSRFToken  string           `json:"csrfToken"`
	ExpiresAt  answer.Moment    `json:"expiresAt"`
}

// sessionView is a session as its owner sees it.
type sessionView struct {
	ID         schema.SessionID `json:"id"`
	IsCurrent  bool             `json:"isCurrent"` // that of this request
	Workspace  *string          `json:"workspace"`
	Test       bool             `json:"test"`
	Address    string           `json:"address"`
	Agent      string           `json:"agent"`
	Method     *string          `json:"method"`
	Provider   *string          `json:"provider"`
	CreatedAt  answer.Moment    `json:"createdAt"`
	LastUsedAt answer.Moment    `json:"lastUsedAt"`
	ExpiresAt  answer.Moment    `json:"expiresAt"`
}

func viewSession(r people.SessionRecord, current schema.SessionID) sessionView {
	return sessionView{
		ID: r.ID, IsCurrent: r.ID == current, Workspace: answer.TextOrNull(r.Workspace), Test: r.Sandbox, Address: r.Address, Agent: r.Agent,
		Method: answer.TextOrNull(r.Means.String()), Provider: answer.TextOrNull(r.Provider),
		CreatedAt: answer.Moment(r.CreatedAt), LastUsedAt: answer.Moment(r.SeenAt), ExpiresAt: answer.Moment(r.ExpiresAt),
	}
}
