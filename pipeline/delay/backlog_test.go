package delay

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/pipeline/stream"
	"crier/pipeline/worker"
	"crier/schema"
	"crier/schema/postgres"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// patience is how long a test waits for what must happen: machines stand still, for more than a
// minute at times.
const patience = 3 * time.Minute

// overdue is the delay stage on a database of the test's own, with jobs that are overdue.
type overdue struct {
	*testing.T
	store    *postgres.Delay
	late     *later
	log      *stream.Log
	database *pgx.Conn
	shards   []int16
}

func newOverdue(t *testing.T) *overdue {
	t.Helper()
	address := embeddedtest.PostgresWith(t, postgres.Migrate)
	store, err := postgres.Open(t.Context(), postgres.Config{
		URL: address, MaxConns: 8, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	o := &overdue{T: t, store: postgres.NewDelay(store)}
	o.late = &later{Delay: o.store}
	if o.database, err = pgx.Connect(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.database.Close(context.Background()) }) // the database is dropped anyway
	o.log, err = stream.Open(t.Context(), stream.Config{
		Brokers: []string{embeddedtest.Log(t)}, ClientID: "test", Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.log.Close)
	if err := o.log.EnsureTopics(t.Context(), schema.Topics()); err != nil {
		t.Fatal(err)
	}
	for s := range schema.Shards {
		o.shards = append(o.shards, int16(s))
	}
	return o
}

func (o *overdue) exec(sql string) {
	o.Helper()
	if _, err := o.database.Exec(o.Context(), sql); err != nil {
		o.Fatal(err)
	}
}

func (o *overdue) count(sql string) (n int) {
	o.Helper()
	if err := o.database.QueryRow(o.Context(), sql).Scan(&n); err != nil {
		o.Fatal(err)
	}
	return n
}

// insert inserts jobs of posts on a platform; due is an SQL expression that may use the
// number i of the job.
func (o *overdue) insert(n int, platform schema.Platform, due string) {
	o.Helper()
	ids, payloads := make([]schema.PostID, n), make([]string, n)
	for i := range ids {
		ids[i] = schema.NewID[schema.PostID](time.Now())
		payloads[i] = string(worker.Encode(schema.PostJob{
			Post: ids[i], Version: 1, Workspace: schema.NewID[schema.WorkspaceID](time.Now()),
			Accounts: []schema.AccountID{schema.NewID[schema.AccountID](time.Now())}, Platforms: []schema.Platform{platform},
		}))
	}
	_, err := o.database.Exec(o.Context(), `
		insert into jobs (id, kind, shard, due_at, version, payload)
		select id, 1, get_byte(uuid_send(id), 15), `+due+`, 1, payload::json from unnest($1::uuid[], $2::text[]) with ordinality u (id, payload, i)`, ids, payloads)
	if err != nil {
		o.Fatal(err)
	}
}

// drain runs a backlog, as a process would, until die is called.
func (o *overdue) drain() (die func()) {
	o.Helper()
	ctx, cancel := context.WithCancel(o.Context())
	d := New(Config{
		Log: o.log, Logger: slog.New(slog.DiscardHandler), Metrics: NewMetrics(prometheus.NewRegistry()), Store: o.late,
	})
	var working sync.WaitGroup
	working.Go(func() { newBacklog(d, o.shards).drain(ctx) })
	die = sync.OnceFunc(func() { cancel(); working.Wait() })
	o.Cleanup(die)
	return die
}

// firedOn counts the jobs of a platform that are fired.
func (*overdue) firedOn(p schema.Platform) string {
	return firedJobs + ` and payload -> 'platforms' ->> 0 = '` + p.String() + `'`
}

const firedJobs = `select count(*) from jobs where fires > 0`

// reaches waits until a query counts at least so many.
func (o *overdue) reaches(sql string, want int) {
	o.Helper()
	for deadline := time.Now().Add(patience); o.count(sql) < want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			o.Fatalf("%d, want %d: %s", o.count(sql), want, sql)
		}
	}
}

// settles waits until a query counts so many, and checks that it then counts no more.
func (o *overdue) settles(sql string, want int) {
	o.Helper()
	o.reaches(sql, want)
	time.Sleep(settleSeldom + settleEvery)
	if got := o.count(sql); got != want {
		o.Fatalf("%d, want %d and no more: %s", got, want, sql)
	}
}

func TestTheCursorReadsEachJobOnceInOrder(t *testing.T) {
	const jobs = 3 * backlogChunk
	o := newOverdue(t)
	o.insert(jobs, schema.Mastodon, `date_trunc('hour', now()) - i % 3 * interval '1 hour'`) // ties beyond a chunk
	c := newCursor(o.store, o.shards, schema.JobPlace{}, time.Now())
	seen := map[schema.JobID]struct{}{}
	var last schema.JobPlace
	for !c.ended() {
		read, err := c.next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range read {
			if j.Place().Compare(last) <= 0 {
				t.Fatalf("%+v comes after %+v", j.Place(), last)
			}
			last = j.Place()
			seen[j.ID] = struct{}{}
		}
	}
	if len(seen) != jobs {
		t.Errorf("read %d jobs of %d", len(seen), jobs)
	}
}

func TestABacklogIsFiredAsItIsTaken(t *testing.T) {
	const jobs = 2*creditFloor + 300
	o := newOverdue(t)
	o.insert(jobs, schema.Mastodon, `now() - i * interval '1 second'`)
	o.insert(200, schema.Bluesky, `now() - interval '10 minutes'`)
	o.late.by.Store(int64(time.Hour))
	die := o.drain()
	mastodon, bluesky := o.firedOn(schema.Mastodon), o.firedOn(schema.Bluesky)

	o.settles(mastodon, creditFloor) // nobody takes any
	o.reaches(bluesky, 200)          // beside those of a platform that takes nothing
	if n := o.count(`select count(*) from jobs j where fires = 0 and due_at < now() - ` + fmt.Sprint(jobs-creditFloor) + ` * interval '1 second' - interval '1 minute'`); n > 0 {
		t.Errorf("%d jobs were not fired although later ones were", n)
	}
	o.late.by.Store(0)                         // the clock is set back
	o.exec(`delete from jobs where fires > 0`) // done
	o.settles(mastodon, creditFloor)

	die()
	// Their messages were lost. By the clock that was ahead they may have fired more than once.
	o.exec(`update jobs set due_at = now() - interval '1 hour', fires = 1 where fires > 0`)
	o.drain()
	o.settles(`select count(*) from jobs where fires = 2`, creditFloor)
	o.exec(`update jobs set due_at = now() + interval '1 hour' where fires > 0`) // postponed
	o.settles(firedJobs, jobs-creditFloor)
}

// later is a store whose clock is ahead.
type later struct {
	*postgres.Delay
	by atomic.Int64
}

func (l *later) Now() time.Time { return l.Delay.Now().Add(time.Duration(l.by.Load())) }

func TestAPlatformThatStandsStillHoldsUpNoOther(t *testing.T) {
	const still, later, between = 3*bufferPerDestination + creditFloor + 300, 300, 50
	t.Parallel()
	o := newOverdue(t)
	o.insert(still, schema.Mastodon, `now() - interval '2 hours' + i * interval '100 ms'`)
	o.insert(between, schema.Bluesky, `now() - interval '110 minutes' + i * interval '1 second'`)
	o.insert(later, schema.Bluesky, `now() - interval '10 minutes'`)
	o.drain()
	mastodon, bluesky := o.firedOn(schema.Mastodon), o.firedOn(schema.Bluesky)
	o.settles(mastodon, creditFloor)
	o.late.by.Store(int64(2 * slowAfter)) // nobody has taken any for long
	o.reaches(bluesky, between+later)
	if n := o.count(mastodon); n != creditFloor {
		t.Errorf("%d jobs were fired for a platform that takes nothing, want %d", n, creditFloor)
	}

	for done := creditFloor; done < still; done += creditFloor { // it goes on
		o.exec(`update jobs set due_at = 'infinity' where fires > 0 and due_at < 'infinity'`)
		o.reaches(mastodon, min(still, done+creditFloor))
	}
	o.settles(`select sum(fires) from jobs`, still+between+later) // each once
}

func TestCreditFollowsTheRateAtWhichADestinationTakesWork(t *testing.T) {
	start := time.Now()
	c := newCredit(start)
	platform := []load{{destination: destination{topic: schema.TopicPublish, platform: schema.Mastodon}, messages: 1}}
	var open []schema.FiredJob
	take := func(now time.Time) (n int) {
		for range 10_000 {
			id := schema.JobID(schema.NewID[schema.PostID](now))
			if !c.take(id, platform, now) {
				return n
			}
			open = append(open, schema.FiredJob{ID: id, DueAt: now.Add(schema.VisibilityTimeout)})
			c.noteDue(open[len(open)-1:])
			n++
		}
		return n
	}
	if n := take(start); n != creditFloor {
		t.Errorf("a destination of unknown rate has %d credits, want %d", n, creditFloor)
	}
	now := start
	for range 100 { // 10,000 a second are taken, as far as there are as many
		now = now.Add(100 * time.Millisecond)
		n := min(1000, len(open))
		done := open[:n:n]
		open = open[n:]
		c.settle(done, nil, now)
		take(now)
	}
	if n := len(open); n < 12_000 || n > 16_000 {
		t.Errorf("%d jobs are in flight to a destination that takes 10,000 a second, want as many as it takes in %v", n, creditWindow)
	}
	stray := open[:100]
	waiting := make([]schema.JobID, len(stray))
	for i, j := range stray {
		waiting[i] = j.ID
	}
	c.settle(stray, waiting, now.Add(2*forgetAfter)) // nothing is taken
	if len(c.fired) != len(open) {
		t.Errorf("%d jobs of a destination that takes nothing have given their credit back", len(open)-len(c.fired))
	}
	c.settle(open, waiting, now.Add(2*forgetAfter+time.Second)) // all others are
	if len(c.fired) != 0 {
		t.Errorf("%d jobs keep their credit although their destination takes others", len(c.fired))
	}
}

// A workspace whose server takes nothing leaves credit to others, and those that take work get the more of it.
func TestAServerThatTakesNothingLeavesTheCreditOfItsPlatformToOthers(t *testing.T) {
	start := time.Now()
	c := newCredit(start)
	fire := func(server string, workspace byte, maximum int, now time.Time) (fired []schema.FiredJob) {
		platform := destination{topic: schema.TopicPublish, platform: schema.Mastodon}
		at, of := platform, platform
		at.server, of.workspace = server, schema.WorkspaceID{workspace}
		for len(fired) < maximum {
			id := schema.JobID(schema.NewID[schema.PostID](now))
			if !c.take(id, []load{{destination: platform, messages: 1}, {at, 1, platform}, {of, 1, platform}}, now) {
				return fired
			}
			fired = append(fired, schema.FiredJob{ID: id, DueAt: now})
			c.noteDue(fired[len(fired)-1:])
		}
		return fired
	}
	hanging := fire("https://hanging.example", 1, creditFloor, start)
	if n := len(hanging); n < creditFloor*6/10 || n > creditFloor*7/10 {
		t.Errorf("a server alone has %d credits of %d, want two thirds", n, creditFloor)
	}
	waiting := make([]schema.JobID, len(hanging))
	for i, j := range hanging {
		waiting[i] = j.ID
	}
	now, taken := start, 0
	for range 20 {
		now = now.Add(settleEvery)
		quick := fire("https://quick.example", 2, 100, now)
		taken += len(quick)
		c.settle(append(quick, hanging...), waiting, now)
	}
	if taken < 20*90 {
		t.Errorf("%d of %d jobs of another server were fired", taken, 20*100)
	}
	if more := fire("https://hanging.example", 1, 1, now); len(more) > 0 {
		t.Error("the server that takes nothing got more")
	}
}

// Receivers that do not answer keep the credit of theirs, and not that of all webhooks.
func TestReceiversThatStandStillLeaveTheCreditOfAllToOthers(t *testing.T) {
	start := time.Now()
	c := newCredit(start)
	fire := func(receiver byte) (id schema.JobID, fired bool) {
		id = schema.JobID(schema.NewID[schema.DeliveryID](start))
		all, webhook := destination{topic: schema.TopicNotify}, destination{topic: schema.TopicNotify, webhook: schema.WebhookID{receiver}}
		return id, c.take(id, []load{{destination: all, messages: 1}, {destination: webhook, messages: 1}}, start)
	}
	var still []schema.JobID
	for n := range creditFloor - 1 {
		id, _ := fire(byte(1 + n/receiverCreditFloor))
		still = append(still, id)
	}
	const quick = 200
	answered, fired := fire(quick)
	if !fired {
		t.Fatal("the last credit was not given")
	}
	if _, fired := fire(quick); fired {
		t.Fatal("there was more credit than for all webhooks")
	}
	c.noteDue([]schema.FiredJob{{ID: answered, DueAt: start}})
	c.settle([]schema.FiredJob{{ID: answered, DueAt: start}}, still, start.Add(2*forgetAfter))
	for range receiverCreditFloor {
		if _, fired := fire(quick); !fired {
			t.Fatal("receivers that take nothing have the credit of all")
		}
	}
	if _, fired := fire(1); fired {
		t.Error("a receiver that takes nothing has more than its own")
	}
}
