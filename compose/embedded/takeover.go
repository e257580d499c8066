package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// takeOver ends what an earlier process has left running on the cluster. This process holds
// the data folder's lock, so nothing else may use the cluster.
//
// A server that lost its parent is shutting down by itself and is waited for. Backends
// of a server that was killed notice when their statement ends, and postgres does not
// start as long as one of them is attached to the old shared memory; with their server
// gone nothing they do can be kept, so they are killed.
func takeOver(cluster string) error {
	pid, err := serverPID(cluster)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := endServer(cluster, pid); err != nil {
		return err
	}
	for _, backend := range processesIn(cluster) {
		_ = syscall.Kill(backend, syscall.SIGKILL) // fails only if it is gone already
	}
	// The pid may belong to an unrelated process by now, which postgres would take for
	// a running server.
	if err := removeIfThere(pidFile(cluster)); err != nil {
		return fmt.Errorf("removing stale lock: %w", err)
	}
	return nil
}

// endServer waits for the server to end, and sends it stronger signals as time passes.
func endServer(cluster string, pid int) error {
	const (
		tick   = 10 * time.Millisecond
		polite = 4 * time.Second
		firm   = 6 * time.Second
	)
	if !runsIn(cluster, pid) {
		return nil
	}
	_ = syscall.Kill(pid, fastShutdown)
	for waited := time.Duration(0); waited < polite+firm; waited += tick {
		if waited == polite {
			_ = syscall.Kill(pid, immediateShutdown)
		}
		time.Sleep(tick)
		if !runsIn(cluster, pid) {
			return nil
		}
	}
	return fmt.Errorf("postgres of an earlier start (pid %d) does not end", pid)
}

func serverPID(cluster string) (int, error) {
	content, err := os.ReadFile(pidFile(cluster))
	if err != nil {
		return 0, fmt.Errorf("reading lock: %w", err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, nil //nolint:nilerr // cut off while it was written: no server got further
	}
	return pid, nil
}

// runsIn reports whether pid is alive and of this cluster: postgres and its backends
// work in the cluster's folder. Without /proc any live process of that pid counts.
func runsIn(cluster string, pid int) bool {
	if pid <= 0 || syscall.Kill(pid, 0) != nil {
		return false
	}
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		return true
	}
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && cwd == cluster
}

// processesIn lists the processes that work in the cluster's folder; none without /proc.
func processesIn(cluster string) []int {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is well-formed
	var pids []int
	for _, link := range links {
		if cwd, err := os.Readlink(link); err != nil || cwd != cluster {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
