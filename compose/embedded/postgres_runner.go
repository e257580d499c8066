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

// postgresRunner runs postgres as its child, and stops it when it ends itself.
type postgresRunner struct {
	postgresConfig
	parent context.Context // ends with the parent, or with its request to stop
}

// runPostgres is the main function of the runner's process.
func runPostgres(child *childProcess) error {
	// The kernel takes the end of the thread that forked for the end of the parent.
	runtime.LockOSThread()
	var config postgresConfig
	if err := child.configure(&config); err != nil {
		return err
	}
	r := &postgresRunner{config, child.watch()}
	if err := r.provision(); err != nil {
		return fmt.Errorf("making database cluster: %w", err)
	}
	if err := takeOver(r.cluster()); err != nil {
		return fmt.Errorf("taking over database cluster: %w", err)
	}
	if r.SocketDir != "" {
		if err := removeSockets(r.SocketDir); err != nil {
			return fmt.Errorf("removing stale sockets: %w", err)
		}
	}
	server, err := r.start()
	if err != nil {
		return err
	}
	return server.keep(child)
}

func (r *postgresRunner) cluster() string { return filepath.Join(r.Dir, "cluster") }
func (r *postgresRunner) hbaFile() string { return filepath.Join(r.Dir, "pg_hba.conf") }

// server is one run of postgres.
type server struct {
	*postgresRunner
	cmd    *exec.Cmd
	exited chan error // gets the end of postgres, once
}

func (r *postgresRunner) start() (*server, error) {
	hba := "local all all scram-sha-256\nhost all all " + loopback + "/32 scram-sha-256\n"
	if err := os.WriteFile(r.hbaFile(), []byte(hba), 0o600); err != nil {
		return nil, fmt.Errorf("writing access rules: %w", err)
	}
	cmd := exec.Command(filepath.Join(r.binaries(), "bin", "postgres"), "-D", r.cluster()) //nolint:noctx // ended by signals, in postgres's own order
	for name, value := range r.settings() {
		cmd.Args = append(cmd.Args, "-c", name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = attributes(nil, fastShutdown)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("executing postgres: %w", err)
	}
	s := &server{r, cmd, make(chan error, 1)}
	go func() { s.exited <- cmd.Wait() }()
	return s, nil
}

// settings are those that differ from the defaults
// (postgresql.org/docs/18/runtime-config.html).
func (r *postgresRunner) settings() map[string]string {
	return map[string]string{
		"listen_addresses":        loopback,
		"port":                    strconv.Itoa(r.Port),
		"unix_socket_directories": r.SocketDir,
		"unix_socket_permissions": "0700",
		"hba_file":                r.hbaFile(),
		"max_connections":         "100",
		"shared_buffers":          "48MB", // what does not fit is in the kernel's cache
		"fsync":                   "on",   // explicit, since everything rests on it
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

// keep reports postgres once it is ready, and returns when postgres or the parent has ended.
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
