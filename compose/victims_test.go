package compose_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/segmentio/kafka-go"

	"crier/compose/embedded"
)

// full reports whether the tests run at the sizes of make test-reliability, on a machine
// that has nothing else to do, or at those of every change.
func full() bool { return os.Getenv("CRIER_TEST_FULL") != "" }

// besideOthers lets a test run beside others, unless it measures at its full size. What
// measures at its small size too, or keeps both cores busy, runs alone.
func besideOthers(t *testing.T) {
	t.Helper()
	if !full() {
		t.Parallel()
	}
}

// bySize returns the first value for every change, the second for a full run.
func bySize[T any](small, whole T) T {
	if full() {
		return whole
	}
	return small
}

// victim is a part that a test kills.
type victim struct {
	name    string
	kill    func()      // ends it as a power cut would; what starts it again does so at once
	answers func() bool // whether it takes requests again
}

// awaitAnswer waits until the part takes requests again.
func (w *world) awaitAnswer(v victim) {
	w.Helper()
	w.eventually(2*time.Minute, v.name+" answers again", v.answers)
}

func (w *world) crierVictim() victim {
	return victim{"crier", func() { w.kill(); w.crier = w.spawn(w.config) }, w.alive}
}

// emptiedLogVictim is the embedded log, which lives and dies with crier.
func (w *world) emptiedLogVictim() victim {
	return victim{"the embedded log, emptied,", func() { w.kill(); w.removeLog(); w.crier = w.spawn(w.config) }, w.alive}
}

func (w *world) removeLog() {
	w.Helper()
	logs, err := filepath.Glob(filepath.Join(w.config.Data, "log*"))
	if err != nil || len(logs) == 0 {
		w.Fatalf("finding the log's folder: %v %v", logs, err)
	}
	for _, folder := range logs {
		if err := os.RemoveAll(folder); err != nil {
			w.Fatal(err)
		}
	}
}

// alive reports whether crier serves.
func (w *world) alive() bool {
	response, err := w.client.Get("http://" + w.config.Listen + "/api/v1/openapi.json")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// postgresVictim is the embedded server with all its processes; its runner lives on.
func (w *world) postgresVictim() victim {
	return victim{"PostgreSQL", func() { w.signalPostgres(syscall.SIGKILL) }, w.postgresAnswers}
}

// signalPostgres signals the postmaster; SIGKILL goes to its children too, as when the
// machine dies under them.
func (w *world) signalPostgres(signal syscall.Signal) {
	w.Helper()
	postmaster := w.postmaster()
	if postmaster == 0 {
		w.Fatal("PostgreSQL does not run")
	}
	pids := []int{postmaster}
	if signal == syscall.SIGKILL {
		pids = append(pids, processesIn(w.cluster())...)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal) // it may be gone
	}
}

// cluster is the folder of crier's own PostgreSQL.
func (w *world) cluster() string { return filepath.Join(w.config.Data, "postgres", "cluster") }

// postmaster is the first process of crier's own PostgreSQL; 0: there is none.
func (w *world) postmaster() int {
	content, err := os.ReadFile(filepath.Join(w.cluster(), "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return 0 // it is being written
	}
	return pid
}

// processesIn returns the processes that work in a folder, as those of PostgreSQL do in
// their cluster's.
func processesIn(folder string) []int {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	var pids []int
	for _, link := range links {
		if cwd, err := os.Readlink(link); err != nil || cwd != folder {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (w *world) postgresAnswers() bool {
	ctx, cancel := context.WithTimeout(w.Context(), time.Second)
	defer cancel()
	conn, err := w.tryPostgres(ctx)
	if err != nil {
		return false
	}
	return conn.Close(ctx) == nil
}

// tryPostgres connects to crier's own PostgreSQL.
func (w *world) tryPostgres(ctx context.Context) (*pgx.Conn, error) {
	url := w.config.Postgres
	if url == "" {
		running, err := embedded.Neighbour(w.config.Data)
		if err != nil {
			return nil, err
		}
		url = running.Postgres
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "select 1")
	return conn, err
}

// kafkaVictims are the broker of make test-kafka, and the same with its data wiped.
func (w *world) kafkaVictims() (broker, wiped victim) {
	folder := os.Getenv("CRIER_TEST_KAFKA_FOLDER")
	kill := func() {
		w.Helper()
		content, err := os.ReadFile(filepath.Join(folder, "broker.pid"))
		if err != nil {
			w.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
		if err != nil {
			w.Fatalf("broker.pid: %v", err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
		w.eventually(5*time.Second, "the broker is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	}
	start := func() {
		w.Helper()
		if out, err := exec.Command(filepath.Join(folder, "start")).CombinedOutput(); err != nil {
			w.Fatalf("starting the broker: %v: %s", err, out)
		}
	}
	broker = victim{"Kafka", func() { kill(); start() }, w.kafkaAnswers}
	wiped = victim{"Kafka, wiped,", func() {
		kill()
		if err := os.RemoveAll(filepath.Join(folder, "data")); err != nil {
			w.Fatal(err)
		}
		start()
	}, w.kafkaAnswers}
	return broker, wiped
}

// kafkaAnswers reports whether the broker takes requests: it knows itself, leads every
// partition it has, and coordinates groups. Its port opens long before that, and after a
// kill it does not lead before its earlier life's session is over.
func (w *world) kafkaAnswers() bool {
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections() // else it goes on asking a broker that is starting
	client := &kafka.Client{Addr: kafka.TCP(w.config.Kafka...), Timeout: 3 * time.Second, Transport: transport}
	metadata, err := client.Metadata(w.Context(), &kafka.MetadataRequest{})
	if err != nil || len(metadata.Brokers) == 0 {
		return false
	}
	for _, topic := range metadata.Topics {
		for _, p := range topic.Partitions {
			if p.Error != nil || p.Leader.Port == 0 {
				return false
			}
		}
	}
	coordinator, err := client.FindCoordinator(w.Context(), &kafka.FindCoordinatorRequest{
		Key: "crier-publish", KeyType: kafka.CoordinatorKeyTypeConsumer,
	})
	return err == nil && coordinator.Error == nil
}
