package compose

import (
	"context"
	"errors"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"crier/compose/embedded"
	"crier/pipeline"
	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/postgres"
)

// ServeThrough is Serve with what a test puts between the stages and the connectors.
func ServeThrough(ctx context.Context, c Config, between func(pipeline.Platforms) pipeline.Platforms) error {
	return withBase(ctx, c, func(b *base) error {
		b.platforms = between(b.platforms)
		return b.serve(ctx, nil)
	})
}

// TakeNode takes the identity of a data folder for a store, and gives the folder free.
func TakeNode(ctx context.Context, folder string, store *postgres.Store, logger *slog.Logger) ([16]byte, error) {
	data, err := embedded.OpenData(folder)
	if err != nil {
		return [16]byte{}, err
	}
	node, err := (&parts{data: data, log: logger}).takeNode(ctx, store)
	return node, errors.Join(err, data.Close())
}

// BindKeyset is what a process does with its keyset at its start.
func BindKeyset(ctx context.Context, c Config) error {
	store, err := postgres.Open(ctx, postgres.Config{URL: c.Postgres, MaxConns: 2, Logger: c.Logger})
	if err != nil {
		return err
	}
	defer store.Close()
	_, err = openBoundVault(ctx, c, store)
	return err
}

// ConnectUnchecked connects an account whose credentials no platform has seen.
func ConnectUnchecked(ctx context.Context, c Config, workspace string, a schema.Account, credentials schema.Credentials) (connected schema.Account, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		w, err := o.admin.Workspace(ctx, workspace)
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

// Connections is how many connections each pool of a process has, and all of them.
func Connections(c Config) (stages, requests, creations, total int) {
	n := c.connections()
	return n.stages, n.requests, n.creations, n.total()
}

// EnsureTopics makes the topics of a config.
func EnsureTopics(ctx context.Context, c Config, log *stream.Log) error {
	return ensureTopics(ctx, c, log)
}

// CompleteTwins gives the twins that are there what they lack, by some processes at once.
func CompleteTwins(ctx context.Context, c Config, processes int) error {
	return operate(ctx, c, func(ctx context.Context, o *operator) error {
		var group errgroup.Group
		for range processes {
			group.Go(func() error { return sandboxes{o.admin, o.vault, c.Logger}.complete(ctx) })
		}
		return group.Wait()
	})
}

// ForgetAccounts has a workspace's twin as if a platform had not been there yet.
func ForgetAccounts(ctx context.Context, c Config, workspace string, p schema.Platform) error {
	return operate(ctx, c, func(ctx context.Context, o *operator) error {
		_, err := o.admin.Pool.Exec(ctx, `
			delete from accounts a using workspaces w
			where w.id = a.workspace_id and w.name = $1 and w.live_id is not null and a.platform = $2`, workspace, p)
		return err
	})
}
