package chdb_test

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"crier/compose/embedded"
	"crier/compose/embedded/chdb"
)

// connect starts the engine, of which a process can have one; so there is one test,
// with parts.
func connect(t *testing.T) func() *chdb.Conn {
	t.Helper()
	path, err := embedded.LibPath()
	if err != nil {
		t.Fatal(err)
	}
	library, err := chdb.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	return func() *chdb.Conn {
		conn, err := library.Connect("--path=" + folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
}

func TestEngine(t *testing.T) {
	open := connect(t)
	conn := open()

	t.Run("answers in the format asked for", func(t *testing.T) {
		out, err := conn.Query("SELECT 1 AS a, 'x' AS b", "JSONEachRow")
		if err != nil || string(out) != `{"a":1,"b":"x"}`+"\n" {
			t.Errorf("Query = %q, %v", out, err)
		}
	})
	t.Run("takes parameters", func(t *testing.T) {
		out, err := conn.Query("SELECT {text:String}, {n:UInt8}", "TSVRaw",
			chdb.Parameter{Name: "text", Value: "it's"}, chdb.Parameter{Name: "n", Value: "7"})
		if err != nil || string(out) != "it's\t7\n" {
			t.Errorf("Query = %q, %v", out, err)
		}
	})
	t.Run("tells errors with their code", func(t *testing.T) {
		if _, err := conn.Query("SELECT * FROM nowhere", "TSV"); err == nil || !strings.HasPrefix(err.Error(), "Code: 60. DB::Exception: ") {
			t.Errorf("Query = %v, want code 60", err)
		}
	})
	t.Run("streams in parts", func(t *testing.T) { testStream(t, conn) })
	t.Run("runs a query on each connection at once", func(t *testing.T) { testConcurrency(t, open) })
	t.Run("leaves Go its signals", testSignals)
}

func testStream(t *testing.T, conn *chdb.Conn) {
	const query = "SELECT number FROM numbers(1000000) SETTINGS max_block_size = 10000"
	parts, bytes := 0, 0
	err := conn.Stream(func(part []byte) error {
		parts, bytes = parts+1, bytes+len(part)
		return nil
	}, query, "RowBinary")
	if err != nil || parts < 2 || bytes != 8_000_000 {
		t.Errorf("Stream = %v after %d parts of %d bytes together", err, parts, bytes)
	}

	enough := errors.New("enough")
	if err := conn.Stream(func([]byte) error { return enough }, query, "RowBinary"); !errors.Is(err, enough) {
		t.Errorf("Stream = %v, want the callback's error", err)
	}
	if out, err := conn.Query("SELECT 1", "TSV"); err != nil || string(out) != "1\n" {
		t.Errorf("Query after an ended stream = %q, %v", out, err)
	}
}

func testConcurrency(t *testing.T, open func() *chdb.Conn) {
	var work sync.WaitGroup
	for range 4 {
		conn := open()
		work.Go(func() {
			for range 20 {
				if out, err := conn.Query("SELECT sum(number) FROM numbers(100000)", "TSV"); err != nil || string(out) != "4999950000\n" {
					t.Errorf("Query = %q, %v", out, err)
				}
			}
		})
	}
	work.Wait()
}

// testSignals needs Go's handler of SIGSEGV, without which this ends the process.
func testSignals(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic from a nil pointer")
		}
	}()
	var broken *struct{ file *os.File }
	t.Errorf("read %v from nowhere", broken.file)
}
