package control

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// pgxDriver runs the control where pgbench is not installed.
type pgxDriver struct{ postgres string }

func (d pgxDriver) name(clients int) string {
	return fmt.Sprintf("pgx create4 %d connection%s", clients, plural(clients))
}

func (d pgxDriver) rate(ctx context.Context, clients int, limit time.Duration) (float64, error) {
	times, took, err := d.run(ctx, clients, limit)
	return float64(len(times)) / took.Seconds(), err
}

func (d pgxDriver) times(ctx context.Context, limit time.Duration) ([]time.Duration, error) {
	times, _, err := d.run(ctx, 1, limit)
	return times, err
}

// run repeats the transaction on all connections for a time, and returns how long each took
// and how long the whole run took.
func (d pgxDriver) run(ctx context.Context, clients int, limit time.Duration) ([]time.Duration, time.Duration, error) {
	conns, err := d.connect(ctx, clients)
	defer func() {
		for _, conn := range conns {
			_ = conn.Close(context.WithoutCancel(ctx)) // nothing is in flight
		}
	}()
	if err != nil {
		return nil, 0, err
	}
	statements := parseStatements(createSQL)
	began := time.Now()
	each := make([][]time.Duration, clients)
	group, ctx := errgroup.WithContext(ctx)
	for i, conn := range conns {
		group.Go(func() (err error) {
			each[i], err = repeat(ctx, conn, statements, began.Add(limit))
			return err
		})
	}
	err = group.Wait()
	return slices.Concat(each...), time.Since(began), err
}

func (d pgxDriver) connect(ctx context.Context, clients int) ([]*pgx.Conn, error) {
	var conns []*pgx.Conn
	for range clients {
		conn, err := pgx.Connect(ctx, d.postgres)
		if err != nil {
			return conns, fmt.Errorf("connecting the control: %w", err)
		}
		conns = append(conns, conn)
	}
	return conns, nil
}

// repeat runs the transaction until a time.
func repeat(ctx context.Context, conn *pgx.Conn, statements []statement, until time.Time) ([]time.Duration, error) {
	var times []time.Duration
	for {
		began := time.Now()
		if !began.Before(until) {
			return times, nil
		}
		values := map[string]int64{"tenant": rand.Int64N(tenants), "high": rand.Int64N(highEnd), "low": rand.Int64N(lowEnd)}
		for _, s := range statements {
			if _, err := conn.Exec(ctx, s.text, s.arguments(values)...); err != nil {
				return times, errors.Join(fmt.Errorf("running %.40q", s.text), err)
			}
		}
		times = append(times, time.Since(began))
	}
}

// statement is a statement of the control with pgx's placeholders.
type statement struct {
	text      string
	variables []string // of $1, $2, …
}

func (s statement) arguments(values map[string]int64) []any {
	arguments := make([]any, len(s.variables))
	for i, name := range s.variables {
		arguments[i] = values[name]
	}
	return arguments
}

// variable is a variable of pgbench: a colon and a name, but no cast, which has two.
var variable = regexp.MustCompile(`:+[a-z]+`)

// parseStatements reads a script of pgbench that has a statement a line.
func parseStatements(script string) []statement {
	var statements []statement
	for line := range strings.Lines(script) {
		var s statement
		s.text = variable.ReplaceAllStringFunc(strings.TrimSpace(line), func(found string) string {
			name := found[1:]
			if strings.HasPrefix(name, ":") {
				return found
			}
			at := slices.Index(s.variables, name)
			if at < 0 {
				at, s.variables = len(s.variables), append(s.variables, name)
			}
			return fmt.Sprintf("$%d", at+1)
		})
		statements = append(statements, s)
	}
	return statements
}
