//go:build clients

package contract_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"crier/client/clienttest"
	"crier/client/contract"
)

// TestClientsInOtherLanguages has each keep the contract by its driver, a command that
// CRIER_CLIENT_DRIVERS names: NAME=COMMAND, several with semicolons between them.
func TestClientsInOtherLanguages(t *testing.T) {
	server := clienttest.Serve(t)
	commands := strings.Split(os.Getenv("CRIER_CLIENT_DRIVERS"), ";")
	for _, one := range commands {
		name, command, ok := strings.Cut(one, "=")
		if !ok {
			t.Fatalf("CRIER_CLIENT_DRIVERS is %q: make test-clients sets it", one)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keepsAll(t, enter(t, server, name), start(t, strings.Fields(command)))
		})
	}
}

// process is a driver in a process of its own.
type process struct {
	mu    sync.Mutex
	tasks io.Writer
	told  *bufio.Scanner
}

func start(t *testing.T, command []string) *process {
	t.Helper()
	run := exec.Command(command[0], command[1:]...)
	run.Stderr = os.Stderr
	tasks, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tasks.Close()
		if err := run.Wait(); err != nil {
			t.Errorf("the driver: %v", err)
		}
	})
	lines := bufio.NewScanner(told)
	lines.Buffer(nil, 1<<20)
	return &process{tasks: tasks, told: lines}
}

func (p *process) do(_ context.Context, task contract.Task) (outcome contract.Outcome, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line, err := task.Line()
	if err != nil {
		return outcome, err
	}
	if _, err := p.tasks.Write(line); err != nil {
		return outcome, err
	}
	if !p.told.Scan() {
		return outcome, fmt.Errorf("the driver has ended: %w", p.told.Err())
	}
	return outcome, json.Unmarshal(p.told.Bytes(), &outcome)
}
