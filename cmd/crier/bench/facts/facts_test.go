package facts

import (
	"testing"

	"crier/compose/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

func TestEachQueryIsAskedOfFactsThatAreMade(t *testing.T) {
	t.Parallel()
	measured := map[string]Result{}
	b := &bench{Config: Config{
		Rows: 3000, Months: 2, Asks: 1, Say: func(string, ...any) {},
		Report: func(r Result) error { measured[r.Name] = r; return nil },
	}}
	stop, err := b.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := b.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.weigh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(measured) < 18 || len(measured["best times"].Raw) == 0 || measured["bytes_a_fact"].Value <= 0 || b.count < 2000 {
		t.Errorf("measured = %+v of %d facts", measured, b.count)
	}
	for _, share := range shares {
		if share.table == "followers" { // of all accounts in turn: there are more than facts
			continue
		}
		var large, all uint64
		if err := b.conn.QueryRow(t.Context(), `select countIf(workspace = bench_id('workspace', 0)), count() from `+share.table+` final`).Scan(&large, &all); err != nil {
			t.Fatal(err)
		}
		if large == 0 || large == all {
			t.Errorf("%s: %d of %d facts are of the largest workspace", share.table, large, all)
		}
	}
}
