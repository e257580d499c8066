package clickhousehttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/compose/embedded/embeddedtest"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// open connects to a fresh database with everything as the driver has it by default,
// except for what change does.
func open(t *testing.T, change ...func(*clickhouse.Options)) driver.Conn {
	t.Helper()
	return openURL(t, embeddedtest.ClickHouse(t), change...)
}

func openURL(t *testing.T, address string, change ...func(*clickhouse.Options)) driver.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(options)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func exec(t *testing.T, conn driver.Conn, query string, args ...any) {
	t.Helper()
	if err := conn.Exec(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func value[T any](t *testing.T, conn driver.Conn, query string, args ...any) (v T) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func compressed(method clickhouse.CompressionMethod) func(*clickhouse.Options) {
	return func(o *clickhouse.Options) { o.Compression = &clickhouse.Compression{Method: method, Level: 1} }
}

func TestPingAndVersion(t *testing.T) {
	conn := open(t)
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	version, err := conn.ServerVersion()
	if err != nil || version.Version.Major < 26 {
		t.Errorf("ServerVersion = %v, %v", version, err)
	}
}

type row struct {
	At    time.Time         `ch:"at"`
	Text  string            `ch:"text"`
	Kind  string            `ch:"kind"`
	Props map[string]string `ch:"props"`
	Tags  []string          `ch:"tags"`
	Value *float64          `ch:"value"`
	State string            `ch:"state"`
	Flag  bool              `ch:"flag"`
}

const createRows = `CREATE TABLE rows (at DateTime64(3, 'UTC'), text String, kind LowCardinality(String),
	props Map(String, String), tags Array(String), value Nullable(Float64),
	state Enum8('due' = 1, 'posted' = 2), flag Bool) ENGINE = MergeTree ORDER BY at`

func TestBatchesComeBackAsTheyWere(t *testing.T) {
	for name, change := range map[string]func(*clickhouse.Options){
		"plain":              func(*clickhouse.Options) {},
		"compressed by lz4":  compressed(clickhouse.CompressionLZ4),
		"compressed by zstd": compressed(clickhouse.CompressionZSTD),
		"with every setting": func(o *clickhouse.Options) { o.Settings = clickhouse.Settings{"max_threads": 1} },
		"waits for its end":  func(o *clickhouse.Options) { o.Settings = clickhouse.Settings{"wait_end_of_query": 1} },
	} {
		t.Run(name, func(t *testing.T) {
			conn := open(t, change)
			exec(t, conn, createRows)
			batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO rows")
			if err != nil {
				t.Fatal(err)
			}
			const count = 10_000
			start := time.Date(2026, 3, 29, 0, 30, 0, 5e6, time.UTC)
			half := 0.5
			for n := range count {
				r := row{
					At: start.Add(time.Duration(n) * time.Second), Text: fmt.Sprintf("a'b\\c\t\n;--\x00 %d", n),
					Kind: fmt.Sprint("kind", n%3), Props: map[string]string{"n": fmt.Sprint(n)},
					Tags: []string{"x", "y;\n"}, State: "posted", Flag: n%2 == 0,
				}
				if n%3 == 0 {
					r.Value = &half
				}
				if err := batch.AppendStruct(&r); err != nil {
					t.Fatal(err)
				}
			}
			if err := batch.Send(); err != nil {
				t.Fatal(err)
			}
			var rows []row
			if err := conn.Select(t.Context(), &rows, "SELECT * FROM rows ORDER BY at"); err != nil {
				t.Fatal(err)
			}
			if len(rows) != count {
				t.Fatalf("rows = %d, want %d", len(rows), count)
			}
			last := rows[count-1]
			if !last.At.Equal(start.Add((count-1)*time.Second)) || last.Text != "a'b\\c\t\n;--\x00 9999" || last.Kind != "kind0" ||
				last.Props["n"] != "9999" || len(last.Tags) != 2 || last.Tags[1] != "y;\n" ||
				last.Value == nil || *last.Value != half || last.State != "posted" || last.Flag {
				t.Errorf("last row = %+v", last)
			}
			if rows[1].Value != nil {
				t.Errorf("value = %v, want none", *rows[1].Value)
			}
		})
	}
}

func TestRollupsFollowInserts(t *testing.T) {
	conn := open(t)
	exec(t, conn, "CREATE TABLE events (id UInt64, day Date, user UInt64) ENGINE = ReplacingMergeTree ORDER BY id")
	exec(t, conn, `CREATE TABLE days (day Date, events SimpleAggregateFunction(sum, UInt64), users AggregateFunction(uniq, UInt64))
		ENGINE = AggregatingMergeTree ORDER BY day`)
	exec(t, conn, `CREATE MATERIALIZED VIEW days_view TO days AS
		SELECT day, count() AS events, uniqState(user) AS users FROM events GROUP BY day`)
	for range 2 {
		exec(t, conn, "INSERT INTO events SELECT number, toDate('2026-01-01'), number % 7 FROM numbers(100)")
	}
	if n := value[uint64](t, conn, "SELECT sum(events) FROM days"); n != 200 {
		t.Errorf("events = %d, want 200", n)
	}
	if n := value[uint64](t, conn, "SELECT uniqMerge(users) FROM days"); n != 7 {
		t.Errorf("users = %d, want 7", n)
	}
	if n := value[uint64](t, conn, "SELECT count() FROM events FINAL"); n != 100 {
		t.Errorf("events without doubles = %d, want 100", n)
	}
}

func TestParametersArriveWhole(t *testing.T) {
	conn := open(t)
	const tricky = "a'b\\c d;-- {x:String} ü"
	for name, args := range map[string][]any{
		"SELECT toString(?)":              {tricky},
		"SELECT toString($1)":             {tricky},
		"SELECT toString(@text)":          {clickhouse.Named("text", tricky)},
		"SELECT {text:String}":            {clickhouse.Named("text", tricky)},
		"SELECT {list:Array(String)}[2]":  {clickhouse.Named("list", []string{"x", tricky})},
		"SELECT toString({text:String}) ": {clickhouse.Named("text", tricky)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := value[string](t, conn, name, args...); got != tricky {
				t.Errorf("got %q, want %q", got, tricky)
			}
		})
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	conn := open(t)
	for name, tt := range map[string]struct {
		query string
		code  int32
	}{
		"syntax":          {"SELEC 1", 62},
		"unknown column":  {"SELECT nothing FROM system.one", 47},
		"unknown table":   {"SELECT * FROM nowhere", 60},
		"unknown setting": {"SELECT 1 SETTINGS no_such_setting = 1", 115},
		"too slow":        {"SELECT sum(cityHash64(number)) FROM numbers(20000000000) SETTINGS max_execution_time = 1", 159},
		"too much memory": {"SELECT groupArray(number) FROM numbers(100000000) SETTINGS max_memory_usage = 1000000", 241},
		"after some rows": {"SELECT throwIf(number = 700000), toString(number) FROM numbers(1000000) SETTINGS max_block_size = 10000", 395},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := conn.Query(t.Context(), tt.query)
			if err == nil {
				for rows.Next() {
				}
				err = errors.Join(rows.Err(), rows.Close())
			}
			if e, ok := errors.AsType[*clickhouse.Exception](err); !ok || e.Code != tt.code {
				t.Errorf("error = %v, want code %d", err, tt.code)
			}
		})
	}
}

func TestSettingsLastForOneStatement(t *testing.T) {
	conn := open(t)
	limited := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"max_result_rows": 10}))
	const enoughForEverySession = 30
	for range enoughForEverySession {
		err := conn.Exec(limited, "SELECT number FROM numbers(100)")
		if e, ok := errors.AsType[*clickhouse.Exception](err); !ok || e.Code != 396 {
			t.Fatalf("Exec over the limit = %v, want code 396", err)
		}
	}
	for range enoughForEverySession {
		if n := value[string](t, conn, "SELECT toString(getSetting('max_result_rows'))"); n != "0" {
			t.Fatalf("max_result_rows = %s afterwards", n)
		}
	}
}

func TestDatabasesDoNotMix(t *testing.T) {
	var work sync.WaitGroup
	for n := range 4 {
		conn := open(t)
		exec(t, conn, "CREATE TABLE who (n UInt8) ENGINE = MergeTree ORDER BY n")
		exec(t, conn, "INSERT INTO who VALUES (?)", n)
		work.Go(func() {
			for range 50 {
				var got uint8
				if err := conn.QueryRow(t.Context(), "SELECT n FROM who").Scan(&got); err != nil || got != uint8(n) {
					t.Errorf("database %d answered %d, %v", n, got, err)
					return
				}
			}
		})
	}
	work.Wait()
}

func TestStatementsThatChangeTheirConnectionLeaveNothing(t *testing.T) {
	conn := open(t)
	for _, query := range []string{"SET max_result_rows = 7", "USE system", "CREATE TEMPORARY TABLE mine (n UInt8)"} {
		for range 10 {
			if err := conn.Exec(t.Context(), query); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
	}
	for range 30 {
		if n := value[string](t, conn, "SELECT toString(getSetting('max_result_rows'))"); n != "0" {
			t.Fatalf("max_result_rows = %s", n)
		}
		if name := value[string](t, conn, "SELECT currentDatabase()"); !strings.HasPrefix(name, "test_") {
			t.Fatalf("currentDatabase = %s", name)
		}
	}
}

func TestReadersAndWritersAtOnce(t *testing.T) {
	conn := open(t, func(o *clickhouse.Options) { o.MaxOpenConns = 20 })
	exec(t, conn, "CREATE TABLE numbers (n UInt64) ENGINE = MergeTree ORDER BY n")
	var work sync.WaitGroup
	for range 5 {
		work.Go(func() {
			for range 10 {
				if err := insertNumbers(t.Context(), conn, 1000); err != nil {
					t.Error(err)
				}
			}
		})
		work.Go(func() {
			for i := range 20 {
				ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"i": fmt.Sprint(i)}))
				var got uint64
				if err := conn.QueryRow(ctx, "SELECT {i:UInt64} + 0 * sum(n) FROM numbers").Scan(&got); err != nil || got != uint64(i) {
					t.Errorf("got %d, %v, want %d", got, err, i)
				}
			}
		})
	}
	work.Wait()
	if n := value[uint64](t, conn, "SELECT count() FROM numbers"); n != 50_000 {
		t.Errorf("rows = %d, want 50000", n)
	}
}

func insertNumbers(ctx context.Context, conn driver.Conn, count int) error {
	batch, err := conn.PrepareBatch(ctx, "INSERT INTO numbers")
	if err != nil {
		return err
	}
	defer batch.Close()
	for n := range count {
		if err := batch.Append(uint64(n)); err != nil {
			return err
		}
	}
	return batch.Send()
}

func TestCancelledStatementEndsInTheEngine(t *testing.T) {
	conn := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	const query = "SELECT sum(cityHash64(number)) FROM numbers(200000000000)"
	if err := conn.Exec(ctx, query); err == nil {
		t.Fatal("the statement came to an end")
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		running := value[uint64](t, conn, "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64%'")
		if running == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the engine still runs it")
		}
	}
}

func TestNobodyElseIsLetIn(t *testing.T) {
	u, err := url.Parse(embeddedtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, user := range map[string]*url.Userinfo{
		"no user":        nil,
		"other user":     url.UserPassword("default", "x"),
		"no password":    url.User(u.User.Username()),
		"wrong password": url.UserPassword(u.User.Username(), "guessed"),
	} {
		t.Run(name, func(t *testing.T) {
			guess := *u
			guess.User, guess.Path = user, "/"
			guess.RawQuery = "query=SELECT+1"
			resp, err := http.Get(guess.String())
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden || resp.Header.Get("X-ClickHouse-Exception-Code") != "516" {
				t.Errorf("answer = %s, code %s", resp.Status, resp.Header.Get("X-ClickHouse-Exception-Code"))
			}
		})
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	conn := open(t, compressed(clickhouse.CompressionGZIP))
	exec(t, conn, "CREATE TABLE numbers (n UInt64) ENGINE = MergeTree ORDER BY n")
	err := insertNumbers(t.Context(), conn, 10)
	if e, ok := errors.AsType[*clickhouse.Exception](err); !ok || e.Code != 48 {
		t.Errorf("insert compressed by gzip = %v, want code 48", err)
	}
}

func TestEmptyResultIsNoRows(t *testing.T) {
	conn := open(t)
	rows, err := conn.Query(t.Context(), "SELECT number FROM numbers(10) WHERE number > 100")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if rows.Next() || rows.Err() != nil {
		t.Errorf("rows, or %v", rows.Err())
	}
}
