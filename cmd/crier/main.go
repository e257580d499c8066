// Command crier schedules and publishes social posts.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // scheduled times name any zone, whatever the machine has

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"crier/compose/embedded"
)

// commands are crier's subcommands; each is a file of this package.
type commands struct {
	Serve       serveCommand       `cmd:"" help:"Serve the REST API and publish what is due."`
	Migrate     migrateCommand     `cmd:"" help:"Bring PostgreSQL, ClickHouse and the topics to this version."`
	Keys        keysCommand        `cmd:"" help:"Make and revoke API keys."`
	Accounts    accountsCommand    `cmd:"" help:"Connect accounts whose token already exists."`
	Pause       pauseCommand       `cmd:"" help:"Hold the work of a workspace, an account or a platform."`
	Resume      resumeCommand      `cmd:"" help:"Let go on what a pause holds."`
	Held        heldCommand        `cmd:"" help:"List pauses and posts under review; release or cancel these."`
	DeadLetters deadLettersCommand `cmd:"" help:"List and replay what crier gave up on after faults of its own."`
	Simulate    simulateCommand    `cmd:"" help:"Serve the platforms' simulators alone, for tests and load."`
	Import      importCommand      `cmd:"" help:"Load a file of posts, resumable, with a result for each row."`
	Backup      backupCommand      `cmd:"" help:"Write everything PostgreSQL holds, and the keyset, to a file."`
	Restore     restoreCommand     `cmd:"" help:"Fill an empty PostgreSQL from a backup."`
	Bench       benchCommand       `cmd:"" help:"Measure crier, each figure with a control of the same run."`

	LogLevel slog.Level       `default:"info" help:"Least level that is logged: debug, info, warn or error."`
	Version  kong.VersionFlag `help:"Show the version and exit."`
}

// version is set by the linker.
var version = "development"

func main() {
	embedded.Main()
	var c commands
	parser := kong.Must(&c, kong.Name("crier"),
		kong.Description("crier schedules and publishes social posts to 12 platforms, and reports what became of them."),
		kong.DefaultEnvars("CRIER"), kong.UsageOnError(), kong.Vars{"version": version})
	command, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run(newLogger(c.LogLevel))
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "crier:", err)
		os.Exit(1)
	}
}

// newLogger logs as text on a terminal and as JSON elsewhere, on standard error.
func newLogger(level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if isatty.IsTerminal(os.Stderr.Fd()) {
		return slog.New(slog.NewTextHandler(os.Stderr, options))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, options))
}
