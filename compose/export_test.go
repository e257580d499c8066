package compose

import (
	"context"

	"crier/pipeline"
	"crier/schema"
)

// ServeThrough is Serve with what a test puts between the stages and the connectors.
func ServeThrough(ctx context.Context, c Config, between func(pipeline.Platforms) pipeline.Platforms) error {
	return withBase(ctx, c, func(b *base) error {
		b.platforms = between(b.platforms)
		return b.serve(ctx, nil)
	})
}

// ConnectUnchecked connects an account whose credentials no platform has seen.
func ConnectUnchecked(ctx context.Context, c Config, workspace string, a schema.Account, credentials schema.Credentials) (connected schema.Account, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		w, err := o.admin.Workspace(ctx, workspace, "", false)
		if err != nil {
			return err
		}
		all, err := o.admin.Connect(ctx, w.ID, []schema.Connection{{
			Account: a, ExpiresAt: credentials.ExpiresAt, Renewable: credentials.Refreshable(),
			Seal: func(stored schema.Account) ([]byte, bool, error) {
				sealed, err := o.vault.Seal(stored, credentials)
				return sealed, true, err
			},
		}})
		if err != nil {
			return err
		}
		connected = all[0].Account
		return nil
	})
	return connected, err
}
