package stream

import (
	"context"
	"net"
	"sync"
)

// maxUnanswered is how many connections to one broker may wait for its first answer. A
// healthy broker answers within a round trip.
const maxUnanswered = 4

// Dial connects to an address, as the method of net.Dialer does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// dialer opens connections, and limits how many to one address wait for a first answer. A
// broker that is starting accepts connections long before it serves them: they wait in a
// queue of 50 (Apache Kafka's socket.listen.backlog.size), and those that the client has
// given up stay in it. Once it is full, nobody can connect until seconds after the broker
// has begun to serve.
type dialer struct {
	dial Dial

	mu         sync.Mutex
	semaphores map[string]chan struct{} // by address
}

func newDialer(dial Dial) *dialer {
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	return &dialer{dial: dial, semaphores: map[string]chan struct{}{}}
}

// DialContext connects once fewer than maxUnanswered connections wait.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	semaphore := d.semaphore(address)
	select {
	case semaphore <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		<-semaphore
		return nil, err
	}
	return &unansweredConn{Conn: conn, release: sync.OnceFunc(func() { <-semaphore })}, nil
}

func (d *dialer) semaphore(address string) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.semaphores[address] == nil {
		d.semaphores[address] = make(chan struct{}, maxUnanswered)
	}
	return d.semaphores[address]
}

// unansweredConn releases its place in the semaphore once it is answered or closed.
type unansweredConn struct {
	net.Conn
	release func()
}

// Read implements net.Conn.
func (c *unansweredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.release()
	return n, err
}

// Close implements net.Conn.
func (c *unansweredConn) Close() error {
	c.release()
	return c.Conn.Close()
}
