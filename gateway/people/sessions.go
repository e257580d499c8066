package people

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// sessions is the resource of sessions.
type sessions struct{ Config }

// current answers with the session of the request.
func (s *sessions) current(c *gin.Context, warnings []schema.Detail) error {
	return s.show(c, *admission.RequestOf(c).Session, warnings)
}

func (s *sessions) show(c *gin.Context, session people.Session, warnings []schema.Detail) error {
	all, err := s.Store.Memberships(c.Request.Context(), session.User.ID)
	if err != nil {
		return err
	}
	proofs, err := s.proofsOf(c.Request.Context(), session)
	if err != nil {
		return err
	}
	u := session.User
	view := currentView{
		ID: session.ID, User: userView{ID: u.ID, Email: u.Email, Name: u.Name, IsOperator: u.IsOperator, IsProven: u.IsProven},
		Workspaces: make([]workspaceView, len(all)), CSRFToken: s.Cookies.CSRF(c.Request), ExpiresAt: answer.Moment(session.ExpiresAt),
		Method: answer.TextOrNull(session.Means.String()), Provider: answer.TextOrNull(session.Provider), Proofs: proofs,
	}
	for i, m := range all {
		view.Workspaces[i] = viewWorkspace(m)
		if m.Workspace == session.Workspace {
			view.Workspace, view.Test = &view.Workspaces[i], session.Sandbox
		}
	}
	c.Header("Cache-Control", "no-store")
	return answer.Named(c, http.StatusOK, "session", view, warnings)
}

// turn makes the session work on another workspace, or on the other side of it.
func (s *sessions) turn(c *gin.Context, f *body.Form) error {
	session := *admission.RequestOf(c).Session
	if text, ok := f.Text("workspaceId", body.MaxShort); ok {
		var err error
		if session.Workspace, err = schema.ParseID[schema.WorkspaceID](text); err != nil {
			f.Fail("workspaceId", body.CodeInvalidValue, err.Error())
		}
		session.Sandbox = false
	}
	if test, ok := f.Boolean("test"); ok {
		session.Sandbox = test
	}
	if err := f.Finish(); err != nil {
		return err
	}
	if err := s.Store.TurnSession(c.Request.Context(), session.ID, session.Workspace, session.Sandbox); err != nil {
		return err
	}
	if session.Sandbox {
		if _, err := s.Sandboxes.Twin(c.Request.Context(), session.Workspace); err != nil {
			return err
		}
	}
	return s.show(c, session, f.Report.Warnings)
}

// signOut ends the session of the request.
func (s *sessions) signOut(c *gin.Context) error {
	session := admission.RequestOf(c).Session
	if err := s.Store.EndSession(c.Request.Context(), session.User.ID, session.ID); err != nil {
		return err
	}
	s.Cookies.Clear(c)
	return answer.Done(c, "you are signed out")
}

// list answers with the sessions of whoever is signed in.
func (s *sessions) list(c *gin.Context, warnings []schema.Detail) error {
	current := admission.RequestOf(c).Session
	all, err := s.Store.Sessions(c.Request.Context(), current.User.ID)
	if err != nil {
		return err
	}
	views := lists.Map(all, func(r people.SessionRecord) sessionView { return viewSession(r, current.ID) })
	return answer.Named(c, http.StatusOK, "sessions", views, warnings)
}

// end ends one of their sessions.
func (s *sessions) end(c *gin.Context, id schema.SessionID) error {
	if err := s.Store.EndSession(c.Request.Context(), admission.RequestOf(c).Session.User.ID, id); err != nil {
		return err
	}
	return answer.Done(c, "the session has ended")
}

// changePassword stores another password, and ends all other sessions. Whoever has one shows it; it is
// counted as an attempt to sign in.
func (s *sessions) changePassword(c *gin.Context, f *body.Form) error {
	before, wanted := givenPassword(f, "currentPassword"), newPassword(f, "newPassword")
	f.Require("newPassword")
	if err := f.Finish(); err != nil {
		return err
	}
	session := admission.RequestOf(c).Session
	if err := s.confirm(c, "currentPassword", before); err != nil {
		return err
	}
	stored, err := s.Passwords.Hash(c.Request.Context(), wanted)
	if err != nil {
		return err
	}
	token, err := people.NewToken(s.Random)
	if err != nil {
		return err
	}
	hash, _ := people.HashToken(token)
	if err := s.Store.ChangePassword(c.Request.Context(), session.User.ID, stored, session.ID, hash); err != nil {
		return err
	}
	s.Cookies.Set(c, token)
	return answer.JSON(c, http.StatusOK, welcomeResponse{
		Success: true, Message: "the password is changed; all other sessions have ended", CSRFToken: people.CSRFToken(token),
	})
}
