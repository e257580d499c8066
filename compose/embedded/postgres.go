package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// postgresName is the name of both the superuser and the database.
const postgresName = "crier"

// Postgres is a PostgreSQL 18 started by this process.
type Postgres struct {
	*supervisor
	data   *Data
	config postgresConfig
}

// StartPostgres starts PostgreSQL on the data folder and returns once it takes connections;
// ctx bounds only the start. The first time it creates the database cluster. A server that an
// earlier process has left running, or shutting down, is ended first.
//
// postgres refuses to run as root. For root it runs as the user postgres, or nobody
// where there is none, and that user must be able to enter the folders above the data
// folder and the cache.
func StartPostgres(ctx context.Context, d *Data, log *slog.Logger) (*Postgres, error) {
	config, err := preparePostgres(d)
	if err != nil {
		return nil, fmt.Errorf("preparing PostgreSQL: %w", err)
	}
	user, err := unprivileged()
	if err != nil {
		return nil, fmt.Errorf("preparing PostgreSQL: %w", err)
	}
	if err := user.own(config.Dir, config.Cache); err != nil {
		return nil, fmt.Errorf("preparing PostgreSQL: %w", err)
	}
	if err := trySocket(config.Dir); err != nil {
		log.Info("PostgreSQL is reached over TCP alone", "folder", config.Dir, "no_socket", err)
	} else {
		config.SocketDir = config.Dir
	}
	if _, err := os.Stat(config.binaries()); errors.Is(err, fs.ErrNotExist) {
		log.Info("downloading PostgreSQL, once", "version", postgresVersion, "megabytes", 15, "into", config.Cache)
	}
	var s *supervisor
	if err := d.onPort(partPostgres, func(port int) (err error) {
		config.Port = port
		s, err = supervise(ctx, partPostgres, user.credential(), config, log)
		return err
	}); err != nil {
		return nil, err
	}
	p := &Postgres{s, d, config}
	if err := d.announce(partPostgres, p.NearURL()); err != nil {
		return nil, errors.Join(err, p.Stop(ctx))
	}
	return p, nil
}

// URL returns the address of the database crier over TCP, as a superuser.
func (p *Postgres) URL() string { return p.config.url() }

// NearURL is URL over a Unix socket first, which makes short statements cheaper for both sides; URL
// itself where the data folder can hold no socket.
func (p *Postgres) NearURL() string {
	if p.config.SocketDir == "" {
		return p.URL()
	}
	return p.config.socketURL()
}

// Stop ends PostgreSQL. Client connections are cut, and everything committed is kept.
func (p *Postgres) Stop(ctx context.Context) error {
	return errors.Join(p.data.withdraw(partPostgres), p.supervisor.Stop(ctx))
}

// postgresConfig is what the runner gets from its parent.
type postgresConfig struct {
	Dir       string // the runner's own folder, with the cluster in it
	Cache     string // where it keeps PostgreSQL's binaries
	SocketDir string // of its Unix socket; empty: there is none
	Port      int
	Password  string
}

const postgresVersion = embeddedpostgres.V18

func preparePostgres(d *Data) (postgresConfig, error) {
	cache, err := CacheDir()
	if err != nil {
		return postgresConfig{}, err
	}
	c := postgresConfig{Dir: d.Path(partPostgres), Cache: filepath.Join(cache, partPostgres)}
	if c.Password, err = d.secret("postgres.password"); err != nil {
		return postgresConfig{}, err
	}
	for _, dir := range []string{c.Cache, c.Dir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return postgresConfig{}, fmt.Errorf("creating folder: %w", err)
		}
	}
	if c.Cache, err = realPath(c.Cache); err != nil {
		return postgresConfig{}, fmt.Errorf("resolving cache folder: %w", err)
	}
	return c, nil
}

// socketURL names the socket, then loopback for whoever does not reach that
// (postgresql.org/docs/18/libpq-connect.html).
func (c postgresConfig) socketURL() string {
	port := strconv.Itoa(c.Port)
	return c.urlAt("", url.Values{"host": {c.SocketDir + "," + loopback}, "port": {port + "," + port}})
}

func (c postgresConfig) url() string { return c.urlAt(hostPort(c.Port), url.Values{}) }

func (c postgresConfig) urlAt(host string, query url.Values) string {
	query.Set("sslmode", "disable")
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(postgresName, c.Password), Host: host, Path: "/" + postgresName,
		RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20"), // a plus is one to readers of such URLs
	}
	return u.String()
}

func (c postgresConfig) binaries() string {
	return filepath.Join(c.Cache, string(postgresVersion))
}
