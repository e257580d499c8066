package directory

import (
	"context"
	"sync"
	"time"

	"crier/gateway/cache"
	"crier/schema"
)

// Directory is the accounts and brands of a workspace, for looking them up.
type Directory struct {
	accounts []schema.Account
	brands   []schema.Brand
	byID     map[schema.AccountID]*schema.Account
	limits   schema.LimitSet
	version  string // of before they were read

	constraints sync.Map // *schema.Constraints by constraintsKey, made when first asked for
}

// constraintsKey is an account of the directory; a zero one stands for all that are not in it.
type constraintsKey struct {
	platform schema.Platform
	account  schema.AccountID
}

func newDirectory(accounts []schema.Account, brands []schema.Brand, limits schema.LimitSet, version string) *Directory {
	d := &Directory{
		accounts: accounts, brands: brands, byID: make(map[schema.AccountID]*schema.Account, len(accounts)),
		limits: limits, version: version,
	}
	for i := range accounts {
		d.byID[accounts[i].ID] = &accounts[i]
	}
	return d
}

// Store is what directories are read from.
type Store interface {
	// Accounts returns all of a workspace's.
	Accounts(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Account, error)
	// Brands returns all of a workspace's.
	Brands(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Brand, error)
	// AccountsVersion returns a text that is another one once any of these has changed, and which
	// limits the workspace is held to.
	AccountsVersion(ctx context.Context, workspace schema.WorkspaceID) (string, schema.LimitSet, error)
}

// Directories caches the directory of each workspace for a moment. A handler that changes
// an account or a brand calls Forget, so that its caller's next post sees the change;
// other gateways see it a moment later.
type Directories struct {
	*cache.Cache[schema.WorkspaceID, *Directory]
}

const (
	life          = time.Second
	maxWorkspaces = 10_000
)

// New returns directories that are loaded from a store.
func New(store Store, now func() time.Time) Directories {
	var d Directories
	d.Cache = cache.New(life, maxWorkspaces, now, func(ctx context.Context, workspace schema.WorkspaceID) (*Directory, error) {
		version, limits, err := store.AccountsVersion(ctx, workspace)
		if err != nil {
			return nil, err
		}
		if last, ok := d.Last(workspace); ok && last.version == version && last.limits == limits {
			return last, nil
		}
		accounts, err := store.Accounts(ctx, workspace)
		if err != nil {
			return nil, err
		}
		brands, err := store.Brands(ctx, workspace)
		if err != nil {
			return nil, err
		}
		return newDirectory(accounts, brands, limits, version), nil
	})
	return d
}

// Find returns the directory of a workspace, for a request that began at a time. If has
// rejects the cached one, it is loaded again, since an account may have been connected a
// moment ago, and is returned whatever has says of it.
func (d Directories) Find(ctx context.Context, workspace schema.WorkspaceID, began time.Time, has func(*Directory) bool) (*Directory, error) {
	found, err := d.Get(ctx, workspace)
	if err != nil || has(found) {
		return found, err
	}
	if found, err = d.Since(ctx, workspace, began); err != nil {
		return nil, err
	}
	has(found)
	return found, nil
}

// Named returns a platform's account by its id or, on google-business, by the platform's
// own name of the location; nil if there is none.
func (d *Directory) Named(platform schema.Platform, name string) *schema.Account {
	if id, err := schema.ParseID[schema.AccountID](name); err == nil {
		if a := d.byID[id]; a != nil && a.Platform == platform {
			return a
		}
	}
	if platform != schema.GoogleBusiness {
		return nil
	}
	for i := range d.accounts {
		if a := &d.accounts[i]; a.Platform == platform && a.NativeID == name {
			return a
		}
	}
	return nil
}

// All returns all accounts.
func (d *Directory) All() []schema.Account { return d.accounts }

// Limits returns which limits the workspace is held to.
func (d *Directory) Limits() schema.LimitSet { return d.limits }

// Constraints returns what an account is held to, given what its platform takes; for an account that is not
// in the directory, what is taken in the workspace. It must not be changed.
func (d *Directory) Constraints(p schema.Platform, id schema.AccountID, of func(schema.Platform) schema.Constraints) *schema.Constraints {
	account := d.byID[id]
	if account == nil {
		id = schema.AccountID{}
	}
	key := constraintsKey{p, id}
	if known, ok := d.constraints.Load(key); ok {
		return known.(*schema.Constraints)
	}
	if account == nil {
		account = &schema.Account{Platform: p, Limits: d.Limits()}
	}
	c := of(p).For(account)
	known, _ := d.constraints.LoadOrStore(key, &c)
	return known.(*schema.Constraints)
}

// Account returns the account of that id, nil if there is none.
func (d *Directory) Account(id schema.AccountID) *schema.Account { return d.byID[id] }

// On returns the accounts of a platform.
func (d *Directory) On(platform schema.Platform) []*schema.Account {
	var found []*schema.Account
	for i := range d.accounts {
		if a := &d.accounts[i]; a.Platform == platform {
			found = append(found, a)
		}
	}
	return found
}

// BrandName returns the name of a brand of the workspace, empty if there is none of that id.
func (d *Directory) BrandName(id schema.BrandID) string {
	for i := range d.brands {
		if d.brands[i].ID == id {
			return d.brands[i].Name
		}
	}
	return ""
}

// Brand returns the workspace's brand of that id.
func (d *Directory) Brand(id *string) (schema.BrandID, bool) {
	if id == nil {
		return schema.BrandID{}, true
	}
	for i := range d.brands {
		if d.brands[i].ID.String() == *id {
			return d.brands[i].ID, true
		}
	}
	return schema.BrandID{}, false
}
