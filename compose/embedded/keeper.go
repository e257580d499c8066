package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// keeper runs postgres as its child and takes it along when it ends.
type keeper struct {
	postgresConfig
	parent context.Context // ends with the parent, or with its wish to stop
}

// keepPostgres is the keeper's main.
func keepPostgres(child *childProcess) error {
	// The kernel takes the death of the thread that forked for the parent's.
	runtime.LockOSThread()
	var config postgresConfig
	if err := child.configure(&config); err != nil {
		return err
	}
	k := &keeper{config, child.watch()}
	if err := k.provision(); err != nil {
		return fmt.Errorf("making database cluster: %w", err)
	}
	if err := takeOver(k.cluster()); err != nil {
		return fmt.Errorf("taking over database cluster: %w", err)
	}
	server, err := k.start()
	if err != nil {
		return err
	}
	return server.keep(child)
}

func (k *keeper) cluster() string { return filepath.Join(k.Dir, "cluster") }
func (k *keeper) hbaFile() string { return filepath.Join(k.Dir, "pg_hba.conf") }

// server is one run of postgres.
type server struct {
	*keeper
	cmd    *exec.Cmd
	exited chan error // gets the end of postgres, once
}

func (k *keeper) start() (*server, error) {
	hba := "host all all " + loopback + "/32 scram-sha-256\n"
	if err := os.WriteFile(k.hbaFile(), []byte(hba), 0o600); err != nil {
		return nil, fmt.Errorf("writing access rules: %w", err)
	}
	cmd := exec.Command(filepath.Join(k.binaries(), "bin", "postgres"), "-D", k.cluster()) //nolint:noctx // ended by signals, in postgres's own order
	for name, value := range k.settings() {
		cmd.Args = append(cmd.Args, "-c", name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = attributes(nil, fastShutdown)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("executing postgres: %w", err)
	}
	s := &server{k, cmd, make(chan error, 1)}
	go func() { s.exited <- cmd.Wait() }()
	return s, nil
}

// settings are those where the defaults do not fit; meanings and defaults are in
// postgresql.org/docs/18/runtime-config.html.
func (k *keeper) settings() map[string]string {
	return map[string]string{
		"listen_addresses":        loopback,
		"port":                    strconv.Itoa(k.Port),
		"unix_socket_directories": "", // TCP is enough, and a socket's path has a short limit
		"hba_file":                k.hbaFile(),
		"max_connections":         "100",
		"shared_buffers":          "128MB",
		"fsync":                   "on", // said aloud: what is acknowledged is on disk
		"synchronous_commit":      "on",
		// Backup is a logical copy and nothing replicates from here, so the WAL needs
		// only what crash recovery reads.
		"wal_level":                       "minimal",
		"max_wal_senders":                 "0",
		"max_logical_replication_workers": "0",
		// Full-page images after each checkpoint are much of the WAL under load.
		"max_wal_size":       "2GB",
		"checkpoint_timeout": "15min",
		"timezone":           "UTC",
		"log_timezone":       "UTC",
		"lc_messages":        "C",
		"jit":                "off", // compiling costs more than these short queries
		// Statements carry tenants' content and must not reach a log.
		"log_min_messages":        "log",
		"log_min_error_statement": "panic",
	}
}

// Signals that stop postgres (postgresql.org/docs/18/server-shutdown.html).
const (
	fastShutdown      = syscall.SIGINT  // cuts clients, writes a checkpoint
	immediateShutdown = syscall.SIGQUIT // ends at once; the next start replays the WAL
)

// How long a fast shutdown may take before it becomes an immediate one.
const (
	patience       = 20 * time.Second        // asked to stop: a next start without recovery is worth it
	orphanPatience = 1200 * time.Millisecond // somebody may be waiting to start in our place
)

// keep reports postgres once it is ready and stays with it until its end or the parent's.
func (s *server) keep(child *childProcess) error {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case err := <-s.exited:
			// Backends hold our output open, and our parent waits for its end.
			return errors.Join(fmt.Errorf("postgres ended by itself: %w", err), takeOver(s.cluster()))
		case <-s.parent.Done():
			return s.shutDown()
		case <-poll.C:
			if !s.takesConnections() {
				continue
			}
			poll.Stop()
			if err := child.ready(s.cmd.Process.Pid); err != nil {
				return errors.Join(err, s.shutDown())
			}
		}
	}
}

// takesConnections reads what pg_ctl reads: the first line of postmaster.pid is the
// pid, the eighth the state (LOCK_FILE_LINE_PM_STATUS in PostgreSQL's pidfile.h).
func (s *server) takesConnections() bool {
	content, err := os.ReadFile(pidFile(s.cluster()))
	if err != nil {
		return false
	}
	lines := strings.Split(string(content), "\n")
	return len(lines) >= 8 && lines[0] == strconv.Itoa(s.cmd.Process.Pid) &&
		strings.TrimSpace(lines[7]) == "ready"
}

func (s *server) shutDown() error {
	limit := patience
	if errors.Is(context.Cause(s.parent), errOrphan) {
		limit = orphanPatience
	}
	_ = s.cmd.Process.Signal(fastShutdown) // fails only if it is gone already
	select {
	case <-s.exited: //nolint:errcheck // told to end, it may end as it likes
		return nil
	case <-time.After(limit):
	}
	_ = s.cmd.Process.Signal(immediateShutdown) // likewise
	<-s.exited                                  //nolint:errcheck // likewise
	return nil
}

func pidFile(cluster string) string { return filepath.Join(cluster, "postmaster.pid") }
