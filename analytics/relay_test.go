package analytics_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// relay stands between crier and a part, and can be cut as a network is.
type relay struct {
	target   string
	listener net.Listener

	mu    sync.Mutex
	down  bool
	away  int // connections that were turned away
	conns map[net.Conn]bool
	work  sync.WaitGroup
}

// newRelay returns a relay to the part at an address, and the address that leads through it.
func newRelay(t *testing.T, address string) (*relay, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{target: u.Host, listener: l, conns: map[net.Conn]bool{}}
	r.work.Go(r.serve)
	t.Cleanup(func() {
		_ = l.Close()
		r.cut()
		r.work.Wait()
	})
	return r, through(address, l.Addr().String())
}

func (r *relay) serve() {
	for {
		from, err := r.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", r.target)
		if err != nil {
			_ = from.Close()
			continue
		}
		if r.keep(from, to) {
			r.work.Go(func() { r.carry(from, to) })
			r.work.Go(func() { r.carry(to, from) })
		}
	}
}

// keep notes the two ends of a connection, or closes them while the relay is cut.
func (r *relay) keep(from, to net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down {
		_, _ = from.Close(), to.Close()
		r.away++
		return false
	}
	r.conns[from], r.conns[to] = true, true
	return true
}

func (r *relay) carry(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = from.Close(), to.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, from)
	delete(r.conns, to)
}

// cut ends all connections and lets none through.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = true
	for conn := range r.conns {
		_ = conn.Close()
	}
}

func (r *relay) mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = false
}

// refused returns how many connections were turned away.
func (r *relay) refused() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away
}
