package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"crier/compose"
	"crier/compose/embedded"
)

type keysCommand struct {
	Create  keysCreateCommand  `cmd:"" help:"Make a key, and its workspace if need be; prints the key alone."`
	Revoke  keysRevokeCommand  `cmd:"" help:"End a key; it is refused within a second."`
	Confirm keysConfirmCommand `cmd:"" help:"Let keys work again that a restore has suspended."`
}

type keysCreateCommand struct {
	partsFlags
	Workspace string `required:"" help:"Name of the workspace."`
	Plan      string `help:"Plan of a workspace that is made: operator (when empty), free, personal, team or agency."`
	Test      bool   `env:"-" help:"Make a test key: it sees the workspace's sandbox only."`
}

// Run prints the new key, which is shown this once.
func (k *keysCreateCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := k.config(logger)
	if err != nil {
		return err
	}
	isNew := c.Postgres == "" && !embedded.HoldsPostgres(c.Data)
	key, err := compose.CreateKey(ctx, c, k.Workspace, k.Plan, k.Test)
	if err != nil {
		return err
	}
	if isNew { // perhaps not where the person meant
		fmt.Fprintln(os.Stderr, "new installation at", c.Data)
	}
	if _, err := fmt.Println(key); err != nil {
		return fmt.Errorf("showing the key, which is lost: make another: %w", err)
	}
	return nil
}

type keysRevokeCommand struct {
	partsFlags
	Key string `arg:"" help:"The key."`
}

// Run ends a key.
func (k *keysRevokeCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := k.config(logger)
	if err != nil {
		return err
	}
	return compose.RevokeKey(ctx, c, k.Key)
}

type keysConfirmCommand struct {
	partsFlags
	Workspace string `xor:"keys" required:"" env:"-" help:"The keys of the workspace of this name, and of its sandbox."`
	All       bool   `xor:"keys" required:"" env:"-" help:"The keys of all workspaces."`
}

// Run lets keys work again. Those that were revoked after the backup are to be revoked before.
func (k *keysConfirmCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := k.config(logger)
	if err != nil {
		return err
	}
	n, err := compose.ConfirmKeys(ctx, c, k.Workspace)
	if err == nil {
		fmt.Println(counted(n, "key"), "confirmed")
	}
	return err
}
