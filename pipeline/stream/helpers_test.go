package stream_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"

	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/stream"
	"crier/schema"
)

// patience is how long a test waits for what must happen; a loaded machine needs it, and one that
// stands still for a minute and more.
const patience = 3 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(childBroker) != "" {
		runChild()
		return
	}
	embeddedtest.Main(m)
}

func config(t testing.TB, brokers ...string) stream.Config {
	return stream.Config{
		Brokers: brokers, ClientID: "test",
		Logger:     slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		Registerer: prometheus.NewRegistry(), Now: time.Now,
	}
}

// open returns a Log on the broker that the tests share: the embedded one, or Kafka.
func open(t testing.TB) *stream.Log { return openAt(t, embeddedtest.Log(t)) }

func openAt(t testing.TB, broker string) *stream.Log {
	t.Helper()
	log, err := stream.Open(t.Context(), config(t, broker))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	return log
}

// newTopic creates a topic for this test alone, since the broker is shared.
func newTopic(t testing.TB, log *stream.Log, partitions int) string {
	t.Helper()
	name := unique("topic")
	ensure(t, log, schema.Topic{Name: name, Partitions: partitions, RetentionBytes: 64 << 20})
	return name
}

func ensure(t testing.TB, log *stream.Log, topics ...schema.Topic) {
	t.Helper()
	if err := log.EnsureTopics(t.Context(), topics); err != nil {
		t.Fatal(err)
	}
}

func unique(what string) string { return "test-" + what + "-" + strings.ToLower(rand.Text()) }

func produce(t testing.TB, log *stream.Log, topic string, records ...stream.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := log.Produce(ctx, topic, records); err != nil {
		t.Fatal(err)
	}
}

// numbered returns records whose values are "from" to "to-1".
func numbered(from, to int) []stream.Record {
	var records []stream.Record
	for i := from; i < to; i++ {
		records = append(records, stream.Record{Key: fmt.Appendf(nil, "key%d", i%50), Value: fmt.Append(nil, i)})
	}
	return records
}

// seen collects the messages that were delivered.
type seen struct {
	mu       sync.Mutex
	messages []*stream.Message
}

func (s *seen) keep(_ context.Context, messages []*stream.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, messages...)
}

func (s *seen) ack(ctx context.Context, messages []*stream.Message) {
	s.keep(ctx, messages)
	for _, m := range messages {
		m.Ack()
	}
}

func (s *seen) all() []*stream.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages[:len(s.messages):len(s.messages)]
}

// values returns how often each value was seen.
func (s *seen) values() map[string]int {
	counts := map[string]int{}
	for _, m := range s.all() {
		counts[string(m.Value)]++
	}
	return counts
}

func (s *seen) wait(t testing.TB, values int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d values delivered", values), func() bool { return len(s.values()) >= values })
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// running is a consumer in the middle of Run.
type running struct {
	*stream.Consumer
	stop func() // ends it and waits for it
}

func consume(t testing.TB, log *stream.Log, cfg stream.ConsumerConfig, deliver stream.Deliver) *running {
	t.Helper()
	if cfg.MaxInFlight == 0 {
		cfg.MaxInFlight = 1000
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{Consumer: log.NewConsumer(cfg, deliver)}
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

func (r *running) awaitReady(t testing.TB) {
	t.Helper()
	eventually(t, "consumer is ready", func() bool { return r.Ready() == nil })
}

// broker is a broker for one test alone, which may stop and start it.
type broker struct {
	t    testing.TB
	dir  string
	port int
	opts []kfake.Opt
	*kfake.Cluster
}

func newBroker(t testing.TB, opts ...kfake.Opt) *broker {
	t.Helper()
	b := &broker{t: t, dir: t.TempDir(), port: freePort(t), opts: opts}
	b.start()
	t.Cleanup(func() { b.Close() })
	return b
}

func (b *broker) start() {
	b.t.Helper()
	opts := append([]kfake.Opt{kfake.Ports(b.port), kfake.DataDir(b.dir)}, b.opts...)
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Cluster = cluster
}

func (b *broker) addr() string { return fmt.Sprintf("127.0.0.1:%d", b.port) }

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
