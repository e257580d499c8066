package main

import (
	"context"
	"fmt"

	"crier/compose"
	"crier/schema/postgres/backup"
)

type backupCommand struct {
	partsFlags
	File string `arg:"" type:"path" help:"The file to make. It holds the keyset: keep it as you would a password."`
}

// Run backs PostgreSQL and the keyset up; it works beside a running serve.
func (b *backupCommand) Run(ctx context.Context, c compose.Config) error {
	dump, err := compose.Backup(ctx, c, b.File)
	if err == nil {
		fmt.Printf("%s holds %s.\n", b.File, rowsOf(dump))
	}
	return err
}

type restoreCommand struct {
	partsFlags
	File string `arg:"" type:"existingfile" help:"A file that crier backup made."`
}

// Run restores a backup and says how to start on it.
func (r *restoreCommand) Run(ctx context.Context, c compose.Config) error {
	restored, err := compose.Restore(ctx, c, r.File)
	if err != nil {
		return err
	}
	fmt.Printf("Restored %s, as of %s. What happened since then is undone:\n", rowsOf(restored.Dump), restored.At.UTC().Format("2006-01-02 15:04:05 UTC"))
	fmt.Printf("- %s open then and held now, %d of them past their time: cancels, edits and publications since are not known.\n",
		counted(restored.Held, "post"), restored.Overdue)
	fmt.Printf("- %s suspended until crier keys confirm: those revoked since are among them.\n", counted(restored.Undone.Keys, "key"))
	fmt.Printf("- %s connected: those disconnected since are among them, and those connected since are missing.\n", counted(restored.Undone.Accounts, "account"))
	fmt.Println("- What was created since is missing. A client that sends such a request again creates it anew, and it goes out, perhaps for the second time: the answers by Idempotency-Key are of the backup too.")
	fmt.Println("Start crier serve: new posts go out as ever. crier held list shows what is held and what is known of it, crier held release and cancel decide.")
	return nil
}

func rowsOf(dump backup.Dump) string {
	var rows int64
	for _, t := range dump.Tables {
		rows += t.Rows
	}
	return fmt.Sprintf("%d tables with %d rows", len(dump.Tables), rows)
}
