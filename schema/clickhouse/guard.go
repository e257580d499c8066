package clickhouse

import (
	"context"
	"errors"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/sony/gobreaker/v2"

	"crier/schema"
)

const (
	// probeTimeout is how long the server may take to answer whether it is there.
	probeTimeout = time.Second
	// probeEvery is how long reads are refused at once after a probe without an answer.
	probeEvery = 2 * time.Second
)

// guardedConn refuses reads at once while the server hangs: after the first that it did not answer.
// A read without an answer does not open the breaker by itself, since it may be a slow one of a server
// that answers all others: a probe does.
type guardedConn struct {
	driver.Conn
	breaker *gobreaker.CircuitBreaker[struct{}]
}

func guard(conn driver.Conn) *guardedConn {
	return &guardedConn{conn, gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "ClickHouse", MaxRequests: 1, Timeout: probeEvery,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures > 0 },
	})}
}

// Query returns the rows of a read.
func (g *guardedConn) Query(ctx context.Context, query string, args ...any) (driver.Rows, error) {
	if err := g.admit(ctx); err != nil {
		return nil, err
	}
	rows, err := g.Conn.Query(ctx, query, args...)
	g.judge(ctx, err)
	return rows, err
}

// Select reads all rows into dest.
func (g *guardedConn) Select(ctx context.Context, dest any, query string, args ...any) error {
	if err := g.admit(ctx); err != nil {
		return err
	}
	err := g.Conn.Select(ctx, dest, query, args...)
	g.judge(ctx, err)
	return err
}

// admit refuses a read while the breaker is open. Once it is half open, one read probes first.
func (g *guardedConn) admit(ctx context.Context) error {
	_, err := g.breaker.Execute(func() (struct{}, error) {
		if g.breaker.State() == gobreaker.StateHalfOpen {
			return struct{}{}, g.probe(ctx)
		}
		return struct{}{}, nil
	})
	if err == nil {
		return nil
	}
	return &schema.Error{Kind: schema.Unavailable, RetryAfter: probeEvery, Message: "analytics do not answer; try again", Err: err}
}

// judge probes the server where a read got no answer.
func (g *guardedConn) judge(ctx context.Context, err error) {
	_, answered := errors.AsType[*clickhouse.Exception](err)
	if err == nil || answered || errors.Is(err, context.Canceled) {
		return
	}
	_, _ = g.breaker.Execute(func() (struct{}, error) { return struct{}{}, g.probe(ctx) }) // the breaker keeps what it finds
}

// probe asks the server whether it is there. The time of the read, or its client, does not end it.
func (g *guardedConn) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
	defer cancel()
	return g.Ping(ctx)
}
