package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"crier/cmd/crier/bench"
)

type benchCommand struct {
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
func (b *benchCommand) Run(ctx context.Context, logger *slog.Logger) error {
	if b.Worker != "" {
		return bench.Work(ctx, b.Worker, os.Stdin, os.Stdout, logger)
	}
	if len(b.Names) == 0 {
		for _, one := range bench.All() {
			fmt.Printf("%-10s %s\n", one.Name, one.About)
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
