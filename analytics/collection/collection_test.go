package collection_test

import (
	"encoding/json"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// TestAPostIsLookedAtFromItsFirstQuarterOnToItsThirtiethDay follows a post and its account on real
// parts, with each message delivered twice.
func TestAPostIsLookedAtFromItsFirstQuarterOnToItsThirtiethDay(t *testing.T) {
	f := newFixture(t)
	f.start()
	a := f.connect(schema.Bluesky, 1)
	post, there := f.publish(a, "how does it do?")
	f.acknowledge()
	if n := f.count(`select count(*) from jobs j join collections c on c.id = j.id and c.due_at = j.due_at`); n != 4 {
		t.Fatalf("%d jobs, want that of the post's metrics and those of followers, comments and mentions", n)
	}
	world, began := f.sandbox.World(schema.Bluesky), f.now()
	f.collect() // the followers
	for slot := range int16(schema.SnapshotSlots) {
		f.advance(schema.SnapshotAge(slot) - f.now().Sub(began))
		f.fire()
		f.collect()
		facts := f.facts(schema.FactPostMetrics)
		if len(facts) != int(slot)+1 {
			t.Fatalf("%d looks after %v, want %d", len(facts), schema.SnapshotAge(slot), slot+1)
		}
		f.wantMetrics(facts[slot], post, there, slot)
		if all := world.RemarksUnder(there); int(slot) == schema.SnapshotSlots-3 { // somebody takes back what they wrote
			world.Unsay(there.Account, all[len(all)-1].ID)
		}
	}
	f.advance(31 * 24 * time.Hour)
	f.collect()
	if looks, left := len(f.facts(schema.FactPostMetrics)), f.count(`select count(*) from snapshots`); looks != schema.SnapshotSlots || left != 0 {
		t.Errorf("%d looks, and %d to follow after the last", looks, left)
	}
	f.wantFollowers(a, world, 5) // a day's time of the account may come after the look at its post
	if n := f.count(`select count(*) from jobs j join collections c on c.id = j.id`); n != 3 {
		t.Errorf("%d jobs are left, want those of followers, comments and mentions", n)
	}
	remarks, items := len(world.RemarksUnder(there)), f.count(`select count(*) from inbox where not mention`)
	if facts := len(f.facts(schema.FactInboxItem)); remarks == 0 || items != remarks+1 || facts != items+1+len(world.Mentions(there.Account)) {
		t.Errorf("%d items and %d facts of %d comments, one that was deleted and %d mentions", items, facts, remarks, len(world.Mentions(there.Account)))
	}
	if n := f.count(`select count(*) from inbox where deleted and revision = 2`); n != 1 {
		t.Errorf("%d comments are marked as deleted, want the one that was taken back", n)
	}
}

// wantMetrics checks a look against the simulator.
func (f *fixture) wantMetrics(e schema.Event, post schema.Post, there simulation.Post, slot int16) {
	f.Helper()
	var got schema.PostMetrics
	f.must(json.Unmarshal(e.Data, &got))
	world := f.sandbox.World(e.Platform)
	minimum, maximum := world.AudienceAt(there, e.At), world.AudienceAt(there, e.At.Add(patience))
	switch {
	case e.Workspace != f.workspace || e.Post != post.ID || e.Account != post.Targets[0].Account || got.Slot != slot || got.Gone:
		f.Errorf("fact %+v of look %+v, want look %d of post %s", e, got, slot, post.ID)
	case got.Metrics.Likes == nil || *got.Metrics.Likes < minimum.Likes || *got.Metrics.Likes > maximum.Likes:
		f.Errorf("look %d tells %v likes, want %d to %d", slot, got.Metrics.Likes, minimum.Likes, maximum.Likes)
	}
}

// wantFollowers checks the looks at an account: one a day at the most.
func (f *fixture) wantFollowers(a schema.Account, world *simulation.World, n int) {
	f.Helper()
	facts, days := f.facts(schema.FactFollowers), map[string]bool{}
	for _, e := range facts {
		var got schema.Followers
		f.must(json.Unmarshal(e.Data, &got))
		crowd := world.CrowdAt(a.NativeID, e.At)
		if days[got.Day] || got.Followers == nil || *got.Followers < crowd.Followers || *got.Followers > crowd.Followers+1 || got.Day != e.At.Format(time.DateOnly) {
			f.Errorf("followers %+v at %v, want %d once a day", got, e.At, crowd.Followers)
		}
		days[got.Day] = true
	}
	if len(facts) < n {
		f.Errorf("the account was looked at %d times, want %d at least", len(facts), n)
	}
}
