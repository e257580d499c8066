// Package facts measures ClickHouse with a year of facts: what dashboards and endpoints ask, how
// fast facts are stored, and what they take on disk.
package facts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"crier/compose/embedded"
	"crier/schema"
	clickhousestore "crier/schema/clickhouse"
)

// Rows are as many facts as there are unless a run says otherwise, and Asks as many requests of
// each query. Months are those of a year, of each its first 28 days.
const (
	Rows   = 100_000_000
	Asks   = 100
	Months = 12
)

const timeout = 4 * time.Hour

// Config is what a measurement is given.
type Config struct {
	Rows   int                              // facts
	Months int                              // over which they are spread
	Asks   int                              // requests of a query
	Folder string                           // data folder, which is kept, and filled once; empty: a new one, which is removed
	Say    func(format string, args ...any) // how far it is
	Report func(Result) error               // takes each result as it comes
}

// Result is one thing measured: a rate or a size, or how long each of many requests took.
type Result struct {
	Name    string
	Unit    string  // of Value
	Value   float64 // zero: it took a time
	Control float64 // what Value is compared with; zero: nothing
	Took    []time.Duration
	Raw     []time.Duration // the same from the facts alone; nil: it is not counted beforehand
}

// bench measures an embedded ClickHouse that holds the facts of a year.
type bench struct {
	Config
	conn   driver.Conn
	store  *clickhousestore.Store
	folder string
	count  int // facts
	large  schema.WorkspaceID
}

// Measure measures what dashboards and endpoints ask of a year of facts, with and without what
// is counted beforehand, how fast facts are stored, and what they take on disk.
func Measure(ctx context.Context, c Config) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	b := &bench{Config: c}
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := b.fill(ctx); err != nil {
		return fmt.Errorf("filling the tables: %w", err)
	}
	if err := b.settle(ctx); err != nil {
		return fmt.Errorf("settling the tables: %w", err)
	}
	if err := b.weigh(ctx); err != nil {
		return fmt.Errorf("weighing the tables: %w", err)
	}
	if err := b.ask(ctx); err != nil {
		return fmt.Errorf("asking: %w", err)
	}
	return b.ingest(ctx)
}

// start starts ClickHouse in a folder, and returns what ends it and removes a folder that is new.
func (b *bench) start(ctx context.Context) (stop func() error, err error) {
	lib, err := embedded.LibPath()
	if err != nil {
		return nil, err
	}
	var stops []func() error
	if b.folder = b.Folder; b.folder == "" {
		if b.folder, err = os.MkdirTemp("", "crier-bench-"); err != nil {
			return nil, fmt.Errorf("making a data folder: %w", err)
		}
		stops = append(stops, func() error { return os.RemoveAll(b.folder) })
	}
	stop = func() (err error) {
		for i := len(stops) - 1; i >= 0; i-- {
			err = errors.Join(err, stops[i]())
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, stop())
		}
	}()
	data, err := embedded.OpenData(b.folder)
	if err != nil {
		return nil, err
	}
	stops = append(stops, data.Close)
	server, err := embedded.StartClickHouse(ctx, data, lib, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	stops = append(stops, func() error { return server.Stop(context.WithoutCancel(ctx)) })
	config := clickhousestore.Config{URL: server.URL()}
	if err := clickhousestore.Migrate(ctx, config); err != nil {
		return nil, err
	}
	if b.store, err = clickhousestore.Open(ctx, config); err != nil {
		return nil, err
	}
	stops = append(stops, b.store.Close)
	options, err := clickhouse.ParseDSN(server.URL())
	if err != nil {
		return nil, fmt.Errorf("reading the address of ClickHouse: %w", err)
	}
	options.ReadTimeout = timeout
	options.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
	if b.conn, err = clickhouse.Open(options); err != nil {
		return nil, fmt.Errorf("connecting to ClickHouse: %w", err)
	}
	stops = append(stops, b.conn.Close)
	return stop, nil
}
