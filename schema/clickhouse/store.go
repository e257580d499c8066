package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"crier/schema/secure"
)

const (
	dialTimeout = 5 * time.Second
	maxConns    = 12 // one for the sink, the others for requests
)

// Config is what a Store needs.
type Config struct {
	URL string      // http or https, such as http://user:password@host:8123/database
	TLS *tls.Config // of an https URL; nil: the system's authorities
}

// Store is a pool of connections to a database of ClickHouse.
type Store struct {
	conn  driver.Conn
	reads driver.Conn // the same, for requests
}

// Open connects. It fails within seconds when the server does not answer, and when
// its tables are of an older version of crier.
func Open(ctx context.Context, c Config) (*Store, error) {
	conn, err := connect(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := checkMigrated(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Store{conn: conn, reads: guard(conn)}, nil
}

// Close closes the connections.
func (s *Store) Close() error {
	if err := s.conn.Close(); err != nil {
		return fmt.Errorf("closing ClickHouse: %w", err)
	}
	return nil
}

// Ping fails when ClickHouse does not answer.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.conn.Ping(ctx); err != nil {
		return fmt.Errorf("asking ClickHouse: %w", err)
	}
	return nil
}

// Sink returns the store of the sink.
func (s *Store) Sink() *Sink { return &Sink{conn: s.conn} }

// Analytics returns the store of queries.
func (s *Store) Analytics() *Analytics { return &Analytics{conn: s.reads} }

// connect returns a pool whose server has answered.
func connect(ctx context.Context, c Config) (driver.Conn, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	options.Logger = slog.New(slog.DiscardHandler) // it reports the end of every stream as an error; real ones are returned
	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("opening ClickHouse: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, secure.FirstAnswer)
	defer cancel()
	if err := conn.Ping(ctx); err != nil {
		err = fmt.Errorf("connecting to ClickHouse at %s: %w", strings.Join(options.Addr, ", "), c.explain(err))
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// options reads the URL. Its errors do not repeat it: it holds a password.
func (c Config) options() (*clickhouse.Options, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("reading the URL of ClickHouse: one like http://user:password@host:8123/database is wanted")
	}
	if u.Scheme == "https" { // the driver wants to be told twice
		query := u.Query()
		query.Set("secure", "true")
		u.RawQuery = query.Encode()
	}
	options, err := clickhouse.ParseDSN(u.String())
	if err != nil {
		return nil, fmt.Errorf("reading the URL of ClickHouse: %w", err)
	}
	if c.TLS != nil && options.TLS != nil {
		insecure := options.TLS.InsecureSkipVerify // the URL may ask for it
		options.TLS = c.TLS.Clone()
		options.TLS.InsecureSkipVerify = insecure
	}
	options.DialTimeout = dialTimeout
	options.MaxOpenConns, options.MaxIdleConns = maxConns, maxConns
	options.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
	return options, nil
}
