package embedded_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"crier/compose/embedded"
	"crier/compose/embedded/embeddedtest"
	"crier/schema/sleep/sleeptest"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

func startClickHouse(t *testing.T, dir string) *embedded.ClickHouse {
	t.Helper()
	c, err := embedded.StartClickHouse(t.Context(), openData(t, dir), libchdb(t), testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopIn(t, c.Stop) })
	return c
}

func openClickHouse(t *testing.T, url string) driver.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func insert(ctx context.Context, conn driver.Conn, from, count uint64) error {
	batch, err := conn.PrepareBatch(ctx, "INSERT INTO events")
	if err != nil {
		return err
	}
	defer batch.Close()
	for id := from; id < from+count; id++ {
		if err := batch.Append(id); err != nil {
			return err
		}
	}
	return batch.Send()
}

func countEvents(t *testing.T, conn driver.Conn) (n uint64) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), "SELECT count() FROM events").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const createEvents = "CREATE TABLE events (id UInt64) ENGINE = MergeTree ORDER BY id"

func TestClickHouseKeepsDataAndLosesSpoolOverKillOfParent(t *testing.T) {
	dir := embeddedtest.Dir(t)
	v := startVictim(t, "clickhouse", dir)
	conn := openClickHouse(t, v.Address)
	if err := conn.Exec(t.Context(), createEvents); err != nil {
		t.Fatal(err)
	}
	if err := insert(t.Context(), conn, 0, 1000); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, "clickhouse-spool", "insert-left")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	v.kill()
	eventually(t, 10*time.Second, "engine gone", func() bool { return gone(v.PID) })

	began := time.Now()
	c := startClickHouse(t, dir)
	t.Logf("second start took %v", time.Since(began))
	if n := countEvents(t, openClickHouse(t, c.URL())); n != 1000 {
		t.Errorf("events = %d, want 1000", n)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("spool still has what the kill left: %v", err)
	}
}

func TestClickHouseComesBackAfterKill(t *testing.T) {
	c := startClickHouse(t, embeddedtest.Dir(t))
	conn := openClickHouse(t, c.URL())
	if err := conn.Exec(t.Context(), createEvents); err != nil {
		t.Fatal(err)
	}
	var acknowledged atomic.Uint64
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := uint64(0); ctx.Err() == nil; n += 100 {
			if insert(ctx, conn, n, 100) != nil {
				time.Sleep(10 * time.Millisecond) // the engine is down
				continue
			}
			acknowledged.Add(100)
		}
	}()
	for range 3 {
		old, before := c.PID(), acknowledged.Load()
		eventually(t, 20*time.Second, "load runs", func() bool { return acknowledged.Load() > before+500 })
		if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		eventually(t, 30*time.Second, "engine started again", func() bool { return c.PID() != old })
		t.Logf("served again after %v", time.Since(began))
	}
	before := acknowledged.Load()
	eventually(t, 30*time.Second, "rows inserted again", func() bool { return acknowledged.Load() > before })
	cancel()
	<-done
	if n := countEvents(t, conn); n < acknowledged.Load() {
		t.Errorf("events = %d, acknowledged were %d", n, acknowledged.Load())
	}
}

func TestClickHouseStopsWithoutAnError(t *testing.T) {
	c, err := embedded.StartClickHouse(t.Context(), openData(t, embeddedtest.Dir(t)), libchdb(t), testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	ran := sleeptest.Stopwatch(t)
	stopIn(t, c.Stop)
	if took := ran(); took > 10*time.Second {
		t.Errorf("Stop took %v", took)
	}
	<-c.Done()
	if c.Err() != nil || !gone(c.PID()) {
		t.Errorf("Err = %v, gone = %t", c.Err(), gone(c.PID()))
	}
}

func TestStopEndsAStartThatKeepsFailing(t *testing.T) {
	link := filepath.Join(t.TempDir(), "libchdb.so")
	if err := os.Symlink(libchdb(t), link); err != nil {
		t.Fatal(err)
	}
	c, err := embedded.StartClickHouse(t.Context(), openData(t, embeddedtest.Dir(t)), link, testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // some starts fail meanwhile
	stopIn(t, c.Stop)
	if c.Err() != nil {
		t.Errorf("Err = %v", c.Err())
	}
}

func TestStartThatCannotSucceedSaysWhy(t *testing.T) {
	_, err := embedded.StartClickHouse(t.Context(), openData(t, embeddedtest.Dir(t)), "/nowhere/libchdb.so", testLogger(t))
	if err == nil || !strings.Contains(err.Error(), "/nowhere/libchdb.so") {
		t.Fatalf("StartClickHouse = %v, want an error that names the library", err)
	}
}

func TestMissingLibrarySaysWhatToRun(t *testing.T) {
	t.Setenv("CRIER_CACHE", t.TempDir())
	if _, err := embedded.LibPath(); err == nil || !strings.Contains(err.Error(), "make libchdb") {
		t.Fatalf("LibPath = %v, want an error that says what to run", err)
	}
}

// TestScriptInstallsTheLibraryThatIsLoaded: the version stands in the script and here.
func TestScriptInstallsTheLibraryThatIsLoaded(t *testing.T) {
	script, err := os.ReadFile("../../scripts/libchdb.sh")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimPrefix(filepath.Base(filepath.Dir(libchdb(t))), "libchdb-")
	if !strings.Contains(string(script), fmt.Sprintf("\nversion=%s ", version)) {
		t.Errorf("scripts/libchdb.sh does not install version %s", version)
	}
}
