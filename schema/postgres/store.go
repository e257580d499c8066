package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
)

// Config is what a Store needs.
type Config struct {
	URL      string
	MaxConns int32
	// MaxLateness is how far past its time paused work is held before it ends.
	MaxLateness time.Duration
	// Announce hands on what a commit asks of the log. It must not wait for long, and
	// may lose what it is given.
	Announce   func(schema.Announcement)
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// Store is a pool of connections with crier's settings, and the clock of its server.
type Store struct {
	pool     *pgxpool.Pool
	inserts  *pgxpool.Pool // of what only inserts: there is nothing to plan anew
	clock    *clock
	node     [16]byte // who claims: see TakeNode
	announce func(schema.Announcement)
	log      *slog.Logger
	metrics  metrics
	arrivals arrivals
	turns    *group[turnsAsked]
	looks    *group[looking]
	late     time.Duration
	holding  atomic.Bool // whether anything was held when work was last claimed

	closing chan struct{}
	workers sync.WaitGroup
}

// settings of every connection. A generic plan made on empty tables costs a factor of
// 30 once they have grown, and a sequential scan chosen on old statistics as much. No
// transaction outlives transactionTimeout: the low-water mark of jobs relies on it.
var settings = map[string]string{
	"application_name":    "crier",
	"timezone":            "UTC",
	"plan_cache_mode":     "force_custom_plan",
	"enable_seqscan":      "off",
	"enable_mergejoin":    "off",
	"jit":                 "off",
	"synchronous_commit":  "on",
	"transaction_timeout": "30s",
	"lock_timeout":        "10s",
}

const transactionTimeout = 30 * time.Second

// Open connects and keeps the clock; it fails when the server does not answer.
func Open(ctx context.Context, c Config) (*Store, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("reading the URL of PostgreSQL: %w", withoutPassword(err))
	}
	config.MaxConns = c.MaxConns
	config.MaxConnIdleTime = time.Minute
	config.ConnConfig.ConnectTimeout = 5 * time.Second
	config.ConnConfig.DialFunc = dialPatiently
	for name, value := range settings {
		config.ConnConfig.RuntimeParams[name] = value
	}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerIDs(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	generic := config.Copy()
	generic.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	generic.MaxConns = committers
	inserts, err := pgxpool.NewWithConfig(ctx, generic)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", err)
	}
	clock := newClock(pool)
	s := &Store{
		pool: pool, inserts: inserts, clock: clock, announce: c.Announce, log: c.Logger,
		metrics: newMetrics(c.Registerer, map[string]*pgxpool.Pool{"all": pool, "inserts": inserts}, clock.silent), arrivals: newArrivals(c.Registerer),
		late: c.MaxLateness, closing: make(chan struct{}),
	}
	if s.announce == nil {
		s.announce = func(schema.Announcement) {}
	}
	if err := s.clock.sync(ctx); err != nil {
		pool.Close()
		inserts.Close()
		return nil, fmt.Errorf("connecting to PostgreSQL at %s:%d: %w", config.ConnConfig.Host, config.ConnConfig.Port, err)
	}
	s.workers.Go(func() { s.clock.run(s.closing, s.log) })
	s.startLeases()
	s.startLooks()
	return s, nil
}

// Close waits for the work in hand and closes the connections.
func (s *Store) Close() {
	close(s.closing)
	s.workers.Wait()
	s.inserts.Close()
	s.pool.Close()
}

// Now is PostgreSQL's clock, to within half a round trip.
func (s *Store) Now() time.Time { return s.clock.now() }

// Ping tells whether the server answers.
func (s *Store) Ping(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, "select 1"); err != nil {
		return fmt.Errorf("asking PostgreSQL: %w", err)
	}
	return nil
}

// withoutPassword drops the text of a URL that could not be read.
func withoutPassword(err error) error {
	if parse, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
		return errors.Unwrap(parse)
	}
	return err
}

// collect runs a query and scans each row with scan.
func collect[T any](rows pgx.Rows, err error, scan func(pgx.Rows, *T) error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var one T
		if err := scan(rows, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
