package main

import (
	"context"
	"fmt"
	"os"

	"crier/compose"
	"crier/compose/embedded"
)

type keysCommand struct {
	Create  keysCreateCommand  `cmd:"" help:"Make a key, and its workspace if need be; prints the key alone."`
	Revoke  keysRevokeCommand  `cmd:"" help:"End a key; it is refused within a second."`
	Confirm keysConfirmCommand `cmd:"" help:"Let keys work again that a restore has suspended."`

	Unsuspend keysUnsuspendCommand `cmd:"" help:"End the suspension of a key that kept sending requests in spite of 429."`
	Notify    keysNotifyCommand    `cmd:"" help:"Tell the owners of all keys by mail, as of a deprecation; can be run again where it was cut off."`
}

type keysCreateCommand struct {
	partsFlags
	Workspace string `required:"" help:"Name of the workspace."`
	Plan      string `help:"Plan of a workspace that is made: operator (when empty), free, personal, team or agency."`
	Test      bool   `env:"-" help:"Make a test key: it sees the workspace's sandbox only."`
}

// Run prints the new key, which is shown this once.
func (k *keysCreateCommand) Run(ctx context.Context, c compose.Config) error {
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
func (k *keysRevokeCommand) Run(ctx context.Context, c compose.Config) error {
	return compose.RevokeKey(ctx, c, k.Key)
}

type keysConfirmCommand struct {
	partsFlags
	Workspace string `xor:"keys" required:"" env:"-" help:"The keys of the workspace of this name, and of its sandbox."`
	All       bool   `xor:"keys" required:"" env:"-" help:"The keys of all workspaces."`
}

// Run lets keys work again. Those that were revoked after the backup are to be revoked before.
func (k *keysConfirmCommand) Run(ctx context.Context, c compose.Config) error {
	n, err := compose.ConfirmKeys(ctx, c, k.Workspace)
	if err == nil {
		fmt.Println(counted(n, "key"), "confirmed")
	}
	return err
}

type keysUnsuspendCommand struct {
	partsFlags
	Key string `arg:"" env:"-" help:"Id of the key, as it is listed."`
}

// Run ends the suspension of a key.
func (k *keysUnsuspendCommand) Run(ctx context.Context, c compose.Config) error {
	key, err := compose.UnsuspendKey(ctx, c, k.Key)
	if err == nil {
		fmt.Println(key.Name, "works again within a second.")
	}
	return err
}

type keysNotifyCommand struct {
	partsFlags
	Subject string `required:"" env:"-" help:"Subject of the mail."`
	File    string `arg:"" env:"-" type:"existingfile" help:"File with the text: plain, with empty lines between paragraphs."`
}

// Run stores the mails. Processes with the role notify send them.
func (k *keysNotifyCommand) Run(ctx context.Context, c compose.Config) error {
	text, err := os.ReadFile(k.File)
	if err != nil {
		return fmt.Errorf("reading the text: %w", err)
	}
	n, err := compose.NotifyKeys(ctx, c, k.Subject, string(text), func(waiting int) {
		fmt.Fprintf(os.Stderr, "%d mails wait to be sent; going on once there is room\n", waiting)
	})
	if err == nil || n > 0 {
		fmt.Println(counted(n, "mail"), "to be sent.")
	}
	return err
}
