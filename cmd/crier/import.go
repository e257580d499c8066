package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mattn/go-isatty"

	"crier/cmd/crier/importer"
)

type importCommand struct {
	File     string `arg:"" type:"existingfile" help:"A .csv or .tsv with a header, or a .jsonl with a create-post body in each line."`
	Key      string `required:"" secret:"" help:"API key of the workspace."`
	URL      string `default:"http://127.0.0.1:8080" help:"Address of the server."`
	Timezone string `default:"UTC" help:"IANA name: of times that have no zone, in rows that name none."`
	DryRun   bool   `env:"-" help:"Ask the server what would become of each row; make nothing."`
}

// Run imports the file. Interrupted, it says how to go on.
func (i *importCommand) Run(ctx context.Context) error {
	summary, err := importer.Run(ctx, importer.Config{
		File: i.File, URL: i.URL, Key: i.Key, Timezone: i.Timezone, DryRun: i.DryRun,
		Progress: os.Stderr, Terminal: isatty.IsTerminal(os.Stderr.Fd()), Now: time.Now,
	})
	if err != nil {
		if summary.Results != "" && !i.DryRun {
			fmt.Fprintln(os.Stderr, "\nThe same command goes on where this one ended; no row is made twice.")
		}
		return err
	}
	done := "created"
	if i.DryRun {
		done = "valid"
	}
	fmt.Printf("%s: %d %s, %d failed, %d unknown. Each has a line in %s.\n",
		counted(summary.Rows, "row"), summary.Created, done, summary.Failed, summary.Unknown, summary.Results)
	if summary.FailedRows != "" {
		fmt.Printf("What failed is in %s: correct it there and import that file. Importing all of %s again would create again what is created.\n",
			summary.FailedRows, i.File)
	}
	if summary.Failed+summary.Unknown > 0 {
		return fmt.Errorf("not %s: %s", done, counted(summary.Failed+summary.Unknown, "row"))
	}
	return nil
}
