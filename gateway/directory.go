package gateway

import (
	"context"
	"time"

	"crier/schema"
)

// directory is the accounts and brands of a workspace, for looking them up.
type directory struct {
	accounts []schema.Account
	brands   []schema.Brand
	byID     map[schema.AccountID]*schema.Account
}

func newDirectory(accounts []schema.Account, brands []schema.Brand) *directory {
	d := &directory{accounts, brands, make(map[schema.AccountID]*schema.Account, len(accounts))}
	for i := range accounts {
		d.byID[accounts[i].ID] = &accounts[i]
	}
	return d
}

// directoryReader reads what a directory is made of.
type directoryReader interface {
	// Accounts returns all of a workspace's.
	Accounts(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Account, error)
	// Brands returns all of a workspace's.
	Brands(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Brand, error)
}

// directories remembers for a moment what each workspace has. Whoever changes that has it
// forgotten, so that a caller's next post sees the change; other gateways see it a moment
// later.
type directories struct {
	*cache[schema.WorkspaceID, *directory]
}

const (
	life          = time.Second
	maxWorkspaces = 10_000
)

// newDirectories returns the directories of what a reader reads.
func newDirectories(reader directoryReader, now func() time.Time) directories {
	return directories{newCache(life, maxWorkspaces, now, func(ctx context.Context, workspace schema.WorkspaceID) (*directory, error) {
		accounts, err := reader.Accounts(ctx, workspace)
		if err != nil {
			return nil, err
		}
		brands, err := reader.Brands(ctx, workspace)
		if err != nil {
			return nil, err
		}
		return newDirectory(accounts, brands), nil
	})}
}

// find returns the directory of a workspace that has what a request, which began at a time,
// looks for. If what is remembered has not, it looks again: an account may have been
// connected a moment ago. The last one that has was asked about is returned.
func (d directories) find(ctx context.Context, workspace schema.WorkspaceID, began time.Time, has func(*directory) bool) (*directory, error) {
	found, err := d.get(ctx, workspace)
	if err != nil || has(found) {
		return found, err
	}
	if found, err = d.since(ctx, workspace, began); err != nil {
		return nil, err
	}
	has(found)
	return found, nil
}

// named returns the account of a platform that goes by a name: its id, and a business
// location the platform's own. It is nil if there is none.
func (d *directory) named(platform schema.Platform, name string) *schema.Account {
	if id, err := schema.ParseAccountID(name); err == nil {
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

// account returns the account of that id, nil if there is none.
func (d *directory) account(id schema.AccountID) *schema.Account { return d.byID[id] }

// on returns the accounts of a platform.
func (d *directory) on(platform schema.Platform) []*schema.Account {
	var found []*schema.Account
	for i := range d.accounts {
		if a := &d.accounts[i]; a.Platform == platform {
			found = append(found, a)
		}
	}
	return found
}

// brand returns the workspace's brand of that id.
func (d *directory) brand(id *string) (schema.BrandID, bool) {
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
