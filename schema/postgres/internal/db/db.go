// Package db is the connections to PostgreSQL: their settings, errors that a caller can act
// on, and how ids, documents and named parameters go over them.
package db

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/postgres/internal/clock"
	"crier/schema/secure"
)

// Config is what a Store needs.
type Config struct {
	URL      string
	MaxConns int32 // of the stages' pool, and of all that has none of its own
	Requests int32 // of a pool for requests alone; 0: they share the stages'
	// MaxLateness is how far past its time paused work is held before it ends.
	MaxLateness time.Duration
	Keep        schema.Retention
	SendsMail   bool // what is to be told by mail is stored; a process with the role notify sends it
	// Announce passes on the messages that a commit asks for. It must not block, and may
	// lose them.
	Announce   func(schema.Announcement)
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// DB is a pool of connections with crier's settings, and what all pools of a process share:
// the clock of their server among it.
type DB struct {
	Pool *pgxpool.Pool
	*shared
}

type shared struct {
	Inserts   *pgxpool.Pool // for statements that only insert, whose plans can be generic
	requests  *pgxpool.Pool // for requests alone, so that stages never wait for them
	Clock     *clock.Clock
	Node      [16]byte // in claims: see postgres.Store.TakeNode
	Announce  func(schema.Announcement)
	Log       *slog.Logger
	Metrics   metrics
	Late      time.Duration
	Keep      schema.Retention
	SendsMail bool

	Closing chan struct{}
	Workers sync.WaitGroup
}

// ForRequests is the same database by the pool of requests.
func (s *DB) ForRequests() *DB { return &DB{s.requests, s.shared} }

// settings of every connection. A generic plan made on empty tables costs a factor of
// 30 once they have grown, and a sequential scan chosen on old statistics as much: see
// QueueGenericPlans for where it does not. No
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

// TransactionTimeout is the longest that a transaction lasts.
const TransactionTimeout = 30 * time.Second

// Open connects and keeps the clock; it fails when the server does not answer.
func Open(ctx context.Context, c Config) (*DB, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("reading the URL of PostgreSQL: %w", WithoutPassword(err))
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
		registerTimes(conn.TypeMap())
		return nil
	}
	s, err := connect(ctx, config, c)
	if err != nil {
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", Explain(err))
	}
	first, cancel := context.WithTimeout(ctx, FirstAnswer(config.ConnConfig))
	defer cancel()
	if err := s.Clock.Sync(first); err != nil {
		s.Close()
		return nil, fmt.Errorf("connecting to PostgreSQL at %s:%d: %w", config.ConnConfig.Host, config.ConnConfig.Port, Explain(err))
	}
	s.Workers.Go(func() { s.Clock.Run(s.Closing, s.Log) })
	return s, nil
}

// WithoutLimits has connections take off the time limits that their role or database has for the
// work of a service: building an index, or copying a table, takes as long as the table is large.
func WithoutLimits(c *pgx.ConnConfig) {
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		_, err := conn.Exec(ctx, `set statement_timeout = 0; set transaction_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`).ReadAll()
		return err
	}
}

// FirstAnswer is how long the hosts of a URL may take, one after the other, until one answers.
// pgx itself waits as long for each form of a connection that sslmode allows.
func FirstAnswer(c *pgx.ConnConfig) time.Duration {
	type host struct {
		name string
		port uint16
	}
	hosts := map[host]bool{{c.Host, c.Port}: true}
	for _, other := range c.Fallbacks {
		hosts[host{other.Host, other.Port}] = true
	}
	return time.Duration(len(hosts)) * secure.FirstAnswer
}

// connect makes the pools, which open connections once they are needed.
func connect(ctx context.Context, config *pgxpool.Config, c Config) (*DB, error) {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &DB{pool, &shared{Announce: c.Announce, Log: c.Logger, Late: c.MaxLateness, Keep: c.Keep.OrDefaults(), SendsMail: c.SendsMail, Closing: make(chan struct{}), Clock: clock.New(pool)}}
	generic := config.Copy()
	generic.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	generic.MaxConns = Committers
	if s.Inserts, err = pgxpool.NewWithConfig(ctx, generic); err != nil {
		s.Close()
		return nil, err
	}
	pools := map[string]*pgxpool.Pool{"stages": pool, "creations": s.Inserts}
	s.requests = pool
	if c.Requests > 0 {
		config = config.Copy()
		config.MaxConns = c.Requests
		if s.requests, err = pgxpool.NewWithConfig(ctx, config); err != nil {
			s.Close()
			return nil, err
		}
		pools["requests"] = s.requests
	}
	if s.Announce == nil {
		s.Announce = func(schema.Announcement) {}
	}
	s.Metrics = newMetrics(c.Registerer, pools, s.Clock)
	return s, nil
}

// Close waits for running work and closes the connections.
func (s *DB) Close() {
	close(s.Closing)
	s.Workers.Wait()
	for _, pool := range []*pgxpool.Pool{s.Inserts, s.requests, s.Pool} {
		if pool != nil {
			pool.Close() // also once more
		}
	}
}

// Now is PostgreSQL's clock, to within half a round trip.
func (s *DB) Now() time.Time { return s.Clock.Now() }

// Ahead is by how much Now is ahead by a jump of PostgreSQL's clock that nothing confirms yet.
func (s *DB) Ahead() time.Duration {
	_, ahead := s.Clock.Confirmed()
	return ahead
}

// Ping reports whether the server answers.
func (s *DB) Ping(ctx context.Context) error {
	if _, err := s.Pool.Exec(ctx, "select 1"); err != nil {
		return fmt.Errorf("asking PostgreSQL: %w", err)
	}
	return nil
}

// Committers is how many transactions that create run at a time, each on a connection of
// its own.
const Committers = 2
