package postgres_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
	"crier/schema/sleep/sleeptest"
)

// The server is that of the other tests: it speaks TLS once it is told to, and goes on taking
// connections without.
func TestPostgreSQLOverTLS(t *testing.T) {
	address := embeddedtest.Postgres(t)
	folder := embeddedtest.Dir(t)
	if err := securetest.Folder(folder); err != nil {
		t.Fatal(err)
	}
	server, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(context.WithoutCancel(t.Context()))

	failsSecured(t, "a plain port", with(t, address, "127.0.0.1", filepath.Join(folder, securetest.CA)), "PostgreSQL speaks no TLS at the port that --postgres names")
	speakTLS(t, server, folder, securetest.Server, securetest.ServerKey)
	secured := with(t, address, "127.0.0.1", filepath.Join(folder, securetest.CA))
	if err := postgres.Migrate(t.Context(), secured); err != nil {
		t.Errorf("over TLS: %v", err)
	}
	wrong, _ := url.Parse(secured)
	wrong.User = url.UserPassword(wrong.User.Username(), "hunter2")
	failsSecured(t, "a wrong password", wrong.String(), "--postgres-password")
	failsSecured(t, "a wrong name", with(t, address, "localhost", filepath.Join(folder, securetest.CA)), "for other names than the one in --postgres")
	failsSecured(t, "another authority", with(t, address, "127.0.0.1", filepath.Join(folder, securetest.OtherCA)), "--postgres-ca names the file of the right one")
	speakTLS(t, server, folder, securetest.Expired, securetest.ExpiredKey)
	failsSecured(t, "an expired certificate", secured, "--postgres names is expired")
	execute(t, server, "alter system reset all")
	execute(t, server, "select pg_reload_conf()")
}

func TestASilentPortIsNamedSoon(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // nobody takes what comes to it
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := "postgres://crier:hunter2@" + l.Addr().String() + "/crier"
	failsSecured(t, "with TLS if there is some", address, "--postgres names does not answer")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	failsSecured(t, "a closed port", address, "nothing listens at the port that --postgres names")
}

func with(t *testing.T, address, host, ca string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = host + ":" + u.Port()
	u.RawQuery = url.Values{"sslmode": {"verify-full"}, "sslrootcert": {ca}}.Encode()
	return u.String()
}

// failsSecured wants an error that names a flag, of the commands and of serve, within 5 s.
func failsSecured(t *testing.T, name, address, want string) {
	t.Helper()
	ran := sleeptest.Stopwatch(t)
	var opening sync.WaitGroup
	var migrated, opened error
	opening.Go(func() { migrated = postgres.Migrate(t.Context(), address) })
	opening.Go(func() {
		var store *postgres.Store
		if store, opened = postgres.Open(t.Context(), postgres.Config{URL: address, MaxConns: 2}); opened == nil {
			store.Close()
		}
	})
	opening.Wait()
	for call, err := range map[string]error{"Migrate": migrated, "Open": opened} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %s = %v, want %q in it", name, call, err, want)
		}
	}
	if took := ran(); took > 5*time.Second {
		t.Errorf("%s: it took %v", name, took)
	}
}

// speakTLS gives the server a certificate, and returns once it is used.
func speakTLS(t *testing.T, server *pgx.Conn, folder, cert, key string) {
	t.Helper()
	data := ""
	if err := server.QueryRow(t.Context(), "show data_directory").Scan(&data); err != nil {
		t.Fatal(err)
	}
	// PostgreSQL reads keys that are its user's, or root's, and nobody else may.
	owner, err := os.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	for file, from := range map[string]string{"cert": cert, "key": key} {
		content, err := os.ReadFile(filepath.Join(folder, from))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, from+".postgres")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		own(t, path, owner)
		execute(t, server, "alter system set ssl_"+file+"_file = '"+path+"'")
	}
	execute(t, server, "alter system set ssl = on")
	execute(t, server, "select pg_reload_conf()")
	used := func() bool {
		var file, on string
		if err := server.QueryRow(t.Context(), "select current_setting('ssl_cert_file') file, current_setting('ssl') ssl").Scan(&file, &on); err != nil {
			t.Fatal(err)
		}
		return on == "on" && strings.HasSuffix(file, cert+".postgres")
	}
	for deadline := time.Now().Add(postgrestest.Patience); !used(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("PostgreSQL speaks no TLS")
		}
	}
}

func execute(t *testing.T, server *pgx.Conn, statement string) {
	t.Helper()
	if _, err := server.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func own(t *testing.T, path string, like os.FileInfo) {
	t.Helper()
	owner := like.Sys().(*syscall.Stat_t)
	if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
}
