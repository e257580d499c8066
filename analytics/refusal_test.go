package analytics_test

import (
	"fmt"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"

	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/postgres"
)

// onClickHouse runs a statement past the sink.
func (f *fixture) onClickHouse(statement string) {
	f.Helper()
	options, err := clickhouse.ParseDSN(f.clickhouseURL)
	if err != nil {
		f.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		f.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(f.Context(), statement); err != nil {
		f.Fatal(err)
	}
}

// tries returns how often the sink failed on something, dead or not.
func (f *fixture) tries() (n int) {
	f.Helper()
	if err := f.direct.QueryRow(f.Context(), `select coalesce(sum(tries), 0) from dead_letters`).Scan(&n); err != nil {
		f.Fatal(err)
	}
	return n
}

func TestARefusedEventLeavesTheOthersOfItsCommitAlone(t *testing.T) {
	f := newFixture(t)
	f.start()
	batch, other := f.batch(30), f.batch(5)
	bad := batch.Events[17]
	f.onClickHouse(fmt.Sprintf(`alter table events add constraint planted check account <> '%s'`, uuid.UUID(bad.Account)))
	f.produce(other)
	for n := range schema.MaxFaults {
		if f.owed() == 0 {
			t.Fatalf("nothing is owed after %d tries", n)
		}
		f.produce(batch) // as the outbox does
		f.eventually("the fault is noted", func() bool { return f.tries() == n+1 })
		f.eventually("all others are stored", func() bool { return f.stored() == 34 })
	}
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })

	admin := postgres.NewAdmin(f.postgres)
	letters, err := admin.DeadLetters(t.Context(), schema.DeadLetterID{}, 10)
	if err != nil || len(letters) != 1 {
		t.Fatalf("letters = %+v, %v", letters, err)
	}
	if dead, err := decodeBatch(letters[0].Message.Value); err != nil || len(dead.Events) != 1 || dead.Events[0].ID != bad.ID {
		t.Errorf("dead = %+v, %v; want the event at fault alone", dead, err)
	}

	f.onClickHouse(`alter table events drop constraint planted`)
	if n, err := admin.Replay(t.Context(), []schema.DeadLetterID{letters[0].ID}); err != nil || n != 1 {
		t.Fatalf("replayed %d, %v", n, err)
	}
	var key, value []byte
	if err := f.direct.QueryRow(t.Context(), `select uuid_send(id), payload from outbox`).Scan(&key, &value); err != nil {
		t.Fatal(err)
	}
	f.write(stream.Record{Key: key, Value: value}, stream.Record{Key: key, Value: value})
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	events, err := f.clickhouse.Analytics().Events(t.Context(), f.workspace, everything)
	if err != nil || len(events) != 35 {
		t.Fatalf("%d events, %v; want each once", len(events), err)
	}
	if last := events[len(events)-1]; last.ID != bad.ID || last.Position <= events[len(events)-2].Position {
		t.Errorf("the last event is %s at %d: a reader who was past the others misses it", last.ID, last.Position)
	}
}
