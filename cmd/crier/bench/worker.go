package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"time"
)

// The roles of a worker.
const (
	roleServer     = "server"
	roleSimulators = "simulators"
	roleLoad       = "load"
	rolePacer      = "pacer"
	roleExchange   = "exchange"
	roleStream     = "stream"
	roleReader     = "reader"
	roleReceiver   = "receiver"
	roleImport     = "import"
)

// worker is this process in a role.
type worker struct {
	config  json.RawMessage
	answers *json.Encoder
	logger  *slog.Logger
}

// Work takes a role until its work is done or its input ends.
func Work(ctx context.Context, role string, input io.Reader, output io.Writer, logger *slog.Logger) error {
	roles := map[string]func(context.Context, *worker) error{
		roleServer:     serve,
		roleSimulators: simulate,
		roleLoad:       load,
		rolePacer:      pace,
		roleExchange:   exchangeAll,
		roleStream:     serveStream,
		roleReader:     readAll,
		roleReceiver:   receive,
		roleImport:     importTable,
	}
	work, ok := roles[role]
	if !ok {
		return fmt.Errorf("there is no role %q", role)
	}
	in := bufio.NewReader(input)
	config, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // as long as the process: nothing interrupts a read of standard input
		_, _ = io.Copy(io.Discard, in)
		stop()
	}()
	return work(ctx, &worker{config: config, answers: json.NewEncoder(output), logger: logger})
}

// configure reads the worker's configuration.
func (w *worker) configure(config any) error {
	if err := json.Unmarshal(w.config, config); err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	return nil
}

// answer sends the parent an answer.
func (w *worker) answer(v any) error {
	if err := w.answers.Encode(v); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

// stopLimit is how long a worker may take to end: a server drains and stops its parts.
const stopLimit = 45 * time.Second

// child is a worker, seen by its parent.
type child struct {
	role    string
	command *exec.Cmd
	answers *json.Decoder
	end     context.CancelFunc
}

// start starts a worker with its configuration. It must be stopped.
func (s *session) start(ctx context.Context, role string, config any) (*child, error) {
	ctx, end := context.WithCancel(ctx)
	c := &child{role: role, end: end}
	// Only warnings and errors are logged: more would hide the progress.
	c.command = exec.CommandContext(ctx, s.config.Executable, "--log-level=warn", "bench", "--worker="+role)
	c.command.Stderr = s.config.Progress
	c.command.WaitDelay = stopLimit
	if err := c.begin(config); err != nil {
		end()
		return nil, fmt.Errorf("starting the %s: %w", role, err)
	}
	return c, nil
}

func (c *child) begin(config any) error {
	input, err := c.command.StdinPipe()
	if err != nil {
		return err
	}
	output, err := c.command.StdoutPipe()
	if err != nil {
		return err
	}
	c.answers = json.NewDecoder(output)
	// The end of its input asks a worker to end; ErrProcessDone says that it was not killed.
	c.command.Cancel = func() error { return errors.Join(os.ErrProcessDone, input.Close()) }
	if err := c.command.Start(); err != nil {
		return err
	}
	if err := json.NewEncoder(input).Encode(config); err != nil {
		return errors.Join(err, c.stop())
	}
	return nil
}

// answer waits for the worker's next answer.
func (c *child) answer(v any) error {
	err := c.answers.Decode(v)
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended by itself")
	}
	if err != nil {
		return fmt.Errorf("waiting for the %s: %w", c.role, err)
	}
	return nil
}

// stop ends the worker and waits for it.
func (c *child) stop() error {
	c.end()
	if err := c.command.Wait(); err != nil {
		return fmt.Errorf("stopping the %s: %w", c.role, err)
	}
	return nil
}

// do runs a worker that gives one answer.
func (s *session) do(ctx context.Context, role string, config, answer any) error {
	c, err := s.start(ctx, role, config)
	if err != nil {
		return err
	}
	err = errors.Join(c.answer(answer), c.stop())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// freeAddresses returns addresses on loopback that nobody listens on.
func freeAddresses(ctx context.Context, n int) ([]string, error) {
	var config net.ListenConfig
	var addresses []string
	for range n {
		listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		defer listener.Close() // only at the end, so that no port is found twice
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}
