package clickhouse_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/compose/embedded/embeddedtest"
	"crier/schema/clickhouse"
	"crier/schema/sleep/sleeptest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// open returns a store on a fresh database.
func open(t testing.TB) *clickhouse.Store {
	t.Helper()
	return openURL(t, migrated(t))
}

func openURL(t testing.TB, url string) *clickhouse.Store {
	t.Helper()
	store, err := clickhouse.Open(t.Context(), clickhouse.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func migrated(t testing.TB) string {
	t.Helper()
	url := embeddedtest.ClickHouse(t)
	if err := clickhouse.Migrate(t.Context(), clickhouse.Config{URL: url}); err != nil {
		t.Fatal(err)
	}
	return url
}

func TestMigratingAgainKeepsWhatIsThere(t *testing.T) {
	url := migrated(t)
	store := openURL(t, url)
	w := newWorkspace()
	insert(t, store, w.fact(noon))
	if err := clickhouse.Migrate(t.Context(), clickhouse.Config{URL: url}); err != nil {
		t.Fatal(err)
	}
	if events := w.events(t, store); len(events) != 1 {
		t.Errorf("events = %d after migrating again, want 1", len(events))
	}
}

func TestTablesOfANewerVersionAreRefused(t *testing.T) {
	config := clickhouse.Config{URL: migrated(t)}
	ran := func(name string) {
		if err := raw(t, config.URL).Exec(t.Context(), `insert into migrations (name) values ('migrations/`+name+`')`); err != nil {
			t.Fatal(err)
		}
	}
	ran("00005_events_position.sql") // as an earlier version calls the second
	openURL(t, config.URL)
	ran("99999_later.sql")
	store, err := clickhouse.Open(t.Context(), config)
	if err == nil {
		_ = store.Close()
	}
	for what, err := range map[string]error{"opening": err, "migrating": clickhouse.Migrate(t.Context(), config)} {
		if err == nil || !strings.Contains(err.Error(), "newer version of crier") {
			t.Errorf("%s = %v", what, err)
		}
	}
}

func TestMigrationsHaveNoHoles(t *testing.T) {
	names, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for i, name := range names {
		if want := fmt.Sprintf("migrations/%05d_", i+1); !strings.HasPrefix(name, want) {
			t.Errorf("migration %s, want %s…", name, want)
		}
	}
}

func TestProcessesMigrateAtOnce(t *testing.T) {
	url := embeddedtest.ClickHouse(t)
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			if err := clickhouse.Migrate(t.Context(), clickhouse.Config{URL: url}); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	openURL(t, url)
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for name, tt := range map[string]struct{ url, want string }{
		"nobody listens":       {"http://u:hunter2@" + freeAddress(t) + "/crier", "refused"},
		"nobody answers":       {"http://u:hunter2@" + silent(t) + "/crier", "--clickhouse names does not answer"},
		"nobody speaks TLS":    {"https://u:hunter2@" + silent(t) + "/crier", "--clickhouse names does not answer"},
		"no TLS on the port":   {"https://u:hunter2@" + silentlyClosing(t) + "/crier", "connecting to ClickHouse at 127.0.0.1"},
		"wrong password":       {withPassword(embeddedtest.ClickHouse(t), "hunter2"), "connecting to ClickHouse"},
		"another protocol":     {"clickhouse://u:hunter2@127.0.0.1:9000/crier", "http://"},
		"no url":               {"://u:hunter2@", "http://"},
		"a port that is none":  {"http://u:hunter2@127.0.0.1:http/crier", "http://"},
		"tables were not made": {embeddedtest.ClickHouse(t), "run crier migrate"},
		"an option of no use":  {"http://u:hunter2@127.0.0.1:1/crier?dial_timeout=soon", "reading the URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := sleeptest.Stopwatch(t)
			store, err := clickhouse.Open(t.Context(), clickhouse.Config{URL: tt.url})
			if err == nil {
				t.Fatalf("it opened; closing it: %v", store.Close())
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %q, want %q in it", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error = %q shows the password", err)
			}
			if took := ran(); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// freeAddress is one that nobody listens on.
func freeAddress(t *testing.T) string {
	l := listen(t)
	defer l.Close()
	return l.Addr().String()
}

// silent is the address of a server that takes connections and says nothing.
func silent(t *testing.T) string { return listen(t).Addr().String() }

// silentlyClosing is the address of a server that closes each connection.
func silentlyClosing(t *testing.T) string {
	l := listen(t)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	})
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	return l.Addr().String()
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func withPassword(url, password string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	access, address, _ := strings.Cut(rest, "@")
	user, _, _ := strings.Cut(access, ":")
	return scheme + "://" + user + ":" + password + "@" + address
}
