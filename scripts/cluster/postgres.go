package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded"
)

// makePostgres prepares a primary and its standby on the embedded PostgreSQL's binaries. The
// standby is a copy of the primary's files from before its first work.
func (c *cluster) makePostgres(ctx context.Context) error {
	folder, err := c.folderOf("postgres")
	if err != nil {
		return err
	}
	made, password, err := c.firstPostgres(ctx, filepath.Join(folder, "made"))
	if err != nil {
		return fmt.Errorf("making PostgreSQL's files: %w", err)
	}
	c.password = password
	for i, name := range []string{"postgres-1", "postgres-2"} {
		port, err := c.port()
		if err != nil {
			return err
		}
		c.postgres = append(c.postgres, port)
		one, err := c.postgresProcess(name, port, i == 1)
		if err != nil {
			return err
		}
		if err := copyFolder(made, clusterOf(one)); err != nil {
			return err
		}
		c.databases = append(c.databases, one)
		if i > 0 {
			continue
		}
		// Its files must say that a standby can follow before one is a copy of them.
		if err := one.start(ctx); err != nil {
			return err
		}
		if err := one.end(startLimit); err != nil {
			return fmt.Errorf("ending %s: %w", name, err)
		}
		made = clusterOf(one)
	}
	standby := filepath.Join(clusterOf(c.databases[1]), "standby.signal")
	if err := os.WriteFile(standby, nil, 0o600); err != nil {
		return fmt.Errorf("making the standby: %w", err)
	}
	return c.own(standby)
}

func clusterOf(p *process) string { return filepath.Join(p.folder, "cluster") }

// firstPostgres has the embedded PostgreSQL make its files, and fetch its binaries if need be.
func (c *cluster) firstPostgres(ctx context.Context, folder string) (files, password string, err error) {
	data, err := embedded.OpenData(folder)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	server, err := embedded.StartPostgres(ctx, data, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", "", err
	}
	address, err := url.Parse(server.URL())
	if err != nil {
		return "", "", errors.Join(err, server.Stop(ctx))
	}
	password, _ = address.User.Password()
	return data.Path(filepath.Join("postgres", "cluster")), password, server.Stop(ctx)
}

// postgresProcess is one server. What is committed on the primary is on the standby's disk too,
// so that a promotion loses nothing.
func (c *cluster) postgresProcess(name string, port int, standby bool) (*process, error) {
	binaries, err := postgresBinaries()
	if err != nil {
		return nil, err
	}
	folder, err := c.folderOf(name)
	if err != nil {
		return nil, err
	}
	hba := filepath.Join(folder, "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("host all all 127.0.0.1/32 scram-sha-256\nhost replication all 127.0.0.1/32 scram-sha-256\n"), 0o600); err != nil {
		return nil, fmt.Errorf("preparing %s: %w", name, err)
	}
	p := &process{name: name, folder: folder, ends: syscall.SIGINT, user: c.user, ready: func(ctx context.Context) error { return c.takes(ctx, port) }}
	p.arguments = []string{filepath.Join(binaries, "postgres"), "-D", clusterOf(p)}
	settings := map[string]string{
		"listen_addresses": "127.0.0.1", "port": strconv.Itoa(port), "unix_socket_directories": "", "hba_file": hba,
		"max_connections": "200", "shared_buffers": "128MB", "jit": "off", "timezone": "UTC",
		"wal_level": "replica", "max_wal_senders": "4", "wal_keep_size": "1GB", "max_wal_size": "2GB", "checkpoint_timeout": "15min",
	}
	if standby {
		settings["primary_conninfo"] = fmt.Sprintf("host=127.0.0.1 port=%d user=crier password=%s application_name=standby", c.postgres[0], c.password)
		settings["wal_receiver_status_interval"], settings["wal_retrieve_retry_interval"] = "1s", "200ms"
	}
	for setting, value := range settings {
		p.arguments = append(p.arguments, "-c", setting+"="+value)
	}
	return p, errors.Join(c.own(folder), c.own(hba))
}

// follow makes the primary wait for its standby with each commit, from now on.
func (c *cluster) follow(ctx context.Context) error {
	if err := c.onPostgres(ctx, 0, "alter system set synchronous_standby_names = 'standby'"); err != nil {
		return err
	}
	return c.onPostgres(ctx, 0, "select pg_reload_conf()")
}

// promote makes the standby the primary.
func (c *cluster) promote(ctx context.Context) error {
	return c.onPostgres(ctx, 1, "select pg_promote()")
}

func (c *cluster) takes(ctx context.Context, port int) error {
	conn, err := pgx.Connect(ctx, c.postgresURL(port, ""))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func (c *cluster) onPostgres(ctx context.Context, n int, statement string) error {
	conn, err := pgx.Connect(ctx, c.postgresURL(c.postgres[n], ""))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

func (c *cluster) postgresURL(port int, more string) string {
	return fmt.Sprintf("postgres://crier:%s@127.0.0.1:%d/crier?sslmode=disable%s", c.password, port, more)
}

// bothPostgres is the address of whichever is the primary.
func (c *cluster) bothPostgres() string {
	return fmt.Sprintf("postgres://crier:%s@127.0.0.1:%d,127.0.0.1:%d/crier?sslmode=disable&target_session_attrs=read-write", c.password, c.postgres[0], c.postgres[1])
}

// postgresBinaries is where the embedded PostgreSQL has its own.
func postgresBinaries() (string, error) {
	cache, err := embedded.CacheDir()
	if err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(cache, "postgres", "*", "bin", "postgres"))
	if err != nil || len(found) == 0 {
		return "", errors.Join(errors.New("PostgreSQL's binaries are not in the cache"), err)
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged is who PostgreSQL runs as instead of root; nil: as this process.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	found, err := user.Lookup("postgres")
	if err != nil {
		found, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("finding a user for PostgreSQL: %w", err)
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// own gives a file to whom PostgreSQL runs as.
func (c *cluster) own(path string) error {
	if c.user == nil {
		return nil
	}
	return os.Lchown(path, int(c.user.Uid), int(c.user.Gid))
}

// copyFolder copies a folder with its owners.
func copyFolder(from, to string) error {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil { //nolint:noctx // ends by itself
		return fmt.Errorf("copying %s: %w: %s", from, err, strings.TrimSpace(string(out)))
	}
	return nil
}
