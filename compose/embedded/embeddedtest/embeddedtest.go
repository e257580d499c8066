// Package embeddedtest gives tests of other packages the embedded parts. Each part is
// started once per test binary, when the first test asks for it:
//
//	func TestMain(m *testing.M) { embeddedtest.Main(m) }
//
//	func TestStore(t *testing.T) {
//		pool, err := pgxpool.New(t.Context(), embeddedtest.Postgres(t))
package embeddedtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"crier/compose/embedded"
	"crier/connectors/media/decoder"
)

// patience is how long a part may take for what takes it a moment: machines stand still, for
// more than a minute at times.
const patience = 3 * time.Minute

// shared holds the parts of this test binary. It is the package's one variable: Main
// must end what the tests started, and testing hands nothing from one to the other.
var shared parts

type parts struct {
	mu      sync.Mutex
	data    *embedded.Data
	cleanup []func() error // run in reverse order

	postgres   *embedded.Postgres
	template   string // the database that PostgresWith copies; empty: none yet
	folder     string // the data folder that DataWith copies; empty: none yet
	log        *embedded.Log
	clickhouse *embedded.ClickHouse
}

// Main is the body of a TestMain: it runs the tests, ends the parts they started and
// exits. It also makes the test binary able to run as the children of the parts.
func Main(m *testing.M) {
	embedded.Main()
	decoder.Main()
	code := m.Run()
	if err := shared.end(); err != nil {
		fmt.Fprintln(os.Stderr, "ending embedded parts:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Postgres returns the URL of a fresh, empty database, dropped when the test ends.
func Postgres(t testing.TB) string {
	t.Helper()
	server, err := shared.startPostgres()
	if err != nil {
		t.Fatal(err)
	}
	return createPostgres(t, server.URL(), "")
}

// PostgresWith returns the URL of a fresh database as prepare leaves one. It prepares one
// for all tests of this binary, which give the same prepare, and copies it for each.
func PostgresWith(t testing.TB, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	server, err := shared.startPostgres()
	if err != nil {
		t.Fatal(err)
	}
	template, err := shared.prepareOnce(server.URL(), prepare)
	if err != nil {
		t.Fatal(err)
	}
	return createPostgres(t, server.URL(), " TEMPLATE "+template)
}

// createPostgres creates a database that is dropped when the test ends.
func createPostgres(t testing.TB, server, how string) (url string) {
	t.Helper()
	name := databaseName()
	if err := executePostgres(server, "CREATE DATABASE "+name+how); err != nil {
		t.Fatalf("creating database: %v", err)
	}
	t.Cleanup(func() {
		if err := executePostgres(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("dropping database: %v", err)
		}
	})
	return withPath(server, name)
}

// Log returns the address of a Kafka broker shared by the tests of this binary: the
// embedded log, or the one CRIER_TEST_KAFKA names. Tests choose topics and groups of
// their own.
func Log(t testing.TB) string {
	t.Helper()
	if addr := os.Getenv("CRIER_TEST_KAFKA"); addr != "" {
		return addr
	}
	log, err := shared.startLog()
	if err != nil {
		t.Fatal(err)
	}
	return log.Addr()
}

// OwnLog returns the address of an embedded log that the test has to itself, for what uses
// crier's topics, which the tests of a binary would share on Log.
func OwnLog(t testing.TB) string {
	t.Helper()
	data, err := embedded.OpenData(Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	log, err := embedded.StartLog(data, logger())
	if err != nil {
		t.Fatal(errors.Join(err, data.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(log.Stop(), data.Close()); err != nil {
			t.Error(err)
		}
	})
	return log.Addr()
}

// ClickHouse returns the URL of a fresh, empty database, dropped when the test ends.
func ClickHouse(t testing.TB) string {
	t.Helper()
	server, err := shared.startClickHouse()
	if err != nil {
		t.Fatal(err)
	}
	name := databaseName()
	if err := executeClickHouse(server.URL(), "CREATE DATABASE "+name+" ENGINE = Atomic"); err != nil {
		t.Fatalf("creating database: %v", err)
	}
	t.Cleanup(func() {
		if err := executeClickHouse(server.URL(), "DROP DATABASE "+name+" SYNC"); err != nil {
			t.Errorf("dropping database: %v", err)
		}
	})
	return withPath(server.URL(), name)
}

// Dir returns a temporary folder that is fit to be a data folder: unlike those of
// testing, it is in memory where that has room, and the user that PostgreSQL runs as under
// root can enter it.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("removing data folder: %v", err)
		}
	})
	return dir
}

// DataWith returns a data folder whose PostgreSQL is as prepare leaves it and was stopped
// in order. Like PostgresWith it prepares one and copies it: making a database cluster takes
// seconds.
func DataWith(t testing.TB, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	prepared, err := shared.prepareFolder(prepare)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(Dir(t), "data")
	// PostgreSQL asks for the owner and the permissions that its files have.
	if output, err := exec.CommandContext(t.Context(), "cp", "-a", prepared, folder).CombinedOutput(); err != nil {
		t.Fatalf("copying a data folder: %v: %s", err, output)
	}
	// Each copy finds a port of its own: all would take the same for free at once.
	if err := os.Remove(filepath.Join(folder, "postgres.port")); err != nil {
		t.Fatalf("copying a data folder: %v", err)
	}
	return folder
}

// Serve has what run serves be there for all tests of this binary, with a data folder of its own, until the last of them
// has ended. It is ready before Serve returns.
func Serve(run func(ctx context.Context, folder string, ready func()) error) error {
	folder, err := makeFolder()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- run(ctx, folder, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		stop()
		return errors.Join(err, os.RemoveAll(folder))
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.cleanup = append(shared.cleanup, func() error {
		stop()
		select {
		case err := <-ended:
			return errors.Join(err, os.RemoveAll(folder))
		case <-time.After(patience):
			return errors.New("what was served does not stop")
		}
	})
	return nil
}

func makeFolder() (string, error) {
	dir, err := os.MkdirTemp(roomyMemory(), "crier-test-")
	if err != nil {
		return "", fmt.Errorf("making data folder: %w", err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		return "", fmt.Errorf("making data folder: %w", err)
	}
	return dir, nil
}

// roomyMemory is a folder in memory, where waiting for the disk takes no time, or nothing
// if there is none with room for the data of some tests at once.
func roomyMemory() string {
	const folder, room = "/dev/shm", 4 << 30
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil || disk.Bavail*uint64(disk.Bsize) < room {
		return ""
	}
	return folder
}

func (p *parts) startPostgres() (*embedded.Postgres, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.postgres != nil {
		return p.postgres, nil
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	server, err := embedded.StartPostgres(context.Background(), p.data, logger())
	if err != nil {
		return nil, err
	}
	p.postgres = server
	p.atEnd(func() error { return stopWithin(server.Stop) })
	return server, nil
}

// prepareOnce makes the database that PostgresWith copies.
func (p *parts) prepareOnce(server string, prepare func(ctx context.Context, url string) error) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.template != "" {
		return p.template, nil
	}
	name := databaseName()
	if err := executePostgres(server, "CREATE DATABASE "+name); err != nil {
		return "", fmt.Errorf("creating database: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := prepare(ctx, withPath(server, name)); err != nil {
		return "", fmt.Errorf("preparing database: %w", err)
	}
	p.template = name
	return name, nil
}

// prepareFolder makes the folder that DataWith copies.
func (p *parts) prepareFolder(prepare func(ctx context.Context, url string) error) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folder != "" {
		return p.folder, nil
	}
	folder, err := makeFolder()
	if err != nil {
		return "", err
	}
	p.atEnd(func() error { return os.RemoveAll(folder) })
	data, err := embedded.OpenData(folder)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	server, err := embedded.StartPostgres(ctx, data, logger())
	if err != nil {
		return "", errors.Join(err, data.Close())
	}
	err = prepare(ctx, server.URL())
	if err := errors.Join(err, stopWithin(server.Stop), data.Close()); err != nil {
		return "", fmt.Errorf("preparing a data folder: %w", err)
	}
	p.folder = folder
	return folder, nil
}

func (p *parts) startLog() (*embedded.Log, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log != nil {
		return p.log, nil
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	log, err := embedded.StartLog(p.data, logger())
	if err != nil {
		return nil, err
	}
	p.log = log
	p.atEnd(log.Stop)
	return log, nil
}

func (p *parts) startClickHouse() (*embedded.ClickHouse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clickhouse != nil {
		return p.clickhouse, nil
	}
	lib, err := embedded.LibPath()
	if err != nil {
		return nil, err
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	server, err := embedded.StartClickHouse(context.Background(), p.data, lib, logger())
	if err != nil {
		return nil, err
	}
	p.clickhouse = server
	p.atEnd(func() error { return stopWithin(server.Stop) })
	return server, nil
}

// open makes the data folder that the parts share, if it is not there.
func (p *parts) open() error {
	if p.data != nil {
		return nil
	}
	folder, err := makeFolder()
	if err != nil {
		return err
	}
	p.atEnd(func() error { return os.RemoveAll(folder) })
	if p.data, err = embedded.OpenData(folder); err != nil {
		return err
	}
	p.atEnd(p.data.Close)
	return nil
}

func (p *parts) atEnd(f func() error) { p.cleanup = append(p.cleanup, f) }

func (p *parts) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first error
	for i := len(p.cleanup) - 1; i >= 0; i-- {
		if err := p.cleanup[i](); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func stopWithin(stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return stop(ctx)
}

func logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
}
