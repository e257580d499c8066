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
	"crier/schema/sleep"
)

const (
	connectTimeout = 10 * time.Second // Open gives up after it
	dialTimeout    = 3 * time.Second  // one connection, with its handshakes
	requestTimeout = 5 * time.Second  // one request other than a fetch
	// metadataTTL bounds how long a moved leader or an emptied log goes unnoticed.
	// kafka-go asks at random moments within it, half of it on average.
	metadataTTL = 500 * time.Millisecond
)

// ErrClosed is returned by calls on a closed Log, and by those that Close interrupts.
var ErrClosed = errors.New("log is closed")

// Config says how to reach the log.
type Config struct {
	Brokers  []string // host:port, at least one
	Dial     Dial     // how they are reached; nil: over TCP
	Security Security
	ClientID string
	// Node is different in each process that runs. Members of a consumer's group with the
	// same ClientID and Node are left over from an earlier run and are evicted, so a Log
	// with a Node may have only one consumer in each group. Empty: stale members stay until
	// they time out.
	Node       string
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	Now        func() time.Time
}

// clientID is how the broker identifies the members of groups.
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
	unique    bool // no other process uses this client id
	logger    *slog.Logger
	metrics   *metrics
	now       func() time.Time

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	work    sync.WaitGroup // running calls of Produce, and their senders
	topics  map[string]schema.Topic
	counts  map[string]int // partitions by topic
	senders map[topicPartition]*sender
	next    atomic.Uint32 // round robin over partitions, for records without a key
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
	connect := newDialer(cfg.Dial).DialContext
	dialer := &kafka.Dialer{DialFunc: connect, ClientID: cfg.clientID(), Timeout: dialTimeout, TLS: cfg.Security.TLS, SASLMechanism: mechanism}
	if err := cfg.Security.ping(ctx, dialer, cfg.Brokers); err != nil {
		return nil, fmt.Errorf("connecting to Kafka at %s: %w", strings.Join(cfg.Brokers, ","), err)
	}
	// WithoutCancel: ctx bounds the opening, Close ends the Log.
	logCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	transport := &kafka.Transport{
		Dial:        connect,
		DialTimeout: dialTimeout,
		MetadataTTL: metadataTTL,
		ClientID:    cfg.clientID(),
		TLS:         cfg.Security.TLS,
		SASL:        mechanism,
		Context:     logCtx,
	}
	return &Log{
		brokers:   cfg.Brokers,
		client:    &kafka.Client{Addr: kafka.TCP(cfg.Brokers...), Transport: transport},
		transport: transport,
		dialer:    dialer,
		unique:    cfg.Node != "",
		logger:    cfg.Logger,
		metrics:   newMetrics(cfg.Registerer),
		now:       cfg.Now,
		ctx:       logCtx,
		cancel:    cancel,
		topics:    map[string]schema.Topic{},
		counts:    map[string]int{},
		senders:   map[topicPartition]*sender{},
	}, nil
}

// Close ends the Log: calls in progress return ErrClosed, and their records may or may
// not have been written. Consumers must be stopped before it, by their own contexts.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()
	l.transport.CloseIdleConnections()
}

// begin registers a call that Close must wait for.
func (l *Log) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.work.Add(1)
	return nil
}

// retriable reports whether the same request may succeed later: the broker says that its
// error is temporary, or it could not be reached or did not answer.
func retriable(err error) bool {
	if e, ok := errors.AsType[kafka.Error](err); ok {
		return e.Temporary()
	}
	return true
}

// backoff is the pause before the next attempt at one request: 20 ms, doubled each time,
// but never more than half a second, so that a broker that is back is noticed quickly.
type backoff struct{ pause time.Duration }

func (b *backoff) wait(ctx context.Context) error {
	b.pause = min(max(20*time.Millisecond, 2*b.pause), 500*time.Millisecond)
	return sleep.For(ctx, b.pause)
}
