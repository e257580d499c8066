package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"crier/compose/embedded/chdb"
	"crier/compose/embedded/clickhousehttp"
	"crier/compose/heap"

	"github.com/sethvargo/go-retry"
)

// serveClickHouse is the main of the child that runs ClickHouse's engine.
func serveClickHouse(child *childProcess) error {
	var config clickHouseConfig
	if err := child.configure(&config); err != nil {
		return err
	}
	parent := child.watch()
	connect, err := startEngine(parent, config)
	if err != nil {
		return err
	}
	handler, err := clickhousehttp.New(clickhousehttp.Config{
		Connect:  connect,
		Sessions: engineSessions,
		Spool:    config.Spool,
		User:     clickHouseName,
		Password: config.Password,
	})
	if err != nil {
		return fmt.Errorf("opening sessions: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(parent, "tcp", hostPort(config.Port))
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if err := child.ready(os.Getpid()); err != nil {
		return err
	}
	go heap.Keep(parent, engineIdle)
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-parent.Done():
		return drain(parent, server)
	}
}

// engineIdle is how much the process allocates in a second beside its engine while it does next to nothing:
// answers pass through it, and rows.
const engineIdle = 1 << 20

// engineSessions is how many statements run at once; more would only slow each other down.
const engineSessions = 8

// engineSettings limit the engine, whose defaults are for a server of its own, to a share of
// this one (clickhouse.com/docs/operations/server-configuration-parameters/settings and
// .../operations/settings/settings).
func engineSettings() []string {
	return []string{
		"--max_server_memory_usage=2147483648", // of everything together
		"--max_memory_usage=1073741824",        // of one query
		"--max_bytes_before_external_group_by=536870912",
		"--max_bytes_before_external_sort=536870912",
		"--mark_cache_size=134217728",
	}
}

// startEngine starts the engine and creates the database. The engine of an earlier process may
// need a moment to release the folder.
func startEngine(ctx context.Context, config clickHouseConfig) (connect func() (*chdb.Conn, error), err error) {
	library, err := chdb.Load(config.Lib)
	if err != nil {
		return nil, err
	}
	arguments := append(engineSettings(), "--path="+config.Path)
	connect = func() (*chdb.Conn, error) { return library.Connect(arguments...) }

	const pause, tries = 100 * time.Millisecond, 50
	backoff := retry.WithMaxRetries(tries, retry.NewConstant(pause))
	first, err := retry.DoValue(ctx, backoff, func(context.Context) (*chdb.Conn, error) {
		conn, err := connect()
		return conn, retry.RetryableError(err)
	})
	if err != nil {
		return nil, fmt.Errorf("starting engine: %w", err)
	}
	defer first.Close()
	// The database default is not Atomic in this engine, and some DDL needs that.
	_, err = first.Query("CREATE DATABASE IF NOT EXISTS "+clickHouseName+" ENGINE = Atomic", "TSV")
	if err != nil {
		return nil, fmt.Errorf("making database: %w", err)
	}
	return connect, nil
}

// drain lets requests in flight finish if the parent asked for a stop. The engine is not shut
// down: what it has acknowledged is in its files, as after a kill.
func drain(parent context.Context, server *http.Server) error {
	if errors.Is(context.Cause(parent), errOrphan) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("finishing requests: %w", err)
	}
	return nil
}
