package stream

import (
	"context"
	"net"
	"sync"
)

// untriedPerBroker is how many connections to one broker may be waiting for its first
// answer. All are made in a healthy cluster's round trip.
const untriedPerBroker = 4

// dialer opens connections, to each address a few at a time until they have proved
// themselves. A broker that is starting takes connections long before it serves them:
// they wait in a queue of 50 (Apache Kafka's socket.listen.backlog.size), where those that
// were given up stay too. Once it is full, nobody connects for seconds after the broker
// has begun to serve.
type dialer struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu      sync.Mutex
	untried map[string]chan struct{} // by address; holds one value a connection
}

func newDialer() *dialer {
	return &dialer{dial: (&net.Dialer{Timeout: dialTimeout}).DialContext, untried: map[string]chan struct{}{}}
}

// DialContext waits for its turn and connects.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	untried := d.of(address)
	select {
	case untried <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		<-untried
		return nil, err
	}
	return &untriedConn{Conn: conn, proved: sync.OnceFunc(func() { <-untried })}, nil
}

func (d *dialer) of(address string) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.untried[address] == nil {
		d.untried[address] = make(chan struct{}, untriedPerBroker)
	}
	return d.untried[address]
}

// untriedConn gives its turn to another once it was answered, or is closed.
type untriedConn struct {
	net.Conn
	proved func()
}

// Read implements net.Conn.
func (c *untriedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.proved()
	return n, err
}

// Close implements net.Conn.
func (c *untriedConn) Close() error {
	c.proved()
	return c.Conn.Close()
}
