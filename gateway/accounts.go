package gateway

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// accounts is the resource of connected accounts. It reads them fresh: a caller that
// has just connected one looks for it here.
type accounts struct{ reader AccountReader }

func (a *accounts) routes() []route {
	return []route{
		{http.MethodGet, "/accounts", schema.Read, a.list},
		{http.MethodGet, "/accounts/:id", schema.Read, a.get},
	}
}

// accountView is an account as the API shows it: never its credentials.
type accountView struct {
	ID             schema.AccountID `json:"id"`
	Platform       schema.Platform  `json:"platform"`
	Source         string           `json:"source"`
	Name           string           `json:"name"`
	NativeID       string           `json:"nativeId"` // on the platform
	Server         string           `json:"server,omitempty"`
	BrandID        *schema.BrandID  `json:"brandId"`
	IsConnected    bool             `json:"isConnected"`
	NeedsReconnect bool             `json:"needsReconnect"`
	CreatedAt      moment           `json:"createdAt"`
}

// sourceAPI is the source of accounts that were not connected on a dashboard: all.
const sourceAPI = "api"

type accountsAnswer struct {
	Success  bool          `json:"success"`
	Accounts []accountView `json:"accounts"`
}

type accountAnswer struct {
	Success bool        `json:"success"`
	Account accountView `json:"account"`
}

// list answers with the accounts of a workspace.
func (a *accounts) list(c *gin.Context) error {
	q := newQuery(c)
	platform, brand := q.platform("platform"), readBrand(q)
	if err := q.report.err(); err != nil {
		return err
	}
	found, err := a.reader.Accounts(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return err
	}
	views := make([]accountView, 0, len(found))
	for _, account := range found {
		if (platform == 0 || account.Platform == platform) && (brand.IsZero() || account.Brand == brand) {
			views = append(views, viewAccount(account))
		}
	}
	respond(c, http.StatusOK, accountsAnswer{Success: true, Accounts: views})
	return nil
}

// get answers with one account.
func (a *accounts) get(c *gin.Context) error {
	found, err := a.reader.Accounts(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return err
	}
	for _, account := range found {
		if account.ID.String() == c.Param("id") {
			respond(c, http.StatusOK, accountAnswer{Success: true, Account: viewAccount(account)})
			return nil
		}
	}
	return &schema.Error{Kind: schema.NotFound, Message: "account not found"}
}

func viewAccount(a schema.Account) accountView {
	return accountView{
		ID: a.ID, Platform: a.Platform, Source: sourceAPI, Name: a.Name, NativeID: a.NativeID, Server: a.Server,
		BrandID: unlessZero(a.Brand), IsConnected: !a.NeedsReconnect, NeedsReconnect: a.NeedsReconnect,
		CreatedAt: moment(a.CreatedAt),
	}
}
