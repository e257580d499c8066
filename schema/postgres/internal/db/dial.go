package db

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// answerTimeout is how long the server may be silent while something is read from it:
// longer than any transaction lasts. A server whose machine or network vanished says
// nothing at all, and TCP alone would wait for a quarter of an hour.
const answerTimeout = TransactionTimeout + 5*time.Second

// dialPatiently connects for a connection that fails after answerTimeout of silence.
func dialPatiently(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{KeepAlive: 15 * time.Second}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &patientConn{Conn: conn, patience: answerTimeout}, nil
}

// patientConn gives each read a deadline, unless its user has set one.
type patientConn struct {
	net.Conn
	patience time.Duration
	chosen   atomic.Bool // the user's deadline stands
}

// Read implements net.Conn.
func (c *patientConn) Read(b []byte) (int, error) {
	if !c.chosen.Load() {
		if err := c.Conn.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
			return 0, err
		}
		if c.chosen.Load() { // set meanwhile, and overwritten: the user wants the read to end
			return 0, context.DeadlineExceeded
		}
	}
	return c.Conn.Read(b)
}

// SetDeadline implements net.Conn.
func (c *patientConn) SetDeadline(t time.Time) error {
	c.chosen.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *patientConn) SetReadDeadline(t time.Time) error {
	c.chosen.Store(!t.IsZero())
	return c.Conn.SetReadDeadline(t)
}
