package compose

import (
	"context"
	"fmt"

	"crier/schema"
)

// ConnectSimulated connects n accounts of each platform to a workspace without asking the
// platforms. Simulators alone take their credentials: they are for tests and load.
func ConnectSimulated(ctx context.Context, c Config, workspace string, platforms []schema.Platform, n int) error {
	return operate(ctx, c, func(ctx context.Context, o *operator) error {
		w, err := o.admin.Workspace(ctx, workspace, "", false)
		if err != nil {
			return err
		}
		for i := range n {
			for _, platform := range platforms {
				name := fmt.Sprintf("simulated-%05d", i)
				a := schema.Account{Workspace: w.ID, Platform: platform, NativeID: name, Name: name}
				if err := o.putAccount(ctx, &a, sandboxCredentials(platform, name)); err != nil {
					return fmt.Errorf("connecting a simulated account: %w", err)
				}
			}
		}
		return nil
	})
}

// putAccount seals the credentials and stores the account under its id.
func (o *operator) putAccount(ctx context.Context, a *schema.Account, credentials schema.Credentials) (err error) {
	if a.ID, err = o.admin.AccountID(ctx, *a); err != nil {
		return err
	}
	if a.Sealed, err = o.vault.Seal(*a, credentials); err != nil {
		return err
	}
	return o.admin.PutAccount(ctx, *a)
}
