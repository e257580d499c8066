package egress

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// Resolver finds the addresses of a name; net.DefaultResolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config is what an Egress is made of. Zero timeouts mean the defaults.
type Config struct {
	Resolver Resolver // net.DefaultResolver when nil
	// Allowed are networks that may be connected to though they are not public.
	Allowed []netip.Prefix
	// AllowedHosts are configured addresses, host:port, that are not checked. Give
	// them only to the Egress of calls whose address an operator configured.
	AllowedHosts []string

	TLS *tls.Config // nil: the system's authorities

	UserAgent string // of requests that name none; empty: Go's

	ConnectTimeout time.Duration // of all addresses of a name together; 5 s
	HeaderTimeout  time.Duration // from the request sent to the answer's header; 30 s
}

const (
	defaultConnectTimeout = 5 * time.Second
	defaultHeaderTimeout  = 30 * time.Second

	// Platforms are few and called often: connections to them are kept, but not for
	// long, as a server that closes one first may lose a request on it.
	idlePerHost = 512
	idleInAll   = 2048
	idleTimeout = 30 * time.Second

	pingAfter    = 15 * time.Second // of silence on an HTTP/2 connection with a call on it
	pingTimeout  = 5 * time.Second
	largestHead  = 256 << 10 // bytes of an answer's header
	maxRedirects = 5
)

// Egress dials out to public addresses only. It is safe for concurrent use.
type Egress struct {
	resolver       Resolver
	networks       networks
	allowedHosts   []string
	connectTimeout time.Duration
	client         *http.Client
}

// New makes an Egress.
func New(config Config) *Egress {
	e := &Egress{
		resolver:       config.Resolver,
		networks:       newNetworks(config.Allowed),
		allowedHosts:   slices.Clone(config.AllowedHosts),
		connectTimeout: orDefault(config.ConnectTimeout, defaultConnectTimeout),
	}
	if e.resolver == nil {
		e.resolver = net.DefaultResolver
	}
	e.client = &http.Client{
		Transport: named{config.UserAgent, &http.Transport{
			Proxy:                  nil, // a proxy would connect past the guard
			DialContext:            e.DialContext,
			ForceAttemptHTTP2:      true,
			TLSClientConfig:        config.TLS,
			TLSHandshakeTimeout:    e.connectTimeout,
			ResponseHeaderTimeout:  orDefault(config.HeaderTimeout, defaultHeaderTimeout),
			MaxIdleConns:           idleInAll,
			MaxIdleConnsPerHost:    idlePerHost,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: largestHead,
			HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		}},
		CheckRedirect: checkRedirect,
	}
	return e
}

// named says in every request who makes it, so that whoever is called can tell and ask.
type named struct {
	userAgent string
	next      *http.Transport
}

// RoundTrip makes one request.
func (n named) RoundTrip(r *http.Request) (*http.Response, error) {
	if n.userAgent != "" && r.Header.Get("User-Agent") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", n.userAgent)
	}
	return n.next.RoundTrip(r)
}

// CloseIdleConnections is what http.Client asks for when nobody uses it.
func (n named) CloseIdleConnections() { n.next.CloseIdleConnections() }

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// Client returns the client whose every connection passes the guard. It has no time
// limit of its own for a whole exchange: its user sets one with the context.
func (e *Egress) Client() *http.Client { return e.client }

// CloseIdle closes the connections nobody uses.
func (e *Egress) CloseIdle() { e.client.CloseIdleConnections() }

// DialContext connects to a host:port, trying the permitted addresses of the host one
// after the other. The error is a *schema.Error of kind Refused when none is permitted.
func (e *Egress) DialContext(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.connectTimeout)
	defer cancel()
	exempt := slices.Contains(e.allowedHosts, hostPort)
	addresses, err := e.addresses(ctx, host, exempt)
	if err != nil {
		return nil, err
	}
	dialer := e.dialer(exempt)
	for i, address := range addresses {
		var conn net.Conn
		conn, err = dialPart(ctx, dialer, network, net.JoinHostPort(address.String(), port), len(addresses)-i)
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// dialPart connects within an equal part of the time left for the addresses left.
func dialPart(ctx context.Context, dialer *net.Dialer, network, address string, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	return dialer.DialContext(ctx, network, address)
}
