package accounts

import (
	"crier/gateway/answer"
	"crier/schema"
)

// accountView is an account as the API shows it: never its credentials.
type accountView struct {
	ID             schema.AccountID `json:"id"`
	Platform       schema.Platform  `json:"platform"`
	Source         string           `json:"source"`
	Name           string           `json:"name"`
	NativeID       string           `json:"nativeId"` // on the platform
	Server         string           `json:"server,omitempty"`
	BrandID        *schema.BrandID  `json:"brandId"`
	BrandName      *string          `json:"brandName"`
	IsConnected    bool             `json:"isConnected"`
	NeedsReconnect bool             `json:"needsReconnect"`
	Error          *healthProblem   `json:"error,omitempty"` // while it has ended
	Paused         *pauseView       `json:"paused,omitempty"`
	ExpiresAt      *answer.Moment   `json:"expiresAt"` // of the access token
	CreatedAt      answer.Moment    `json:"createdAt"`
}

// sourceOf tells who connected an account: a member at a dashboard, or anybody else.
func sourceOf(a schema.Account) string {
	if a.FromDashboard {
		return "dashboard"
	}
	return "api"
}

type disconnectedResponse struct {
	Success      bool             `json:"success"`
	Disconnected bool             `json:"disconnected"`
	ID           schema.AccountID `json:"id"`
}

func viewAccount(a schema.Account) accountView {
	ended := a.Problem()
	return accountView{
		ID: a.ID, Platform: a.Platform, Source: sourceOf(a), Name: a.Name, NativeID: a.NativeID, Server: a.Server,
		BrandID: answer.IDOrNull(a.Brand), BrandName: answer.TextOrNull(a.BrandName),
		IsConnected: ended == nil, NeedsReconnect: a.NeedsReconnect, Error: viewProblem(ended), Paused: viewPause(a.Pause),
		ExpiresAt: answer.MomentOrNull(a.ExpiresAt), CreatedAt: answer.Moment(a.CreatedAt),
	}
}

func viewProblem(p *schema.AccountProblem) *healthProblem {
	if p == nil {
		return nil
	}
	return &healthProblem{p.Code, p.Message}
}
