package gateway

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/schema"
)

// maxName bounds the names that clients give, in bytes.
const maxName = 200

// accounts is the resource of connected accounts. It reads them fresh: a caller that
// has just connected one looks for it here.
type accounts struct {
	reader    AccountReader
	writer    AccountWriter
	vault     Vault
	platforms Platforms
	logger    *slog.Logger
	checkup   *checkup

	directories *directories
}

func (a *accounts) routes() []route {
	return []route{
		{http.MethodGet, "/accounts", schema.Read, a.list},
		{http.MethodGet, "/accounts/health", schema.Read, a.healthOfAll},
		{http.MethodGet, "/accounts/:id", schema.Read, a.get},
		{http.MethodGet, "/accounts/:id/health", schema.Read, a.health},
		{http.MethodPatch, "/accounts/:id", schema.Write, a.update},
		{http.MethodDelete, "/accounts/:id", schema.Admin, a.disconnect},
	}
}

// list answers with the accounts of a workspace.
func (a *accounts) list(c *gin.Context) error {
	found, err := a.selected(c)
	if err != nil {
		return err
	}
	views := make([]accountView, len(found))
	for i := range found {
		views[i] = viewAccount(found[i])
	}
	respond(c, http.StatusOK, accountsAnswer{Success: true, Accounts: views})
	return nil
}

// selected returns the accounts that a request's parameters select.
func (a *accounts) selected(c *gin.Context) ([]schema.Account, error) {
	q := newQuery(c)
	platform, brand := q.platform("platform"), readBrand(q)
	if err := q.report.err(); err != nil {
		return nil, err
	}
	all, err := a.reader.Accounts(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return nil, err
	}
	found := all[:0]
	for _, account := range all {
		if (platform == 0 || account.Platform == platform) && (brand.IsZero() || account.Brand == brand) {
			found = append(found, account)
		}
	}
	return found, nil
}

// get answers with one account.
func (a *accounts) get(c *gin.Context) error {
	account, err := a.find(c)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, accountAnswer{Success: true, Account: viewAccount(account)})
	return nil
}

func (a *accounts) find(c *gin.Context) (schema.Account, error) {
	id, err := accountID(c)
	if err != nil {
		return schema.Account{}, err
	}
	return a.reader.Account(c.Request.Context(), requestOf(c).key.Workspace, id)
}

func accountID(c *gin.Context) (schema.AccountID, error) {
	id, err := schema.ParseAccountID(c.Param("id"))
	if err != nil {
		return id, &schema.Error{Kind: schema.NotFound, Message: "account not found", Err: err}
	}
	return id, nil
}

// update puts an account into a brand, or into none, and names it.
func (a *accounts) update(c *gin.Context) error {
	id, err := accountID(c)
	if err != nil {
		return err
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	brand, detach := formBrand(f), f.isNull("brandId")
	name := formName(f)
	f.finish()
	if err := f.report.err(); err != nil {
		return err
	}
	account, err := a.writer.UpdateAccount(c.Request.Context(), requestOf(c).key.Workspace, id, func(a *schema.Account) {
		if detach || !brand.IsZero() {
			a.Brand = brand
		}
		if name != "" {
			a.Name = name
		}
	})
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, accountAnswer{Success: true, Account: viewAccount(account), Warnings: f.report.warnings})
	return nil
}

// formBrand reads the brand a request names; whether it is the workspace's is for the
// store to say.
func formBrand(f *form) schema.BrandID {
	text, ok := f.text("brandId", maxName)
	if !ok {
		return schema.BrandID{}
	}
	id, err := schema.ParseBrandID(text)
	if err != nil {
		f.fail("brandId", "brand_unknown", "there is no such brand")
	}
	return id
}

// formName reads a name; empty where there is none.
func formName(f *form) string {
	name, ok := f.text("name", maxName)
	if ok && strings.TrimSpace(name) == "" {
		f.fail("name", codeInvalidValue, "must not be empty")
	}
	return strings.TrimSpace(name)
}

// disconnect ends an account. Its credentials are erased first and then revoked where the
// platform can: if that fails, nobody has them any more all the same.
func (a *accounts) disconnect(c *gin.Context) error {
	id, err := accountID(c)
	if err != nil {
		return err
	}
	workspace := requestOf(c).key.Workspace
	account, err := a.writer.Disconnect(c.Request.Context(), workspace, id)
	a.directories.forget(workspace) // after an error too: it may have been done
	if err != nil {
		return err
	}
	a.revoke(c, account)
	respond(c, http.StatusOK, disconnectedAnswer{Success: true, Disconnected: true, ID: id})
	return nil
}

func (a *accounts) revoke(c *gin.Context, account schema.Account) {
	revoker, unable := connectors.As[connectors.Revoker](a.platforms, account)
	if unable != nil || account.Problem() != nil {
		return
	}
	credentials, err := a.vault.Open(account)
	if err == nil {
		err = revoker.Revoke(c.Request.Context(), account, credentials)
	}
	if err != nil {
		a.logger.WarnContext(c.Request.Context(), "credentials of a disconnected account were not revoked",
			slog.String("account", account.ID.String()), slog.String("platform", account.Platform.String()), slog.Any("err", err))
	}
}
