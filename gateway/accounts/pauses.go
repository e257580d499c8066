package accounts

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// pauser pauses accounts of a workspace, and returns them as they are then.
type pauser interface {
	// PauseAccount holds what goes out on an account; an empty reason leaves that of a pause as it is.
	PauseAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID, reason string) (schema.Account, error)
	// ResumeAccount lifts that, if it stands; PausedByOperator while the operator's pause does.
	ResumeAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error)
}

// Bounds of why an account is paused.
const (
	maxReason      = 200     // characters
	maxReasonBytes = 4 << 10 // as it is written, before blanks that stand together become one
)

// pauseView is a pause as the API shows it.
type pauseView struct {
	Since  answer.Moment `json:"since"`
	Reason string        `json:"reason,omitempty"`
	By     string        `json:"by"`
}

func viewPause(h *schema.Hold) *pauseView {
	if h == nil {
		return nil
	}
	return &pauseView{answer.Moment(h.Since), h.Reason, h.Kind.By()}
}

// pause holds what goes out on an account, until it is resumed.
func (a *accounts) pause(c *gin.Context, id schema.AccountID) error {
	f, err := body.ReadOptionalForm(c)
	if err != nil {
		return err
	}
	reason := readReason(f)
	if err := f.Finish(); err != nil {
		return err
	}
	account, err := a.Store.PauseAccount(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, reason)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "account", viewAccount(account), f.Report.Warnings)
}

// readReason reads why an account is paused: a line, which may be missing.
func readReason(f *body.Form) string {
	text, _ := f.Text("reason", maxReasonBytes)
	reason := strings.Join(strings.Fields(text), " ")
	if n := utf8.RuneCountInString(reason); n > maxReason {
		f.Fail("reason", body.CodeTooLong, fmt.Sprintf("must have at most %d characters, not %d", maxReason, n))
	}
	if strings.ContainsFunc(reason, unicode.IsControl) {
		f.Fail("reason", body.CodeInvalidValue, "must have no control characters")
	}
	return reason
}

// resume lets go out what a pause of the workspace's own has held.
func (a *accounts) resume(c *gin.Context) error {
	account, err := admission.Find(c, accountID, a.Store.ResumeAccount)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "account", viewAccount(account), nil)
}
