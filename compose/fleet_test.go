package compose_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"crier/compose"
	"crier/compose/embedded/embeddedtest"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
)

// fleet is several criers with every role, in processes of their own, which share
// PostgreSQL, the log and ClickHouse. Requests go to those that are there, in turn.
type fleet struct {
	*world // whose crier is the first
	turns  *turns
	crew   []*member
}

// member is one of the processes.
type member struct {
	config  childConfig
	process *exec.Cmd
}

// newFleet starts n criers, each with so many connections to PostgreSQL, 0: as many as its
// roles want.
func newFleet(t *testing.T, n, connections int) *fleet {
	t.Helper()
	return newFleetOn(t, embeddedtest.PostgresWith(t, postgres.Migrate), n, connections)
}

// newFleetOn is newFleet on a database that has the tables.
func newFleetOn(t *testing.T, server string, n, connections int) *fleet {
	t.Helper()
	shared := childConfig{
		Postgres: server, Kafka: testKafka(t), ClickHouse: embeddedtest.ClickHouse(t),
		Keyset: filepath.Join(openDir(t), "keyset.json"), Connections: connections, Partitions: 5,
	}
	if err := clickhouse.Migrate(t.Context(), clickhouse.Config{URL: shared.ClickHouse}); err != nil {
		t.Fatal(err)
	}
	if shared.Kafka == nil {
		shared.Kafka = []string{embeddedtest.OwnLog(t)}
	}
	f := &fleet{world: newWorldWith(t, shared)}
	f.crew = []*member{{f.config, f.crier}}
	for range n - 1 {
		c := f.config
		c.Listen, c.Admin, c.Data = freeAddress(t), freeAddress(t), filepath.Join(openDir(t), "data")
		f.crew = append(f.crew, &member{c, f.spawn(c)})
	}
	for _, m := range f.crew {
		f.awaitReady(m.config)
	}
	f.turns = &turns{crew: f.crew, first: f.config.Listen}
	f.client.Transport = f.turns
	return f
}

// kill ends a process as a power cut would, and starts it again.
func (f *fleet) kill(m *member) {
	f.Helper()
	if err := m.process.Process.Kill(); err != nil {
		f.Fatal(err)
	}
	_ = m.process.Wait() // it was killed
	m.process = f.spawn(m.config)
	f.awaitReady(m.config)
}

// stop ends a process in its own time, and starts it again.
func (f *fleet) stop(m *member) {
	f.Helper()
	if err := m.process.Process.Signal(syscall.SIGTERM); err != nil {
		f.Fatal(err)
	}
	if err := m.process.Wait(); err != nil {
		f.Errorf("%s stopped: %v", m.config.Listen, err)
	}
	m.process = f.spawn(m.config)
	f.awaitReady(m.config)
}

// pause freezes a process for a time, as a machine does that is out of memory or is moved:
// what it was about to do it does afterwards, for all it knows at once.
func (f *fleet) pause(m *member, d time.Duration) {
	f.Helper()
	f.turns.leaveOut(m)
	if err := m.process.Process.Signal(syscall.SIGSTOP); err != nil {
		f.Fatal(err)
	}
	time.Sleep(d)
	if err := m.process.Process.Signal(syscall.SIGCONT); err != nil {
		f.Fatal(err)
	}
	f.turns.leaveOut(nil)
	f.awaitReady(m.config)
}

// rotateMeanwhile rotates the keyset that all processes share, while they are at work and
// whatever happens to them, and returns what waits for its end.
func (f *fleet) rotateMeanwhile() (end func()) {
	ended := make(chan error, 1)
	rotating, cancel := context.WithCancel(f.Context())
	c := f.operator()
	go func() {
		rotated, err := compose.RotateKeyset(rotating, c, compose.Rotating{
			Patience: 2 * time.Minute, Waits: func(string) {}, Sealed: func(int64, int64) {},
		})
		if err == nil && (rotated.Values == 0 || len(rotated.Dropped) != 1) {
			err = fmt.Errorf("it came to %+v", rotated)
		}
		ended <- err
		close(ended)
	}()
	f.Cleanup(func() { cancel(); <-ended })
	return func() {
		f.Helper()
		if err := <-ended; err != nil {
			f.Errorf("rotating the keyset: %v", err)
		}
	}
}

// turns sends each request to the API to the next process.
type turns struct {
	crew  []*member
	first string // address of the first, to which all are addressed
	next  atomic.Int64

	mu  sync.Mutex
	out *member // gets none
}

func (t *turns) leaveOut(m *member) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = m
}

// RoundTrip implements http.RoundTripper.
func (t *turns) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == t.first {
		t.mu.Lock()
		there := slices.DeleteFunc(slices.Clone(t.crew), func(m *member) bool { return m == t.out })
		t.mu.Unlock()
		request = request.Clone(request.Context())
		request.URL.Host = there[int(t.next.Add(1))%len(there)].config.Listen
	}
	return http.DefaultTransport.RoundTrip(request)
}
