package postgres_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema"
	"crier/schema/postgres"
)

// reader is a process whose statements are counted by the rows that they read.
type reader struct {
	*fixture
	store *postgres.Store
	delay *postgres.Delay
}

func (f *fixture) reader() reader {
	f.Helper()
	store, err := postgres.Open(f.Context(), postgres.Config{
		URL: f.url, MaxConns: 1, MaxLateness: maxLateness, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(), Announce: f.hear,
	})
	f.must(err)
	f.Cleanup(store.Close)
	return reader{f, store, postgres.NewDelay(store)}
}

// wantReads fails where work reads more rows of the tables that grow.
func (r reader) wantReads(most int, work func()) {
	r.Helper()
	read := func() int {
		r.Helper()
		r.exec(`select pg_stat_force_next_flush()`) // of what the test itself has read
		r.must(r.store.Exec(r.Context(), `select pg_stat_force_next_flush()`))
		return r.count(`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables
			where relname in ('posts', 'targets', 'jobs', 'comments', 'deliveries', 'accounts', 'webhooks', 'outbox', 'collections', 'snapshots', 'receipts', 'inbox')`)
	}
	before := read()
	work()
	if n := read() - before; n > most {
		r.Errorf("%d rows were read, want %d at most", n, most)
	}
}

// addOthers makes rows that no chore is for: posts of next month and of last month, with their
// targets; jobs that are due in hours; deliveries and first comments that ended an hour ago.
func (f *fixture) addOthers(n int) {
	f.Helper()
	f.exec(fmt.Sprintf(`
		with p as (
			insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
			select uuidv7(), '%[2]s', 2, now() + interval '30 days', 'UTC', true, 1, '{}', 1, now(), now() from generate_series(1, %[1]d) returning id
		)
		insert into targets (post_id, n, version, account_id, platform, step, state, node, lease_until)
		select id, 0, 1, '%[3]s', 1, 0, 1, '%[4]s', now() from p`, n, uuidText(schema.PostID(f.workspace)), accountText(f.accounts[0]), thisNode))
	f.exec(fmt.Sprintf(`
		insert into jobs (id, kind, shard, due_at, payload) select uuidv7(), 1, n %% 256, now() + interval '5 hours', '{}' from generate_series(1, %d) n`, n))
	f.exec(fmt.Sprintf(`
		insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state, node)
		select uuidv7(interval '-1 hour'), uuidv7(), uuidv7(), uuidv7(), 'x', '', 2, '%s' from generate_series(1, %d) n`, thisNode, n))
}

// thisNode is whose claims they are.
const thisNode = "09000000-0000-0000-0000-000000000000"

// Two chores that each wait for a second connection wait for each other where there are but two.
func TestAChoreTakesOneConnection(t *testing.T) {
	r := newFixture(t).reader()
	d := r.delay
	for name, chunk := range map[string]func(context.Context) (int, bool, error){
		"promote": d.Promote, "make partitions": d.MakePartitions, "drop partitions": d.DropPartitions,
		"archive": d.Archive, "archive unnoted": d.ArchiveUnnoted, "forget posts": d.ForgetPosts, "forget audit": d.ForgetAudit, "forget mails": d.ForgetMails,
		"forget keys": d.ForgetKeys, "forget receipts": d.ForgetReceipts, "forget deliveries": d.ForgetDeliveries,
		"forget attempts": d.ForgetAttempts, "forget counters": d.ForgetCounters, "forget turns": d.ForgetTurns, "forget replies": d.ForgetReplies, "forget inbox": d.ForgetInbox,
		"forget dead letters": d.ForgetDeadLetters, "forget webhooks": d.ForgetWebhooks, "redeliver": d.Redeliver, "resume": d.Resume,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, _, err := chunk(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSweepsReadWhatIsOpen(t *testing.T) {
	const many = 20_000
	f := newFixture(t)
	f.deliver(f.delivery(), schema.DeliveryDelivered)
	f.addOthers(many)
	r := f.reader()
	pass := func(over schema.Sweep) func() {
		return func() {
			f.exec(`update sweeps set ended_at = '-infinity'`)
			f.chore(func(ctx context.Context) (rows int, more bool, err error) {
				repaired, more, err := r.delay.Sweep(ctx, over)
				return sum(repaired), more, err
			})
		}
	}
	lost := f.create(f.post(1, 0))
	f.exec(of(lost, `delete from jobs where id = '$'`))
	for _, statistics := range []string{"select 1", "analyze"} { // none, and fresh ones
		f.exec(statistics)
		r.wantReads(20, pass(schema.SweepPosts))
		r.wantReads(20, pass(schema.SweepRecentPosts))
		r.wantReads(many+100, pass(schema.SweepJobs))
	}
	if f.count(of(lost, `select count(*) from jobs where id = '$'`)) != 1 {
		t.Error("the post did not get its job")
	}
	r.wantReads(2*many+100, pass(schema.SweepDeliveries))
	r.wantReads(10, pass(schema.SweepDeliveries)) // of what has ended nothing is read again
	f.exec(`
		insert into deliveries (id, webhook_id, workspace_id, event_id, event, body)
		select uuidv7(interval '-10 seconds'), webhook_id, workspace_id, uuidv7(), event, body from deliveries where state = 2 and webhook_id in (select id from webhooks)`)
	r.wantReads(20, pass(schema.SweepDeliveries))
	if f.count(`select count(*) from jobs where kind = 3`) != 1 {
		t.Error("an open delivery did not get its job")
	}
}

func TestAStartBringsForwardWhatTheNodeHadClaimed(t *testing.T) {
	f := newFixture(t)
	r := f.reader()
	f.store.Node, r.store.Node = [16]byte{9}, [16]byte{9}
	_, err := f.notify.Claim(t.Context(), []schema.DeliveryID{f.delivery().Delivery})
	f.must(err)
	_, err = f.comment.Claim(t.Context(), []schema.CommentID{f.commented()})
	f.must(err)
	f.scatter(1, 100)
	f.exec(`update targets set state = 1, node = '` + thisNode + `', lease_until = now() + interval '50 seconds' 
		where post_id in (select id from posts where scheduled_for < now() - interval '30 minutes')`)
	f.exec(`insert into jobs (id, kind, shard, due_at, version, payload)
		select id, 1, row_number() over () % 2, now(), 1, '{}' 
		from posts p where scheduled_for < now() - interval '30 minutes'`) // of a shard more than a chunk takes
	const mine = 102
	f.store.Node = [16]byte{8}
	other := f.create(f.post(1, 0))
	f.claimOne(other, 0)
	f.addOthers(20_000)
	f.exec(`update jobs set fires = 3, due_at = now() + case kind when 3 then interval '4 minutes' else interval '30 seconds' end where due_at < now() + interval '1 hour'`)

	began := f.count(`select extract(epoch from now())::int`)
	r.wantReads(2000, func() { f.must(r.store.Recover(t.Context())) })
	if n := f.count(fmt.Sprintf(`select count(*) from jobs where due_at between to_timestamp(%d) + interval '4 seconds' and now() + interval '6 seconds'`, began)); n != mine {
		t.Errorf("%d jobs are due after the settle time, want %d", n, mine)
	}
	if n := f.count(`select (select count(*) from targets where state = 1 and lease_until > now()) + (select count(*) from comments where lease_until > now())
		+ (select count(*) from deliveries where lease_until > now())`); n != 1 {
		t.Errorf("%d leases run, want the other node's", n)
	}
	if n := f.count(of(other, `select count(*) from jobs where id = '$' and due_at > now() + interval '20 seconds'`)); n != 1 {
		t.Error("the job of the other node's claim was moved")
	}
}

func TestWhatIsOverdueIsHeldInChunks(t *testing.T) {
	f := newFixture(t)
	f.scatter(2, 3000)
	f.addOthers(20_000)
	r := f.reader()
	r.wantReads(6100, func() {
		if held, err := r.store.HoldOverdue(t.Context()); err != nil || held != 6000 {
			t.Errorf("held %d, %v", held, err)
		}
	})
	if held, err := r.store.HoldOverdue(t.Context()); err != nil || held != 0 {
		t.Errorf("held %d again, %v", held, err)
	}
}

func TestAListOfARareKindReadsLittleElse(t *testing.T) {
	f := newFixture(t)
	small := schema.NewWorkspaceID(f.store.Now())
	f.exec(fmt.Sprintf(`
		insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
		select id, '%s', 2, now() + interval '1 day', 'UTC', true, 1, '{}', 1, uuid_extract_timestamp(id), uuid_extract_timestamp(id) from (select uuidv7() id) made`,
		uuidText(schema.PostID(small))))
	f.addOthers(20_000)
	rare := f.post(1, 0)
	rare.Targets[0].Platform = schema.YouTube
	f.create(rare)
	f.exec(`analyze posts`)
	r := f.reader()
	gateway := postgres.NewGateway(r.store, plain{}, constraints)
	for name, filter := range map[string]schema.PostFilter{
		"platform":               {Platform: schema.YouTube},
		"platform and status":    {Platform: schema.YouTube, Status: schema.Scheduled},
		"platform from a time":   {Platform: schema.YouTube, After: rare.ScheduledFor.Add(-time.Minute)},
		"platform with metadata": {Platform: schema.YouTube, Metadata: map[string]string{"of": "1"}},
		"a state":                {Status: schema.Processing},
		"changes":                {UpdatedAfter: rare.CreatedAt},
		"scheduled, changes":     {UpdatedAfter: rare.CreatedAt, Status: schema.Scheduled},
		"failed, changes":        {UpdatedAfter: rare.CreatedAt.Add(-time.Hour), Status: schema.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			filter.Limit = 20
			r.wantReads(40, func() {
				_, err := gateway.Posts(t.Context(), f.workspace, filter)
				f.must(err)
			})
		})
	}
	for name, filter := range map[string]schema.PostFilter{
		"the last made of a small workspace":  {Order: schema.LastCreated},
		"the first made of a small workspace": {Order: schema.FirstCreated},
		"the changes of a small workspace":    {UpdatedAfter: rare.CreatedAt.Add(-time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			filter.Limit = 20
			r.wantReads(40, func() {
				page, err := gateway.Posts(t.Context(), small, filter)
				if f.must(err); page.Total != 1 || len(page.Posts) != 1 {
					t.Errorf("%d posts of %d", len(page.Posts), page.Total)
				}
			})
		})
	}
}

// The pages before it are counted off in indexes, which the vacuum has told that nobody is at the rows.
func TestADeepPageReadsLittleElse(t *testing.T) {
	f := newFixture(t)
	brand := schema.NewBrandID(f.store.Now())
	f.addOthers(5_000)
	f.exec(fmt.Sprintf(`update posts set platforms = %d, brand_id = '%s'`, 1<<schema.YouTube, uuidText(schema.PostID(brand))))
	f.exec(`vacuum analyze posts`)
	r := f.reader()
	gateway := postgres.NewGateway(r.store, plain{}, constraints)
	for name, filter := range map[string]schema.PostFilter{
		"all":                     {},
		"last made":               {Order: schema.LastCreated},
		"a platform":              {Platform: schema.YouTube},
		"a brand":                 {Brand: brand},
		"a platform and a brand":  {Platform: schema.YouTube, Brand: brand},
		"the first of a platform": {Platform: schema.YouTube, Order: schema.FirstScheduled},
	} {
		t.Run(name, func(t *testing.T) {
			filter.Limit, filter.Offset = 10, 4_000
			r.wantReads(40, func() {
				page, err := gateway.Posts(t.Context(), f.workspace, filter)
				if f.must(err); len(page.Posts) != filter.Limit || page.Total != 5_000 {
					t.Errorf("%d posts of %d", len(page.Posts), page.Total)
				}
			})
		})
	}
}
