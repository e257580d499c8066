package bench

import (
	"context"
	_ "embed" // for the SQL of the control
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5"
)

// controlTables makes the tables of the control, in a schema of its own.
//
//go:embed sql/control_tables.sql
var controlTables string

// controlCreate is the control's transaction, one statement a line: it writes what the
// creation of one post writes, without batching, in a round trip for each statement. Its
// variables :tenant, :high and :low are random numbers below the bounds that follow.
//
//go:embed sql/control_create.sql
var controlCreate string

const (
	tenants  = 64
	highEnd  = 1 << 24
	lowEnd   = 1 << 53
	dropAll  = "drop schema if exists crier_bench cascade"
	oneLimit = 30 * time.Second
)

// control creates posts without batching in the PostgreSQL of a server, which must be idle
// meanwhile.
type control struct {
	postgres string
	driver   controlDriver
}

// controlDriver runs the control's transaction on some connections at a time.
type controlDriver interface {
	// name says what runs it, with the number of connections.
	name(clients int) string
	// rate returns the transactions a second.
	rate(ctx context.Context, clients int, d time.Duration) (float64, error)
	// times returns how long each transaction took, on one connection.
	times(ctx context.Context, d time.Duration) (samples, error)
}

// newControl prefers pgbench, which needs less processor time than a driver in Go.
func newControl(postgres string) (*control, error) {
	config, err := pgx.ParseConfig(postgres)
	if err != nil {
		return nil, errors.New("the URL of PostgreSQL, for the control, cannot be read")
	}
	c := &control{postgres: postgres, driver: pgxDriver{postgres}}
	if path, err := exec.LookPath("pgbench"); err == nil {
		c.driver = pgbenchDriver{path, config}
	}
	return c, nil
}

// onTables runs work on new tables and drops them.
func (c *control) onTables(ctx context.Context, work func() error) (err error) {
	conn, err := pgx.Connect(ctx, c.postgres)
	if err != nil {
		return fmt.Errorf("connecting the control: %w", err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), oneLimit)
		defer cancel()
		_, dropping := conn.Exec(ending, dropAll)
		err = errors.Join(err, dropping, conn.Close(ending))
	}()
	if _, err := conn.Exec(ctx, controlTables); err != nil {
		return fmt.Errorf("making the control's tables: %w", err)
	}
	return work()
}

// controlled is the results of the control, from before and after the measurement that is
// compared with it.
type controlled struct {
	rates []float64
	times samples
}

const (
	controlClients = 16
	controlMany    = 4 * time.Second // whole seconds, as pgbench counts
	controlOne     = 2 * time.Second
)

// measure adds a run of the control.
func (c *control) measure(ctx context.Context, to *controlled) error {
	return c.onTables(ctx, func() error {
		rate, err := c.driver.rate(ctx, controlClients, controlMany)
		if err != nil {
			return fmt.Errorf("running the control: %w", err)
		}
		times, err := c.driver.times(ctx, controlOne)
		if err != nil {
			return fmt.Errorf("running the control: %w", err)
		}
		to.rates, to.times = append(to.rates, rate), append(to.times, times...)
		return nil
	})
}

// rate is the mean of the runs.
func (c *controlled) rate() float64 {
	sum := 0.0
	for _, r := range c.rates {
		sum += r
	}
	return sum / float64(len(c.rates))
}
