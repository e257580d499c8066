package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"crier/schema/sleep"
)

// startLimit bounds how long a process may take until it does its work.
const startLimit = 90 * time.Second

// process is one program of the cluster, which can be ended and started again.
type process struct {
	name        string
	arguments   []string // the program's path first
	environment []string // beside this process's own
	user        *syscall.Credential
	folder      string         // where it works and logs
	ends        syscall.Signal // what ends it in order
	ready       func(ctx context.Context) error

	command *exec.Cmd
	exited  chan struct{} // closed when it is gone
	err     error         // why; valid after exited
}

// start starts the process and returns once it is ready.
func (p *process) start(ctx context.Context) error {
	if err := p.launch(); err != nil {
		return err
	}
	return p.awaitReady(ctx)
}

func (p *process) launch() error {
	log, err := os.OpenFile(filepath.Join(p.folder, p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	defer log.Close()
	command := exec.Command(p.arguments[0], p.arguments[1:]...) //nolint:noctx // it is ended by signals, in its own order
	command.Env = append(os.Environ(), p.environment...)
	command.Dir, command.Stdout, command.Stderr = p.folder, log, log
	// A group of its own: Ctrl-C is for the cluster, which ends its processes in their order.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.user}
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	exited := make(chan struct{})
	p.command, p.exited = command, exited
	go func() {
		p.err = command.Wait()
		close(exited)
	}()
	return nil
}

func (p *process) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		last := p.ready(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("%s ended before it was ready: %w; it said:\n%s", p.name, errors.Join(p.err, last), p.said())
		default:
		}
		if err := sleep.For(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%s is not ready: %w", p.name, errors.Join(err, last))
		}
	}
}

// said is the end of what the process logged.
func (p *process) said() string {
	content, err := os.ReadFile(filepath.Join(p.folder, p.name+".log"))
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-2000):])
}

// end has the process end in order, and returns how it did.
func (p *process) end(within time.Duration) error {
	if p.command == nil {
		return nil
	}
	_ = p.command.Process.Signal(p.ends) // it may be gone
	select {
	case <-p.exited:
		return p.err
	case <-time.After(within):
		p.kill()
		return fmt.Errorf("%s did not end within %v", p.name, within)
	}
}

// kill ends the process as a power cut would, with all that it has started: PostgreSQL does not
// start again while a child of its earlier life has the memory that they shared.
func (p *process) kill() {
	if p.command == nil {
		return
	}
	_ = p.command.Process.Kill() // it may be gone
	<-p.exited
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		children := processesIn(p.folder)
		for _, child := range children {
			_ = syscall.Kill(child, syscall.SIGKILL) // likewise
		}
		if len(children) == 0 {
			return
		}
	}
}

// processesIn are those that work in a folder below another one, as PostgreSQL's do in their
// cluster's.
func processesIn(folder string) (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is well-formed
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err != nil || filepath.Dir(cwd) != folder {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// answers returns what asks an address over HTTP for 200.
func answers(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		said, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", response.Status, said)
		}
		return err
	}
}
