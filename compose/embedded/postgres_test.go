package embedded_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"crier/compose/embedded"
	"crier/compose/embedded/embeddedtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func startPostgres(t *testing.T, dir string) *embedded.Postgres {
	t.Helper()
	data := openData(t, dir)
	p, err := embedded.StartPostgres(t.Context(), data, testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopIn(t, p.Stop) })
	return p
}

func execute(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func selectInt(ctx context.Context, url, query string) (n int, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, query).Scan(&n)
	return n, err
}

func TestPostgresIsSetUpForCrier(t *testing.T) {
	url := embeddedtest.Postgres(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for name, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "server_encoding": "UTF8",
		"max_connections": "100", "TimeZone": "UTC", "lc_messages": "C", "jit": "off",
		"listen_addresses": "127.0.0.1", "password_encryption": "scram-sha-256",
	} {
		var got string
		if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if version := conn.PgConn().ParameterStatus("server_version"); !strings.HasPrefix(version, "18.") {
		t.Errorf("server_version = %s, want 18", version)
	}
}

func TestPostgresAsksForPassword(t *testing.T) {
	refusesAGuess(t, embeddedtest.Postgres(t))
}

func refusesAGuess(t *testing.T, url string) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = "guessed"
	if conn, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		_ = conn.Close(t.Context())
		t.Fatalf("a wrong password was let in at %s", config.Host)
	}
}

func TestPostgresRunsNeverAsRootAndWithoutSecrets(t *testing.T) {
	t.Setenv("CRIER_KAFKA_PASSWORD", "hunter2")
	t.Setenv("LC_TEST", "kept")
	p := startPostgres(t, embeddedtest.Dir(t))
	user, err := exec.Command("ps", "-o", "uid=", "-p", fmt.Sprint(p.PID())).Output()
	if err != nil {
		t.Fatal(err)
	}
	if uid := strings.TrimSpace(string(user)); uid == "0" || uid == "" {
		t.Errorf("postgres runs as uid %q", uid)
	}
	environment, err := exec.Command("ps", "eww", "-o", "command=", "-p", fmt.Sprint(p.PID())).Output()
	if err != nil {
		t.Fatal(err)
	}
	if all := string(environment); !strings.Contains(all, "LC_TEST=kept") || strings.Contains(all, "hunter2") {
		t.Errorf("postgres runs with the environment %s", all)
	}
}

func TestPostgresKeepsDataOverStop(t *testing.T) {
	dir := embeddedtest.Dir(t)
	data := openData(t, dir)
	p, err := embedded.StartPostgres(t.Context(), data, testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, p.URL(), "CREATE TABLE kept AS SELECT 42 AS n")
	before := p.URL()
	stopIn(t, p.Stop)
	if err := p.Err(); err != nil {
		t.Errorf("Err after Stop = %v", err)
	}
	if !gone(p.PID()) {
		t.Error("postgres runs on after Stop")
	}

	began := time.Now()
	p, err = embedded.StartPostgres(t.Context(), data, testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("second start took %v", time.Since(began))
	defer stopIn(t, p.Stop)
	if p.URL() != before {
		t.Errorf("URL = %s, was %s", p.URL(), before)
	}
	if n, err := selectInt(t.Context(), p.URL(), "SELECT n FROM kept"); err != nil || n != 42 {
		t.Errorf("kept = %d, %v", n, err)
	}
}

func TestPostgresDiesWithItsParentAndKeepsData(t *testing.T) {
	dir := embeddedtest.Dir(t)
	v := startVictim(t, "postgres", dir)
	execute(t, v.Address, "CREATE TABLE kept AS SELECT 42 AS n")
	v.kill()
	began := time.Now()
	eventually(t, 10*time.Second, "postgres gone", func() bool { return gone(v.PID) })
	t.Logf("postgres was gone after %v", time.Since(began))

	p := startPostgres(t, dir)
	if n, err := selectInt(t.Context(), p.URL(), "SELECT n FROM kept"); err != nil || n != 42 {
		t.Errorf("kept = %d, %v", n, err)
	}
}

func TestPostgresStartsWhileTheOneBeforeStillEnds(t *testing.T) {
	dir := embeddedtest.Dir(t)
	v := startVictim(t, "postgres", dir)
	execute(t, v.Address, "CREATE TABLE kept AS SELECT 42 AS n")
	v.kill()
	p := startPostgres(t, dir) // at once
	if n, err := selectInt(t.Context(), p.URL(), "SELECT n FROM kept"); err != nil || n != 42 {
		t.Errorf("kept = %d, %v", n, err)
	}
}

// TestPostgresComesBackAfterKill kills the server under load, with one backend that
// never looks up and so would hold the old shared memory for good.
func TestPostgresComesBackAfterKill(t *testing.T) {
	p := startPostgres(t, embeddedtest.Dir(t))
	execute(t, p.URL(), "CREATE TABLE rows (id int PRIMARY KEY)")
	load := startLoad(t, p.URL())
	defer load.stop()
	go func() { // ends with the server
		_, _ = selectInt(context.Background(), p.URL(), "DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$")
	}()
	eventually(t, 20*time.Second, "load runs", func() bool { return load.written.Load() > 100 })

	for range 3 {
		old, before := p.PID(), load.written.Load()
		if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		eventually(t, 30*time.Second, "rows written again", func() bool {
			return p.PID() != old && load.written.Load() > before+100
		})
		t.Logf("wrote again after %v", time.Since(began))
	}
	load.stop()
	n, err := selectInt(t.Context(), p.URL(), "SELECT count(*) FROM rows")
	if err != nil || int64(n) < load.written.Load() {
		t.Errorf("rows = %d, %v; acknowledged were %d", n, err, load.written.Load())
	}
	if p.Err() != nil {
		t.Errorf("Err = %v", p.Err())
	}
}

// load inserts rows one by one from several connections and counts those acknowledged.
type load struct {
	written atomic.Int64
	cancel  context.CancelFunc
	workers sync.WaitGroup
	pool    *pgxpool.Pool
}

func startLoad(t *testing.T, url string) *load {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{cancel: cancel, pool: pool}
	for worker := range 4 {
		l.workers.Go(func() {
			for id := worker; ctx.Err() == nil; id += 4 {
				_, err := pool.Exec(ctx, "INSERT INTO rows VALUES ($1)", id)
				if err != nil {
					time.Sleep(10 * time.Millisecond) // the server is down
					continue
				}
				l.written.Add(1)
			}
		})
	}
	return l
}

func (l *load) stop() {
	l.cancel()
	l.workers.Wait()
	l.pool.Close()
}

func TestPostgresComesBackAfterItsRunnerIsKilled(t *testing.T) {
	p := startPostgres(t, embeddedtest.Dir(t))
	runner, err := exec.Command("ps", "-o", "ppid=", "-p", fmt.Sprint(p.PID())).Output()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(runner), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "postgres answers again", func() bool {
		n, err := selectInt(t.Context(), p.URL(), "SELECT 1")
		return err == nil && n == 1 && gone(pid)
	})
}

// TestPostgresIgnoresALockOfAPIDThatIsAnothersNow has left both a cluster's lock and a socket's.
func TestPostgresIgnoresALockOfAPIDThatIsAnothersNow(t *testing.T) {
	dir := filepath.Join(embeddedtest.Dir(t), "a b+c%[1")
	v := startVictim(t, "postgres", dir)
	v.kill()
	eventually(t, 10*time.Second, "postgres gone", func() bool { return gone(v.PID) })
	lock := fmt.Sprintf("%d\n%s/postgres/cluster\n0\n1\n\n127.0.0.1\n0 0\nready\n", os.Getpid(), dir)
	if err := os.WriteFile(filepath.Join(dir, "postgres", "cluster", "postmaster.pid"), []byte(lock), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "postgres")
	socket := filepath.Join(folder, ".s.PGSQL."+portOf(t, v.Address))
	if err := os.WriteFile(socket+".lock", fmt.Appendf(nil, "%d\n%s/cluster\n", os.Getpid(), folder), 0o600); err != nil {
		t.Fatal(err)
	}
	// An earlier start may have been killed while it tried whether there can be a socket.
	if err := os.WriteFile(filepath.Join(folder, ".s.trial.65535"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := startPostgres(t, dir)
	t.Setenv("PGDATABASE", "another")
	if address := reached(t, p.NearURL()); filepath.Base(address) != filepath.Base(socket) {
		t.Errorf("connected to %s, want %s", address, socket)
	}
	refusesAGuess(t, p.NearURL())
	if err := os.Remove(socket); err != nil {
		t.Fatal(err)
	}
	if address, port := reached(t, p.NearURL()), portOf(t, p.URL()); address != "127.0.0.1:"+port {
		t.Errorf("connected to %s without the socket, want port %s of loopback", address, port)
	}
}

// reached returns what a connection to the database crier goes to.
func reached(t *testing.T, url string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if name := conn.Config().Database; name != "crier" {
		t.Errorf("the database is %s", name)
	}
	return conn.PgConn().Conn().RemoteAddr().String()
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func TestASocketIsForFoldersThatCanHoldOne(t *testing.T) {
	top := embeddedtest.Dir(t)
	for name, want := range map[string]bool{"short": true, "in,two": false, strings.Repeat("long", 25): false} {
		dir := filepath.Join(top, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := embedded.TrySocket(dir); (err == nil) != want {
			t.Errorf("TrySocket(%s) = %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s has %v, %v after the trial", name, left, err)
		}
	}
}
