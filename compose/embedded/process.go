package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is the parent's side of one run of a child.
type process struct {
	cmd     *exec.Cmd
	control *os.File // the child's controlFD
	output  *outputTail

	ready  chan int      // gets the pid that serves, once
	exited chan struct{} // closed when the child is gone
	err    error         // why it went; valid after exited
}

// startProcess executes this binary again in the given role and hands it config.
func startProcess(role string, user *syscall.Credential, config any, log *slog.Logger) (*process, error) {
	binary, err := self()
	if err != nil {
		return nil, fmt.Errorf("finding own binary: %w", err)
	}
	line, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("encoding configuration: %w", err)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening pipe: %w", err)
	}
	defer theirs.Close()
	p := &process{control: ours, output: newOutputTail(log), ready: make(chan int, 1), exited: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path:        binary,
		Args:        []string{"crier-" + role},
		Env:         append(withoutSecrets(os.Environ()), roleVariable+"="+role),
		Dir:         "/",
		ExtraFiles:  []*os.File{theirs}, // becomes controlFD
		Stdout:      &lineWriter{each: p.readStatus},
		Stderr:      &lineWriter{each: p.output.add},
		SysProcAttr: attributes(user, syscall.SIGTERM),
		// A grandchild that outlives a killed child keeps its stderr open; what it may still
		// write is not worth a longer wait.
		WaitDelay: time.Second,
	}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("executing own binary: %w", err), ours.Close())
	}
	go p.wait()
	// A child that is gone already cannot read; exited says so better.
	_, _ = p.control.Write(append(line, '\n'))
	return p, nil
}

// withoutSecrets is an environment without the settings of crier and of those it calls: a part
// may run as another user, and needs none of them.
func withoutSecrets(environment []string) []string {
	return slices.DeleteFunc(environment, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		switch name {
		case cacheVariable:
			return false
		case "PGPASSWORD":
			return true
		default:
			return strings.HasPrefix(name, "CRIER_") || strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "OTEL_")
		}
	})
}

func (p *process) wait() {
	defer close(p.exited)
	defer p.control.Close()
	if err := p.cmd.Wait(); err != nil {
		p.err = fmt.Errorf("%w%s", err, p.output.indented())
	}
}

func (p *process) readStatus(line string) {
	var pid int
	if _, err := fmt.Sscanf(line+"\n", readyFormat, &pid); err != nil {
		return
	}
	select {
	case p.ready <- pid:
	default:
	}
}

// awaitReady returns the pid that serves, or why there will be none.
func (p *process) awaitReady(ctx context.Context) (int, error) {
	select {
	case pid := <-p.ready:
		return pid, nil
	case <-p.exited:
		if p.err == nil {
			return 0, errors.New("ended before it was ready")
		}
		return 0, p.err
	case <-ctx.Done():
		_ = p.stopWithin(stopGrace) // the reason to stop is the error that counts
		return 0, fmt.Errorf("waiting until ready: %w%s", context.Cause(ctx), p.output.indented())
	}
}

// stopGrace is how long a child that nobody waits for any more may take to end.
const stopGrace = 3 * time.Second

func (p *process) stopWithin(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return p.stop(ctx)
}

// stop asks the child to end in order and kills it when ctx ends first.
func (p *process) stop(ctx context.Context) error {
	_, _ = p.control.WriteString(stopLine) // fails only if it is gone already
	select {
	case <-p.exited:
		return p.err
	case <-ctx.Done():
		p.kill()
		return fmt.Errorf("killed, having not stopped in time: %w", context.Cause(ctx))
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only if it is gone already
	<-p.exited
}

// outputTail logs a child's output for debugging and keeps its end for errors.
type outputTail struct {
	log   *slog.Logger
	mu    sync.Mutex
	lines []string
}

const tailLines = 6

func newOutputTail(log *slog.Logger) *outputTail { return &outputTail{log: log} }

func (t *outputTail) add(line string) {
	t.log.Debug(line)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	if len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

func (t *outputTail) indented() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return "; it said:\n\t" + strings.Join(t.lines, "\n\t")
}

// lineWriter calls each with every whole line written to it.
type lineWriter struct {
	each func(line string)
	rest []byte
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			return len(b), nil
		}
		w.each(string(line))
		w.rest = rest
	}
}
