package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"crier/compose/heap"
)

// roleVariable is the environment variable that tells a re-executed binary its role.
const roleVariable = "CRIER_EMBEDDED_ROLE"

// controlFD is the pipe on which a child reads what its parent sends. It is not stdin, since
// ClickHouse's engine reads that by itself.
const controlFD = 3

// stopLine asks for an orderly stop; a bare end of the input means the parent died.
const stopLine = "stop\n"

var (
	errStopRequested = errors.New("asked to stop")
	errOrphan        = errors.New("parent is gone")
)

// childProcess is the child's side of the protocol between child and supervisor.
type childProcess struct {
	control *bufio.Reader
	stdout  io.Writer
}

// Main does nothing unless this binary was executed again as a child: then it runs the child
// and ends the process. It is the first line of crier's main and of every TestMain.
func Main() {
	roles := map[string]func(*childProcess) error{
		partPostgres:   runPostgres,
		partClickHouse: serveClickHouse,
	}
	role, ok := os.LookupEnv(roleVariable)
	if !ok {
		return
	}
	run, ok := roles[role]
	if !ok {
		fmt.Fprintf(os.Stderr, "unknown embedded role %q\n", role)
		os.Exit(2)
	}
	syscall.CloseOnExec(controlFD)
	control := os.NewFile(controlFD, "control")
	if err := run(&childProcess{bufio.NewReader(control), os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(1)
	}
	exit(0)
}

// exit ends the process at once. In a binary built with -race, os.Exit would first run C++'s
// destructors while the threads of ClickHouse's engine still use what they destroy; nothing
// can stop those threads (chdb-core, issue 181).
func exit(code int) { syscall.Exit(code) }

// configure reads the configuration, the first line that the parent sends.
func (c *childProcess) configure(config any) error {
	line, err := c.control.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("reading configuration: %w", err)
	}
	if err := json.Unmarshal(line, config); err != nil {
		return fmt.Errorf("reading configuration: %w", err)
	}
	return nil
}

// watch returns a context that ends when the parent asks for a stop, with errStopRequested as
// its cause, or is gone, with errOrphan. The kernel may report the latter by SIGTERM
// before the pipe does.
func (c *childProcess) watch() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	// Both goroutines live as long as the process: nothing interrupts a read of the pipe.
	go func() {
		<-terminated
		end(errOrphan)
	}()
	go func() {
		if line, _ := c.control.ReadString('\n'); line == stopLine {
			end(errStopRequested)
			return
		}
		end(errOrphan)
	}()
	return ctx
}

// ready tells the parent that process pid serves.
func (c *childProcess) ready(pid int) error {
	if _, err := fmt.Fprintf(c.stdout, readyFormat, pid); err != nil {
		return fmt.Errorf("reporting ready: %w", err)
	}
	// A start takes memory that the work after it does not need: ClickHouse's engine has read 180 MiB of its
	// library by then, and works with a part of it.
	heap.Release()
	return nil
}

// readyFormat is the one line a child writes to stdout.
const readyFormat = "ready %d\n"
