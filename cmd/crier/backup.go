package main

import (
	"context"
	"fmt"
	"log/slog"

	"crier/compose"
	"crier/schema/postgres/backup"
)

type backupCommand struct {
	partsFlags
	File string `arg:"" type:"path" help:"The file to make. It holds the keyset: keep it as you would a password."`
}

// Run backs PostgreSQL and the keyset up; it works beside a running serve.
func (b *backupCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := b.config(logger)
	if err != nil {
		return err
	}
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
func (r *restoreCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c, err := r.config(logger)
	if err != nil {
		return err
	}
	dump, err := compose.Restore(ctx, c, r.File)
	if err == nil {
		fmt.Printf("Restored %s, as of %s.\n", rowsOf(dump), dump.At.UTC().Format("2006-01-02 15:04:05 UTC"))
		fmt.Println("What went out since then is not known: start with crier serve --hold-overdue and look at what was due.")
	}
	return err
}

func rowsOf(dump backup.Dump) string {
	var rows int64
	for _, t := range dump.Tables {
		rows += t.Rows
	}
	return fmt.Sprintf("%d tables with %d rows", len(dump.Tables), rows)
}
