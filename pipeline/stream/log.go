package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"

	"crier/schema"
)

const (
	connectTimeout = 10 * time.Second // Open gives up after it
	dialTimeout    = 3 * time.Second  // one connection, with its handshakes
	requestTimeout = 5 * time.Second  // one request without a long poll
	// metadataTTL bounds how long a moved leader or an emptied log goes unnoticed.
	// kafka-go asks at random moments within it, half of it on average.
	metadataTTL = 500 * time.Millisecond
)

// ErrClosed is returned by what is asked of a closed Log.
var ErrClosed = errors.New("log is closed")

// Config says how to reach the log.
type Config struct {
	Brokers  []string // host:port, at least one
	Security Security
	ClientID string
	// Node tells this process from all others that run. Members of a consumer's group with
	// the same ClientID and Node are stale and are evicted, so a Log with a Node may have
	// one consumer in each group. Empty: stale members have to time out.
	Node       string
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	Now        func() time.Time
}

// clientID is what the broker knows members of groups by.
func (c Config) clientID() string {
	if c.Node == "" {
		return c.ClientID
	}
	return c.ClientID + "-" + c.Node
}

// Log is a connection to the log. It is safe for concurrent use.
type Log struct {
	brokers   []string
	client    *kafka.Client
	transport *kafka.Transport
	dialer    *kafka.Dialer
	unique    bool // no other process has the dialer's client id
	logger    *slog.Logger
	metrics   *metrics
	now       func() time.Time

	life   context.Context // ends with Close
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	work    sync.WaitGroup // calls of Produce and their senders
	topics  map[string]schema.Topic
	counts  map[string]int // partitions by topic
	senders map[topicPartition]*sender
	next    atomic.Uint32 // round robin of records without a key
}

type topicPartition struct {
	topic     string
	partition int
}

// Open connects to the log and returns once a broker has answered. It tries for ten
// seconds, since a broker's port opens before the broker is ready; what no waiting changes,
// such as a wrong password, it returns at once.
func Open(ctx context.Context, cfg Config) (*Log, error) {
	mechanism, err := cfg.Security.mechanism()
	if err != nil {
		return nil, err
	}
	connect := newDialer().DialContext
	dialer := &kafka.Dialer{DialFunc: connect, ClientID: cfg.clientID(), Timeout: dialTimeout, TLS: cfg.Security.TLS, SASLMechanism: mechanism}
	if err := cfg.Security.ping(ctx, dialer, cfg.Brokers); err != nil {
		return nil, fmt.Errorf("connecting to Kafka at %s: %w", strings.Join(cfg.Brokers, ","), err)
	}
	m, err := newMetrics(cfg.Registerer)
	if err != nil {
		return nil, fmt.Errorf("registering metrics of the log: %w", err)
	}
	// WithoutCancel: ctx bounds the opening, Close ends the Log.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	transport := &kafka.Transport{
		Dial:        connect,
		DialTimeout: dialTimeout,
		MetadataTTL: metadataTTL,
		ClientID:    cfg.clientID(),
		TLS:         cfg.Security.TLS,
		SASL:        mechanism,
		Context:     life,
	}
	return &Log{
		brokers:   cfg.Brokers,
		client:    &kafka.Client{Addr: kafka.TCP(cfg.Brokers...), Transport: transport},
		transport: transport,
		dialer:    dialer,
		unique:    cfg.Node != "",
		logger:    cfg.Logger,
		metrics:   m,
		now:       cfg.Now,
		life:      life,
		cancel:    cancel,
		topics:    map[string]schema.Topic{},
		counts:    map[string]int{},
		senders:   map[topicPartition]*sender{},
	}, nil
}

// Close ends the Log: calls in progress return ErrClosed, and their records may or may
// not have been written. Consumers must have ended before, with their own contexts.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()
	l.transport.CloseIdleConnections()
}

// begin counts a call that Close must wait for.
func (l *Log) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.work.Add(1)
	return nil
}

// retriable reports whether the same request may succeed later: the broker says so, or
// it was never reached or never answered.
func retriable(err error) bool {
	if e, ok := errors.AsType[kafka.Error](err); ok {
		return e.Temporary()
	}
	return true
}

// sleep waits for d, or returns the error of ctx when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backoff is the pause before the next try of one request: 20 ms, doubled each time,
// half a second at most, so that a restarted broker is found at once.
type backoff struct{ pause time.Duration }

func (b *backoff) wait(ctx context.Context) error {
	b.pause = min(max(20*time.Millisecond, 2*b.pause), 500*time.Millisecond)
	return sleep(ctx, b.pause)
}
