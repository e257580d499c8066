package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"crier/schema"
)

// trap is a server on this machine that counts the connections to it.
type trap struct {
	port        string
	connections atomic.Int32
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	tr := &trap{}
	// All addresses of this machine, IPv6 included where there is one.
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	_, tr.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				tr.connections.Add(1)
			}
		},
	}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return tr
}

// names is a resolver of given names; each look-up of a name takes its next answer,
// and the last one stays. Every other name is this machine, as the most careless
// resolver would have it.
type names struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answers, ok := n.answers[host]
	if !ok {
		return addresses("127.0.0.1", "::1"), nil
	}
	if len(answers) > 1 {
		n.answers[host] = answers[1:]
	}
	if len(answers[0]) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return answers[0], nil
}

func addresses(texts ...string) []netip.Addr {
	parsed := make([]netip.Addr, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParseAddr(text)
	}
	return parsed
}

// hostileHosts are ways to name an address that is not public.
func hostileHosts() []string {
	return []string{
		// This machine.
		"127.0.0.1", "127.0.0.2", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.0.0.1", "0.255.255.255",
		"localhost", "LOCALHOST", "localhost.", "localhost.localdomain", "foo.localhost", "127.0.0.1.nip.io",
		// IPv4 in unusual forms.
		"127.1", "127.0.1", "0", "127.0.0.1.", "2130706433", "2130706434", "017700000001", "0x7f000001", "0x7F000001",
		"0x7f.0.0.1", "0x7f.0x0.0x0.0x1", "0x7f.1", "0177.0.0.1", "0177.0.0.01", "0177.1", "00000177.0.0.1",
		"127.0.0.0x1", "127.0.0.01", "127.000.000.001", "3232235777", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376",
		"0xA9.0xFE.0xA9.0xFE", "169.254.43518", "10.1", "0xa.1", "4294967295", "0xffffffff", "1.0x", "1.2.3.4.5",
		// IPv4 in other digits and dots.
		"①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1", "１２７.０.０.１", "ⓛocalhost",
		// IPv6.
		"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::0001]", "[::2]",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]",
		"[::ffff:0:127.0.0.1]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0.0.0.0]",
		"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[2002:7f00:1::]",
		"[2002:a00:1::1]", "[2001:0:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]", "[100::1]",
		"[fe80::1]", "[fe80::1%25lo]", "[::1%25lo]", "[febf::1]", "[fec0::1]", "[fc00::1]", "[fd00::1]",
		"[fd00:ec2::254]", "[fdff::1]", "[ff02::1]", "[ff0e::1]",
		// Networks that are not public, and clouds' metadata.
		"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255",
		"169.254.169.254", "169.254.0.1", "169.254.170.2", "100.64.0.1", "100.100.100.200", "100.127.255.255",
		"192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
		"203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"metadata.google.internal",
	}
}

func TestHostileAddressesGetNoConnection(t *testing.T) {
	trap := newTrap(t)
	e := New(Config{Resolver: &names{}})
	urls := []string{
		"http://user@127.0.0.1:" + trap.port, "http://example.com@127.0.0.1:" + trap.port,
		"http://example.com:80@127.0.0.1:" + trap.port, "http://127.0.0.1:" + trap.port + "#@example.com",
		"http://127.0.0.1:" + trap.port + "?@example.com", "http://127.0.0.1:" + trap.port + "\\@example.com",
		"http:\\\\127.0.0.1:" + trap.port, "http:/127.0.0.1:" + trap.port, "http:127.0.0.1:" + trap.port,
		"//127.0.0.1:" + trap.port, "127.0.0.1:" + trap.port, "http://", "http://:" + trap.port, "http:///path",
		"ftp://127.0.0.1:" + trap.port, "file:///etc/passwd", "gopher://127.0.0.1:" + trap.port, "unix:///run/x.sock",
		"http+unix://%2Frun%2Fx.sock/", "data:text/plain,hi", "javascript:alert(1)", "HTTP://127.0.0.1:" + trap.port,
		"http://%31%32%37.0.0.1:" + trap.port, "http://127.0.0.1%00.example.com:" + trap.port,
		"http://127.0.0.1%2eexample.com:" + trap.port, "http://[::1", "http://[::1]]:" + trap.port, "",
		" http://127.0.0.1:" + trap.port, "http://127.0.0.1 :" + trap.port, "http://127.0.0.1\t:" + trap.port,
	}
	for _, host := range hostileHosts() {
		urls = append(urls, "http://"+host+":"+trap.port+"/")
	}
	if len(urls) < 100 {
		t.Fatalf("%d hostile urls, want at least 100", len(urls))
	}
	for _, address := range urls {
		if err := e.CheckURL(t.Context(), address); err == nil {
			t.Errorf("CheckURL(%q) passes", address)
		}
		response, err := e.Client().Get(address)
		if err == nil {
			response.Body.Close()
			t.Errorf("GET %q was answered", address)
		}
		conn, err := e.DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/"))
		if err == nil {
			conn.Close()
			t.Errorf("dialing %q connects", address)
		}
	}
	if got := trap.connections.Load(); got != 0 {
		t.Errorf("%d connections were made", got)
	}
}

// The trap must be able to catch.
func TestTrapCatchesAnUnguardedClient(t *testing.T) {
	trap := newTrap(t)
	e := New(Config{Resolver: &names{}, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(e.CloseIdle)
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "metadata.google.internal"} {
		response, err := e.Client().Get("http://" + host + ":" + trap.port)
		if err != nil {
			t.Fatalf("%s: %v", host, err)
		}
		response.Body.Close()
	}
	if trap.connections.Load() == 0 {
		t.Error("no connection was counted")
	}
}

func TestReboundNameGetsNoConnection(t *testing.T) {
	trap := newTrap(t)
	const public = "93.184.215.14"
	for name, answers := range map[string][][]netip.Addr{
		"public at the check, private at the connection": {addresses(public), addresses("127.0.0.1")},
		"public, then this machine in IPv6":              {addresses(public), addresses("::1")},
		"public, then mapped":                            {addresses(public), addresses("::ffff:127.0.0.1")},
		"unknown, then private":                          {{}, addresses("127.0.0.1")},
	} {
		t.Run(name, func(t *testing.T) {
			e := New(Config{Resolver: &names{answers: map[string][][]netip.Addr{"rebind.example": answers}}})
			if err := e.CheckURL(t.Context(), "http://rebind.example/"); err != nil {
				t.Fatalf("CheckURL = %v, want the name to pass the first time", err)
			}
			_, err := e.Client().Get("http://rebind.example:" + trap.port)
			if schema.KindOf(err) != schema.Refused {
				t.Errorf("GET = %v, want Refused", err)
			}
		})
	}
	if got := trap.connections.Load(); got != 0 {
		t.Errorf("%d connections were made", got)
	}
}

func TestOfSeveralAddressesOnlyPermittedAreTried(t *testing.T) {
	trap := newTrap(t)
	// One allowed network stands for the public internet; the other addresses are this
	// machine's too and would answer.
	e := New(Config{
		Resolver: &names{answers: map[string][][]netip.Addr{"mixed.example": {addresses("127.0.0.1", "127.0.0.3", "127.0.1.1")}}},
		Allowed:  []netip.Prefix{netip.MustParsePrefix("127.0.1.0/24")},
	})
	conn, err := e.DialContext(t.Context(), "tcp", "mixed.example:"+trap.port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := conn.RemoteAddr().(*net.TCPAddr).IP.String(); got != "127.0.1.1" {
		t.Errorf("connected to %s, want the permitted address", got)
	}
}

func TestNextAddressIsTried(t *testing.T) {
	trap := newTrap(t)
	e := New(Config{
		Resolver: &names{answers: map[string][][]netip.Addr{"two.example": {addresses("::1", "127.0.0.1")}}},
		Allowed:  []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	})
	conn, err := e.DialContext(t.Context(), "tcp4", "two.example:"+trap.port)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestRedirects(t *testing.T) {
	trap := newTrap(t)
	// 127.0.1.0/24 stands for the public internet.
	listener, err := net.Listen("tcp", "127.0.1.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var referer atomic.Value
	referer.Store("")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch target := r.URL.Query().Get("to"); {
		case r.URL.Path == "/left":
			var left int
			fmt.Sscan(r.URL.Query().Get("n"), &left)
			if left > 0 {
				http.Redirect(w, r, fmt.Sprintf("/left?n=%d", left-1), http.StatusFound)
			}
		case target != "":
			w.Header().Set("Location", target)
			w.WriteHeader(http.StatusFound)
		default:
			referer.Store(r.Referer())
		}
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	e := New(Config{Resolver: &names{}, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.1.0/24")}})
	t.Cleanup(e.CloseIdle)

	for name, tt := range map[string]struct {
		path string
		want bool // answered
	}{
		"public":              {"/?to=" + server.URL, true},
		"five":                {"/left?n=5", true},
		"six":                 {"/left?n=6", false},
		"this machine":        {"/?to=http://127.0.0.1:" + trap.port, false},
		"this machine's name": {"/?to=http://localhost:" + trap.port, false},
		"IPv6":                {"/?to=http://[::1]:" + trap.port, false},
		"decimal":             {"/?to=http://2130706433:" + trap.port, false},
		"without a scheme":    {"/?to=//127.0.0.1:" + trap.port, false},
		"metadata":            {"/?to=http://169.254.169.254/latest/meta-data", false},
		"user part":           {"/?to=http://a:b@127.0.1.1:" + trap.port, false},
		"file":                {"/?to=file:///etc/passwd", false},
		"twice":               {"/?to=%2F%3Fto%3Dhttp:%2F%2F127.0.0.1:" + trap.port, false},
	} {
		t.Run(name, func(t *testing.T) {
			response, err := e.Client().Get(server.URL + tt.path)
			if err == nil {
				response.Body.Close()
			} else if _, ok := errors.AsType[*schema.Error](err); !ok {
				t.Errorf("error = %v, want a *schema.Error", err)
			}
			if (err == nil) != tt.want {
				t.Errorf("GET = %v, want answered: %t", err, tt.want)
			}
		})
	}
	if got := trap.connections.Load(); got != 0 {
		t.Errorf("%d connections were made", got)
	}
	if got := referer.Load(); got != "" {
		t.Errorf("the redirect told where it came from: %q", got)
	}
}

func TestNoRedirectFromHTTPSToHTTP(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	t.Cleanup(secure.Close)
	e := New(Config{Resolver: &names{}, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(e.CloseIdle)
	client := secure.Client() // trusts the server's certificate
	client.CheckRedirect = e.Client().CheckRedirect
	_, err := client.Get(secure.URL)
	if schema.KindOf(err) != schema.Refused {
		t.Errorf("GET = %v, want Refused", err)
	}
}

func TestConfiguredHostIsExempt(t *testing.T) {
	configured, other := newTrap(t), newTrap(t)
	e := New(Config{Resolver: &names{}, AllowedHosts: []string{"localhost:" + configured.port}})
	t.Cleanup(e.CloseIdle)
	response, err := e.Client().Get("http://localhost:" + configured.port)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	for _, address := range []string{"http://localhost:" + other.port, "http://127.0.0.1:" + configured.port} {
		if _, err := e.Client().Get(address); err == nil {
			t.Errorf("GET %s was answered: only the configured address is exempt", address)
		}
	}
}

func TestCheckURL(t *testing.T) {
	e := New(Config{Resolver: &names{answers: map[string][][]netip.Addr{
		"example.com":      {addresses("93.184.215.14")},
		"xn--bcher-kva.de": {addresses("93.184.215.14")},
		"half.example":     {addresses("10.0.0.1", "93.184.215.14")},
		"not-yet.example":  {{}},
		"localhost":        {{}},
		"localhost.":       {{}},
		"app.localhost":    {{}},
		"app.invalid":      {addresses("10.0.0.1")},
		"inside.example":   {addresses("10.0.0.1", "fd00::1")},
	}}})
	for name, tt := range map[string]struct {
		url  string
		want bool
	}{
		"a public name":                {"https://example.com/hook?a=b", true},
		"a port":                       {"http://example.com:8080/", true},
		"a port beyond the last":       {"https://example.com:65536/", false},
		"port 0":                       {"https://example.com:0/", false},
		"a colon without a port":       {"https://example.com:/", true},
		"a name in other letters":      {"https://bücher.de/", true},
		"a name not yet there":         {"https://not-yet.example/", true},
		"localhost, not resolved":      {"https://localhost/", false},
		"localhost with a dot":         {"https://localhost./", false},
		"a name under localhost":       {"https://app.Localhost/", false},
		"a name that is never there":   {"https://app.Invalid./", true},
		"a public address":             {"https://8.8.8.8/", true},
		"a public address in IPv6":     {"https://[2606:4700::1111]/", true},
		"a public address, mapped":     {"https://[::ffff:8.8.8.8]/", true},
		"one public address of two":    {"https://half.example/", true},
		"no public address":            {"https://inside.example/", false},
		"next to a private network":    {"http://172.32.0.1/", true},
		"just inside of it":            {"http://172.31.255.255/", false},
		"a user part without password": {"https://me@example.com/", false},
	} {
		t.Run(name, func(t *testing.T) {
			err := e.CheckURL(t.Context(), tt.url)
			if (err == nil) != tt.want {
				t.Fatalf("CheckURL = %v, want passing: %t", err, tt.want)
			}
			if err != nil && schema.KindOf(err) != schema.Invalid {
				t.Errorf("error = %v, want a *schema.Error of kind Invalid", err)
			}
		})
	}
}

func TestNamesAreResolvedByTheSystemUnlessToldOtherwise(t *testing.T) {
	err := New(Config{}).CheckURL(t.Context(), "https://localhost/a.png")
	if e, ok := errors.AsType[*schema.Error](err); !ok || !strings.Contains(e.Message, "not public") {
		t.Errorf("localhost: %v; want that its address is not public", err)
	}
}
