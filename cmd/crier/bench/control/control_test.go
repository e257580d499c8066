package control

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

func TestParseStatements(t *testing.T) {
	got := parseStatements("begin;\ninsert into t values (:b::int, ':' || :a::text, :b);\n")
	want := []statement{{"begin;", nil}, {"insert into t values ($1::int, ':' || $2::text, $1);", []string{"b", "a"}}}
	if len(got) != 2 || got[0].text != want[0].text || got[1].text != want[1].text || !slices.Equal(got[1].variables, want[1].variables) {
		t.Errorf("parseStatements = %q, want %q", got, want)
	}
}

func TestReadTimes(t *testing.T) {
	times, err := readTimes(strings.NewReader("0 1 1523 0 1700000000 1\n0 2 980 0 1700000000 2\n"))
	if err != nil || !slices.Equal(times, []time.Duration{1523 * time.Microsecond, 980 * time.Microsecond}) {
		t.Errorf("readTimes = %v, %v", times, err)
	}
	if _, err := readTimes(strings.NewReader("nonsense\n")); err == nil {
		t.Error("nonsense was read as times")
	}
}

// The two drivers do the same work: six rows in four tables for each transaction.
func TestControl(t *testing.T) {
	url := embeddedtest.Postgres(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	drivers := map[string]driver{"pgx": pgxDriver{url}}
	if path, err := exec.LookPath("pgbench"); err == nil {
		drivers["pgbench"] = pgbenchDriver{path, config}
	}
	for name, driver := range drivers {
		t.Run(name, func(t *testing.T) {
			c := Control{url, driver}
			err := c.onTables(t.Context(), func() error {
				rate, err := driver.rate(t.Context(), 2, time.Second)
				if err != nil || rate <= 0 {
					t.Errorf("rate = %v, %v", rate, err)
				}
				times, err := driver.times(t.Context(), time.Second)
				if err != nil || len(times) == 0 || slices.Max(times) <= 0 {
					t.Errorf("times = %d, %v", len(times), err)
				}
				checkRows(t, url, len(times))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := count(t, url, "select count(*) from pg_namespace where nspname = 'crier_bench'"); n != 0 {
				t.Error("the control left its tables behind")
			}
		})
	}
}

func checkRows(t *testing.T, url string, atLeast int) {
	t.Helper()
	posts := count(t, url, "select count(*) from crier_bench.post")
	for table, each := range map[string]int{"post": 1, "target": 3, "outbox": 1, "idempotency": 1} {
		if n := count(t, url, "select count(*) from crier_bench."+table); n != each*posts || n < atLeast {
			t.Errorf("%d rows in %s for %d posts", n, table, posts)
		}
	}
}

func count(t *testing.T, url, query string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
