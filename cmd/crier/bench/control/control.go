// Package control is what creation is measured against: the rows of one post, written by PostgreSQL's
// own tool without batching, in the PostgreSQL of the server that is measured.
package control

import (
	"context"
	_ "embed" // for the SQL of the control
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5"
)

// tablesSQL makes the tables of the control, in a schema of its own.
//
//go:embed sql/tables.sql
var tablesSQL string

// createSQL is the control's transaction, one statement a line: it writes what the
// creation of one post writes, without batching, in a round trip for each statement. Its
// variables :tenant, :high and :low are random numbers below the bounds that follow.
//
//go:embed sql/create.sql
var createSQL string

const (
	tenants     = 64
	highEnd     = 1 << 24
	lowEnd      = 1 << 53
	dropAll     = "drop schema if exists crier_bench cascade"
	dropTimeout = 30 * time.Second
)

// Control creates posts without batching in the PostgreSQL of a server, which must be idle
// meanwhile.
type Control struct {
	postgres string
	driver   driver
}

// driver runs the control's transaction on some connections at a time.
type driver interface {
	// name says what runs it, with the number of connections.
	name(clients int) string
	// rate returns the transactions a second.
	rate(ctx context.Context, clients int, d time.Duration) (float64, error)
	// times returns how long each transaction took, on one connection.
	times(ctx context.Context, d time.Duration) ([]time.Duration, error)
}

// New prefers pgbench, which needs less processor time than a driver in Go.
func New(postgres string) (*Control, error) {
	config, err := pgx.ParseConfig(postgres)
	if err != nil {
		return nil, errors.New("the URL of PostgreSQL, for the control, cannot be read")
	}
	c := &Control{postgres: postgres, driver: pgxDriver{postgres}}
	if path, err := exec.LookPath("pgbench"); err == nil {
		c.driver = pgbenchDriver{path, config}
	}
	return c, nil
}

// Name says what runs it, on some connections at a time.
func (c *Control) Name(clients int) string { return c.driver.name(clients) }

// onTables runs work on new tables and drops them.
func (c *Control) onTables(ctx context.Context, work func() error) (err error) {
	conn, err := pgx.Connect(ctx, c.postgres)
	if err != nil {
		return fmt.Errorf("connecting the control: %w", err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTimeout)
		defer cancel()
		_, dropping := conn.Exec(ending, dropAll)
		err = errors.Join(err, dropping, conn.Close(ending))
	}()
	if _, err := conn.Exec(ctx, tablesSQL); err != nil {
		return fmt.Errorf("making the control's tables: %w", err)
	}
	return work()
}

// Results are those of all runs so far.
type Results struct {
	Rates []float64       // transactions a second on many connections, of each run
	Times []time.Duration // of each transaction on one connection
}

// Clients is how many connections the control's rate is of.
const Clients = 16

const (
	parallelDuration = 4 * time.Second // whole seconds, as pgbench counts
	singleDuration   = 2 * time.Second
)

// Measure adds a run.
func (c *Control) Measure(ctx context.Context, to *Results) error {
	return c.onTables(ctx, func() error {
		rate, err := c.driver.rate(ctx, Clients, parallelDuration)
		if err != nil {
			return fmt.Errorf("running the control: %w", err)
		}
		times, err := c.driver.times(ctx, singleDuration)
		if err != nil {
			return fmt.Errorf("running the control: %w", err)
		}
		to.Rates, to.Times = append(to.Rates, rate), append(to.Times, times...)
		return nil
	})
}

// Rate is the mean of the runs.
func (r *Results) Rate() float64 {
	sum := 0.0
	for _, rate := range r.Rates {
		sum += rate
	}
	return sum / float64(len(r.Rates))
}
