package collection_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/connectors"
	"crier/connectors/simulators/simulation"
	"crier/schema"
	"crier/schema/postgres"
)

// losing is a store whose answers are lost at times after the commit, and to which some is told
// twice, if it is to lose.
type losing struct {
	*postgres.Collection
	loses int64 // one answer in so many; 0: none
	calls atomic.Int64
}

var errLost = &schema.Error{Kind: schema.Unavailable, Message: "the answer was lost"}

func (l *losing) Finish(ctx context.Context, r schema.CollectionResult) error {
	n := l.calls.Add(1)
	err := l.Collection.Finish(ctx, r)
	switch {
	case l.loses == 0:
		return err
	case err == nil && n%l.loses == 0:
		return errLost
	case err == nil && n%(l.loses-2) == 0:
		return l.Collection.Finish(ctx, r)
	default:
		return err
	}
}

// The times of the first day: the clock goes by steps, in which a look can be late.
const (
	clockStep  = 5 * time.Minute
	bursts     = 5
	burstEvery = 3 * time.Hour
	ofABurst   = 20
	firstDay   = 24*time.Hour + 3*clockStep
)

// busy is an account that publishes in bursts, and its first post, which the others are like.
type busy struct {
	schema.Account
	template simulation.Post
	nativeID string
	offset   time.Duration
}

// day is many posts through their first day.
type day struct {
	*fixture
	accounts []busy
	there    map[schema.PostID]simulation.Post
	beside   map[schema.PostID]bool // of there, those on the true clock, whose looks run together
	deferred float64                // by platforms, of stages that have ended
	waited   time.Duration
}

// TestTheFirstDayOfManyPosts looks four times at each of many posts of accounts that publish all
// the while, with messages that come twice, answers that are lost and workers that end: each look is
// stored once, and tells what the platform knew then. CRIER_TEST_FULL=1: 200,000 posts.
func TestTheFirstDayOfManyPosts(t *testing.T) {
	posts, kills, loses := 600, 1, int64(7)
	if os.Getenv("CRIER_TEST_FULL") != "" {
		posts, kills, loses = 200_000, 10, 71 // some hundred answers: the stage waits after each
	}
	f := newFixture(t)
	f.finishes.loses, f.last = loses, schema.CollectFollowers // what people write has tests of its own
	d := &day{fixture: f, there: map[schema.PostID]simulation.Post{}, beside: map[schema.PostID]bool{}}
	d.open(posts / bursts / ofABurst)
	stop := d.start()
	length := bursts*burstEvery + firstDay
	began, killed := f.now(), 0
	for at := time.Duration(0); at < length; at += clockStep {
		d.advance(max(0, began.Add(at).Sub(f.now())))
		d.publishBursts(at)
		if d.due() == 0 {
			continue
		}
		d.fire()
		d.fire()
		if at%(2*time.Hour) == 0 && at < length-firstDay {
			d.publishBeside(int(at / clockStep))
		}
		if killed < kills && at >= length*time.Duration(killed+1)/time.Duration(kills+2) {
			stop()
			d.deferred += d.outcomes("deferred")
			d.advance(schema.Lease) // what it held is free then
			stop = d.start()
			d.fire()
			killed++
		}
		d.collect()
	}
	stop()
	d.check(began.Add(length))
	if n := d.deferred + d.outcomes("deferred"); n != 0 {
		t.Errorf("platforms asked %g times to wait: their limits are not kept", n)
	}
	t.Logf("%d posts of %d accounts, %d workers killed; the longest that a publication waited for its turn: %v", len(d.there), len(d.accounts), killed, d.waited)
}

// open connects the accounts, each with a first post.
func (d *day) open(n int) {
	d.Helper()
	platforms := []schema.Platform{schema.Bluesky, schema.Twitter, schema.Mastodon}
	for i := range n {
		a := busy{Account: d.connect(platforms[i%len(platforms)], i), offset: time.Duration(i%int(burstEvery/clockStep)) * clockStep}
		a.nativeID, a.template = d.published(a.Account)
		d.accounts = append(d.accounts, a)
	}
}

// published publishes a post as the publish stage does, and has it followed.
func (d *day) published(a schema.Account) (nativeID string, there simulation.Post) {
	d.Helper()
	post, there := d.publish(a, "one of many, at "+d.now().String())
	d.acknowledge()
	d.must(d.direct.QueryRow(d.Context(), `select native_id from snapshots where post_id = $1`, post.ID).Scan(&nativeID))
	d.there[post.ID], d.beside[post.ID] = there, true
	return nativeID, there
}

// publishBursts has posts on the platforms, and to be looked at, without their way through crier.
func (d *day) publishBursts(at time.Duration) {
	d.Helper()
	var rows [][]any
	for _, a := range d.accounts {
		since := at - a.offset
		if since < 0 || since >= bursts*burstEvery || since%burstEvery != 0 {
			continue
		}
		for range ofABurst {
			now := d.now()
			published := a.template
			published.ID, published.Key, published.CreatedAt = "", "", now
			if at := strings.LastIndex(a.template.ID, "/"); at > 0 { // Bluesky's are addresses
				published.Key = recordKey(len(d.there))
				published.ID = a.template.ID[:at+1] + published.Key
			}
			there, _, err := d.sandbox.World(a.Platform).Add(published)
			d.must(err)
			post := schema.NewID[schema.PostID](now)
			d.there[post] = there
			rows = append(rows, []any{
				[16]byte(post), int16(0), [16]byte(a.ID), strings.ReplaceAll(a.nativeID, a.template.ID, there.ID), "", false,
				now, int16(0), now.Add(schema.SnapshotAge(0)),
			})
		}
	}
	if len(rows) == 0 {
		return
	}
	_, err := d.direct.CopyFrom(d.Context(), pgx.Identifier{"snapshots"},
		[]string{"post_id", "n", "account_id", "native_id", "url", "video", "posted_at", "slot", "due_at"}, pgx.CopyFromRows(rows))
	d.must(err)
	_, err = d.direct.Exec(d.Context(), `
		update collections c set due_at = (select min(s.due_at) from snapshots s where s.account_id = c.account_id)
		where c.what = $1 and exists (select from snapshots s where s.account_id = c.account_id)`, schema.CollectMetrics)
	d.must(err)
}

// recordKey returns a key of a record, as Bluesky's are written.
func recordKey(n int) string {
	const digits = "234567abcdefghijklmnopqrstuvwxyz"
	key := []byte("3lzzzzzzzzzzz")
	for i := len(key) - 1; i > 3; i-- {
		key[i] = digits[n%len(digits)]
		n /= len(digits)
	}
	return string(key)
}

// publishBeside publishes while posts are looked at: no turn for it is taken.
func (d *day) publishBeside(i int) {
	d.Helper()
	for n := range 3 {
		a := d.accounts[(i*3+n)%len(d.accounts)]
		reservation, wait := d.catalog.Reserve(d.Context(), a.Platform, a.ID, connectors.Post)
		if d.waited = max(d.waited, wait); wait > 0 {
			d.Errorf("a publication of %s waits %v for its turn", a.Name, wait)
		}
		if reservation != nil {
			reservation.Cancel()
		}
		d.published(a.Account)
	}
}

// check holds the looks against the platforms' state: each is there once, none is missing.
func (d *day) check(end time.Time) {
	d.Helper()
	type look struct {
		post schema.PostID
		slot int16
	}
	seen := make(map[look]int, 4*len(d.there))
	wrong := 0
	d.eachFact(schema.FactPostMetrics, func(e schema.Event) {
		var m schema.PostMetrics
		d.must(json.Unmarshal(e.Data, &m))
		seen[look{e.Post, m.Slot}]++
		there, known := d.there[e.Post]
		world := d.sandbox.World(e.Platform)
		minimum, maximum := world.AudienceAt(there, e.At), world.AudienceAt(there, e.At.Add(patience))
		if !known || m.Gone || m.Metrics.Likes == nil || *m.Metrics.Likes < minimum.Likes || *m.Metrics.Likes > maximum.Likes {
			if wrong++; wrong < 10 {
				d.Errorf("look %d at %s of %s at %v: %+v, there %+v", m.Slot, e.Post, e.Platform, e.At, m, there)
			}
		}
	})
	missed, twice := 0, 0
	for post, there := range d.there {
		for slot := range int16(4) {
			switch n := seen[look{post, slot}]; {
			case n == 0 && !d.beside[post] && there.CreatedAt.Add(schema.SnapshotAge(slot)+2*clockStep).Before(end):
				missed++
			case n > 1:
				twice++
			}
		}
	}
	if missed+twice+wrong > 0 || len(seen) < 4*len(d.there)*9/10 {
		d.Errorf("of %d looks %d are missing, %d are there twice, %d are wrong", len(seen), missed, twice, wrong)
	}
	d.Logf("%d looks, %d missing, %d twice, %d wrong", len(seen), missed, twice, wrong)
}

// outcomes returns how many steps of the stage have come to an outcome.
func (f *fixture) outcomes(outcome string) (n float64) {
	f.Helper()
	families, err := f.registry.Gather()
	f.must(err)
	for _, family := range families {
		if family.GetName() != "crier_collections_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "outcome" && label.GetValue() == outcome {
					n += m.GetCounter().GetValue()
				}
			}
		}
	}
	return n
}
