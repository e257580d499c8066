package gateway

import (
	"context"

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

// directories remembers for a moment what each workspace has. Whoever changes that has it
// forgotten, so that a caller's next post sees the change; other gateways see it a moment
// later.
type directories = cache[schema.WorkspaceID, *directory]

// directoryOf returns what loads the directory of a workspace.
func directoryOf(reader AccountReader) func(context.Context, schema.WorkspaceID) (*directory, error) {
	return func(ctx context.Context, workspace schema.WorkspaceID) (*directory, error) {
		accounts, err := reader.Accounts(ctx, workspace)
		if err != nil {
			return nil, err
		}
		brands, err := reader.Brands(ctx, workspace)
		if err != nil {
			return nil, err
		}
		return newDirectory(accounts, brands), nil
	}
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
