package accounts

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// Store is all that accounts, brands and connecting ask of the database.
type Store interface {
	reader
	writer
	pauser
	renewer
	permissionReader
	brandWriter
	consentStore
	consentBeginner
	redirectStore
	reconnectStore
	noticeStore
}

// reader reads connected accounts and what they are grouped by.
type reader interface {
	// Accounts returns all of a workspace's.
	Accounts(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Account, error)
	// Account returns one of a workspace's, or NotFound.
	Account(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error)
	// Brands returns all of a workspace's.
	Brands(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Brand, error)
}

// writer connects, changes and disconnects accounts. Each call is one transaction.
type writer interface {
	// Connect stores accounts, all or none; PlanLimitReached where the plan has no room.
	Connect(ctx context.Context, workspace schema.WorkspaceID, connections []schema.Connection) ([]schema.Connected, error)
	// UpdateAccount stores what change makes of an account's brand and name.
	UpdateAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID, change func(*schema.Account)) (schema.Account, error)
	// Disconnect erases an account's credentials and returns it as it was.
	Disconnect(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error)
}

// Vault seals credentials for storage.
type Vault interface {
	Seal(account schema.Account, credentials schema.Credentials) ([]byte, error)
	Open(account schema.Account) (schema.Credentials, error)
	// SealText seals a text for what associated names, and OpenText opens it for the same.
	SealText(associated, text string) ([]byte, error)
	OpenText(associated string, sealed []byte) (string, error)
}

// Config is what accounts are served with.
type Config struct {
	Store       Store
	Directories directory.Directories // what is forgotten of a workspace once its accounts change
	Platforms   connectors.Resolver   // asked what platforms can do with credentials
	Vault       Vault
	Connecting  func(schema.Platform) connectors.Connecting
	// BaseURLs are the configured addresses of platforms: an account that names no server
	// lives there, and they need not be public.
	BaseURLs map[schema.Platform]string
	// Refuses tells why crier must not call an address; empty: it may.
	Refuses      func(ctx context.Context, address string) string
	AllowPrivate bool   // servers without https, and at addresses that are not public
	ConnectURL   string // address of the operations that connect, up to the platform
	Now          func() time.Time
	Random       io.Reader
	Logger       *slog.Logger
}

// Routes returns the operations of accounts, of connecting them, and of brands.
func Routes(c Config) []admission.Route {
	tokens := &connections{c}
	return slices.Concat(
		(&accounts{c}).routes(), tokens.routes(), (&authorizations{connections: tokens}).routes(),
		(&redirects{c}).routes(), (&brands{c}).routes(), (&notices{c}).routes(),
	)
}

// accounts is the resource of connected accounts. It reads them fresh: a caller that
// has just connected one looks for it here.
type accounts struct{ Config }

func (a *accounts) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodGet, "/accounts", schema.Read, a.list),
		admission.Handle(http.MethodGet, "/accounts/health", schema.Read, a.healthOfAll),
		admission.Handle(http.MethodGet, "/accounts/:id", schema.Read, a.get),
		admission.Handle(http.MethodGet, "/accounts/:id/health", schema.Read, a.health),
		admission.Handle(http.MethodPatch, "/accounts/:id", schema.Write, body.WithIDForm("account", a.update)).For(people.Admin),
		admission.Handle(http.MethodDelete, "/accounts/:id", schema.Admin, a.disconnect),
		admission.Handle(http.MethodPost, "/accounts/:id/pause", schema.Admin, body.WithID("account", a.pause)),
		admission.Handle(http.MethodPost, "/accounts/:id/resume", schema.Admin, a.resume),
	}
}

// list answers with the accounts of a workspace.
func (a *accounts) list(c *gin.Context) error {
	found, warnings, err := a.selected(c)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "accounts", lists.Map(found, viewAccount), warnings)
}

// selected returns the accounts that a request's parameters select, and warnings about those. The brands of a
// list are those of the API: what members connected is left out beside one.
func (a *accounts) selected(c *gin.Context) (found []schema.Account, warnings []schema.Detail, err error) {
	q := body.NewQuery(c)
	platform, brand := q.Platform("platform"), q.Brand()
	if err := q.Finish(); err != nil {
		return nil, nil, err
	}
	all, err := a.Store.Accounts(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return nil, nil, err
	}
	found = all[:0]
	for _, account := range all {
		if (platform == 0 || account.Platform == platform) && (brand.IsZero() || account.Brand == brand && !account.FromDashboard) {
			found = append(found, account)
		}
	}
	return found, q.Report.Warnings, nil
}

func (a *accounts) get(c *gin.Context) error {
	warnings, err := body.NoParameters(c)
	if err != nil {
		return err
	}
	account, err := admission.Find(c, accountID, a.Store.Account)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "account", viewAccount(account), warnings)
}

func accountID(c *gin.Context) (schema.AccountID, error) {
	return body.PathID(c.Param("id"), "account", schema.ParseID[schema.AccountID])
}

// update puts an account into a brand, or into none, and names it.
func (a *accounts) update(c *gin.Context, id schema.AccountID, f *body.Form) error {
	detach := f.IsNull("brandId") // before it is read as an id
	brand := f.Brand()
	name := f.GivenName()
	if err := f.Finish(); err != nil {
		return err
	}
	workspace := admission.RequestOf(c).Key.Workspace
	account, err := a.Store.UpdateAccount(c.Request.Context(), workspace, id, func(a *schema.Account) {
		if detach || !brand.IsZero() {
			a.Brand = brand
		}
		if name != "" {
			a.Name = name
		}
	})
	a.Directories.Forget(workspace) // after an error too: it may have been done
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "account", viewAccount(account), f.Report.Warnings)
}

// disconnect ends an account. Its credentials are erased first and then revoked where the
// platform can: if that fails, nobody has them any more all the same.
func (a *accounts) disconnect(c *gin.Context) error {
	id, err := accountID(c)
	if err != nil {
		return err
	}
	workspace := admission.RequestOf(c).Key.Workspace
	account, err := a.Store.Disconnect(c.Request.Context(), workspace, id)
	a.Directories.Forget(workspace) // after an error too: it may have been done
	if err != nil {
		return err
	}
	a.Revoke(c.Request.Context(), account)
	return answer.JSON(c, http.StatusOK, disconnectedResponse{Success: true, Disconnected: true, ID: id})
}

// Revoke ends an account's credentials at its platform where that can be: nobody has them any
// more all the same.
func (c Config) Revoke(ctx context.Context, account schema.Account) {
	revoker, unable := connectors.As[connectors.Revoker](c.Platforms, account)
	if unable != nil || account.Problem() != nil {
		return
	}
	credentials, err := c.Vault.Open(account)
	if err == nil {
		err = revoker.Revoke(ctx, account, credentials)
	}
	if err != nil {
		c.Logger.WarnContext(ctx, "credentials of a disconnected account were not revoked",
			slog.String("account", account.ID.String()), slog.String("platform", account.Platform.String()), slog.Any("err", err))
	}
}
