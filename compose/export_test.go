package compose

import (
	"context"

	"crier/pipeline"
	"crier/schema"
)

// ServeThrough is Serve with what a test puts between the stages and the connectors.
func ServeThrough(ctx context.Context, c Config, between func(pipeline.Platforms) pipeline.Platforms) error {
	p, err := startParts(ctx, c)
	if err != nil {
		return err
	}
	defer p.stop()
	b, err := newBase(ctx, c, p)
	if err != nil {
		return err
	}
	defer b.close()
	b.platforms = between(b.platforms)
	servers, stages, err := b.assemble(ctx)
	if err != nil {
		return err
	}
	return run(ctx, b, servers, stages, nil)
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
