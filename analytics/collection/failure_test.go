package collection_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// TestWhatPlatformsRefuse follows posts whose platform asks to wait, takes the credentials no more,
// or has lost them.
func TestWhatPlatformsRefuse(t *testing.T) {
	f := newFixture(t)
	f.start()
	a := f.connect(schema.Mastodon, 1)
	_, stays := f.publish(a, "it stays")
	lost, there := f.publish(a, "it will be gone")
	f.acknowledge()
	f.collect() // the followers
	world := f.sandbox.World(schema.Mastodon)

	inject := func(fault simulation.Fault) {
		t.Helper()
		fault.Operation = "GET /api/v1/statuses/{id}"
		f.must(world.Inject(fault))
	}
	due := func() (at time.Time) {
		t.Helper()
		f.must(f.direct.QueryRow(t.Context(), `select due_at from collections where what = $1`, schema.CollectMetrics).Scan(&at))
		return at
	}

	f.advance(schema.SnapshotAge(0))
	inject(simulation.Fault{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "600"}})
	began := f.now()
	f.collect()
	const wait = 10 * time.Minute
	if at := due(); f.outcomes("deferred") != 1 || at.Before(began.Add(wait-time.Second)) || at.After(f.now().Add(wait+time.Minute)) || len(f.facts(schema.FactPostMetrics)) != 0 {
		t.Fatalf("asked to wait %v at %v, it waits until %v", wait, began, at)
	}

	f.advance(11 * time.Minute)
	world.TakeDown(there)
	f.collect()
	facts := f.facts(schema.FactPostMetrics)
	if len(facts) != 2 {
		t.Fatalf("%d facts, want one of each post", len(facts))
	}
	for _, e := range facts {
		var m schema.PostMetrics
		f.must(json.Unmarshal(e.Data, &m))
		if m.Gone != (e.Post == lost.ID) {
			t.Errorf("%s: gone = %t", e.Post, m.Gone)
		}
	}
	if left := f.count(`select count(*) from snapshots`); left != 1 {
		t.Errorf("%d posts are still looked at, want that of %s", left, stays.ID)
	}

	f.advance(time.Hour)
	inject(simulation.Fault{Status: http.StatusUnauthorized, Times: 50})
	began = f.now()
	f.collect()
	if at := due(); f.outcomes("dead") != 1 || at.Before(began.Add(55*time.Minute)) {
		t.Errorf("refused at %v, the account is asked again at %v", began, at)
	}
	if n := f.count(`select count(*) from accounts where id = $1 and renew_asked_at is not null`, [16]byte(a.ID)); n != 1 {
		t.Error("nobody is asked about its credentials")
	}
}
