package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"crier/compose"
	"crier/schema"
	"crier/schema/sleep"
)

type deleteCommand struct {
	partsFlags
	Workspace string `xor:"what" required:"" env:"-" help:"Name of a workspace, which goes with its sandbox. Shows what would go, and what confirms it."`
	Account   string `xor:"what" required:"" env:"-" help:"Id of an account, likewise."`
	Confirm   string `xor:"what" required:"" env:"-" help:"Delete what was shown: the confirmation that came with it. Can be repeated, to see how far it is."`
}

// Run shows what would go; or deletes it, and tells how far that is until it is done. A running
// serve removes the data: this may be interrupted.
func (d *deleteCommand) Run(ctx context.Context, c compose.Config) error {
	if d.Confirm == "" {
		return d.ask(ctx, c)
	}
	id, token, found := strings.Cut(d.Confirm, ".")
	deletion, err := schema.ParseID[schema.DeletionID](id)
	if err != nil || !found {
		return fmt.Errorf("%q is no confirmation: crier delete --workspace or --account shows one", d.Confirm)
	}
	now, err := compose.ConfirmDeletion(ctx, c, deletion, token)
	if err != nil {
		return err
	}
	fmt.Println("Nothing of it goes out any more.")
	return watch(ctx, now, func() (schema.Deletion, error) { return compose.DeletionState(ctx, c, deletion) })
}

func (d *deleteCommand) ask(ctx context.Context, c compose.Config) error {
	pending, err := compose.AskDeletion(ctx, c, d.Workspace, d.Account)
	if err != nil {
		return err
	}
	n := pending.Contents
	if d.Account != "" {
		fmt.Printf("Would go: the account, and its part of %s (%d to go out).\n", counted(n.Posts, "post"), n.Open)
	} else {
		fmt.Printf("Would go: the workspace %s with its sandbox: %s (%d to go out), %s, %s, %s, %s, %s, %s.\n", n.Workspace, counted(n.Posts, "post"), n.Open,
			counted(n.Accounts, "account"), counted(n.Keys, "key"), counted(n.Brands, "brand"), counted(n.Queues, "queue"),
			counted(n.Webhooks, "webhook"), counted(n.Media, "upload"))
	}
	fmt.Printf("Nothing is deleted yet. Within %.0f minutes:\n\n  crier delete --confirm %s\n", schema.DeletionLife.Minutes(), pending.Confirmation)
	return nil
}

// watchEvery is how often is told how far a deletion is.
const watchEvery = 2 * time.Second

// watch tells how far a deletion is, until it is done.
func watch(ctx context.Context, now schema.Deletion, look func() (schema.Deletion, error)) error {
	for reported := int64(-1); ; {
		if now.Status == schema.DeletionDone {
			fmt.Printf("Nothing is left: %d posts and %d rows in all were removed.\n", now.PostsRemoved, now.RowsRemoved)
			return nil
		}
		if now.RowsRemoved != reported {
			reported = now.RowsRemoved
			fmt.Fprintf(os.Stderr, "%v: %d posts of %d, %d rows in all\n", now.Status, now.PostsRemoved, now.Posts, now.RowsRemoved)
		}
		if sleep.For(ctx, watchEvery) != nil {
			fmt.Fprintln(os.Stderr, "A running serve goes on with it.")
			return nil //nolint:nilerr // who stops watching stops nothing else
		}
		var err error
		if now, err = look(); err != nil {
			return err
		}
	}
}
