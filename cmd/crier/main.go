// Command crier schedules and publishes social posts.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // scheduled times name any zone, whatever the machine has

	"github.com/alecthomas/kong"
	completion "github.com/jotaen/kong-completion"
	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"crier/client"
	"crier/cmd/crier/console"
	"crier/cmd/crier/importer"
	"crier/cmd/crier/settings"
	"crier/compose"
	"crier/compose/embedded"
	"crier/connectors/media/decoder"
	"crier/schema"
	"crier/schema/sleep"
)

// commands are crier's subcommands; each is a file of this package.
type commands struct {
	Posts      console.Posts      `cmd:"" group:"Post, through the API:" help:"Publish posts, schedule them, and see what became of them."`
	Import     importCommand      `cmd:"" group:"Post, through the API:" help:"Load a file of posts, resumable, with a result for each row."`
	Export     exportCommand      `cmd:"" group:"Post, through the API:" help:"Write posts to a table that import reads."`
	Media      console.Media      `cmd:"" group:"Post, through the API:" help:"Upload files for posts."`
	Accounts   accountsCommand    `cmd:"" group:"Post, through the API:" help:"List and connect accounts."`
	Inbox      console.Inbox      `cmd:"" group:"Post, through the API:" help:"Read what people write to accounts, and reply."`
	Analytics  console.Analytics  `cmd:"" group:"Post, through the API:" help:"Show how posts and accounts do."`
	Webhooks   console.Webhooks   `cmd:"" group:"Post, through the API:" help:"Watch events as webhooks deliver them."`
	MCP        console.MCP        `cmd:"" name:"mcp" group:"Post, through the API:" help:"Let an assistant use crier, by the Model Context Protocol on standard input and output."`
	Login      console.Login      `cmd:"" group:"Post, through the API:" help:"Keep a server and a key, so that other commands need neither --url nor --key."`
	Logout     console.Logout     `cmd:"" group:"Post, through the API:" help:"Forget a server and its key."`
	Profiles   console.Profiles   `cmd:"" group:"Post, through the API:" help:"List the servers that crier login keeps keys of."`
	Completion console.Completion `cmd:"" group:"Post, through the API:" help:"Say how a shell (bash, zsh, fish) completes crier's commands."`

	Serve   serveCommand   `cmd:"" group:"Serve:" help:"Serve the REST API and publish what is due."`
	Migrate migrateCommand `cmd:"" group:"Serve:" help:"Bring PostgreSQL, ClickHouse and the topics to this version."`
	Config  configCommand  `cmd:"" group:"Serve:" help:"Check and show the settings: of flags, environment and file."`
	Health  healthCommand  `cmd:"" group:"Serve:" help:"Ask a running serve whether it is ready; for health checks of containers."`
	Status  console.Status `cmd:"" group:"Serve:" help:"Show at a glance how a running serve does: queues, lateness, breakers, dead letters."`

	Workspaces  workspacesCommand  `cmd:"" group:"Operate, on the server's machine:" help:"List workspaces; put them on plans."`
	Keys        keysCommand        `cmd:"" group:"Operate, on the server's machine:" help:"Make and revoke API keys."`
	Users       usersCommand       `cmd:"" group:"Operate, on the server's machine:" help:"Add, list and remove people who can sign in; make links that sign them in."`
	Keyset      keysetCommand      `cmd:"" group:"Operate, on the server's machine:" help:"Show the keys that seal credentials; replace them."`
	Pause       pauseCommand       `cmd:"" group:"Operate, on the server's machine:" help:"Hold the work of a workspace, an account or a platform."`
	Resume      resumeCommand      `cmd:"" group:"Operate, on the server's machine:" help:"Lift a pause: what it held goes on."`
	Held        heldCommand        `cmd:"" group:"Operate, on the server's machine:" help:"List pauses and posts under review; release or cancel these."`
	DeadLetters deadLettersCommand `cmd:"" group:"Operate, on the server's machine:" help:"List and replay what crier gave up on after faults of its own."`
	Dashboards  dashboardsCommand  `cmd:"" group:"Operate, on the server's machine:" help:"Let dashboards read what ClickHouse holds of one workspace."`
	Delete      deleteCommand      `cmd:"" group:"Operate, on the server's machine:" help:"Delete a workspace or an account with all of its data: shows what would go, then does it once that is confirmed."`
	Backup      backupCommand      `cmd:"" group:"Operate, on the server's machine:" help:"Write everything PostgreSQL holds, and the keyset, to a file."`
	Restore     restoreCommand     `cmd:"" group:"Operate, on the server's machine:" help:"Fill an empty PostgreSQL from a backup."`

	Simulate simulateCommand `cmd:"" group:"Develop:" help:"Serve the platforms' simulators alone, for tests and load."`
	Bench    benchCommand    `cmd:"" group:"Develop:" help:"Measure crier, each figure with a control of the same run."`

	File     string     `name:"config" type:"path" placeholder:"FILE" help:"YAML file of settings, named as the flags of serve; flags and variables override it."`
	LogLevel slog.Level `default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
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
	decoder.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, and loses nothing either. Within a second it
	// counts as the first: timeout(1) and others signal the process and then its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	os.Exit(run(ctx, os.Args[1:]))
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, arguments []string) int {
	c := commands{MCP: console.MCP{Version: buildVersion()}}
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
	err = bind(command)
	if err == nil {
		err = command.Run(logger, terminal())
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "crier: interrupted")
	default:
		fmt.Fprintln(os.Stderr, "crier:", err)
		if advice := console.Advice(err); advice != "" {
			fmt.Fprintln(os.Stderr, advice)
		}
	}
	return exitFailure
}

// bind lets a command take what its flags name: the config of the parts, or a client of a server.
func bind(command *kong.Context) error {
	selected := func() any { return command.Selected().Target.Interface() }
	return errors.Join(
		command.BindToProvider(func(logger *slog.Logger) (compose.Config, error) {
			parts, ok := selected().(interface {
				config(logger *slog.Logger) (compose.Config, error)
			})
			if !ok {
				return compose.Config{}, errors.New("the command has no flags of parts")
			}
			return parts.config(logger)
		}),
		command.BindToProvider(func(t *console.Terminal) (*client.Client, error) {
			access, ok := selected().(interface {
				Connect(t *console.Terminal) (*client.Client, error)
			})
			if !ok {
				return nil, errors.New("the command has no flags of a server")
			}
			return access.Connect(t)
		}),
	)
}

// parse reads the command line, and takes what that leaves out from the settings. Its error
// says all that is wrong, and names the --help that explains.
func parse(c *commands, from *settings.Settings, arguments []string) (*kong.Context, error) {
	options := []kong.Option{
		kong.Name("crier"),
		kong.Vars{"version": showVersion(), "mappings": strings.Join(importer.Mappings(), ", ")},
		kong.Description("crier schedules and publishes social posts to 12 platforms, and reports what became of them."),
	}
	parser := kong.Must(c, append(options, from.Options()...)...)
	if _, completing := os.LookupEnv("COMP_LINE"); completing { // a shell asks what could follow
		completion.Register(parser)
	}
	command, err := parser.Parse(asFlags(arguments))
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
		return nil, errors.New(schema.Clauses(wrong[0].Error(), "see "+name+" --help"))
	default:
		return nil, fmt.Errorf("%d things are wrong; see %s --help:\n%w", len(wrong), name, errors.Join(wrong...))
	}
}

// asFlags reads crier help posts as crier posts --help, and crier version as crier --version,
// since many programs have such commands.
func asFlags(arguments []string) []string {
	switch {
	case len(arguments) > 0 && arguments[0] == "help":
		return append(slices.Clone(arguments[1:]), "--help")
	case slices.Equal(arguments, []string{"version"}):
		return []string{"--version"}
	default:
		return arguments
	}
}

// terminal is where commands for people read and write.
func terminal() *console.Terminal {
	t := &console.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Person: isatty.IsTerminal(os.Stderr.Fd()), Now: time.Now, Wait: sleep.For}
	if isatty.IsTerminal(os.Stdin.Fd()) {
		t.Secret = func() (string, error) {
			line, err := term.ReadPassword(int(os.Stdin.Fd()))
			return string(line), err
		}
	}
	return t
}

// newLogger logs as text on a terminal and as JSON elsewhere, on standard error.
func newLogger(level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if isatty.IsTerminal(os.Stderr.Fd()) {
		return slog.New(slog.NewTextHandler(os.Stderr, options))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, options))
}
