package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"crier/compose"
)

type keysetCommand struct {
	Create keysetCreateCommand `cmd:"" help:"Make the keyset of a new installation, for processes that get it as a file of secrets."`
	Show   keysetShowCommand   `cmd:"" help:"List the keys of the keyset and what each has sealed."`
	Rotate keysetRotateCommand `cmd:"" help:"Make a new key, seal everything with it, and drop those before it. What was cut off goes on."`
}

type keysetCreateCommand struct {
	File string `arg:"" type:"path" help:"The file to make, which nothing else may be."`
}

// Run makes the file and connects to nothing.
func (k *keysetCreateCommand) Run() error { return compose.CreateKeyset(k.File) }

type keysetShowCommand struct {
	partsFlags
	JSON bool `name:"json" help:"One JSON object a line."`
}

// Run lists keys, oldest first.
func (k *keysetShowCommand) Run(ctx context.Context, c compose.Config) error {
	keys, err := compose.ShowKeyset(ctx, c)
	if err != nil {
		return err
	}
	if k.JSON {
		return writeLines(os.Stdout, keys, keysetLineOf)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tUSE\tPROCESSES\tHAS SEALED")
	for _, key := range keys {
		fmt.Fprintf(table, "%s\t%s\t%d of %d\t%s\n", key.ID, key.Use, key.Processes, key.Running, rowsSealed(key))
	}
	return table.Flush()
}

// keysetLine is a key as it is listed.
type keysetLine struct {
	Key       string           `json:"key"`
	Use       string           `json:"use"` // added, primary, old or missing
	Rows      map[string]int64 `json:"rows"`
	Processes int              `json:"processes"`
	Running   int              `json:"running"`
}

func keysetLineOf(k compose.SealingKey) keysetLine {
	l := keysetLine{Key: k.ID.String(), Use: string(k.Use), Rows: k.Rows, Processes: k.Processes, Running: k.Running}
	if l.Rows == nil {
		l.Rows = map[string]int64{}
	}
	return l
}

func rowsSealed(k compose.SealingKey) string {
	if len(k.Rows) == 0 {
		return "nothing"
	}
	var all []string
	for _, column := range slices.Sorted(maps.Keys(k.Rows)) {
		all = append(all, fmt.Sprintf("%d %s", k.Rows[column], column))
	}
	return strings.Join(all, ", ")
}

type keysetRotateCommand struct {
	partsFlags
	Wait time.Duration `default:"1m" help:"How long running processes may take to read the keyset, and a backup to end."`
}

// Validate refuses a time that is none.
func (k *keysetRotateCommand) Validate() error {
	if k.Wait < 0 {
		return errors.New("--wait is at least 0s")
	}
	return nil
}

// Run rotates the keyset, beside a running serve or without one.
func (k *keysetRotateCommand) Run(ctx context.Context, c compose.Config) error {
	progress := &keysetProgress{out: os.Stderr, terminal: isatty.IsTerminal(os.Stderr.Fd())}
	rotated, err := compose.RotateKeyset(ctx, c, compose.Rotating{Patience: k.Wait, Waits: progress.waits, Sealed: progress.sealed})
	progress.end()
	if err != nil {
		return err
	}
	fmt.Printf("Key %s seals; sealed again: %s; dropped: %s before it.\n", rotated.Key, counted(rotated.Values, "value"), counted(len(rotated.Dropped), "key"))
	if rotated.Resumed {
		fmt.Fprintln(os.Stderr, "That was the rest of an earlier rotation, which made the key; the next one makes another.")
	}
	fmt.Fprintln(os.Stderr, "Machines with a keyset of their own need a copy of this one. Backups made before open with the keyset that is in them.")
	return nil
}

// keysetProgress tells how far a rotation is: by a bar on a terminal, a line now and then
// elsewhere.
type keysetProgress struct {
	out        io.Writer
	terminal   bool
	bar        *progressbar.ProgressBar
	last       string
	since      time.Time // what is waited for
	reportedAt time.Time
}

// waits tells what is waited for, once it takes longer than processes do that read the keyset
// by themselves.
func (p *keysetProgress) waits(what string) {
	const normal = 5 * time.Second
	if what != p.last {
		p.last, p.since = what, time.Now()
	}
	if !p.since.IsZero() && time.Since(p.since) >= normal {
		p.since = time.Time{} // told
		fmt.Fprintln(p.out, "waiting:", what)
	}
}

func (p *keysetProgress) sealed(done, of int64) {
	const tellEvery = 10 * time.Second
	switch {
	case p.terminal && p.bar == nil:
		p.bar = progressbar.NewOptions64(of,
			progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription("Sealing again"),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionShowElapsedTimeOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
		fallthrough
	case p.terminal:
		p.bar.ChangeMax64(of)
		_ = p.bar.Set64(done) // a bar that cannot be drawn stops no rotation
	case time.Since(p.reportedAt) >= tellEvery:
		p.reportedAt = time.Now()
		fmt.Fprintf(p.out, "%d of %d values sealed again\n", done, of)
	}
}

func (p *keysetProgress) end() {
	if p.bar != nil {
		_ = p.bar.Exit() // as above
		fmt.Fprintln(p.out)
	}
}
