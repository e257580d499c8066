package analytics_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

func TestABatchThatIsDeliveredAgainCountsOnce(t *testing.T) {
	f := newFixture(t)
	f.start()
	batch := f.batch(30)
	f.produce(batch, batch)
	f.eventually("the batch is stored", func() bool { return f.stored() == 30 })
	later := f.batch(1)
	f.produce(batch, batch, later)
	f.produce(batch)
	f.eventually("the batch after it is stored", func() bool { return f.stored() >= 31 })
	if events, counted := f.stored(), f.counted(); events != 31 || counted != 31 {
		t.Errorf("events = %d, counted = %d, want 31", events, counted)
	}
}

func TestTheOutboxKeepsABatchUntilItIsStored(t *testing.T) {
	f := newFixture(t)
	batch := f.commit()
	if n := f.owed(); n != 1 {
		t.Fatalf("owed = %d before, want 1", n)
	}
	f.start()
	f.produce(batch)
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	if n := f.stored(); n != len(batch.Events) {
		t.Errorf("events = %d, want %d", n, len(batch.Events))
	}
}

func TestACrashBetweenStoringAndMarkingCountsOnce(t *testing.T) {
	f := newFixture(t)
	batch := f.commit()
	places, err := f.marks().Place(t.Context(), []schema.BatchID{batch.ID})
	if err != nil || places[batch.ID] == 0 {
		t.Fatalf("Place = %v, %v", places, err)
	}
	stored := slices.Clone(batch.Events)
	for i := range stored {
		stored[i].Position = places[batch.ID]
	}
	if err := f.clickhouse.Sink().Insert(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	if n := f.owed(); n != 1 {
		t.Fatalf("owed = %d after the crash, want 1", n)
	}
	f.start()
	f.produce(batch)
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	events, err := f.clickhouse.Analytics().Events(t.Context(), f.workspace, everything)
	if err != nil || len(events) != len(batch.Events) || events[0].Position != places[batch.ID] {
		t.Errorf("events = %v, %v; want each once, where it was", events, err)
	}
}

func TestNothingIsStoredWhilePostgreSQLIsAway(t *testing.T) {
	f := newFixture(t)
	batch := f.commit()
	f.start()
	f.postgresRelay.cut()
	f.produce(batch)
	f.eventually("placing was tried", func() bool { return f.postgresRelay.refused() > 0 })
	if n := f.stored(); n != 0 {
		t.Errorf("%d events are stored without a place", n)
	}
	f.postgresRelay.mend()
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	if n := f.stored(); n != len(batch.Events) {
		t.Errorf("events = %d, want %d", n, len(batch.Events))
	}
}

func TestNothingIsLostWhileClickHouseIsAway(t *testing.T) {
	f := newFixture(t)
	f.clickhouseRelay.cut()
	metrics, _ := f.start()
	batch := f.commit()
	f.produce(batch)
	want := len(batch.Events)
	for range 50 {
		f.produce(f.batch(20))
		want += 20
	}
	f.eventually("two tries failed", func() bool { return f.metric(metrics, "crier_analytics_insert_seconds", "failed") >= 2 })
	if behind := f.metric(metrics, "crier_analytics_behind_seconds", ""); behind <= 0 {
		t.Errorf("behind = %v s while ClickHouse is away", behind)
	}
	if n := f.owed(); n != 51 {
		t.Errorf("owed = %d while ClickHouse is away, want all 51", n)
	}
	f.clickhouseRelay.mend()
	f.eventually("all is stored", func() bool { return f.stored() == want })
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	f.eventually("the sink is not behind", func() bool { return f.metric(metrics, "crier_analytics_behind_seconds", "") == 0 })
	if rows := f.metric(metrics, "crier_analytics_rows_total", ""); rows < float64(want) {
		t.Errorf("rows = %v, want %d or more", rows, want)
	}
}

func TestWhatCannotBeReadHoldsNothingUp(t *testing.T) {
	f := newFixture(t)
	f.start()
	partition := 0
	event := `{"id":"` + f.batch(1).Events[0].ID.String() + `"`
	inBatch := func(events string) string { return `{"id":"` + f.batch(0).ID.String() + `","events":[` + events + `]}` }
	for name, value := range map[string]string{
		"empty":            "",
		"no JSON":          "{",
		"a strange id":     `{"id":"batch_?","events":[]}`,
		"no batch":         `{"events":[]}`,
		"no workspace":     inBatch(event + `,"at":"2026-01-01T00:00:00Z"}`),
		"no time":          inBatch(event + `,"workspace":"` + f.workspace.String() + `"}`),
		"another platform": inBatch(event + `,"platform":"myspace"}`),
	} {
		t.Log(name)
		f.write(stream.Record{Value: []byte(value), Partition: &partition})
	}
	for p := range f.log.Partitions(schema.TopicEvents) {
		b := f.batch(1)
		for stream.Partition(b.ID[:], f.log.Partitions(schema.TopicEvents)) != p {
			b = f.batch(1)
		}
		f.produce(b)
	}
	f.eventually("what came after is stored", func() bool { return f.stored() == f.log.Partitions(schema.TopicEvents) })
}

func TestEventsCanBeQueriedSoon(t *testing.T) {
	f := newFixture(t)
	f.start()
	const batches, pause = 150, 20 * time.Millisecond
	ran := sleeptest.Stopwatch(t)
	var createdAt sync.Map // when each event was
	produced := make(chan struct{})
	go func() {
		defer close(produced)
		for range batches {
			b := f.batch(3)
			for _, e := range b.Events {
				createdAt.Store(e.ID, ran())
			}
			f.produce(b)
			time.Sleep(pause)
		}
	}()
	t.Cleanup(func() { <-produced })
	var ages []time.Duration
	seen := map[schema.EventID]bool{}
	f.eventually("all events are seen", func() bool {
		events, err := f.clickhouse.Analytics().Events(t.Context(), f.workspace, everything)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if !seen[e.ID] {
				seen[e.ID] = true
				at, _ := createdAt.Load(e.ID)
				ages = append(ages, ran()-at.(time.Duration))
			}
		}
		return len(seen) == 3*batches
	})
	slices.Sort(ages)
	p50, p99 := ages[len(ages)/2], ages[len(ages)*99/100]
	t.Logf("from commit to queryable: p50 %v, p99 %v", p50, p99)
	if p99 > 5*time.Second {
		t.Errorf("p99 = %v, want 5s at most on a loaded machine; the goal is 2s", p99)
	}
}
