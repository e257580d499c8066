package embedded

import (
	"errors"
	"net"
	"sync"
	"time"
)

// jointListener accepts what either of two listeners does.
type jointListener struct {
	net.Listener // whose address is that of both
	conns        chan net.Conn
	closed       chan struct{}
	close        func() error
}

func joinListeners(a, b net.Listener) *jointListener {
	l := &jointListener{Listener: a, conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return errors.Join(a.Close(), b.Close())
	})
	go l.acceptFrom(a)
	go l.acceptFrom(b)
	return l
}

// acceptPause is how long a listener rests after an error: the process may have no file descriptor
// free for a moment.
const acceptPause = 50 * time.Millisecond

// acceptFrom goes on after errors until the listener is closed: one that has none left of what it
// needs must not end the other.
func (l *jointListener) acceptFrom(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			select {
			case <-time.After(acceptPause):
				continue
			case <-l.closed:
				return
			}
		}
		select {
		case l.conns <- conn:
		case <-l.closed:
			_ = conn.Close() // nobody serves it
			return
		}
	}
}

// Accept implements net.Listener.
func (l *jointListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *jointListener) Close() error { return l.close() }
