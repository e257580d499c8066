package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-isatty"

	"crier/cmd/crier/console"
	"crier/cmd/crier/importer"
)

type importCommand struct {
	File string `arg:"" type:"existingfile" help:"A .csv or .tsv with a header, or a .jsonl with a create-post body in each line."`
	console.Access
	Timezone  string `default:"UTC" help:"IANA name: of times that have no zone, in rows that name none."`
	Check     bool   `env:"-" help:"Ask the server what would become of each row, and show what is wrong; make nothing."`
	DryRun    bool   `env:"-" help:"The same as --check."`
	Map       string `placeholder:"NAME|FILE" help:"What the columns of a table mean that another program wrote: ${mappings}, or a file; see docs/import.md."`
	Platforms string `help:"Platforms of rows that name none, such as mastodon,bluesky:acc_…."`
	Days      string `enum:"day-first,month-first," default:"" help:"Whether the day or the month is first in a date such as 03/04/2026: day-first, month-first. Such a date is refused without."`
}

// mapping is what the columns mean, by all three flags.
func (i *importCommand) mapping() (m importer.Mapping, err error) {
	if i.Map != "" {
		if m, err = importer.ReadMapping(i.Map); err != nil {
			return m, err
		}
	}
	m.Platforms = cmp.Or(i.Platforms, m.Platforms)
	m.Days = cmp.Or(importer.DayOrder(i.Days), m.Days)
	return m, m.Check()
}

// Run imports the file. Interrupted, it says how to go on.
func (i *importCommand) Run(ctx context.Context) error {
	mapping, err := i.mapping()
	if err != nil {
		return err
	}
	check := i.Check || i.DryRun
	server, err := i.Server()
	if err != nil {
		return err
	}
	summary, err := importer.Run(ctx, importer.Config{
		File: i.File, URL: server.URL, Key: server.Key, Timezone: i.Timezone, DryRun: check, Map: mapping,
		Progress: os.Stderr, Terminal: isatty.IsTerminal(os.Stderr.Fd()), Now: time.Now,
	})
	if err != nil {
		if summary.Results != "" && !check {
			fmt.Fprintln(os.Stderr, "\nThe same command goes on where this one ended; no row is made twice.")
		}
		return err
	}
	done := "created"
	if check {
		done = "valid"
		if err := importer.WriteProblems(os.Stdout, summary.Results); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d %s, %d failed, %d unknown. Each has a line in %s.\n",
		counted(summary.Rows, "row"), summary.Created, done, summary.Failed, summary.Unknown, asTyped(summary.Results))
	if summary.FailedRows != "" {
		fmt.Printf("What failed is in %s: correct it there and import that file.\n", asTyped(summary.FailedRows))
	}
	if summary.Failed+summary.Unknown > 0 {
		return fmt.Errorf("not %s: %s", done, counted(summary.Failed+summary.Unknown, "row"))
	}
	return nil
}

// asTyped is a path as people write it: relative to the folder they are in, if it is below that.
func asTyped(path string) string {
	folder, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}
