package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"crier/cmd/crier/console"
	"crier/cmd/crier/importer"
	"crier/cmd/crier/settings"
	"crier/schema"
)

type importCommand struct {
	File string `arg:"" type:"existingfile" help:"A .csv, .tsv or .xlsx with a header, or a .jsonl with a create-post body in each line."`
	console.Access
	Timezone  string   `default:"UTC" help:"IANA name: of times that have no zone, in rows that name none."`
	Check     bool     `env:"-" help:"Ask the server what would become of each row, and show what is wrong; make nothing."`
	DryRun    bool     `env:"-" help:"The same as --check."`
	Map       string   `placeholder:"NAME|FILE" help:"What the columns of a table mean that another program wrote: ${mappings}, or a file; see docs/import.md."`
	Column    []string `env:"-" sep:"none" placeholder:"FIELD=COLUMN" help:"What a column means, such as text=Copy or metadata.campaign=Campaign; may be repeated."`
	Ignore    []string `env:"-" sep:"none" placeholder:"COLUMN" help:"A column that is left out; may be repeated."`
	Name      []string `env:"-" sep:"none" placeholder:"NAME=ID" help:"Which brand or account the file calls so: \"Acme=brand_…\", 12345=linkedin:acc_…; may be repeated."`
	Sheet     string   `env:"-" help:"The sheet of a workbook, where several hold something."`
	Platforms string   `help:"Platforms of rows that name none, such as mastodon,bluesky:acc_…."`
	Days      string   `enum:"day-first,month-first," default:"" help:"Whether the day or the month is first in a date such as 03/04/2026: day-first, month-first. Such a date is refused without."`
	Queue     bool     `env:"-" xor:"queue" help:"Put rows without a time into the next free slots of the default queue."`
	QueueID   string   `env:"-" xor:"queue" placeholder:"ID" help:"Put rows without a time into the next free slots of this queue."`
	Fit       string   `env:"-" enum:"none,cover,contain," default:"" help:"Make pictures fit a platform that does not accept them, unless their row says how: cover crops, contain adds white bars, none refuses."`
}

// mapping is how a table is read, by all flags.
func (i *importCommand) mapping() (m importer.Mapping, err error) {
	if i.Map != "" {
		if m, err = importer.ReadMapping(i.Map); err != nil {
			return m, err
		}
	}
	for _, flag := range i.Column {
		field, name, ok := strings.Cut(flag, "=")
		if !ok || name == "" {
			return m, fmt.Errorf("--column %s: write it like text=Copy, what it means before what it is called", flag)
		}
		m.Mean(name, field)
	}
	for _, flag := range i.Name {
		name, id, ok := cutLast(flag, "=")
		if !ok || id == "" {
			return m, fmt.Errorf("--name %s: write it like Acme=brand_…, or 12345=linkedin:acc_…", flag)
		}
		if m.Names == nil {
			m.Names = map[string]string{}
		}
		m.Names[name] = id
	}
	m.Ignore = append(m.Ignore, i.Ignore...)
	m.Platforms = cmp.Or(i.Platforms, m.Platforms)
	m.Days = cmp.Or(importer.DayOrder(i.Days), m.Days)
	m.Sheet = cmp.Or(i.Sheet, m.Sheet)
	if m.Fit = cmp.Or(schema.Fit(i.Fit), m.Fit); i.Fit == "none" {
		m.Fit = schema.FitNone
	}
	if m.Queue = cmp.Or(i.QueueID, m.Queue); i.Queue {
		m.Queue = importer.DefaultQueue
	}
	return m, m.Check()
}

// cutLast cuts around the last separator: names may have one.
func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
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
	if err := importer.WriteProblems(os.Stdout, summary.Results); err != nil {
		return err
	}
	if summary.Zone != "" {
		fmt.Println(summary.Zone)
	}
	fmt.Printf("%s: %s. Each has a line in %s.\n", counted(summary.Rows, "row"), summary.Counts(check), settings.Typed(summary.Results))
	if summary.FailedRows != "" {
		fmt.Printf("What failed is in %s: correct it there and import that file, with the same flags.\n", settings.Typed(summary.FailedRows))
	}
	if wrong := summary.Failed + summary.Unknown; wrong > 0 {
		return errors.New(map[bool]string{true: "not valid: ", false: "not imported: "}[check] + counted(wrong, "row"))
	}
	return nil
}
