package gateway

import (
	"context"

	"crier/connectors"
	"crier/schema"
)

// AccountReader reads connected accounts and what they are grouped by.
type AccountReader interface {
	// Accounts returns all of a workspace's.
	Accounts(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Account, error)
	// Account returns one of a workspace's, or NotFound.
	Account(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error)
	// Brands returns all of a workspace's.
	Brands(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Brand, error)
}

// AccountWriter connects, changes and disconnects accounts. Each call is one transaction.
type AccountWriter interface {
	// Connect stores accounts, all or none; PlanLimitReached where the plan has no room.
	Connect(ctx context.Context, workspace schema.WorkspaceID, connections []schema.Connection) ([]schema.Connected, error)
	// UpdateAccount stores what change makes of an account's brand and name.
	UpdateAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID, change func(*schema.Account)) (schema.Account, error)
	// Disconnect erases an account's credentials and returns it as it was.
	Disconnect(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error)
}

// AccountRenewer acts on credentials that a platform refused.
type AccountRenewer interface {
	// AskRenewal has the refresh stage renew the credentials, or find out what is wrong.
	AskRenewal(ctx context.Context, account schema.Account) error
	// EndAccount says that the platform lets crier act for the account no more.
	EndAccount(ctx context.Context, account schema.Account, why schema.AccountProblem) error
	// ReviveAccount says that it does again.
	ReviveAccount(ctx context.Context, account schema.Account) error
}

// BrandWriter creates, renames and deletes brands.
type BrandWriter interface {
	CreateBrand(ctx context.Context, brand schema.Brand) error
	RenameBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID, name string) (schema.Brand, error)
	// DeleteBrand takes the brand's accounts out of it.
	DeleteBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID) error
}

// Platforms are asked what they can do with credentials.
type Platforms = connectors.Resolver

// Vault seals credentials for storage.
type Vault interface {
	Seal(account schema.Account, credentials schema.Credentials) ([]byte, error)
	Open(account schema.Account) (schema.Credentials, error)
}
