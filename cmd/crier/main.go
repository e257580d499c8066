// Command crier schedules and publishes social posts.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // scheduled times name any zone, whatever the machine has

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"crier/cmd/crier/importer"
	"crier/cmd/crier/settings"
	"crier/compose/embedded"
)

// commands are crier's subcommands; each is a file of this package.
type commands struct {
	Serve       serveCommand       `cmd:"" help:"Serve the REST API and publish what is due."`
	Health      healthCommand      `cmd:"" help:"Ask a running serve whether it is ready; for health checks of containers."`
	Migrate     migrateCommand     `cmd:"" help:"Bring PostgreSQL, ClickHouse and the topics to this version."`
	Keys        keysCommand        `cmd:"" help:"Make and revoke API keys."`
	Accounts    accountsCommand    `cmd:"" help:"Connect accounts whose token already exists."`
	Keyset      keysetCommand      `cmd:"" help:"Show the keys that seal credentials; replace them."`
	Pause       pauseCommand       `cmd:"" help:"Hold the work of a workspace, an account or a platform."`
	Resume      resumeCommand      `cmd:"" help:"Lift a pause: what it held goes on."`
	Held        heldCommand        `cmd:"" help:"List pauses and posts under review; release or cancel these."`
	Delete      deleteCommand      `cmd:"" help:"Delete a workspace or an account with all of its data: shows what would go, then does it once that is confirmed."`
	DeadLetters deadLettersCommand `cmd:"" help:"List and replay what crier gave up on after faults of its own."`
	Simulate    simulateCommand    `cmd:"" help:"Serve the platforms' simulators alone, for tests and load."`
	Import      importCommand      `cmd:"" help:"Load a file of posts, resumable, with a result for each row."`
	Config      configCommand      `cmd:"" help:"Check and show the settings: of flags, environment and file."`
	Backup      backupCommand      `cmd:"" help:"Write everything PostgreSQL holds, and the keyset, to a file."`
	Restore     restoreCommand     `cmd:"" help:"Fill an empty PostgreSQL from a backup."`
	Bench       benchCommand       `cmd:"" help:"Measure crier, each figure with a control of the same run."`

	File     string     `name:"config" type:"path" placeholder:"FILE" help:"YAML file of settings, by the names of serve's flags; flags and variables count for more."`
	LogLevel slog.Level `default:"info" help:"Least level that is logged: debug, info, warn or error."`
	// No variable shows the version: CRIER_VERSION is what images often call theirs.
	Version kong.VersionFlag `env:"-" help:"Show the version and exit."`
}

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2 // the command line makes no sense
)

func main() {
	embedded.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, and loses nothing either. Within a second it
	// counts as the first: timeout(1) and others signal the process and then its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	os.Exit(run(ctx, os.Args[1:]))
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, arguments []string) int {
	var c commands
	from := settings.New("CRIER", "serve", os.LookupEnv)
	command, err := parse(&c, from, arguments)
	if err != nil {
		fmt.Fprintln(os.Stderr, "crier:", err)
		return exitUsage
	}
	logger := newLogger(c.LogLevel)
	for flag, elsewhere := range from.Exposed(command) {
		logger.Warn("other users of this machine can read the secret on the command line", "flag", flag, "give_it_by", elsewhere)
	}
	command.BindTo(ctx, (*context.Context)(nil))
	switch err := command.Run(logger); {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "crier: interrupted")
	default:
		fmt.Fprintln(os.Stderr, "crier:", err)
	}
	return exitFailure
}

// parse reads the command line, and takes what that leaves out from the settings. Its error
// says all that is wrong, and names the --help that explains.
func parse(c *commands, from *settings.Settings, arguments []string) (*kong.Context, error) {
	parser := kong.Must(c, append(from.Options(), kong.Name("crier"),
		kong.Description("crier schedules and publishes social posts to 12 platforms, and reports what became of them."),
		kong.Vars{"version": showVersion(), "mappings": strings.Join(importer.Mappings(), ", ")})...)
	command, err := parser.Parse(arguments)
	name := "crier"
	if failure, ok := errors.AsType[*kong.ParseError](err); ok {
		command = failure.Context
		err = errors.Unwrap(failure)
	}
	if command.Selected() != nil {
		name = command.Selected().FullPath()
	}
	wrong := from.Wrong(command, err)
	switch len(wrong) {
	case 0:
		return command, nil
	case 1:
		return nil, fmt.Errorf("%w; see %s --help", wrong[0], name)
	default:
		return nil, fmt.Errorf("%d things are wrong; see %s --help:\n%w", len(wrong), name, errors.Join(wrong...))
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
