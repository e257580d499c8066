package analytics_test

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

// writeSlowly commits batches of events as slow writers do: each is made, committed after a
// while, and reaches the log after another, so that it arrives long after younger ones.
func (f *fixture) writeSlowly(seed uint64, batches int) (ids []schema.EventID) {
	random := rand.New(rand.NewPCG(seed, seed))
	within := func(d time.Duration) { time.Sleep(time.Duration(random.Int64N(int64(d)))) }
	var late sync.WaitGroup
	defer late.Wait()
	for range batches {
		now := f.postgres.Now().UTC()
		b := schema.EventBatch{ID: schema.NewID[schema.BatchID](now)}
		for range 1 + random.IntN(3) {
			id := schema.NewID[schema.EventID](now)
			b.Events = append(b.Events, schema.Event{
				ID: id, Type: schema.PostScheduled, Workspace: f.workspace, Post: schema.NewID[schema.PostID](now), At: now, Data: json.RawMessage(`{}`),
			})
			ids = append(ids, id)
		}
		within(100 * time.Millisecond)
		f.owe(b)
		detour := time.Duration(random.Int64N(int64(2 * time.Second)))
		twice := random.IntN(4) == 0
		late.Go(func() {
			time.Sleep(detour)
			f.produce(b)
			if twice {
				f.produce(b)
			}
		})
	}
	return ids
}

func TestAPollerSeesEveryEventOnce(t *testing.T) {
	f := newFixture(t)
	f.start()
	f.start() // two processes share the partitions
	const writers, batches = 6, 25
	written := make(chan []schema.EventID, writers)
	for n := range writers {
		go func() { written <- f.writeSlowly(uint64(n)+1, batches) }()
	}
	seen := map[schema.EventID]int{}
	query := schema.EventQuery{Types: schema.EventTypes(), Limit: 10}
	pages := 0
	poll := func() {
		page, err := f.queries.Events(t.Context(), f.workspace, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			seen[e.ID]++
			query.After = e.ID
		}
		pages++
	}
	all := map[schema.EventID]bool{}
	for done := 0; done < writers; {
		select {
		case ids := <-written:
			done++
			for _, id := range ids {
				all[id] = true
			}
		default:
			poll()
			time.Sleep(20 * time.Millisecond)
		}
	}
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	for before := -1; len(seen) > before; {
		before = len(seen)
		poll()
	}
	for id := range all {
		if seen[id] != 1 {
			t.Errorf("event %s was seen %d times", id, seen[id])
		}
	}
	if len(seen) != len(all) || pages < 10 {
		t.Errorf("saw %d events of %d on %d pages", len(seen), len(all), pages)
	}
}

func TestWhatIsOwedHoldsTheReaderBack(t *testing.T) {
	f := newFixture(t)
	old, young := f.batch(0), f.batch(0)
	old.Events, young.Events = f.published(1), f.published(1)
	places, err := f.marks().Place(t.Context(), []schema.BatchID{old.ID})
	if err != nil {
		t.Fatal(err)
	}
	f.start()
	f.produce(young)
	f.eventually("the young batch is stored", func() bool { return f.stored() == 1 && f.owed() == 1 })
	page, err := f.queries.Events(t.Context(), f.workspace, schema.EventQuery{Types: schema.EventTypes(), Limit: 10})
	if err != nil || len(page.Events) != 0 || !page.CompleteUntil.Equal(old.ID.Time()) {
		t.Fatalf("page = %+v, %v; want none beyond a batch that is still owed", page, err)
	}
	f.produce(old)
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	page, err = f.queries.Events(t.Context(), f.workspace, schema.EventQuery{Types: schema.EventTypes(), Limit: 1})
	if err != nil || len(page.Events) != 1 || !page.More || page.Events[0].Position != places[old.ID] {
		t.Errorf("page = %+v, %v; want the first of two", page, err)
	}
}

func TestAnEventThatIsNotStoredYetStandsForItsTime(t *testing.T) {
	f := newFixture(t)
	f.start()
	b := f.batch(0)
	b.Events = f.published(1)
	f.produce(b)
	f.eventually("nothing is owed", func() bool { return f.owed() == 0 })
	for name, tt := range map[string]struct {
		after schema.EventID
		want  int
	}{
		"a little later": {schema.NewID[schema.EventID](f.postgres.Now()), 1},
		"much later":     {schema.NewID[schema.EventID](f.postgres.Now().Add(time.Hour)), 0},
		"itself":         {b.Events[0].ID, 0},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := f.queries.Events(t.Context(), f.workspace, schema.EventQuery{After: tt.after, Types: schema.EventTypes(), Limit: 10})
			if err != nil || len(page.Events) != tt.want {
				t.Errorf("page = %+v, %v; want %d events", page, err, tt.want)
			}
		})
	}
}
