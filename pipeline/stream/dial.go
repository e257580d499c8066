package stream

import (
	"context"
	"net"
	"sync"
)

// untriedPerBroker is how many connections to one broker may wait for its first answer. A
// healthy broker answers within a round trip.
const untriedPerBroker = 4

// dialer opens connections, to each address only a few at a time until they are answered.
// A broker that is starting accepts connections long before it serves them: they wait in a
// queue of 50 (Apache Kafka's socket.listen.backlog.size), and connections that the client
// gave up stay in it. Once it is full, nobody can connect for seconds after the broker has
// begun to serve.
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

// untriedConn lets another connection be made once it is answered or closed.
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
