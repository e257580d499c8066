package compose_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy is a stretch of network between two parts that a test breaks and mends.
type proxy struct {
	listener net.Listener

	mu      sync.Mutex
	to      string // where new connections go
	cut     bool   // new connections are closed at once
	silent  bool   // nothing gets through, and nobody is told
	latency time.Duration
	conns   map[net.Conn]struct{}

	carried atomic.Int64 // bytes, both ways
}

// newProxy starts a stretch of network to an address.
func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, to: to, conns: map[net.Conn]struct{}{}}
	var serving sync.WaitGroup
	serving.Go(func() { p.serve(&serving) })
	t.Cleanup(func() {
		listener.Close()
		p.change(func() { p.silent, p.cut = false, true })
		serving.Wait()
	})
	return p
}

// proxyURL returns a URL that goes through a new proxy.
func proxyURL(t *testing.T, address string) (string, *proxy) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, u.Host)
	u.Host = p.listener.Addr().String()
	return u.String(), p
}

// change alters the network; all connections of before are cut when it is cut.
func (p *proxy) change(how func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	how()
	if p.cut {
		for conn := range p.conns {
			conn.Close()
		}
	}
}

func (p *proxy) serve(serving *sync.WaitGroup) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		serving.Go(func() { p.connect(client) })
	}
}

func (p *proxy) connect(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	to, cut := p.to, p.cut
	p.mu.Unlock()
	if cut {
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	p.change(func() { p.conns[client], p.conns[server] = struct{}{}, struct{}{} })
	defer p.change(func() { delete(p.conns, client); delete(p.conns, server) })
	var copying sync.WaitGroup
	copying.Go(func() { p.copy(server, client) })
	copying.Go(func() { p.copy(client, server) })
	copying.Wait()
}

// copy carries bytes one way until either side ends; then both do.
func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		latency, silent := p.latency, p.silent
		p.mu.Unlock()
		time.Sleep(latency)
		if silent {
			_, _ = io.Copy(io.Discard, from) // what is sent is swallowed until the end
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
			p.carried.Add(int64(n))
		}
		if err != nil {
			return
		}
	}
}
