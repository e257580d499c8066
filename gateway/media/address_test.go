package media_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"

	"crier/connectors/egress"
	"crier/gateway/gatewaytest"
)

// The addresses of these tests are all this machine's. One stands for the public internet;
// a connection to any other is one that an attacker wanted.
const (
	outside = "127.0.1.1"
	inside  = "127.0.0.1"
)

// changingNames is a resolver in the hands of an attacker: each look-up of a name takes the
// next of its answers, and the last one stays.
type changingNames struct {
	mu      sync.Mutex
	answers map[string][][]string
}

// set forgets all names but the given ones.
func (n *changingNames) set(answers map[string][][]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers = answers
}

func (n *changingNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answers := n.answers[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(answers) > 1 {
		n.answers[host] = answers[1:]
	}
	found := make([]netip.Addr, len(answers[0]))
	for i, text := range answers[0] {
		found[i] = netip.MustParseAddr(text)
	}
	return found, nil
}

// mediaSource serves a picture, and redirects, on every address of this machine.
type mediaSource struct {
	port      string
	outside   atomic.Int32 // connections to the address that is public
	elsewhere atomic.Int32 // and to others
}

func newMediaSource(t *testing.T, picture []byte) *mediaSource {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	s := new(mediaSource)
	_, s.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			to := r.URL.Query().Get("to")
			if r.URL.Path == "/loop" {
				to = "/loop"
			}
			if to != "" {
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusFound)
				return
			}
			w.Write(picture)
		}),
		ConnState: func(conn net.Conn, state http.ConnState) {
			if state != http.StateNew {
				return
			}
			if netip.MustParseAddrPort(conn.LocalAddr().String()).Addr().Unmap() == netip.MustParseAddr(outside) {
				s.outside.Add(1)
			} else {
				s.elsewhere.Add(1)
			}
		},
	}
	server.SetKeepAlivesEnabled(false) // a kept connection needs no look-up
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return s
}

// TestMediaIsFetchedFromCheckedAddressesOnly fetches what a name leads to that changes
// between the check and the fetch, and what redirects.
func TestMediaIsFetchedFromCheckedAddressesOnly(t *testing.T) {
	resolver := new(changingNames)
	shelf, change := gatewaytest.WithMediaIn(t, t.TempDir(), egress.Config{Resolver: resolver, Allowed: []netip.Prefix{netip.MustParsePrefix(outside + "/32")}})
	a := gatewaytest.New(t, change)
	source := newMediaSource(t, gatewaytest.PNG(t, 8, 8))
	at := func(host string) string { return "http://" + net.JoinHostPort(host, source.port) }
	redirect := func(to string) string { return at("public.example") + "/?to=" + to }
	stored := 0
	for name, tt := range map[string]struct {
		url     string
		answers [][]string // of rebound.example
		status  int
	}{
		"public, and stays so":                 {at("rebound.example"), [][]string{{outside}}, http.StatusCreated},
		"public at the check, then private":    {at("rebound.example"), [][]string{{outside}, {inside}}, http.StatusBadRequest},
		"public at the check, then IPv6":       {at("rebound.example"), [][]string{{outside}, {"::1"}}, http.StatusBadRequest},
		"public at the check, then mapped":     {at("rebound.example"), [][]string{{outside}, {"::ffff:" + inside}}, http.StatusBadRequest},
		"unknown at the check, then private":   {at("rebound.example"), [][]string{{}, {inside}}, http.StatusBadRequest},
		"then a private one beside it":         {at("rebound.example"), [][]string{{outside}, {inside, outside}}, http.StatusCreated},
		"private at the check":                 {at("rebound.example"), [][]string{{inside}, {outside}}, http.StatusBadRequest},
		"a redirect to another public name":    {redirect(at("rebound.example")), [][]string{{outside}}, http.StatusCreated},
		"a redirect to a private name":         {redirect(at("rebound.example")), [][]string{{inside}}, http.StatusBadRequest},
		"a redirect to a private address":      {redirect(at(inside)), nil, http.StatusBadRequest},
		"a redirect to one in IPv6":            {redirect(at("::1")), nil, http.StatusBadRequest},
		"a redirect to another scheme":         {redirect("file:///etc/passwd"), nil, http.StatusBadRequest},
		"a redirect back to a name rebound":    {at("rebound.example") + "/?to=" + at("rebound.example"), [][]string{{outside}, {outside}, {inside}}, http.StatusBadRequest},
		"a redirect to itself, without an end": {at("public.example") + "/loop", nil, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			resolver.set(map[string][][]string{"public.example": {{outside}}, "rebound.example": tt.answers})
			got := a.Request(http.MethodPost, "/media/from-url", map[string]any{"url": tt.url})
			if got.Status != tt.status {
				t.Errorf("status %d, want %d: %s", got.Status, tt.status, got.Body)
			}
			if got.Status == http.StatusCreated {
				stored++
			}
			if n := source.elsewhere.Load(); n != 0 {
				t.Errorf("%d connections to an address that is not public", n)
			}
			if files := shelf.Files(t); len(files) != stored {
				t.Errorf("files: %v, want %d", files, stored)
			}
			if total := a.Request(http.MethodGet, "/media", nil).Want(http.StatusOK).At("pagination", "total").Value; total != float64(stored) {
				t.Errorf("%v uploads are listed, want %d", total, stored)
			}
		})
	}
	if source.outside.Load() == 0 {
		t.Error("no connection was counted")
	}
}
