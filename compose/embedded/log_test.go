package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"crier/compose/embedded"
	"crier/compose/embedded/embeddedtest"

	"github.com/segmentio/kafka-go"
)

func startLog(t *testing.T, data *embedded.Data) *embedded.Log {
	t.Helper()
	l, err := embedded.StartLog(data, testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func createTopic(t *testing.T, addr, topic string, config map[string]string) {
	t.Helper()
	request := kafka.TopicConfig{Topic: topic, NumPartitions: 1, ReplicationFactor: 1}
	for name, value := range config {
		request.ConfigEntries = append(request.ConfigEntries, kafka.ConfigEntry{ConfigName: name, ConfigValue: value})
	}
	client := &kafka.Client{Addr: kafka.TCP(addr)}
	answer, err := client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{request}})
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Errors[topic]; err != nil {
		t.Fatal(err)
	}
}

// newWriter returns a writer whose every WriteMessages waits for all acknowledgements.
func newWriter(addr, topic string) *kafka.Writer {
	return &kafka.Writer{
		Addr: kafka.TCP(addr), Topic: topic, RequiredAcks: kafka.RequireAll,
		BatchTimeout: time.Millisecond, MaxAttempts: 1, Transport: &kafka.Transport{},
	}
}

func produce(t *testing.T, addr, topic string, values ...string) {
	t.Helper()
	w := newWriter(addr, topic)
	defer w.Close()
	var messages []kafka.Message
	for _, value := range values {
		messages = append(messages, kafka.Message{Value: []byte(value)})
	}
	if err := w.WriteMessages(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
}

// offsets returns the first offset kept of a topic's one partition, and the next one.
func offsets(t *testing.T, addr, topic string) (first, next int64) {
	t.Helper()
	conn, err := kafka.DialLeader(t.Context(), "tcp", addr, topic, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if first, next, err = conn.ReadOffsets(); err != nil {
		t.Fatal(err)
	}
	return first, next
}

func TestLogIsFoundAtItsPortAfterKill(t *testing.T) {
	dir := embeddedtest.Dir(t)
	v := startVictim(t, "log", dir)
	createTopic(t, v.Address, "posts", nil)
	produce(t, v.Address, "posts", "one", "two")
	v.kill()

	l := startLog(t, openData(t, dir))
	defer l.Stop()
	if l.Addr() != v.Address {
		t.Errorf("Addr = %s, was %s", l.Addr(), v.Address)
	}
	if first, next := offsets(t, l.Addr(), "posts"); first != 0 || next != 2 {
		t.Errorf("offsets = %d to %d, want 0 to 2", first, next)
	}
}

// TestLogTakesConnectionsFromInsideAndOutside writes by a pipe what is read over TCP.
func TestLogTakesConnectionsFromInsideAndOutside(t *testing.T) {
	l := startLog(t, openData(t, embeddedtest.Dir(t)))
	createTopic(t, l.Addr(), "posts", nil)
	w := newWriter(l.Addr(), "posts")
	w.Transport = &kafka.Transport{Dial: l.DialContext}
	defer w.Close()
	if err := w.WriteMessages(t.Context(), kafka.Message{Value: []byte("by a pipe")}); err != nil {
		t.Fatal(err)
	}
	if _, next := offsets(t, l.Addr(), "posts"); next != 1 {
		t.Errorf("the next offset is %d over TCP, want 1", next)
	}
	if err := l.Stop(); err != nil {
		t.Fatal(err)
	}
	if conn, err := l.DialContext(t.Context(), "tcp", l.Addr()); err == nil {
		conn.Close()
		t.Error("a log that is stopped takes connections by pipes")
	}
	if conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr()); err == nil {
		conn.Close()
		t.Error("a log that is stopped takes connections over TCP")
	}
}

// TestLogNeverCountsOffsetsAnew: a consumer group that has read up to an offset would
// silently skip new messages if the partition counted from zero again after a restart.
func TestLogNeverCountsOffsetsAnew(t *testing.T) {
	for name, config := range map[string]map[string]string{
		"topic without settings":           nil,
		"topic that wants its records old": {"retention.ms": "1"},
		"topic kept by time and size":      {"retention.ms": "1", "retention.bytes": "1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := openData(t, embeddedtest.Dir(t))
			l := startLog(t, data)
			createTopic(t, l.Addr(), "posts", config)
			produce(t, l.Addr(), "posts", "one", "two", "three")
			time.Sleep(embedded.RetentionEvery + time.Second) // it must not empty the partition
			if err := l.Stop(); err != nil {
				t.Fatal(err)
			}

			l = startLog(t, data)
			defer l.Stop()
			produce(t, l.Addr(), "posts", "four")
			if _, next := offsets(t, l.Addr(), "posts"); next != 4 {
				t.Errorf("next offset = %d, want 4", next)
			}
		})
	}
}

// TestLogStaysSmallAfterRestart: the broker's own timer for retention does not survive
// one.
func TestLogStaysSmallAfterRestart(t *testing.T) {
	data := openData(t, embeddedtest.Dir(t))
	l := startLog(t, data)
	createTopic(t, l.Addr(), "posts", map[string]string{"retention.bytes": "2097152"})
	if err := l.Stop(); err != nil {
		t.Fatal(err)
	}
	l = startLog(t, data)
	defer l.Stop()
	value := string(make([]byte, 100_000))
	for range 100 {
		produce(t, l.Addr(), "posts", value)
	}
	eventually(t, 4*embedded.RetentionEvery, "at most 3 MB on disk", func() bool {
		return folderSize(t, data.Path("log")) < 3<<20
	})
	if first, next := offsets(t, l.Addr(), "posts"); next != 100 || first == 0 || first == next {
		t.Errorf("offsets = %d to %d, want the last of 100", first, next)
	}
}

func folderSize(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil // trimmed meanwhile
		}
		bytes += info.Size()
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return bytes
}

// TestLogKeepsWhatItAcknowledgedWhenKilled kills the process under load.
func TestLogKeepsWhatItAcknowledgedWhenKilled(t *testing.T) {
	dir := embeddedtest.Dir(t)
	v := startVictim(t, "log", dir)
	createTopic(t, v.Address, "posts", nil)

	var acknowledged atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		w := newWriter(v.Address, "posts")
		defer w.Close()
		for n := 0; ; n += 100 {
			var batch []kafka.Message
			for i := range 100 {
				batch = append(batch, kafka.Message{Value: fmt.Append(nil, n+i)})
			}
			if w.WriteMessages(context.Background(), batch...) != nil {
				return
			}
			acknowledged.Add(100)
		}
	}()
	eventually(t, 20*time.Second, "10,000 acknowledged", func() bool { return acknowledged.Load() >= 10_000 })
	v.kill()
	<-done

	l := startLog(t, openData(t, dir))
	defer l.Stop()
	t.Logf("acknowledged %d", acknowledged.Load())
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{l.Addr()}, Topic: "posts", MaxWait: 100 * time.Millisecond})
	defer r.Close()
	for n := range acknowledged.Load() {
		m, err := r.ReadMessage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if string(m.Value) != fmt.Sprint(n) {
			t.Fatalf("record %d = %s", n, m.Value)
		}
	}
}
