package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
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
