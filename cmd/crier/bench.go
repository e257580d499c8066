package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"

	"crier/cmd/crier/bench"
)

type benchCommand struct {
	Run     benchRun     `cmd:"" default:"withargs" help:"Run benchmarks; without a name they are listed."`
	Compare benchCompare `cmd:"" help:"Run benchmarks of two binaries in turn and compare their figures and processor time."`
}

type benchRun struct {
	Names    []string `arg:"" optional:"" help:"Benchmarks to run; without one they are listed."`
	URL      string   `help:"Address of a running server to measure, with --key and --postgres; without it one is started."`
	Key      string   `secret:"" help:"API key of the running server, of a workspace with mastodon, bluesky and telegram accounts."`
	Postgres string   `file:"-" secret:"" help:"URL of the running server's PostgreSQL, for the control."`
	Posts    int      `help:"Posts of herd, backlog, resume and import, and those scheduled in history; 0: as many as crier bench without a name says."`
	Monitors int      `help:"Monitors of listening; 0: 5,000."`
	Rows     int      `help:"Facts of analytics; 0: as many as crier bench without a name says."`
	Folder   string   `env:"-" help:"Data folder of analytics: it is kept, and filled by the first run; without it a new one is filled and removed."`
	Worker   string   `hidden:"" env:"-" help:"Role of a process that a benchmark starts."`
}

// Run prints one JSON line a figure on standard output, and how far it is on standard error.
func (b *benchRun) Run(ctx context.Context, logger *slog.Logger) error {
	if b.Worker != "" {
		return bench.Work(ctx, b.Worker, os.Stdin, os.Stdout, logger)
	}
	if len(b.Names) == 0 {
		for _, benchmark := range bench.All() {
			fmt.Printf("%-10s %s\n", benchmark.Name, benchmark.About)
		}
		return nil
	}
	if b.URL != "" && (b.Key == "" || b.Postgres == "") {
		return errors.New("measuring a running server takes --url, --key and --postgres")
	}
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding crier's own binary: %w", err)
	}
	return bench.Run(ctx, bench.Config{
		Executable: executable,
		Target:     bench.Target{URL: b.URL, Key: b.Key, Postgres: b.Postgres},
		Posts:      b.Posts, Monitors: b.Monitors, Rows: b.Rows, Folder: b.Folder, Figures: os.Stdout, Progress: os.Stderr,
	}, b.Names)
}

type benchCompare struct {
	Old   string   `arg:"" type:"existingfile" help:"Binary of crier to compare with."`
	New   string   `arg:"" type:"existingfile" help:"Binary of crier to measure."`
	Names []string `arg:"" help:"Benchmarks to run, as crier bench lists them."`
	Pairs int      `default:"2" help:"How often each binary is measured: old and new, then new and old, and so on."`
	Posts int      `help:"Posts of herd, backlog and resume; 0: as many as crier bench without a name says."`
}

// Run prints one JSON line for each figure that both binaries have.
func (b *benchCompare) Run(ctx context.Context) error {
	if b.Pairs < 1 {
		return errors.New("comparing takes at least one pair of runs: --pairs 2")
	}
	var options []string
	if b.Posts > 0 {
		options = []string{"--posts", strconv.Itoa(b.Posts)}
	}
	return bench.Compare(ctx, bench.Comparison{
		Old: b.Old, New: b.New, Names: b.Names, Pairs: b.Pairs, Options: options, Figures: os.Stdout, Progress: os.Stderr,
	})
}
